import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation
import TestSupport
import Testing

/// The program as it is installed, not in private mode: the service file that is shipped, the system's pam_unix, and
/// accounts that exist in a mount namespace of its own.
@Suite(.enabled(if: isRoot, "accounts and mounts can be made by root alone"))
struct SystemPasswordTests {
    let service: PasswordService
    let daemon: ScriptedDaemon

    /// Accounts, each with what follows its name in /etc/shadow.
    enum Kind: UInt32, CaseIterable {
        case usual = 4201
        case empty, locked, noPassword, accountExpired, passwordExpired, passwordInactive, mustChange

        var shadow: String {
            switch self {
            case .usual: "\(KnownPassword.crypted):20000::::::"
            case .empty: ":20000::::::"
            case .locked: "!\(KnownPassword.crypted):20000::::::"
            case .noPassword: "*:20000::::::"
            case .accountExpired: "\(KnownPassword.crypted):20000:::::10000:"
            case .passwordExpired: "\(KnownPassword.crypted):10000:0:90:7:::"
            case .passwordInactive: "\(KnownPassword.crypted):10000:0:90:7:1::"
            case .mustChange: "\(KnownPassword.crypted):0::::::"
            }
        }

        var account: Account { Account(uid: rawValue, name: "bioauth-\(self)") }
    }

    init() throws { try self.init { _, _ in } }

    init(observer: @escaping ScriptedDaemon.Observer) throws {
        let directory = TemporaryDirectory()
        let accounts = Kind.allCases.map(\.account)
        // And a second name of the first one's number, and a second number of the second one's name.
        let passwd =
            accounts.map { "\($0.name):x:\($0.uid):4200::/nonexistent:/bin/false\n" }.joined()
            + "bioauth-alias:x:4201:4200::/nonexistent:/bin/false\n"
            + "bioauth-empty:x:4299:4200::/nonexistent:/bin/false\n"
        let shadow =
            Kind.allCases.map { "\($0.account.name):\($0.shadow)\n" }.joined()
            + "bioauth-alias:\(KnownPassword.crypted):20000::::::\n"
        try directory.write(passwd, to: "passwd")
        try directory.write(shadow, to: "shadow", mode: 0o640)
        let shipped = try String(contentsOfFile: Built.package + "/pam/bioauth-password.pam", encoding: .utf8)
        try directory.write(shipped, to: "pam.d/bioauth-password")
        let mounts = """
            mount --bind "$0/passwd" /etc/passwd && mount --bind "$0/shadow" /etc/shadow && \
            mount --bind "$0/pam.d" /etc/pam.d && exec "$@"
            """
        service = try PasswordService(
            in: directory, launcher: ["unshare", "--mount", "sh", "-c", mounts, directory.path])
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

    @Test(arguments: [Kind.empty, .locked, .noPassword])
    func `no password opens an account that has none`(kind: Kind) throws {
        #expect(try verdict(kind) == .passwordVerdict(.wrong))
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

    @Test(arguments: [Account(uid: 4201, name: "bioauth-alias"), Account(uid: 4299, name: "bioauth-empty")])
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
