import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation
import Testing

/// A right password while the daemon is anything but well: never said to count.
@Suite struct DaemonTroubleTests {
    let service: PasswordService

    init() throws {
        service = try PasswordService(passwords: [Account.own.name: "right one"])
    }

    private func verdict(_ steps: [ScriptedDaemon.Step]) throws -> (DaemonMessage?, [ClientMessage]) {
        let daemon = try ScriptedDaemon(at: service.daemonPath, steps)
        defer { daemon.stop() }
        let verdict = try service.verdict(on: "right one", wantsTicket: true)
        return (verdict, daemon.messages)
    }

    @Test func `no daemon`() throws {
        #expect(try service.verdict(on: "right one") == .passwordVerdict(.unavailable))
        try waitUntil("it ended") { service.exitCodes == [0] }
        #expect(service.log.contains("outcome=unavailable"))
    }

    static let badTurns: [ScriptedDaemon.Step] = [
        .close, .silence, .bytes([]), .bytes([1, 0]), .bytes(Array(repeating: 1, count: 5000)),
        .answer(.passwordAdvice(useful: true)), .answer(.problem(.notPermitted)),
        .answer(.refused(Denial(.notPermitted))), .answer(.refused(Denial(.passwordDelayed))),
    ]

    @Test(arguments: badTurns)
    func `without a turn PAM isn't asked`(step: ScriptedDaemon.Step) throws {
        let (verdict, messages) = try verdict([step, .answer(.done(nil))])
        #expect(verdict == .passwordVerdict(.unavailable))
        #expect(messages == [.passwordTurn(.own, peerUID: getuid())])
    }

    static let badResults: [ScriptedDaemon.Step] = [
        .close, .silence, .bytes([9, 9, 9]), .answer(.passwordVerdict(.right(nil))), .answer(.problem(.stopping)),
        .answer(.refused(Denial(.stateNotWritable))),
    ]

    @Test(arguments: badResults)
    func `a right password that wasn't written down isn't said to be right`(step: ScriptedDaemon.Step) throws {
        let (verdict, messages) = try verdict([.answer(.done(nil)), step])
        #expect(verdict == .passwordVerdict(.unavailable))
        #expect(messages.last == .passwordResult(right: true, wantsTicket: true))
    }

    @Test func `a wrong password is wrong though the daemon went away meanwhile`() throws {
        let daemon = try ScriptedDaemon(at: service.daemonPath, [.answer(.done(nil)), .close])
        defer { daemon.stop() }
        #expect(try service.verdict(on: "wrong one") == .passwordVerdict(.wrong))
    }

    @Test func `a message of a type from the future is passed over`() throws {
        let daemon = try ScriptedDaemon(at: service.daemonPath, [.bytes([1, 0, 99, 0])])
        defer { daemon.stop() }
        let start = Date()
        #expect(try service.verdict(on: "right one") == .passwordVerdict(.unavailable))
        // It waited for the answer that never came.
        #expect(Date().timeIntervalSince(start) >= 1)
    }
}
