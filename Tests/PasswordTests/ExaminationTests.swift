import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation
import TestSupport
import Testing

/// What the daemon says of passwords where somebody asks whether a request would do with one.
@Suite struct ExaminationTests {
    let daemon: DaemonUnderTest

    init() throws {
        daemon = try DaemonUnderTest(hasReader: false)
    }

    private var passwordSocket: String { daemon.directory.file("password.sock") }

    private func question(
        _ account: Account = .own, _ policy: Authenticate.Policy = .biometricsOrPassword
    ) -> ClientMessage {
        .examine(account, service: "app", tty: nil, policy: policy)
    }

    private func isSet(
        _ account: Account = .own, _ policy: Authenticate.Policy = .biometricsOrPassword, as uid: uid_t = geteuid()
    ) throws -> Bool? {
        try isSet(in: daemon.ask(question(account, policy), as: uid))
    }

    private func isSet(in answer: DaemonMessage) throws -> Bool? {
        guard case .examination(let examination) = answer else { throw DaemonUnderTest.Unexpected(answer) }
        return examination.isPasswordSet
    }

    @Test(.enabled(if: isRoot, "accounts and mounts can be made by root alone"))
    func `it is what bioauth-password says, to root and to the person`() throws {
        let service = try SystemAccount.service(in: daemon.directory)
        for kind in SystemAccount.allCases {
            #expect(try isSet(kind.account, as: kind.rawValue) == kind.isSet)
            #expect(try isSet(kind.account) == kind.isSet)
            #expect(try isSet(kind.account, .biometrics) == nil)
        }
        withExtendedLifetime(service) {}
    }

    @Test func `where a finger alone would do, nobody is asked`() throws {
        let service = try ScriptedDaemon(at: passwordSocket, [.answer(.passwordPresence(isSet: true))])
        defer { service.stop() }
        #expect(try isSet(.own, .biometrics) == nil)
        #expect(service.messages.isEmpty)
        #expect(try isSet() == true)
        #expect(service.messages == [.passwordSet(.own)])
    }

    @Test func `without bioauth-password it isn't known, and as soon as there is one it is`() throws {
        #expect(try isSet() == nil)
        let service = try ScriptedDaemon(at: passwordSocket, [.answer(.passwordPresence(isSet: false))])
        defer { service.stop() }
        #expect(try isSet() == false)
    }

    static let unable: [ScriptedDaemon.Step] = [
        .silence, .close, .bytes([1, 2, 3]), .answer(.passwordVerdict(.right(nil))), .answer(.problem(.tooMany)),
        .bytes([UInt8](repeating: 1, count: 5000)),
    ]

    @Test(arguments: unable)
    func `one that says nothing, or nothing that can be read, is no answer`(step: ScriptedDaemon.Step) throws {
        let service = try ScriptedDaemon(at: passwordSocket, [step])
        defer { service.stop() }
        #expect(try isSet() == nil)
        // The daemon serves on.
        #expect(try daemon.status().prints == 0)
    }

    @Test func `all who ask at once wait for one answer, and nobody else waits`() throws {
        let asked = DispatchSemaphore(value: 0)
        let all = DispatchSemaphore(value: 0)
        let service = try ScriptedDaemon(at: passwordSocket, [.answer(.passwordPresence(isSet: true))]) { _, _ in
            asked.signal()
            all.wait()
        }
        defer { service.stop() }
        var connections = try (0..<20).map { _ in try OpenConnection(daemon.connect()) }
        for connection in connections { try connection.connection.send(question()) }
        #expect(asked.wait(timeout: .now() + 20) == .success)
        #expect(try daemon.status().prints == 0)
        // One who leaves meanwhile is missed by nobody.
        connections.removeFirst()
        all.signal()
        for connection in connections {
            #expect(try isSet(in: connection.connection.receive(within: .seconds(10))) == true)
        }
        #expect(service.messages.count == 1)
    }

    @Test(.enabled(if: isRoot, "another account's peer can be had by root alone"))
    func `one person's questions, by whatever names, keep nobody else's from being answered`() throws {
        let daemon = daemon
        let release = DispatchSemaphore(value: 0)
        let service = try ScriptedDaemon(at: passwordSocket, [.answer(.passwordPresence(isSet: true))]) { message, _ in
            if case .passwordSet(let account) = message, account.uid == stranger { release.wait() }
        }
        defer { service.stop() }
        let held = try daemon.connect(as: stranger)
        try held.send(question(Account(uid: stranger, name: "a")))
        #expect(eventually { !service.messages.isEmpty })
        // Another name of that number is not asked for meanwhile.
        #expect(try isSet(Account(uid: stranger, name: "b"), as: stranger) == nil)
        release.signal()
        guard case .examination(let examination) = try held.receive(within: .seconds(10)) else {
            throw DaemonUnderTest.Unexpected()
        }
        #expect(examination.isPasswordSet == true)
        #expect(service.messages.count == 1)
        #expect(try isSet() == true)
    }

    /// So that some can be held together.
    private final class OpenConnection {
        let connection: DaemonConnection
        init(_ connection: consuming DaemonConnection) { self.connection = connection }
    }
}
