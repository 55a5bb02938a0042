import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

@Suite("Clients that keep silent") struct SilentClientTests {
    @Test("One that sends and never reads is let go, and others are served meanwhile")
    func neverReads() throws {
        let daemon = try DaemonUnderTest()
        let deaf = try daemon.connect()
        var sent = 0
        #expect(throws: ConnectionError.daemonGone) {
            while sent < 100_000 {
                try deaf.send(.status(DaemonUnderTest.account))
                sent += 1
                if sent % 100 == 0 { _ = try daemon.status() }
            }
        }
        // It had what the socket holds, and what may wait for it.
        #expect(sent > Limits.unreadMessages)
        #expect(sent < 10_000)
        _ = try daemon.status()
    }

    @Test("One that watches and never reads is let go by what happens")
    func neverReadsEvents() throws {
        let daemon = try DaemonUnderTest()
        let deaf = try RawClient(daemon)
        guard case .sent = try deaf.socket.send(ClientMessage.watch.encoded()) else {
            throw DaemonUnderTest.Unexpected()
        }
        let busy = try daemon.connect()
        let request = ClientMessage.authenticate(Authenticate(account: DaemonUnderTest.account, service: "sudo"))
        var asked = 0
        while !deaf.isLetGo, asked < 20_000 {
            try busy.send(request)
            _ = try busy.receive(within: .seconds(10))
            asked += 1
        }
        let isLetGo = deaf.isLetGo
        #expect(isLetGo)
        var heard = 0
        while try deaf.answer() != nil { heard += 1 }
        #expect(heard > 0)
    }

    @Test("One that connects and asks nothing is let go after a while; one that waits, or watches, is not")
    func asksNothing() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let waiting = try daemon.connect()
        try waiting.send(
            .authenticate(Authenticate(account: DaemonUnderTest.account, service: "sudo", timeout: .seconds(60))))
        try waiting.receive { if case .prompt = $0 { true } else { false } }
        let watching = try daemon.connect()
        try watching.send(.watch)
        let turn = try daemon.connect()
        try turn.expect(.done(nil), to: .passwordTurn(DaemonUnderTest.account, peerUID: 0))
        let start = ContinuousClock.now
        let silent = try daemon.connect()
        let asked = try daemon.connect()
        try asked.expect(
            .passwordAdvice(useful: false), to: .passwordUseful(DaemonUnderTest.account, service: "bioauth-password"))

        try silent.expect(.problem(.idle))
        let took = ContinuousClock.now - start
        #expect(took >= Limits.idleConnection)
        #expect(took < Limits.idleConnection * 2)
        try silent.expect(.daemonGone)
        try asked.expect(.problem(.idle))

        try turn.expect(.done(nil), to: .passwordResult(right: true, wantsTicket: false))
        try waiting.send(.cancel(.person))
        #expect(try waiting.receive(within: .seconds(10)) == .verdict(.denied(Denial(.personCancelled))))
        let seen = try watching.receive { if case .event(let event) = $0 { event.kind == .denied } else { false } }
        guard case .event(let event) = seen else { throw DaemonUnderTest.Unexpected() }
        #expect(event.cause == .personCancelled)
    }
}
