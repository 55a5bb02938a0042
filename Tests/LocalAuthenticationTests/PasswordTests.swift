import BioauthCore
import Foundation
import SyntheticFingers
import Synchronization
import TestSupport
import Testing

@testable import LocalAuthentication

/// `deviceOwnerAuthentication`: the finger, then the account's password, asked for by the program.
@Suite struct PasswordTests {
    private let daemon: DaemonUnderTest
    private let passwords: PasswordSocket

    init() throws {
        daemon = try .listingThisProgram(more: "[lockout]\nmismatches-per-delay = 2\ndelay-seconds = 3600\n")
        passwords = try PasswordSocket(beside: daemon, passwords: [DaemonUnderTest.account.name: "open sesame"])
    }

    @Test func `the person chooses the password, which is offered from the beginning`() async throws {
        let person = Somebody { _, prompt in
            #expect(prompt.kind == .touch && prompt.fallbackTitle == "Enter password")
            prompt.chooseFallback()
            // Once is enough.
            prompt.chooseFallback()
        } otherwise: { prompt in
            #expect(prompt.kind == .password && prompt.fallbackTitle == nil)
            prompt.enter(password: "open sesame".utf8)
        }
        #expect(await daemon.context(person).outcome(.deviceOwnerAuthentication) == nil)
        #expect(person.messages.suffix(2) == ["Give the password of \(DaemonUnderTest.account.name).", nil])
        #expect(try eventually { try daemon.isFree })
    }

    @Test func `where the finger is locked the password is asked for at once, and unlocks it`() async throws {
        let context = daemon.context(Somebody(daemon.person, touching: [2, 3]))
        #expect(await context.outcome()?.code == .biometryLockout)
        #expect(context.prospect()?.code == .biometryLockout)
        #expect(context.prospect(.deviceOwnerAuthentication) == nil)
        let person = Somebody { _, _ in
        } otherwise: {
            $0.enter(password: Array("open sesame".utf8))
        }
        context.promptHandler = { person.see($0) }
        #expect(await context.outcome(.deviceOwnerAuthentication) == nil)
        #expect(
            person.messages == [
                "Too many touches didn't match: the finger is locked. "
                    + "Give the password of \(DaemonUnderTest.account.name).", nil,
            ])
        #expect(context.prospect() == nil)
    }

    @Test func `fingers that don't match lead to the password`() async throws {
        let person = Somebody(daemon.person, touching: [2]) { $0.enter(password: "open sesame".utf8) }
        let context = daemon.context(person)
        context.setTries(1)
        #expect(await context.outcome(.deviceOwnerAuthentication) == nil)
        #expect(person.messages.contains { $0?.hasPrefix("The finger did not match. Give the password") == true })
    }

    @Test func `three wrong passwords fail`() async throws {
        let given = Mutex(0)
        let person = Somebody { _, prompt in
            prompt.chooseFallback()
        } otherwise: { prompt in
            given.withLock { $0 += 1 }
            prompt.enter(password: ["wrong", "", "open sesame\u{0}"][given.withLock { $0 } - 1].utf8)
        }
        let error = await daemon.context(person).outcome(.deviceOwnerAuthentication)
        #expect(
            error?.code == .authenticationFailed && error?.cause == .passwordWrong && error?.code.isRetryable == true)
        #expect(given.withLock { $0 } == 3)
    }

    @Test func `at the password too the person may cancel, and the program may withdraw`() async throws {
        let person = Somebody { _, prompt in
            prompt.chooseFallback()
        } otherwise: {
            $0.cancel()
        }
        #expect(await daemon.context(person).outcome(.deviceOwnerAuthentication)?.code == .userCancel)
        let context = daemon.context()
        context.promptHandler = { [weak context] prompt in
            if prompt?.kind == .touch { prompt?.chooseFallback() }
            if prompt?.kind == .password { context?.invalidate() }
        }
        #expect(await context.outcome(.deviceOwnerAuthentication)?.code == .appCancel)
    }

    @Test func `a prompt that is over does nothing`() async throws {
        let touch = Mutex<LAPrompt?>(nil)
        let person = Somebody { _, prompt in
            touch.withLock { $0 = prompt }
            // Neither a password nor a permission is asked for.
            prompt.enter(password: "open sesame".utf8)
            prompt.allow()
            prompt.refuse()
            prompt.chooseFallback()
        } otherwise: { prompt in
            touch.withLock { $0 }?.chooseFallback()
            prompt.chooseFallback()
            prompt.enter(password: "open sesame".utf8)
        }
        let context = daemon.context(person)
        #expect(await context.outcome(.deviceOwnerAuthentication) == nil)
        touch.withLock { $0 }?.cancel()
        #expect(person.seen.withLock { $0.count { $0?.kind == .password } } == 1)
    }

    @Test func `where nothing checks passwords that is said, and a touch still does`() async throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let person = Somebody { _, prompt in
            prompt.chooseFallback()
        } otherwise: {
            $0.enter(password: "any".utf8)
        }
        let error = await daemon.context(person).outcome(.deviceOwnerAuthentication)
        #expect(error?.code == .biometryNotAvailable && error?.cause == .passwordUnavailable)
        let toucher = Somebody(daemon.person, touching: [1])
        #expect(await daemon.context(toucher).outcome(.deviceOwnerAuthentication) == nil)
    }

    @Test func `without anybody who could be asked no password is asked for either`() async throws {
        let context = daemon.context(Somebody { _, _ in })
        context.interactionNotAllowed = true
        #expect(await context.outcome(.deviceOwnerAuthentication)?.code == .notInteractive)
    }
}

/// An evaluation's events.
@Suite struct EventTests {
    @Test func `all that happens is told in its order, and the outcome last`() async throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        var told: [String] = []
        // The one shows it, the other listens.
        let context = daemon.context(Somebody(daemon.person, touching: [2, 1]))
        for await event in context.evaluationEvents(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "try") {
            switch event {
            case .prompt(let prompt):
                told.append("prompt")
                #expect(prompt.message.hasPrefix("Swipe"))
            case .mismatch(let left, let prompt):
                told.append("mismatch \(left)")
                #expect(prompt.fallbackTitle != nil)
            case .waiting, .retry: continue
            case .outcome(let error): told.append("outcome \(error.map { "\($0)" } ?? "in")")
            }
        }
        #expect(told == ["prompt", "mismatch 2", "outcome in"])
    }

    @Test func `what a program gave it may call back when it is let go`() async throws {
        final class Screen: Sendable {
            let context: LAContext
            init(_ context: LAContext) { self.context = context }
            deinit { context.localizedReason = "let go" }
        }
        let daemon = try DaemonUnderTest.listingThisProgram()
        let context = daemon.context()
        do {
            let screen = Screen(context)
            context.promptHandler = { prompt in withExtendedLifetime(screen) { prompt?.cancel() } }
        }
        #expect(await context.outcome()?.code == .userCancel)
        context.promptHandler = nil
        #expect(eventually { context.localizedReason == "let go" })
    }

    @Test func `who stops listening withdraws the question`() async throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let context = LAContext(socketPath: daemon.socketPath)
        for await event in context.evaluationEvents(.deviceOwnerAuthentication, localizedReason: "try")
        where event.prompt != nil { break }
        #expect(try eventually { try daemon.isFree })
        let misuse = context.evaluationEvents(.deviceOwnerAuthentication, localizedReason: "")
        var outcomes: [LAError?] = []
        for await event in misuse { if case .outcome(let error) = event { outcomes.append(error) } }
        #expect(outcomes.count == 1 && outcomes[0]?.cause == .reasonMissing)
    }
}

extension LAContext {
    func setTries(_ tries: Int) { (self as any WithoutWarning).tries = tries }
}

/// What Apple has deprecated is tested all the same.
private protocol WithoutWarning: AnyObject { var tries: Int { get set } }

extension LAContext: WithoutWarning {
    @available(*, deprecated) var tries: Int {
        get { maxBiometryFailures?.intValue ?? 0 }
        set { maxBiometryFailures = NSNumber(value: newValue) }
    }
}
