import BioauthCore
public import Foundation
import Synchronization

/// The longest time that `LAContext.touchIDAuthenticationAllowableReuseDuration` can be, in seconds.
public let LATouchIDAuthenticationMaximumAllowableReuseDuration: TimeInterval = 300

/// Asks the person who runs this program to show that it is they: by touching the fingerprint reader.
///
/// As on Apple's systems a context is good for any number of evaluations, one at a time, until it is invalidated; letting it
/// go ends the one that runs. Unlike there, a program on Linux has no system that shows a dialog for it: on a terminal the
/// context itself says what to do, and a program with a window sets `promptHandler`. Where there is neither, nobody would
/// know that a touch is waited for, and an evaluation fails with `notInteractive`.
///
/// It may be used from any thread. Its methods may be overridden, as tests like to do.
open class LAContext: NSObject, @unchecked Sendable {
    // Everything that changes is in here.
    private let state = Mutex(State())
    private let socketPath: String

    private struct State {
        var isInvalidated = false
        var running: Evaluation?
        var biometryType = LABiometryType.none
        var reason = ""
        var fallbackTitle: String?
        var cancelTitle: String?
        var interactionNotAllowed = false
        var reuseDuration: TimeInterval = 0
        var promptHandler: (@Sendable (LAPrompt?) -> Void)?
    }

    public override init() {
        socketPath = Release.socket
    }

    /// A context that asks a daemon elsewhere. No program is led there by its environment: who runs a program with more
    /// rights than they have would decide whom it believes.
    package init(socketPath: String) {
        self.socketPath = socketPath
    }

    deinit { running?.cancel(.app) }

    private var running: Evaluation? { state.withLock { $0.running } }

    // MARK: Asking

    /// Whether there is a point in evaluating the policy now: nobody is prompted, and the reader stays shut.
    ///
    /// It waits for the daemon's word, which takes less than a millisecond, and two seconds at most. It sets `biometryType`,
    /// whatever it returns. It may be called anywhere, in a `reply` too.
    ///
    /// - Parameter error: where the reason goes if there is none: a `LAError`.
    open func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        let prospect =
            state.withLock { $0.isInvalidated }
            ? Prospect(hasReader: nil, obstacle: LAError(.contextInvalidated)) : Prospect(askedAt: socketPath)
        if let hasReader = prospect.hasReader {
            state.withLock { $0.biometryType = hasReader ? .touchID : .none }
        }
        error?.pointee = prospect.obstacle.map { $0 as NSError }
        return prospect.obstacle == nil
    }

    /// Asks the person, and tells how it went.
    ///
    /// So far a finger is what both policies ask for; the account's password is not asked for yet.
    ///
    /// - Parameters:
    ///   - localizedReason: what for, to be shown: a short sentence, of at most 512 bytes. Where it is empty Apple's system ends the
    ///     program; here the evaluation fails with `notInteractive`, cause `reasonMissing`.
    ///   - reply: is called once, on a queue of the context's own, and never before this returns: with true, or with false and
    ///     a `LAError`. A second evaluation while one runs fails with `systemCancel`, cause `evaluationRunning`, and the
    ///     first goes on; one after `invalidate` fails with `invalidContext`.
    open func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let shown = localizedReason.shortened(toBytes: Limits.reasonBytes)
        let misuse: LAError.Misuse? = state.withLock { state in
            if state.isInvalidated { return .contextInvalidated }
            if let running = state.running, !running.isOver { return .evaluationRunning }
            if shown.allSatisfy(\.isWhitespace) { return .reasonMissing }
            let prompting = Prompting(
                reason: shown, cancelTitle: state.cancelTitle, fallbackTitle: state.fallbackTitle,
                handler: state.promptHandler, isForbidden: state.interactionNotAllowed)
            state.running = Evaluation(at: socketPath, prompting, reply)
            return nil
        }
        if let misuse { Evaluation.queueOfItsOwn().async { reply(false, LAError(misuse)) } }
    }

    /// Asks the person, and returns true or throws a `LAError`. A task that is cancelled withdraws the question, which then
    /// fails with `appCancel`; the context stays good.
    open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                evaluatePolicy(policy, localizedReason: localizedReason) { isAllowed, error in
                    if isAllowed {
                        continuation.resume(returning: true)
                    } else {
                        continuation.resume(throwing: error ?? LAError(.authenticationFailed))
                    }
                }
                // Cancelled before there was something to withdraw.
                if Task.isCancelled { running?.cancel(.app) }
            }
        } onCancel: {
            running?.cancel(.app)
        }
    }

    /// Ends the evaluation that runs, which fails with `appCancel`, and the context's use. The reader is free at once.
    open func invalidate() {
        let running = state.withLock { state in
            state.isInvalidated = true
            return state.running
        }
        running?.cancel(.app)
    }

    // MARK: What is known

    /// What the machine recognises people by: `touchID` if it has a fingerprint reader. `none` before the first
    /// `canEvaluatePolicy`.
    open var biometryType: LABiometryType { state.withLock { $0.biometryType } }

    // MARK: How to ask

    /// A reason for where none is given. Each evaluation of a policy is given one, so this is only kept.
    open var localizedReason: String {
        get { state.withLock { $0.reason } }
        set { state.withLock { $0.reason = newValue } }
    }

    /// What the way out is called that `LAPrompt.chooseFallback` is. Nil, as in the beginning: as usual; "": there is none.
    open var localizedFallbackTitle: String? {
        get { state.withLock { $0.fallbackTitle } }
        set { state.withLock { $0.fallbackTitle = newValue } }
    }

    /// What cancelling is called. Nil, as in the beginning, and "": as usual.
    open var localizedCancelTitle: String? {
        get { state.withLock { $0.cancelTitle } }
        set { state.withLock { $0.cancelTitle = newValue } }
    }

    /// Whether nobody may be asked. An evaluation then fails with `notInteractive`, as each needs a touch.
    open var interactionNotAllowed: Bool {
        get { state.withLock { $0.interactionNotAllowed } }
        set { state.withLock { $0.interactionNotAllowed = newValue } }
    }

    /// How long after the screen was unlocked by finger an evaluation may do without another touch, in seconds: at most
    /// `LATouchIDAuthenticationMaximumAllowableReuseDuration`. It is kept, but no unlocking counts so far: each
    /// evaluation asks for a touch.
    open var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
        get { state.withLock { $0.reuseDuration } }
        set {
            let longest = LATouchIDAuthenticationMaximumAllowableReuseDuration
            // What is no number is no time.
            state.withLock { $0.reuseDuration = newValue > 0 ? min(newValue, longest) : 0 }
        }
    }

    /// Shows the person what to do, in a program that has a window of its own; not of Apple's. It is called with each new thing
    /// to show, and with nil when there is nothing to show any more, in this order and before `reply`. Nil, as in the
    /// beginning: the context writes it on the terminal that the program runs in the foreground of.
    open var promptHandler: (@Sendable (LAPrompt?) -> Void)? {
        get { state.withLock { $0.promptHandler } }
        set { state.withLock { $0.promptHandler = newValue } }
    }
}
