import BioauthCore
import BioauthWire
public import Foundation

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
    private let state = Locked(State())
    private let socketPath: String

    private struct State {
        var isInvalidated = false
        var running: Evaluation?
        var biometryType = LABiometryType.none
        var domainState: Data?
        var reason = ""
        var fallbackTitle: String?
        var cancelTitle: String?
        var interactionNotAllowed = false
        var reuseDuration: TimeInterval = 0
        var promptHandler: (@Sendable (LAPrompt?) -> Void)?
        var maxBiometryFailures: NSNumber?
        var credentials: Set<LACredentialType> = []

        var tries: Int {
            guard let most = maxBiometryFailures?.intValue else { return LAContext.usualTries }
            return min(max(most, Limits.tries.lowerBound), Limits.tries.upperBound)
        }

        func audience(isSeenElsewhere: Bool) -> Prompting.Audience {
            if interactionNotAllowed { return .forbidden }
            if let promptHandler { return .program(promptHandler) }
            if isSeenElsewhere { return .program { _ in } }
            return PromptTerminal().map(Prompting.Audience.terminal) ?? .nobody
        }
    }

    /// Touches that may fail to match, where the program doesn't say how many.
    private static let usualTries = 3

    /// Where the evaluation that a call starts is put, so that a task can end its own and no other.
    @TaskLocal private static var asked: Asked?

    /// One call's evaluation, if there is one.
    private final class Asked: Sendable {
        private let state = Locked((evaluation: Evaluation?.none, isCancelled: false))

        func set(_ evaluation: Evaluation) {
            let isCancelled = state.withLock { state in
                state.evaluation = evaluation
                return state.isCancelled
            }
            if isCancelled { evaluation.cancel(.app) }
        }

        func cancel() {
            let evaluation = state.withLock { state in
                state.isCancelled = true
                return state.evaluation
            }
            evaluation?.cancel(.app)
        }
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
    /// It waits for the system's word, which takes less than a millisecond, and two seconds at most. It sets `biometryType`,
    /// whatever it returns. It may be called anywhere, in a `reply` too.
    ///
    /// - Parameters:
    ///   - policy: what would be asked for.
    ///   - error: where the reason goes if there is none: a `LAError`.
    @discardableResult
    open func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        let obstacle: LAError?
        if state.withLock({ $0.isInvalidated }) {
            obstacle = LAError(.contextInvalidated)
        } else if let account = Program.account {
            let prospect = Prospect(of: account, policy, at: socketPath)
            obstacle = prospect.obstacle
            state.withLock { state in
                if let hasReader = prospect.hasReader { state.biometryType = hasReader ? .touchID : .none }
                state.domainState = prospect.domainState
            }
        } else {
            obstacle = LAError(Denial(.unknownUser))
        }
        error?.pointee = obstacle.map { $0 as NSError }
        return obstacle == nil
    }

    /// Asks the person, and tells how it went.
    ///
    /// A touch of the reader is asked for. With `deviceOwnerAuthentication` the account's password will do as well: the person
    /// may choose it, and is asked for it where no finger can be used. A program that the person has not yet let use their
    /// finger has them asked about that first.
    ///
    /// - Parameters:
    ///   - policy: what to ask for.
    ///   - localizedReason: what for, to be shown: a short sentence, of at most 512 bytes. Where it is empty Apple's system ends the
    ///     program; here the evaluation fails with `notInteractive`, cause `reasonMissing`.
    ///   - reply: is called once, on a queue of the context's own, and never before this returns: with true, or with false and
    ///     a `LAError`. A second evaluation while one runs fails with `systemCancel`, cause `evaluationRunning`, and the
    ///     first goes on; one after `invalidate` fails with `invalidContext`.
    @preconcurrency open func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        ask(.letIn, policy, localizedReason) { reply($0 == nil, $0) }
    }

    /// Asks the person, and returns true or throws a `LAError`. A task that is cancelled withdraws the question, which then
    /// fails with `appCancel`; the context stays good.
    @discardableResult
    open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        let asked = Asked()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                LAContext.$asked.withValue(asked) {
                    evaluatePolicy(policy, localizedReason: localizedReason) { isAllowed, error in
                        if isAllowed {
                            continuation.resume(returning: true)
                        } else {
                            continuation.resume(throwing: error ?? LAError(.authenticationFailed))
                        }
                    }
                }
            }
        } onCancel: {
            asked.cancel()
        }
    }

    /// Asks the person, and tells all that happens until the outcome, which is always the last; not of Apple's. Who shows
    /// the prompts that come here needs no `promptHandler`.
    open func evaluationEvents(_ policy: LAPolicy, localizedReason: String) -> LAEvaluationEvents {
        let asked = Asked()
        let (stream, continuation) = AsyncStream<LAEvaluationEvent>.makeStream()
        continuation.onTermination = { termination in
            if case .cancelled = termination { asked.cancel() }
        }
        LAContext.$asked.withValue(asked) {
            ask(.letIn, policy, localizedReason) {
                continuation.yield($0)
            } reply: { error in
                continuation.yield(.outcome(error))
                continuation.finish()
            }
        }
        return LAEvaluationEvents(stream, of: self)
    }

    /// Turns something on or off on the person's proof, which is a touch or the password.
    func turn(_ subject: Switch, isOn: Bool, localizedReason: String) async throws {
        let asked = Asked()
        let error = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                LAContext.$asked.withValue(asked) {
                    ask(.turn(subject, isOn: isOn), .deviceOwnerAuthentication, localizedReason) {
                        continuation.resume(returning: $0)
                    }
                }
            }
        } onCancel: {
            asked.cancel()
        }
        if let error { throw error }
    }

    private func ask(
        _ aim: Question.Aim, _ policy: LAPolicy, _ reason: String,
        onEvent: (@Sendable (LAEvaluationEvent) -> Void)? = nil, reply: @escaping Evaluation.Reply
    ) {
        // What is replaced is let go outside the lock: it may hold what calls back.
        let (error, replaced, started): (LAError?, Evaluation?, Evaluation?) = state.withLock { state in
            let shown = reason.shortened(toBytes: Limits.reasonBytes)
            if state.isInvalidated { return (LAError(.contextInvalidated), nil, nil) }
            if let running = state.running, !running.isOver { return (LAError(.evaluationRunning), nil, nil) }
            if shown.allSatisfy(\.isWhitespace) { return (LAError(.reasonMissing), nil, nil) }
            guard let account = Program.account else { return (LAError(Denial(.unknownUser)), nil, nil) }
            let replaced = state.running
            let question = Question(
                socketPath: socketPath, account: account, aim: aim, reason: shown,
                takesPassword: policy == .deviceOwnerAuthentication, tries: state.tries,
                reuse: .seconds(state.reuseDuration))
            let started = Evaluation(
                question,
                Prompting(
                    titles: Prompting.Titles(cancel: state.cancelTitle, fallback: state.fallbackTitle),
                    audience: state.audience(isSeenElsewhere: onEvent != nil), onEvent: onEvent)
            ) { [weak self] error in
                self?.forgetEnded()
                if error == nil { self?.learnDomainState() }
                reply(error)
            }
            state.running = started
            return (nil, replaced, started)
        }
        withExtendedLifetime(replaced) {}
        if let error { return Evaluation.queueOfItsOwn().async { reply(error) } }
        if let started { LAContext.asked?.set(started) }
    }

    /// What has ended holds nothing of the program's any more.
    private func forgetEnded() {
        let ended = state.withLock { state -> Evaluation? in
            guard let running = state.running, running.isOver else { return nil }
            state.running = nil
            return running
        }
        withExtendedLifetime(ended) {}
    }

    /// Ends the evaluation that runs, which fails with `appCancel`, and the context's use. The reader is free at once.
    open func invalidate() {
        let running = state.withLock { state in
            state.isInvalidated = true
            state.credentials = []
            return state.running
        }
        running?.cancel(.app)
    }

    // MARK: What is known

    /// What the machine recognises people by: `touchID` if it has a fingerprint reader. `none` before the first
    /// `canEvaluatePolicy`.
    open var biometryType: LABiometryType { state.withLock { $0.biometryType } }

    /// Which of the person's fingers were enrolled when it was last known that a finger would be taken, or was: 32 bytes to be
    /// compared with those of another time, as `LADomainState` has them. Nil before, and once `canEvaluatePolicy` has found
    /// that none would be. `domainState` has taken its place on Apple's systems.
    open var evaluatedPolicyDomainState: Data? { state.withLock { $0.domainState } }

    /// Which of the person's fingers are enrolled now. It may be asked for without evaluating, and waits for the system's
    /// word as `canEvaluatePolicy` does.
    open var domainState: LADomainState {
        let isInvalidated = state.withLock { $0.isInvalidated }
        return LADomainState(isInvalidated ? nil : examination)
    }

    private var examination: Examination? {
        Program.account.flatMap { try? Examination(of: $0, .deviceOwnerAuthenticationWithBiometrics, at: socketPath) }
    }

    /// Of the fingers that one of has just let the person in.
    private func learnDomainState() {
        let known = examination?.domainState.map { Data($0) }
        state.withLock { $0.domainState = known }
    }

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

    /// Whether nobody may be asked. An evaluation then fails with `notInteractive`, unless the touch that unlocked the
    /// screen will do.
    open var interactionNotAllowed: Bool {
        get { state.withLock { $0.interactionNotAllowed } }
        set { state.withLock { $0.interactionNotAllowed = newValue } }
    }

    /// How long after the screen was unlocked by finger an evaluation may do without another touch, in seconds: at most
    /// `LATouchIDAuthenticationMaximumAllowableReuseDuration`. 0, as in the beginning: it may not.
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
        set {
            // What is replaced is let go outside the lock: it may hold what calls back.
            let replaced = state.withLock { state in
                defer { state.promptHandler = newValue }
                return state.promptHandler
            }
            withExtendedLifetime(replaced) {}
        }
    }

    /// How many touches may fail to match: 1 to 10; nil, as in the beginning: 3.
    @available(*, deprecated, message: "Apple's systems pass over it")
    open var maxBiometryFailures: NSNumber? {
        get { state.withLock { $0.maxBiometryFailures } }
        set { state.withLock { $0.maxBiometryFailures = newValue } }
    }

    // MARK: Credentials

    /// Sets a credential, or takes it back with nil. Nothing on Linux asks a context for one, so that it was given is kept and
    /// nothing else of it.
    ///
    /// - Returns: whether it is as was asked; false once the context is invalidated.
    @discardableResult
    open func setCredential(_ credential: Data?, type: LACredentialType) -> Bool {
        state.withLock { state in
            guard !state.isInvalidated else { return false }
            if credential == nil { state.credentials.remove(type) } else { state.credentials.insert(type) }
            return true
        }
    }

    /// Whether a credential of that type was set.
    open func isCredentialSet(_ type: LACredentialType) -> Bool { state.withLock { $0.credentials.contains(type) } }
}

/// What a credential is.
public enum LACredentialType: Int, Sendable {
    /// A password of the program's own.
    case applicationPassword = 0
    /// Doesn't come about on Linux.
    case smartCardPIN = -3
}
