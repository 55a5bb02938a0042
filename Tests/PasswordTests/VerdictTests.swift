import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation
import Testing

/// A password, its turn at the daemon, its way through PAM, and what is told to whom.
@Suite struct VerdictTests {
    let service: PasswordService

    init() throws {
        service = try PasswordService(passwords: [Account.own.name: "right one", "nobody": "nobody's"])
    }

    @Test func `the right password is right once the daemon has it`() throws {
        let daemon = try ScriptedDaemon(at: service.daemonPath)
        defer { daemon.stop() }
        #expect(try service.verdict(on: "right one") == .passwordVerdict(.right(nil)))
        #expect(
            daemon.messages == [
                .passwordTurn(.own, peerUID: getuid()), .passwordResult(right: true, wantsTicket: false),
            ])
        try waitUntil("it ended") { service.exitCodes == [0] }
        #expect(service.log.contains("outcome=right"))
    }

    @Test func `a ticket that is wanted is passed on`() throws {
        let ticket = try #require(Ticket(bytes: Array(1...16)))
        let daemon = try ScriptedDaemon(at: service.daemonPath, [.answer(.done(nil)), .answer(.done(ticket))])
        defer { daemon.stop() }
        #expect(try service.verdict(on: "right one", wantsTicket: true) == .passwordVerdict(.right(ticket)))
        #expect(daemon.messages.last == .passwordResult(right: true, wantsTicket: true))
    }

    @Test(arguments: ["wrong one", "right on", "right one ", "Right one", String(repeating: "w", count: 512)])
    func `a wrong password is wrong, and never gets a ticket`(password: String) throws {
        let daemon = try ScriptedDaemon(at: service.daemonPath)
        defer { daemon.stop() }
        #expect(try service.verdict(on: password, wantsTicket: true) == .passwordVerdict(.wrong))
        #expect(daemon.messages.last == .passwordResult(right: false, wantsTicket: false))
        try waitUntil("it ended") { service.exitCodes == [0] }
        #expect(!service.log.contains(password))
    }

    @Test func `root may ask for any account`() throws {
        let daemon = try ScriptedDaemon(at: service.daemonPath)
        defer { daemon.stop() }
        #expect(try service.verdict(on: "nobody's", of: .nobody) == .passwordVerdict(.right(nil)))
        #expect(daemon.messages.first == .passwordTurn(.nobody, peerUID: getuid()))
    }

    @Test func `a delayed password isn't tried`() throws {
        let denial = Denial(.passwordDelayed, endsIn: .seconds(40))
        let daemon = try ScriptedDaemon(at: service.daemonPath, [.answer(.refused(denial))])
        defer { daemon.stop() }
        #expect(try service.verdict(on: "right one") == .passwordVerdict(.delayed(.seconds(40))))
        #expect(daemon.messages.count == 1)
    }

    @Test(arguments: [
        Account(uid: Account.own.uid, name: "nobody"), Account(uid: 65534, name: Account.own.name),
        Account(uid: 3_999_999_999, name: "no-such-account"),
        Account(uid: Account.own.uid, name: Account.own.name + " "),
        Account(uid: Account.own.uid, name: "../" + Account.own.name),
        Account(uid: Account.own.uid, name: String(repeating: "n", count: 256)),
    ])
    func `a number and a name that don't belong together are nobody's`(account: Account) throws {
        let daemon = try ScriptedDaemon(at: service.daemonPath)
        defer { daemon.stop() }
        #expect(try service.verdict(on: "right one", of: account) == .passwordVerdict(.unavailable))
        #expect(daemon.messages.isEmpty)
    }
}
