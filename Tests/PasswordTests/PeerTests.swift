import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation
import Testing

/// Peers that are up to no good, or to nothing.
@Suite struct PeerTests {
    let service: PasswordService

    init() throws {
        service = try PasswordService(passwords: [Account.own.name: "right one", "nobody": "nobody's"])
    }

    static let unreadable: [(bytes: [UInt8], problem: Problem)] = [
        (.password(""), .malformed),
        (.password(String(repeating: "p", count: 513)), .malformed),
        (.password("right\0one"), .malformed),
        (Array([UInt8].password("right one").dropLast()), .malformed),
        ([1], .malformed),
        (Array(repeating: 0xff, count: 64), .unsupportedVersion),
        ([2] + [UInt8].password("right one").dropFirst(), .unsupportedVersion),
        ([1, 0, 99, 0], .unknownMessage),
        (ClientMessage.status(.own).encoded(), .unknownMessage),
        (ClientMessage.passwordTurn(.own, peerUID: 0).encoded(), .unknownMessage),
        (.password("right one") + [UInt8](repeating: 0, count: 4096), .oversized),
    ]

    @Test(arguments: unreadable)
    func `what can't be read is told so`(bytes: [UInt8], problem: Problem) throws {
        let daemon = try ScriptedDaemon(at: service.daemonPath)
        defer { daemon.stop() }
        #expect(try service.answer(to: bytes) == .problem(problem))
        #expect(daemon.messages.isEmpty)
        try waitUntil("it ended") { service.exitCodes == [0] }
    }

    @Test func `only the first of two messages is heard`() throws {
        let daemon = try ScriptedDaemon(at: service.daemonPath)
        defer { daemon.stop() }
        let socket = try service.connected()
        for password in ["wrong one", "right one"] { _ = try socket.send(.password(password)) }
        try waitUntil("it ended") { service.exitCodes == [0] }
        #expect(
            daemon.messages == [
                .passwordTurn(.own, peerUID: getuid()), .passwordResult(right: false, wantsTicket: false),
            ])
    }

    @Test func `a peer that says nothing is let go after two seconds`() throws {
        let start = Date()
        let socket = try service.connected()
        #expect(try socket.answer() == .problem(.idle))
        #expect((2..<5).contains(Date().timeIntervalSince(start)))
    }

    @Test func `a peer that leaves at once costs nothing`() throws {
        do { _ = try service.connected() }
        try waitUntil("it ended") { service.exitCodes == [1] }
        #expect(service.log.contains("No answer: the peer left without a word"))
    }

    @Test func `a peer that leaves in the middle has its password counted all the same`() throws {
        let left = DispatchSemaphore(value: 0)
        let daemon = try ScriptedDaemon(at: service.daemonPath) { message, _ in
            if case .passwordTurn = message { left.wait() }
        }
        defer { daemon.stop() }
        do {
            let socket = try service.connected()
            _ = try socket.send(.password("right one"))
            try waitUntil("the turn was asked for") { !daemon.messages.isEmpty }
        }
        left.signal()
        try waitUntil("it ended") { service.exitCodes == [1] }
        #expect(daemon.messages.last == .passwordResult(right: true, wantsTicket: false))
        #expect(service.log.contains("No answer: the peer is gone"))
    }

    @Test(.enabled(if: isRoot, "another account's peer can be had by root alone"))
    func `anybody may ask for the own account`() throws {
        let daemon = try ScriptedDaemon(at: service.daemonPath)
        defer { daemon.stop() }
        let right = DaemonMessage.passwordVerdict(.right(nil)).encoded()
        #expect(try service.answer(to: .password("nobody's", of: .nobody), from: 65534) == right)
        #expect(daemon.messages.first == .passwordTurn(.nobody, peerUID: 65534))
    }

    @Test(.enabled(if: isRoot, "another account's peer can be had by root alone"))
    func `nobody learns a thing of another account`() throws {
        let daemon = try ScriptedDaemon(at: service.daemonPath)
        defer { daemon.stop() }
        let unavailable = DaemonMessage.passwordVerdict(.unavailable).encoded()
        let others = [
            Account.own, Account(uid: 1, name: "daemon"), Account(uid: 0, name: "nobody"),
            Account(uid: 3_999_999_999, name: "no-such-account"),
        ]
        for account in others {
            #expect(try service.answer(to: .password("right one", of: account), from: 65534) == unavailable)
        }
        // Neither the daemon nor, therefore, PAM was asked; nor was the account looked up.
        #expect(daemon.messages.isEmpty)
        try waitUntil("they ended") { service.exitCodes == [0, 0, 0, 0] }
        #expect(service.log.components(separatedBy: "Password unavailable: not the peer's own account").count == 5)
    }
}
