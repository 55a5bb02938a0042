import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation
import TestSupport
import Testing

/// The program as it is installed, not in private mode: the service file that is shipped, the system's pam_unix, and
/// accounts of its own.
@Suite(.enabled(if: isRoot, "accounts and mounts can be made by root alone"))
struct SystemPasswordTests {
    typealias Kind = SystemAccount

    let service: PasswordService
    let daemon: ScriptedDaemon

    init() throws { try self.init { _, _ in } }

    init(observer: @escaping ScriptedDaemon.Observer) throws {
        service = try SystemAccount.service(in: TemporaryDirectory())
        daemon = try ScriptedDaemon(at: service.daemonPath, observer: observer)
    }

    private func verdict(_ kind: Kind, _ password: String = KnownPassword.text) throws -> DaemonMessage? {
        defer { daemon.stop() }
        return try service.verdict(on: password, of: kind.account)
    }

    @Test func `right`() throws {
        #expect(try verdict(.usual) == .passwordVerdict(.right(nil)))
        #expect(daemon.messages.last == .passwordResult(right: true, wantsTicket: false))
    }

    @Test(arguments: [
        KnownPassword.text + " ", String(KnownPassword.text.dropLast()), "x", String(repeating: "x", count: 512),
    ])
    func `wrong`(password: String) throws {
        let start = Date()
        #expect(try verdict(.usual, password) == .passwordVerdict(.wrong))
        #expect(daemon.messages.last == .passwordResult(right: false, wantsTicket: false))
        // Slowing down is the daemon's: pam_unix would have taken two seconds and more.
        #expect(Date().timeIntervalSince(start) < 1.5)
    }

    @Test(arguments: Kind.allCases.filter { $0.isSet == false })
    func `no password opens an account that has none, and trying one counts for nothing`(kind: Kind) throws {
        for password in [KnownPassword.text, "x", "!", "*"] {
            #expect(try service.verdict(on: password, of: kind.account) == .passwordVerdict(.notSet))
        }
        #expect(daemon.messages.isEmpty)
        try waitUntil("they ended") { service.exitCodes == [0, 0, 0, 0] }
        #expect(service.log.contains("Password not set") && !service.log.contains(KnownPassword.crypted))
        daemon.stop()
    }

    @Test func `where another module is asked too, its word is the last`() throws {
        let stack = """
            auth sufficient \(PasswordService.matrixModule) passdb=DIR/passdb
            auth required pam_unix.so nodelay use_first_pass
            account required pam_permit.so
            """
        let directory = TemporaryDirectory()
        let account = Kind.locked.account
        try directory.write("\(account.name):theirs:bioauth-password\n", to: "passdb")
        let service = try SystemAccount.service(
            in: directory, stack: stack.replacing("DIR", with: directory.path))
        let daemon = try ScriptedDaemon(at: service.daemonPath)
        defer { daemon.stop() }
        #expect(try service.answer(to: .passwordSet(account)) == .passwordPresence(isSet: nil))
        #expect(try service.verdict(on: "theirs", of: account) == .passwordVerdict(.right(nil)))
        // What the files have is a password all the same.
        #expect(try service.answer(to: .passwordSet(Kind.usual.account)) == .passwordPresence(isSet: true))
    }

    @Test(arguments: Kind.allCases)
    func `whether there is a password is told to the person and to root, and takes no turn`(kind: Kind) throws {
        defer { daemon.stop() }
        let message = ClientMessage.passwordSet(kind.account)
        let presence = DaemonMessage.passwordPresence(isSet: kind.isSet)
        #expect(try service.answer(to: message) == presence)
        #expect(try service.answer(to: message.encoded(), from: kind.rawValue) == presence.encoded())
        #expect(daemon.messages.isEmpty)
    }

    @Test func `of another's account nobody hears whether it has one, nor whether there is such an account`() throws {
        defer { daemon.stop() }
        let nothing = DaemonMessage.passwordPresence(isSet: nil).encoded()
        let others = [
            Kind.usual.account, Kind.empty.account, Account(uid: 3_999_999_999, name: "no-such-account"),
            Account(uid: Kind.locked.rawValue, name: Kind.usual.account.name),
        ]
        for account in others {
            let answer = try service.answer(
                to: ClientMessage.passwordSet(account).encoded(), from: Kind.locked.rawValue)
            #expect(answer == nothing)
        }
        // Root hears nothing of what isn't one account either.
        for account in [Kind.alias, Kind.second, Account(uid: 3_999_999_999, name: "no-such-account")] {
            #expect(try service.answer(to: .passwordSet(account)) == .passwordPresence(isSet: nil))
        }
    }

    @Test(arguments: [Kind.accountExpired, .passwordExpired, .passwordInactive, .mustChange])
    func `the right password of an account that may not be used doesn't count`(kind: Kind) throws {
        #expect(try verdict(kind) == .passwordVerdict(.unavailable))
        // Not told to the daemon, and so counted as a wrong one there.
        #expect(daemon.messages == [.passwordTurn(kind.account, peerUID: 0)])
        try waitUntil("it ended") { service.exitCodes == [0] }
        #expect(service.log.contains("Password unavailable: pam_acct_mgmt"))
    }

    @Test(arguments: [Kind.accountExpired, .passwordExpired, .mustChange])
    func `a wrong one is wrong there too`(kind: Kind) throws {
        #expect(try verdict(kind, "wrong") == .passwordVerdict(.wrong))
    }

    @Test func `a person asks for the own account`() throws {
        defer { daemon.stop() }
        let account = Kind.usual.account
        let answer = try service.answer(to: .password(KnownPassword.text, of: account), from: account.uid)
        #expect(answer == DaemonMessage.passwordVerdict(.right(nil)).encoded())
    }

    @Test(arguments: [Kind.alias, Kind.second])
    func `a number with two names, or a name with two numbers, is one account`(second: Account) throws {
        defer { daemon.stop() }
        #expect(try service.verdict(on: KnownPassword.text, of: second) == .passwordVerdict(.unavailable))
        #expect(daemon.messages.isEmpty)
    }

    @Test func `one person can't ask for another`() throws {
        defer { daemon.stop() }
        let message = [UInt8].password(KnownPassword.text, of: Kind.usual.account)
        let answer = try service.answer(to: message, from: Kind.locked.rawValue)
        #expect(answer == DaemonMessage.passwordVerdict(.unavailable).encoded())
        #expect(daemon.messages.isEmpty)
    }
}
