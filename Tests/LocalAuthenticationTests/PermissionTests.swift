import BioauthCore
import BioauthWire
import Foundation
import SyntheticFingers
import TestSupport
import Testing

@testable import LocalAuthentication

/// A program that the administrator doesn't list, and what its person says to it.
@Suite struct PermissionTests {
    private let daemon: DaemonUnderTest
    private let passwords: PasswordSocket

    init() throws {
        daemon = try .enrolled()
        passwords = try PasswordSocket(beside: daemon, passwords: [DaemonUnderTest.account.name: "open sesame"])
    }

    /// Whether it may, as the daemon keeps it; nil: the person has not said.
    private var isPermitted: Bool? {
        get throws {
            guard case .switches(let entries) = try daemon.ask(.switches(DaemonUnderTest.account)) else { return nil }
            return entries.first { $0.subject == Switch(.app, Program.name) }?.isOn
        }
    }

    @Test func `the person is asked once, and the touch that follows makes it last`() async throws {
        let context = daemon.context(Somebody(daemon.person, touching: [1]) { $0.allow() })
        #expect(context.prospect() == nil, "as before Apple's system has asked")
        #expect(await context.outcome() == nil)
        #expect(try isPermitted == true)
        let again = Somebody(daemon.person, touching: [1])
        context.promptHandler = { again.see($0) }
        #expect(await context.outcome() == nil)
        #expect(again.seen.withLock { $0.allSatisfy { $0 == nil || $0?.kind == .touch } })
    }

    @Test func `a "yes" without a touch is none`() async throws {
        let person = Somebody { _, prompt in
            prompt.cancel()
        } otherwise: {
            $0.allow()
        }
        #expect(await daemon.context(person).outcome()?.code == .userCancel)
        #expect(try isPermitted == nil)
    }

    @Test func `a "no" is remembered, and the password still does where it may`() async throws {
        let person = Somebody { _, _ in
        } otherwise: {
            $0.refuse()
        }
        let context = daemon.context(person)
        let error = await context.outcome()
        #expect(error?.code == .biometryNotAvailable && error?.cause == .notPermitted)
        #expect(person.messages == ["May \(Program.name) ask for your finger?", nil])
        #expect(try isPermitted == false)
        #expect(context.prospect()?.cause == .notPermitted)
        let silent = Somebody { _, _ in }
        context.promptHandler = { silent.see($0) }
        #expect(await context.outcome()?.cause == .notPermitted)
        #expect(silent.messages.isEmpty)

        let other = Somebody { _, _ in
        } otherwise: {
            $0.enter(password: "open sesame".utf8)
        }
        context.promptHandler = { other.see($0) }
        #expect(await context.outcome(.deviceOwnerAuthentication) == nil)
        #expect(other.seen.withLock { $0.first??.kind } == .password)
    }

    @Test func `asked, the person may cancel, and nothing is remembered`() async throws {
        let person = Somebody { _, _ in
        } otherwise: {
            $0.cancel()
        }
        #expect(await daemon.context(person).outcome()?.code == .userCancel)
        #expect(try isPermitted == nil)
    }

    @Test func `where nobody may be asked no permission is asked for`() async throws {
        let person = Somebody { _, _ in }
        let context = daemon.context(person)
        context.interactionNotAllowed = true
        let error = await context.outcome()
        #expect(error?.code == .notInteractive && error?.cause == .interactionForbidden)
        #expect(person.messages.isEmpty)
    }

    /// Who else than root turns it, and how, is tried with the example package.
    @Test(.enabled(if: isRoot)) func `an app's own lock is kept, and without a daemon nobody takes it for off`()
        async throws
    {
        let lock = LAAppLock(socketPath: daemon.socketPath)
        #expect(try !lock.isEnabled)
        for isOn in [true, false, true] {
            try await lock.setEnabled(isOn, using: daemon.context(), localizedReason: "lock the vault")
            #expect(try lock.isEnabled == isOn)
        }
        try daemon.stop()
        #expect(throws: LAError(Denial(.noDaemon))) { try lock.isEnabled }
    }
}
