import Foundation
import Testing

/// Hosts that run many transactions, at once or one after the other.
@Suite(.serialized) struct ConcurrencyTests {
    /// A daemon that takes turns: a match, a denial, nonsense, and a death in the middle of a touch.
    private static func mixed(_ turn: Box<Int>) -> @Sendable (Connection) -> Void {
        { connection in
            turn.change { $0 += 1 }
            connection.send(Datagram.prompt())
            connection.send(Datagram.mismatch(triesLeft: 2))
            switch turn.value % 4 {
            case 0: connection.send(Datagram.allowed())
            case 1: connection.send(Datagram.denied(-1, 1))
            case 2: connection.send([9, 9, 9])
            default: return
            }
            connection.untilClosed()
        }
    }

    @Test func threadsAtOnceUnderThreadSanitizer() throws {
        let stage = try Stage(.thread)
        let peer = try Peer(at: stage.socket, script: Self.mixed(Box(0)))
        defer { peer.stop() }
        let run = try stage.run(arguments: ["--threads", "8", "--repeat", "12"])
        #expect(run.status == 1 && !run.signalled, "\(run.log)")
        #expect(run.results.count == 96 && peer.connections == 96)
        #expect(run.results.contains("PAM_SUCCESS") && run.results.contains("PAM_MAXTRIES"))
        #expect(run.end?.descriptors == 0 && run.end?.mask == true && run.end?.dispositions == true)
    }

    /// Each thread hears its own answer: half the users are let in, half are not.
    @Test func threadsHearTheirOwnAnswers() throws {
        let stage = try Stage()
        let letIn = Box(0)
        let peer = try Peer(at: stage.socket) { connection in
            let allow = Bool.random()
            if allow { letIn.change { $0 += 1 } }
            connection.send(allow ? Datagram.allowed() : Datagram.denied(-1, 1))
            connection.untilClosed()
        }
        defer { peer.stop() }
        let run = try stage.run(arguments: ["--threads", "16", "--repeat", "10"])
        #expect(run.results.count == 160 && run.results.filter { $0 == "PAM_SUCCESS" }.count == letIn.value)
        #expect(run.status == 1 && run.end?.descriptors == 0 && run.end?.mask == true, "\(run.log)")
    }

    @Test func hundredTransactionsUnderValgrindLeaveNothing() throws {
        let stage = try Stage(.plain)
        let peer = try Peer(at: stage.socket, script: Self.mixed(Box(0)))
        defer { peer.stop() }
        let run = try stage.run(
            "timeout=20", arguments: ["--repeat", "100", "--conversation", "answer"],
            wrapper: [
                "valgrind", "--quiet", "--error-exitcode=97", "--leak-check=full",
                "--errors-for-leak-kinds=definite,indirect",
            ])
        #expect(run.status == 1, "\(run.log)")
        #expect(run.results.count == 100 && run.end?.descriptors == 0)
    }
}
