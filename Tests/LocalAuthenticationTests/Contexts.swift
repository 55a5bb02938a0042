import BioauthCore
import Foundation
import SyntheticFingers
import Synchronization
import TestSupport
import Testing

@testable import LocalAuthentication

extension DaemonUnderTest {
    /// A daemon that lists this program among the apps, and knows the account's right index finger as synthetic finger 1.
    static func listingThisProgram(
        isEnrolled: Bool = true, hasReader: Bool = true, more: String = ""
    ) throws -> DaemonUnderTest {
        let configuration = "[services]\n\(Program.name) = app\n\(more)"
        return isEnrolled && hasReader
            ? try .enrolled(configuration: configuration)
            : try DaemonUnderTest(configuration: configuration, hasReader: hasReader)
    }

    /// A context whose prompts come to somebody; nobody: they are looked away from.
    func context(_ somebody: Somebody? = nil) -> LAContext {
        let context = LAContext(socketPath: socketPath)
        context.promptHandler = { prompt in somebody?.see(prompt) }
        return context
    }

    /// Nobody waits at the reader.
    var isFree: Bool { get throws { try status().waiting == 0 } }
}

/// Who looks at the prompts of one context, and does something at each.
final class Somebody: Sendable {
    /// What they saw: nil is the end.
    let seen = Mutex<[LAPrompt?]>([])
    private let act: @Sendable (Int, LAPrompt) throws -> Void
    /// What they do at any other prompt.
    private let otherwise: @Sendable (LAPrompt) -> Void

    /// - Parameters:
    ///   - act: what they do at a prompt that wants a touch, which is the so many-th of these, from 0.
    ///   - otherwise: what they do at a prompt that wants no touch, but something else.
    init(
        _ act: @escaping @Sendable (Int, LAPrompt) throws -> Void,
        otherwise: @escaping @Sendable (LAPrompt) -> Void = { _ in }
    ) {
        self.act = act
        self.otherwise = otherwise
    }

    /// Touches the reader with one finger after the other.
    convenience init(
        _ reader: VirtualReader, touching fingers: [Int], otherwise: @escaping @Sendable (LAPrompt) -> Void = { _ in }
    ) {
        self.init(
            { number, _ in
                if fingers.indices.contains(number) {
                    try reader.touch(SyntheticFinger(number: fingers[number]).impression(20))
                }
            }, otherwise: otherwise)
    }

    func see(_ prompt: LAPrompt?) {
        let number = seen.withLock { seen in
            seen.append(prompt)
            return seen.count { $0?.wantsTouch == true } - 1
        }
        guard let prompt else { return }
        if prompt.kind != .touch { return otherwise(prompt) }
        guard prompt.wantsTouch else { return }
        do { try act(number, prompt) } catch { Issue.record(error) }
    }

    var messages: [String?] { seen.withLock { $0.map { $0?.message } } }
}

extension LAPrompt {
    /// It isn't for waiting.
    var wantsTouch: Bool { kind == .touch && (message.hasPrefix("Swipe") || message.hasPrefix("No match")) }
}

extension LAContext {
    /// Evaluates, and gives the error; nil: let in.
    func outcome(
        _ policy: LAPolicy = .deviceOwnerAuthenticationWithBiometrics, reason: String = "open the vault"
    ) async -> LAError? {
        do {
            return try await evaluatePolicy(policy, localizedReason: reason) ? nil : LAError(.authenticationFailed)
        } catch {
            let known = error as? LAError
            #expect(known != nil, "\(error)")
            return known
        }
    }

    /// What `canEvaluatePolicy` says; nil: it can.
    func prospect(_ policy: LAPolicy = .deviceOwnerAuthenticationWithBiometrics) -> LAError? {
        var error: NSError?
        let can = canEvaluatePolicy(policy, error: &error)
        #expect(can == (error == nil))
        return error.map { error in
            let known = error as? LAError
            #expect(known != nil, "\(error)")
            return known ?? LAError(.authenticationFailed)
        }
    }
}
