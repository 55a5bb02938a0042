import BioauthCore
import BioauthWire
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LocalAuthentication

/// What a context is before, between and after its evaluations.
@Suite struct ContextTests {
    @Test func `a new one has Apple's defaults`() {
        let context = LAContext()
        #expect(context.biometryType == .none && context.localizedReason.isEmpty && !context.interactionNotAllowed)
        #expect(context.localizedFallbackTitle == nil && context.localizedCancelTitle == nil)
        #expect(context.touchIDAuthenticationAllowableReuseDuration == 0)
        #expect(LATouchIDAuthenticationMaximumAllowableReuseDuration == 300)
    }

    @Test(arguments: [(-1, 0), (0, 0), (299.5, 299.5), (300, 300), (301, 300), (.infinity, 300), (.nan, 0)])
    func `the reuse duration is held within its bounds`(_ given: TimeInterval, _ kept: TimeInterval) {
        let context = LAContext()
        context.touchIDAuthenticationAllowableReuseDuration = given
        #expect(context.touchIDAuthenticationAllowableReuseDuration == kept)
    }

    @Test func `where a finger would be taken it can be evaluated, and the reader stays shut`() throws {
        let daemon = try DaemonUnderTest.listingThisProgram(more: "[reader]\nkeep-warm-seconds = 0\n")
        // A reader that was found is opened once.
        #expect(try eventually { try daemon.status().readerState == .closed })
        let context = daemon.context()
        #expect(context.biometryType == .none)
        #expect(context.prospect() == nil && context.prospect(.deviceOwnerAuthentication) == nil)
        #expect(context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil))
        #expect(context.biometryType == .touchID)
        #expect(try daemon.status().readerState == .closed)
    }

    @Test func `where none would be taken both ways of asking say the same, and nobody is prompted`() async throws {
        let unlisted = try DaemonUnderTest.enrolled(configuration: "[services]\n\(Program.name) = off\n")
        let notEnrolled = try DaemonUnderTest.listingThisProgram(isEnrolled: false)
        let readerless = try DaemonUnderTest.listingThisProgram(hasReader: false)
        let gone = try DaemonUnderTest.listingThisProgram()
        try gone.stop()
        let places: [(DaemonUnderTest, LAError.Code, LAError.Cause, LABiometryType)] = [
            (unlisted, .biometryNotAvailable, .serviceDisabled, .touchID),
            (notEnrolled, .biometryNotEnrolled, .notEnrolled, .touchID),
            (readerless, .biometryNotAvailable, .noReader, .none),
            (gone, .biometryNotAvailable, .noDaemon, .none),
        ]
        for (daemon, code, cause, type) in places {
            let person = Somebody { _, _ in }
            let context = daemon.context(person)
            let prospect = context.prospect()
            #expect(prospect?.code == code && prospect?.cause == cause)
            #expect(context.biometryType == type)
            let outcome = await context.outcome()
            #expect(outcome?.code == code && outcome?.cause == cause)
            #expect(person.messages.isEmpty)
        }
    }

    @Test func `invalidating ends what runs, and nothing can be asked after`() async throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let context = daemon.context()
        context.promptHandler = { [weak context] prompt in if prompt != nil { context?.invalidate() } }
        let error = try #require(await context.outcome())
        #expect(error.code == .appCancel && error.cause == .appWithdrew)
        #expect(try eventually { try daemon.isFree })
        context.invalidate()
        for after in [await context.outcome(), context.prospect()] {
            #expect(after?.code == .invalidContext && after?.cause == .contextInvalidated)
        }
    }

    @Test func `letting it go ends what runs`() async throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let only = Mutex<LAContext?>(nil)
        let error = await withCheckedContinuation { done in
            let context = daemon.context()
            context.promptHandler = { prompt in if prompt != nil { only.withLock { $0 = nil } } }
            only.withLock { $0 = context }
            context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "try") {
                done.resume(returning: $1)
            }
        }
        #expect((error as? LAError)?.code == .appCancel)
        #expect(try eventually { try daemon.isFree })
    }

    @Test func `a cancelled task withdraws its question, and the context stays good`() async throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let (prompts, prompted) = AsyncStream<Void>.makeStream()
        let context = daemon.context(Somebody { _, _ in prompted.yield() })
        let task = Task { await context.outcome() }
        for await _ in prompts { break }
        task.cancel()
        #expect(await task.value?.code == .appCancel)
        let late = Task { () -> LAError? in
            withUnsafeCurrentTask { $0?.cancel() }
            return await context.outcome()
        }
        #expect(await late.value?.code == .appCancel)
        let person = Somebody(daemon.person, touching: [1])
        context.promptHandler = { person.see($0) }
        #expect(await context.outcome() == nil)
    }

    @Test(arguments: ["", "  ", "\n\u{0}\u{1B}"]) func `without a reason nobody is asked`(_ reason: String) async throws
    {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let error = await daemon.context().outcome(reason: reason)
        #expect(error?.code == .notInteractive && error?.cause == .reasonMissing)
    }

    @Test func `a reason is shown without control characters, and cut where it is too long`() async throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let person = Somebody { _, prompt in prompt.cancel() }
        let context = daemon.context(person)
        #expect(await context.outcome(reason: "\u{1B}[2J금고를\u{7} 엽니다")?.code == .userCancel)
        #expect(await context.outcome(reason: String(repeating: "가", count: 500))?.code == .userCancel)
        let reasons = person.seen.withLock { $0.compactMap { $0?.localizedReason } }
        #expect(Set(reasons) == ["[2J금고를 엽니다", String(repeating: "가", count: 170)])
    }

    @Test func `a second evaluation fails while one runs, which goes on`() async throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let reader = Somebody(daemon.person, touching: [1])
        let second = Mutex<LAError?>(nil)
        let context = daemon.context()
        context.promptHandler = { [weak context] prompt in
            guard let prompt else { return }
            context?.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "try") { _, error in
                second.withLock { $0 = error as? LAError }
                reader.see(prompt)
            }
        }
        #expect(await context.outcome() == nil)
        let error = second.withLock { $0 }
        #expect(error?.code == .systemCancel && error?.cause == .evaluationRunning)
    }

    @Test func `where nobody may be asked nobody is`() async throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let person = Somebody { _, _ in }
        let context = daemon.context(person)
        context.interactionNotAllowed = true
        let error = await context.outcome()
        #expect(error?.code == .notInteractive && error?.cause == .interactionForbidden)
        #expect(person.messages.isEmpty)
    }

    @Test(.enabled(if: isRoot)) func `a set-uid program of anybody's but root's can't ask for who runs it`() throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let error = try asUser(stranger) { daemon.context().prospect() }
        #expect(error?.code == .biometryNotAvailable && error?.cause == .notPermitted)
    }

    @Test func `what a program gave it is let go with it`() async throws {
        final class Belonging: Sendable {}
        let daemon = try DaemonUnderTest.listingThisProgram()
        weak var shown: Belonging?
        weak var told: Belonging?
        do {
            let (inPrompt, inReply) = (Belonging(), Belonging())
            (shown, told) = (inPrompt, inReply)
            let context = daemon.context()
            context.promptHandler = { prompt in withExtendedLifetime(inPrompt) { prompt?.cancel() } }
            await withCheckedContinuation { done in
                context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "try") { _, _ in
                    withExtendedLifetime((inReply, context)) { done.resume() }
                }
            }
        }
        // The connection, which tells them, is closed a moment after the reply.
        #expect(eventually { shown == nil && told == nil })
    }
}
