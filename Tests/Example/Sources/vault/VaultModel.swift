import Foundation
import LocalAuthentication

/// The view-model of a vault that opens for its owner, as one would write it for an iPhone: it knows nothing of Linux.
@available(iOS 15, macOS 12, *)
@MainActor final class VaultModel {
    enum State: Equatable {
        case locked
        case unlocking
        case unlocked
        case failed(String)
        /// The finger can't be used; the button for the passcode is shown.
        case passcodeOffered(String)
    }

    static let didUnlock = Notification.Name("VaultDidUnlock")

    private(set) var state = State.locked {
        didSet { continuation.yield(state) }
    }
    let states: AsyncStream<State>
    private let continuation: AsyncStream<State>.Continuation

    /// Where an app without SwiftUI shows what the system's dialog would.
    var configure: (LAContext) -> Void = { _ in }
    private var context = LAContext()

    init() {
        (states, continuation) = AsyncStream.makeStream()
    }

    /// What the unlock button shows.
    var biometryName: String {
        let context = LAContext()
        context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil)
        switch context.biometryType {
        case .touchID: return "Touch ID"
        case .faceID: return "Face ID"
        case .opticID: return "Optic ID"
        case .none: return "Passcode"
        @unknown default: return "Biometrics"
        }
    }

    func unlock() async {
        state = .unlocking
        context = LAContext()
        context.localizedCancelTitle = "Not now"
        context.localizedFallbackTitle = "Use passcode"
        configure(context)
        var error: NSError?
        guard context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error) else {
            state = outcome(of: error.flatMap { $0 as? LAError } ?? LAError(.biometryNotAvailable))
            return
        }
        await evaluate(.deviceOwnerAuthenticationWithBiometrics)
    }

    /// The fallback: a new context, after the old one was invalidated.
    func unlockWithPasscode() async {
        context.invalidate()
        context = LAContext()
        configure(context)
        state = .unlocking
        await evaluate(.deviceOwnerAuthentication)
    }

    /// Asks again for as long as that may help, three times at most.
    func unlockPatiently() async {
        for _ in 0..<3 {
            await unlock()
            guard case .failed = state else { return }
        }
    }

    /// The app goes to the background.
    func lock() {
        context.invalidate()
        state = .locked
    }

    /// Nothing is published any more.
    func close() { continuation.finish() }

    private func evaluate(_ policy: LAPolicy) async {
        do {
            try await context.evaluatePolicy(policy, localizedReason: "Open the vault")
            state = .unlocked
            NotificationCenter.default.post(name: Self.didUnlock, object: nil, userInfo: ["policy": policy.rawValue])
        } catch let error as LAError {
            state = outcome(of: error)
        } catch {
            state = .failed("\(error)")
        }
    }

    private func outcome(of error: LAError) -> State {
        switch error.code {
        case .authenticationFailed: .failed("Not recognised.")
        case .userCancel, .appCancel, .systemCancel: .locked
        case .userFallback: .passcodeOffered("You chose the passcode.")
        case .biometryLockout: .passcodeOffered("Too many tries.")
        case .biometryNotEnrolled: .passcodeOffered("No finger is enrolled.")
        case .biometryNotAvailable: .passcodeOffered(error.localizedDescription)
        case .passcodeNotSet: .failed("Set a passcode first.")
        case .invalidContext: .failed("The question was withdrawn.")
        case .notInteractive: .failed("Nobody can be asked.")
        default: .failed(error.localizedDescription)
        }
    }
}
