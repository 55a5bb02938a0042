import Foundation
import Glibc
import Testing

/// A peer that misbehaves in every way that came to mind: nobody is let in, nobody waits longer than they should.
@Suite(.serialized) struct FaultTests {
    static let unavailable = "PAM_AUTHINFO_UNAVAIL"

    @Test func missingSocketIsSilentAndQuick() throws {
        let run = try Stage().run()
        expect(run, Self.unavailable)
        #expect(run.told.isEmpty)
        #expect(run.took < .seconds(1))
    }

    @Test func socketThatNobodyListensOnIsSilentAndQuick() throws {
        let stage = try Stage()
        try Peer(at: stage.socket, script: nil).stop()
        let run = try stage.run()
        expect(run, Self.unavailable)
        #expect(run.told.isEmpty)
        #expect(run.took < .seconds(1))
    }

    @Test func fullBacklogIsNotWaitedFor() throws {
        let stage = try Stage()
        let peer = try Peer(at: stage.socket, backlog: 1, script: nil)
        defer { peer.stop() }
        var filling: [Int32] = []
        defer { filling.forEach { close($0) } }
        while true {
            let fd = Peer.socket()
            filling.append(fd)
            _ = fcntl(fd, F_SETFL, O_NONBLOCK)
            var address = Peer.address(stage.socket)
            let connected = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(fd, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            if connected != 0 {
                #expect(errno == EAGAIN)
                break
            }
        }
        let run = try stage.run()
        expect(run, Self.unavailable)
        #expect(run.told.isEmpty)
        #expect(run.took < .seconds(1))
        #expect(run.log.contains("Resource temporarily unavailable"))
    }

    @Test func daemonThatNeverAnswersCostsTheTimeout() throws {
        let (run, _) = try Stage().run("timeout=1", against: { $0.untilClosed() })
        expect(run, Self.unavailable)
        #expect(run.told.isEmpty)
        #expect(run.took > .milliseconds(900) && run.took < .seconds(2))
    }

    @Test func daemonThatNeverAcceptsCostsTheTimeout() throws {
        let stage = try Stage()
        let peer = try Peer(at: stage.socket, script: nil)
        defer { peer.stop() }
        let run = try stage.run("timeout=1")
        expect(run, Self.unavailable)
        #expect(run.took > .milliseconds(900) && run.took < .seconds(2))
    }

    @Test func daemonThatFallsSilentAfterThePromptIsGivenUp() throws {
        let (run, _) = try Stage().run(
            "timeout=1",
            against: {
                $0.send(Datagram.prompt())
                $0.untilClosed()
            })
        expect(run, Self.unavailable)
        #expect(run.told.last == "error: The fingerprint service does not answer. Use your password.")
        #expect(run.took > .milliseconds(1900) && run.took < .seconds(4))
    }

    @Test func floodOfUnknownMessagesEndsAtTheTimeout() throws {
        let (run, _) = try Stage().run("timeout=1", against: { $0.flood(Datagram.message(200)) })
        expect(run, Self.unavailable)
        #expect(run.took < .seconds(3))
    }

    @Test func daemonThatDiesAfterTheRequestIsSilent() throws {
        let (run, received) = try Stage().run(against: { _ in })
        expect(run, Self.unavailable)
        #expect(received.count == 1)
        #expect(run.told.isEmpty)
        #expect(run.took < .seconds(1))
    }

    @Test func daemonThatDiesInTheMiddleOfATouchIsTold() throws {
        let (run, _) = try Stage().run(against: {
            $0.send(Datagram.prompt())
            $0.send(Datagram.mismatch(triesLeft: 2))
        })
        expect(run, Self.unavailable)
        #expect(run.told.last == "error: The fingerprint service does not answer. Use your password.")
        #expect(run.took < .seconds(1))
    }

    static let nonsense: [(String, [UInt8])] = [
        ("one byte", [1]), ("zeros", [UInt8](repeating: 0, count: 64)), ("header cut", [1, 0, 68]),
        ("version 0", [0] + Datagram.allowed().dropFirst()), ("version 2", [2] + Datagram.allowed().dropFirst()),
        ("verdict cut", Array(Datagram.allowed().dropLast())), ("verdict without anything", Datagram.message(68)),
        ("allowed without a finger", Datagram.message(68, [Datagram.field(60, UInt8(1))])),
        ("allowed by finger 0", Datagram.allowed(finger: 0)), ("allowed by finger 11", Datagram.allowed(finger: 11)),
        ("allowed 2", Datagram.message(68, [Datagram.field(60, UInt8(2)), Datagram.field(13, UInt8(7))])),
        ("allowed and denied", Datagram.denied(-4, 5) + Datagram.field(60, UInt8(1)) + Datagram.field(13, UInt8(7))),
        ("allowed twice", Datagram.allowed() + Datagram.field(60, UInt8(1))),
        ("oversized", Datagram.allowed() + Datagram.field(999, [UInt8](repeating: 0, count: 4096))),
        (
            "oversized, and a yes if it were cut",
            Datagram.allowed() + Datagram.field(999, [UInt8](repeating: 0, count: 4096 - 14 - 4))
                + Datagram.field(998, "x")
        ),
        ("a prompt with an escape", Datagram.prompt() + Datagram.field(40, "\u{1b}[2J")),
        ("a password's verdict", Datagram.passwordVerdict(right: true)),
        ("advice about a password", Datagram.passwordAdvice(useful: true)),
    ]

    @Test(arguments: nonsense) func nonsenseLetsNobodyIn(_ name: String, _ bytes: [UInt8]) throws {
        let (run, _) = try Stage().run(against: {
            $0.send(bytes)
            $0.send(Datagram.allowed())
            $0.untilClosed()
        })
        expect(run, Self.unavailable)
        #expect(run.took < .seconds(1))
        #expect(run.told.isEmpty)
    }

    @Test func nonsenseAfterThePromptIsTold() throws {
        let (run, _) = try Stage().run(against: {
            $0.send(Datagram.prompt())
            $0.send([9])
            $0.untilClosed()
        })
        expect(run, Self.unavailable)
        #expect(run.told.last == "error: The fingerprint service does not answer. Use your password.")
    }

    @Test(arguments: 1...8) func problemsEndTheRequest(_ problem: UInt16) throws {
        let (run, _) = try Stage().run(against: {
            $0.send(Datagram.problem(problem))
            $0.send(Datagram.allowed())
        })
        expect(run, Self.unavailable)
        #expect(run.told.isEmpty)
        #expect(run.log.contains("\(problem)"))
    }

    @Test func messagesOfANewerDaemonArePassedOver() throws {
        let (run, _) = try Stage().run(against: {
            $0.send(Datagram.message(69, [Datagram.field(45, UInt8(1)), Datagram.field(46, UInt8(5))]))
            $0.send(Datagram.message(4711, [Datagram.field(60, UInt8(0))]))
            $0.send(Datagram.prompt() + Datagram.field(5000, "later"))
            $0.send(Datagram.allowed() + Datagram.field(5001, "later"))
            $0.untilClosed()
        })
        expect(run, "PAM_SUCCESS")
        #expect(run.told == ["Touch the fingerprint reader with your finger."])
    }

    @Test func descriptorsThatComeAlongAreNotKept() throws {
        let (run, _) = try Stage().run(against: {
            for _ in 0..<8 { $0.sendWithDescriptor(Datagram.retry(0)) }
            $0.sendWithDescriptor(Datagram.allowed())
            $0.untilClosed()
        })
        expect(run, "PAM_SUCCESS")
    }

    /// Random datagrams, half of them with a right header: none is a yes.
    @Test func randomMessagesLetNobodyIn() throws {
        let rounds = 300
        let (run, received) = try Stage().run(
            "timeout=1",
            against: { connection in
                for _ in 0..<4 {
                    let body = (0..<Int.random(in: 0...40)).map { _ in UInt8.random(in: 0...255) }
                    let type = UInt16.random(in: 64...77)
                    connection.send(Bool.random() ? body : Datagram.message(type, [body]))
                }
            }, arguments: ["--repeat", "\(rounds)"])
        #expect(received.count == rounds)
        #expect(
            run.results.count == rounds && !run.results.contains("PAM_SUCCESS") && !run.results.contains("PAM_IGNORE"))
        #expect(run.status == 1, "\(run.log)")
        #expect(run.end?.descriptors == 0)
    }
}
