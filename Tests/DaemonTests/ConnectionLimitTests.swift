import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

@Suite("Limits on connections") struct ConnectionLimitTests {
    private final class Held {
        let connection: DaemonConnection
        init(_ connection: consuming DaemonConnection) { self.connection = connection }
    }

    /// Connections of one user, all answered.
    private final class Crowd {
        private var connections: [Held] = []

        init(of uid: uid_t, _ count: Int, at daemon: DaemonUnderTest) throws {
            for _ in 0..<count { connections.append(Held(try daemon.connect(as: uid))) }
            let account = Account(uid: uid, name: "name")
            for held in connections { try held.connection.send(.list(account)) }
            for held in connections {
                let answer = try held.connection.receive(within: .seconds(20))
                guard case .prints = answer else { throw DaemonUnderTest.Unexpected(answer) }
            }
        }

        func leave() { connections.removeLast() }
    }

    private func isRefused(_ uid: uid_t, at daemon: DaemonUnderTest) throws -> Bool {
        do {
            guard case .prints = try daemon.ask(.list(Account(uid: uid, name: "name")), as: uid) else {
                throw DaemonUnderTest.Unexpected()
            }
            return false
        } catch ConnectionError.problem(.tooMany) {
            return true
        }
    }

    @Test(
        "A user may have 64 connections and no more, whatever others have",
        .enabled(if: isRoot, "needs root, to be others"))
    func perUser() throws {
        let daemon = try DaemonUnderTest()
        let crowd = try Crowd(of: stranger, Limits.connectionsPerUser, at: daemon)
        #expect(try isRefused(stranger, at: daemon))
        #expect(try !isRefused(1001, at: daemon))
        #expect(try !isRefused(0, at: daemon))
        crowd.leave()
        #expect(eventually { (try? isRefused(stranger, at: daemon)) == false })
    }

    @Test(
        "However many others there are, root's share stays free for root; and in all there are 4096",
        .enabled(if: isRoot, "needs root, to be others"))
    func rootsShare() throws {
        raiseOpenFileLimit()
        let daemon = try DaemonUnderTest.enrolled()
        let others = Limits.connections - Limits.connectionsForRoot
        var crowds: [Crowd] = []
        for number in 0..<others / Limits.connectionsPerUser {
            crowds.append(try Crowd(of: 2000 + uid_t(number), Limits.connectionsPerUser, at: daemon))
        }
        #expect(try isRefused(3000, at: daemon))
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))

        crowds.append(try Crowd(of: 0, Limits.connectionsForRoot - 1, at: daemon))
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
        // The place of the one that just left is free once the daemon knows.
        var last: Crowd?
        #expect(
            eventually {
                last = try? Crowd(of: 0, 1, at: daemon)
                return last != nil
            })
        #expect(try isRefused(0, at: daemon))
        crowds.removeFirst()
        #expect(eventually { (try? isRefused(0, at: daemon)) == false })
        #expect(try !isRefused(3000, at: daemon))
    }

    @Test("Out of descriptors, it serves those whom it has, and the others when there are some again")
    func outOfDescriptors() throws {
        let daemon = try DaemonUnderTest(under: ["/usr/bin/prlimit", "--nofile=64:64"])
        let account = DaemonUnderTest.account
        let first = try daemon.connect()
        try first.expect(.prints([]), to: .list(account))
        var crowd = try (0..<80).map { _ in Held(try daemon.connect()) }
        #expect(eventually { daemon.log.contains("A connection could not be accepted") })
        try first.expect(.prints([]), to: .list(account))
        let waiting = try daemon.connect()
        try waiting.send(.list(account))
        #expect(throws: ConnectionError.timedOut) { try waiting.receive(within: .milliseconds(150)) }
        crowd.removeAll()
        #expect(try waiting.receive(within: .seconds(10)) == .prints([]))
    }

    private func raiseOpenFileLimit() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
