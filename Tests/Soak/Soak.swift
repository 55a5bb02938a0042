import Foundation
import TestSupport

/// Seeds, played one after the other until the time is up; some at once, by a process each.
struct Soak {
    var time = Duration.seconds(3600)
    var jobs = 2
    /// The only one.
    var seed: UInt64?
    /// Where to begin; nil: somewhere else each time, and each seed is printed.
    var first: UInt64?

    /// How far the processes' seeds are apart.
    private static let stride: UInt64 = 1_000_000

    /// Tells of each seed in a line, and of one in which something didn't hold everything.
    ///
    /// - Returns: whether everything held.
    func run() throws -> Bool {
        Interruption.heed()
        if let seed { return Soak.play(seed, isAlone: true) }
        let first = first ?? .random(in: 0..<Soak.stride)
        if jobs > 1 { return try share(from: first) }
        let deadline = ContinuousClock.now + time
        var (next, failed) = (first, 0)
        while ContinuousClock.now < deadline && !Interruption.hasCome {
            if !Soak.play(next) { failed += 1 }
            next += 1
        }
        Soak.say("\(next - first) seeds from \(first), \(failed == 0 ? "everything held" : "\(failed) failed")\n")
        return failed == 0 && !Interruption.hasCome
    }

    private func share(from first: UInt64) throws -> Bool {
        let seconds = time / .seconds(1)
        let children = try (0..<jobs).map { job in
            let own = first + UInt64(job) * Soak.stride
            return try Process.run(
                URL(filePath: Built.program("bioauth-soak")),
                arguments: ["--jobs", "1", "--seconds", "\(Int(seconds))", "--first", "\(own)"])
        }
        // They have process groups of their own.
        while children.contains(where: \.isRunning) {
            if Interruption.hasCome { for child in children { child.terminate() } }
            _ = poll(nil, 0, 100)
        }
        return children.allSatisfy { $0.terminationReason == .exit && $0.terminationStatus == 0 }
    }

    private static func play(_ seed: UInt64, isAlone: Bool = false) -> Bool {
        let start = ContinuousClock.now
        let run: Run
        do { run = try Run(seed: seed) } catch {
            // Nor would the next.
            say("seed \(seed) could not begin: \(error)\n")
            exit(1)
        }
        do { try run.play() } catch { run.breakOff(error) }
        let ledger = run.ledger
        let time = String(format: "%.1f", (ContinuousClock.now - start) / .seconds(1))
        let unrecognised =
            ledger.unrecognised > 0 ? " (\(ledger.unrecognised) of fingers that the person has enrolled)" : ""
        var text = """
            seed \(seed): \(run.events.count) events, \(ledger.requests.count) requests, \(ledger.allowed) allowed, \
            \(ledger.denied) denied, \(ledger.mismatched) mismatches\(unrecognised), \
            \(run.daemons) daemons, \(time) s\n
            """
        let holds = ledger.violations.isEmpty
        if !holds || isAlone { text += run.story.map { $0 + "\n" }.joined() }
        if !holds {
            text += "\n" + run.machine.logs.map { "The log of a daemon:\n\($0)\n" }.joined()
            text += "The last daemon's log:\n\(run.machine.daemon.log)\n"
            text += ledger.violations.map { "seed \(seed) FAILED: \($0)\n" }.joined()
            text += "again: make soak SEED=\(seed)\n"
        }
        say(text)
        return holds
    }

    /// In one piece, whoever else has something to say.
    private static func say(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}

/// What ends a run before its time: then, too, no program stays behind.
enum Interruption {
    nonisolated(unsafe) private static var signals: sig_atomic_t = 0

    static var hasCome: Bool { signals != 0 }

    static func heed() {
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number) { _ in Interruption.signals = 1 } }
    }
}
