import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import SyntheticFingers
import TestSupport
import Testing

@Suite("Steadiness") struct SteadinessTests {
    private static let account = DaemonUnderTest.account
    private static let request = ClientMessage.authenticate(Authenticate(account: account, service: "sudo"))

    @Test("After 500 connections and 200 requests it has no more descriptors open and hardly more memory than before")
    func flat() throws {
        let daemon = try DaemonUnderTest.enrolled(configuration: SteadinessTests.warm)
        try use(daemon, connections: 250, requests: 100)
        let before = try figures(of: daemon)
        try use(daemon, connections: 500, requests: 200)
        let after = try figures(of: daemon)
        #expect(after.descriptors == before.descriptors)
        #expect(after.kilobytes < before.kilobytes + 256, "\(before.kilobytes) KiB before")
    }

    private static let warm = "[lockout]\nmismatches-per-delay = 20\n"
    private static let cold = warm + "[reader]\nkeep-warm-seconds = 0\n"

    /// Connects and leaves, asks for a touch and ends that in each of the ways there are.
    private func use(_ daemon: DaemonUnderTest, connections: Int, requests: Int) throws {
        for number in 0..<connections {
            let connection = try daemon.connect()
            if number % 2 == 0 { try connection.send(.status(SteadinessTests.account)) }
            if number % 4 == 0 { _ = try connection.receive(within: .seconds(10)) }
        }
        for number in 0..<requests {
            let connection = try daemon.connect()
            try connection.send(SteadinessTests.request)
            try connection.receive { if case .prompt = $0 { true } else { false } }
            switch number % 10 {
            case 0:
                try daemon.touch(number % 20 == 0 ? 1 : 2)
                try connection.receive {
                    switch $0 {
                    case .verdict, .mismatch: true
                    default: false
                    }
                }
            case 1...5:
                try connection.send(.cancel(.app))
                try connection.receive { if case .verdict = $0 { true } else { false } }
            default:
                break  // It leaves.
            }
        }
    }

    /// What the daemon has when nobody is connected and the reader is closed, which gives free memory back.
    private func figures(of daemon: DaemonUnderTest) throws -> (descriptors: Int, kilobytes: Int) {
        try daemon.reload(SteadinessTests.cold)
        let watch = try daemon.connect()
        #expect(
            try eventually {
                try watch.send(.status(SteadinessTests.account))
                guard case .status(let report) = try watch.receive(within: .seconds(10)) else { return false }
                return report.readerState == .closed && report.waiting == 0
            })
        defer { try? daemon.reload(SteadinessTests.warm) }
        let process = "/proc/\(daemon.program.pid)"
        // Clean pages are files': whether they count as private hangs on who else runs the same programs.
        let memory = try String(contentsOfFile: "\(process)/smaps_rollup", encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("Private_Dirty") }.compactMap { Int($0.split(separator: " ")[1]) }
        return (try FileManager.default.contentsOfDirectory(atPath: "\(process)/fd").count, memory.reduce(0, +))
    }

    @Test(
        "Whatever it is busy with, it answers others soon: matching, recording, enrolling, a thousand who come and go")
    func neverBlocks() throws {
        let daemon = try DaemonUnderTest.enrolled(configuration: "[lockout]\nmismatches-per-delay = 20\n")
        let longest = try Pinger.longestAnswer(of: daemon) {
            #expect(try daemon.denial(touches: [2, 3, 4]) == .mismatchesUsedUp)
            #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
            #expect(try daemon.enroll(.leftIndex, synthetic: 5) == .done(nil))
            for _ in 0..<1000 { try daemon.connect().send(.list(SteadinessTests.account)) }
        }
        // A match takes its time on the loop's own thread: a quarter of a second at the worst, on a quiet machine.
        #expect(longest < .seconds(1))
    }
}

/// Asks the daemon again and again in a thread of its own, and notes the longest wait for an answer.
private final class Pinger: @unchecked Sendable {
    // `isDone` is set by one thread and read by the other under the lock; `longest` is read when the thread has ended.
    private let lock = NSLock()
    private var isDone = false
    private var longest: Duration?
    private let ended = DispatchSemaphore(value: 0)

    static func longestAnswer(of daemon: DaemonUnderTest, during body: () throws -> Void) throws -> Duration {
        let pinger = Pinger()
        let path = daemon.socketPath
        Thread.detachNewThread {
            pinger.longest = try? pinger.ping(path)
            pinger.ended.signal()
        }
        defer {
            pinger.finish()
            pinger.ended.wait()
        }
        try body()
        pinger.finish()
        pinger.ended.wait()
        pinger.ended.signal()
        return try #require(pinger.longest)
    }

    private func finish() { lock.withLock { isDone = true } }

    private func ping(_ path: String) throws -> Duration {
        let connection = try DaemonConnection(path: path)
        var longest = Duration.zero
        while !lock.withLock({ isDone }) {
            let start = ContinuousClock.now
            try connection.send(.list(DaemonUnderTest.account))
            _ = try connection.receive(within: .seconds(10))
            longest = max(longest, .now - start)
            _ = poll(nil, 0, 1)
        }
        return longest
    }
}
