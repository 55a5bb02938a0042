import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

@Suite("A daemon that is not there, dies, or talks nonsense") struct FaultTests {
    @Test(
        "Without a daemon, every subcommand that needs one says so and ends with 3",
        arguments: [
            ["status"], ["list"], ["enroll"], ["enroll", "--finger", "left-thumb"], ["delete", "--all"], ["verify"],
            ["unlock"], ["watch"], ["enable", "sudo"], ["disable", "--app", "chat"],
        ])
    func noDaemon(arguments: [String]) throws {
        let command = Command(socketPath: TemporaryDirectory().file("nothing.sock"))
        let program = try command.start(arguments)
        #expect(try program.wait() == 3)
        #expect(program.output == "")
        #expect(program.errors.contains("can't be reached") && program.errors.contains("systemctl status bioauthd"))

        let json = try command.start(arguments + ["--json"])
        #expect(try json.wait() == 3)
        #expect(json.output == #"{"error":{"cause":"noDaemon","ends_in":null}}"# + "\n")
    }

    @Test("A daemon that closes at once")
    func closes() throws {
        let daemon = try ScriptedDaemon { _ in }
        let result = try Command(socketPath: daemon.path).run("status", "--json")
        #expect(result.status == 3)
        #expect(try cause(result) == "noDaemon")
    }

    @Test("A daemon that never answers is given up after five seconds")
    func silent() throws {
        let daemon = try ScriptedDaemon { peer in
            _ = try peer.receive()
            _ = try? peer.receive()
        }
        let start = ContinuousClock.now
        let result = try Command(socketPath: daemon.path).run("list")
        #expect(result.status == 3)
        #expect(result.errors.contains("doesn't answer"))
        #expect((.seconds(5) ..< .seconds(10)).contains(ContinuousClock.now - start))
    }

    @Test("Bytes that are no message, and messages that are no answer", arguments: Nonsense.all)
    func nonsense(nonsense: Nonsense) throws {
        let daemon = try ScriptedDaemon { peer in
            _ = try peer.receive()
            try peer.send(nonsense.bytes)
            _ = try? peer.receive()
        }
        let result = try Command(socketPath: daemon.path).run("status", "--json")
        #expect(result.status == 3)
        #expect(try cause(result) == "protocolError")
    }

    struct Nonsense: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: [UInt8]

        static let all = [
            Nonsense(testDescription: "half a head", bytes: [1]),
            Nonsense(testDescription: "another version", bytes: [2, 0, 72, 0]),
            Nonsense(testDescription: "no fields", bytes: [1, 0, 72, 0]),
            Nonsense(testDescription: "a field that ends past the end", bytes: [1, 0, 72, 0, 9, 0, 255, 255]),
            Nonsense(testDescription: "more than a message may have", bytes: Array(repeating: 1, count: 8000)),
            Nonsense(testDescription: "the answer to another question", bytes: DaemonMessage.prints([]).encoded()),
            Nonsense(testDescription: "a verdict that allows without a finger", bytes: [1, 0, 68, 0, 60, 0, 1, 0, 1]),
        ]
    }

    @Test("A verdict that can't be read lets nobody in")
    func halfVerdict() throws {
        let daemon = try ScriptedDaemon { peer in
            _ = try peer.receive()
            try peer.send([1, 0, 68, 0, 60, 0, 1, 0, 1])
            _ = try? peer.receive()
        }
        #expect(try Command(socketPath: daemon.path).run("verify").status == 3)
    }

    @Test("A message of a later protocol is passed over")
    func unknownMessage() throws {
        let daemon = try ScriptedDaemon { peer in
            _ = try peer.receive()
            try peer.send([1, 0, 0, 99, 1, 2, 0, 0])
            try peer.send(.prints([]))
            _ = try? peer.receive()
        }
        let result = try Command(socketPath: daemon.path).run("list", "--json")
        #expect(result.status == 1)
        #expect((try result.json["prints"] as? [Any])?.isEmpty == true)
    }

    @Test(
        "What the daemon says is wrong with a connection is told",
        arguments: zip(
            Problem.allCases,
            [
                "protocolError", "protocolError", "protocolError", "protocolError", "notPermitted", "tooManyRequests",
                "timedOut", "daemonStopping",
            ]))
    func problems(problem: Problem, name: String) throws {
        let daemon = try ScriptedDaemon { peer in
            try peer.send(.problem(problem))
        }
        let result = try Command(socketPath: daemon.path).run("unlock", "--json")
        #expect(try cause(result) == name)
        #expect(result.status == (["notPermitted", "timedOut"].contains(name) ? 1 : 3))
    }

    @Test("A daemon that dies while a finger is being enrolled")
    func diesMeanwhile() throws {
        let daemon = try ScriptedDaemon { peer in
            guard case .enroll = try peer.receive() else { return }
            try peer.send(.enrolling(stage: 1, stages: 5, retry: nil))
        }
        let result = try Command(socketPath: daemon.path).run("enroll", "--finger", "left-thumb")
        #expect(result.status == 3)
        #expect(result.output.contains("Stage 1 of 5"))
        #expect(!result.output.contains("Enrolled"))
        #expect(result.errors.contains("has closed the connection"))
    }

    @Test("JSON stays JSON whatever a reader is called")
    func quoting() throws {
        let name = #"A "reader" \ 지문 </x> 'y'"#
        let daemon = try ScriptedDaemon { peer in
            guard case .status = try peer.receive() else { return try peer.send(.switches([])) }
            try peer.send(
                .status(
                    StatusReport(
                        daemonVersion: "1", readerState: .ready, reader: name, driver: "d", waiting: 0, prints: 0,
                        damagedPrints: 0, mismatches: 0, passwordAge: nil, standings: [])))
            _ = try? peer.receive()
        }
        let result = try Command(socketPath: daemon.path).run("status", "--json")
        #expect((try result.json["reader"] as? [String: Any])?["name"] as? String == name)
    }

    @Test("A name that steers terminals is no answer at all")
    func escapeSequence() throws {
        let daemon = try ScriptedDaemon { peer in
            _ = try peer.receive()
            try peer.send(
                .status(
                    StatusReport(
                        daemonVersion: "\u{1B}[2J", readerState: .ready, reader: nil, driver: nil, waiting: 0,
                        prints: 0, damagedPrints: 0, mismatches: 0, passwordAge: nil, standings: [])))
            _ = try? peer.receive()
        }
        let result = try Command(socketPath: daemon.path).run("status")
        #expect(result.status == 3)
        #expect(!(result.output + result.errors).contains("\u{1B}"))
    }

    private func cause(_ result: Command.Result) throws -> String? {
        (try result.json["error"] as? [String: Any])?["cause"] as? String
    }
}
