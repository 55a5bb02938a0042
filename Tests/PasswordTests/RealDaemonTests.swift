import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation
import TestSupport
import Testing

/// With the daemon itself at the other end.
@Suite struct RealDaemonTests {
    let daemon: DaemonUnderTest
    let service: PasswordService

    init() throws {
        daemon = try DaemonUnderTest(hasReader: false)
        service = try PasswordService(
            passwords: [Account.own.name: "right one", "nobody": "nobody's"], daemonPath: daemon.socketPath)
    }

    @Test func `a right password is given, a wrong one isn't`() throws {
        #expect(try service.verdict(on: "wrong one", wantsTicket: true) == .passwordVerdict(.wrong))
        #expect(try daemon.status().passwordAge == nil)
        #expect(try service.verdict(on: "right one") == .passwordVerdict(.right(nil)))
        #expect(try daemon.status().passwordAge != nil)
    }

    @Test func `each right password gives a ticket of its own`() throws {
        var tickets: Set<Ticket> = []
        for _ in 0..<2 {
            guard case .passwordVerdict(.right(let ticket?)) = try service.verdict(on: "right one", wantsTicket: true)
            else { throw DaemonUnderTest.Unexpected() }
            tickets.insert(ticket)
        }
        #expect(tickets.count == 2)
    }

    @Test(.enabled(if: isRoot, "another account's peer can be had by root alone"))
    func `five wrong passwords are free, then there is a wait, for the right one too`() throws {
        func verdict(_ password: String) throws -> DaemonMessage {
            try DaemonMessage(decoding: service.answer(to: .password(password, of: .nobody), from: Account.nobody.uid))
        }
        for _ in 0..<5 { #expect(try verdict("wrong one") == .passwordVerdict(.wrong)) }
        guard case .passwordVerdict(.delayed(let time)) = try verdict("nobody's") else {
            throw DaemonUnderTest.Unexpected()
        }
        #expect(time > .zero && time <= .seconds(2))
        // It ends when it was said to; the right password then starts over.
        try waitUntil("the delay is over") { (try? verdict("nobody's")) == .passwordVerdict(.right(nil)) }
        for _ in 0..<4 { #expect(try verdict("wrong one") == .passwordVerdict(.wrong)) }
    }

    @Test func `a daemon that hangs`() throws {
        daemon.program.send(SIGSTOP)
        #expect(try service.verdict(on: "right one") == .passwordVerdict(.unavailable))
        daemon.program.send(SIGCONT)
        #expect(try daemon.status().passwordAge == nil)
    }

    @Test func `a state that can't be written`() throws {
        try daemon.directory.write("not a directory", to: "blocked")
        let users = daemon.stateDirectory + "/users"
        try? FileManager.default.removeItem(atPath: users)
        try FileManager.default.createSymbolicLink(atPath: users, withDestinationPath: daemon.directory.file("blocked"))
        #expect(try service.verdict(on: "right one", wantsTicket: true) == .passwordVerdict(.unavailable))
    }
}
