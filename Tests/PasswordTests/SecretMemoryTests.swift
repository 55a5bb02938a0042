import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation
import Testing

/// Where a secret lies while it is needed, and that it lies nowhere afterwards.
@Suite(.enabled(if: isRoot, "another process's memory can be read by root alone"))
struct SecretMemoryTests {
    // Long enough that no part that is looked for is there by chance, and nothing the program knows otherwise.
    static let wrong = "Zwölf Boxkämpfer jagen Viktor quer über Deich und Düne"

    @Test(arguments: [SystemPasswordTests.password, wrong])
    func `one locked copy before PAM, none after`(secret: String) throws {
        let system = try SystemPasswordTests()
        system.daemon.stop()
        let seen = Sightings()
        let daemon = try ScriptedDaemon(at: system.service.daemonPath) { message, pid in
            seen.add(of: secret, in: pid, after: message)
        }
        defer { daemon.stop() }
        _ = try system.service.verdict(on: secret, of: SystemPasswordTests.Kind.usual.account)

        let all = seen.all
        try #require(all.count == 2)
        // While the turn is asked for: the message itself, and no copy of it. That also shows that looking finds it.
        #expect(all[0].copies == 1)
        #expect(all[0].lockedKilobytes > 0)
        #expect(all[0].coreLimit == "0")
        // While the result is told, before anybody has a verdict: not even a part of it.
        #expect(all[1].parts == 0)
    }

    /// What was seen of a secret when a message came.
    struct Sighting {
        let copies: Int
        /// Places where eight bytes of it lie.
        let parts: Int
        let lockedKilobytes: Int
        let coreLimit: Substring
    }

    final class Sightings: @unchecked Sendable {
        private let lock = NSLock()
        private var sightings: [Sighting] = []

        var all: [Sighting] { lock.withLock { sightings } }

        func add(of secret: String, in pid: pid_t, after message: ClientMessage) {
            guard let memory = try? Memory(of: pid) else { return }
            let secret = Data(secret.utf8)
            let parts = stride(from: 0, through: secret.count - 8, by: 1).map { secret[$0..<$0 + 8] }
            let sighting = Sighting(
                copies: memory.count(secret), parts: parts.map { memory.count($0) }.reduce(0, +),
                lockedKilobytes: Int(field("VmLck:", in: "/proc/\(pid)/status", 1) ?? "") ?? 0,
                coreLimit: field("Max core file size", in: "/proc/\(pid)/limits", 4) ?? "")
            lock.withLock { sightings.append(sighting) }
        }

        private func field(_ start: String, in path: String, _ place: Int) -> Substring? {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
            let line = text.split(separator: "\n").first { $0.hasPrefix(start) }
            return line.map { $0.split(whereSeparator: \.isWhitespace)[place] }
        }
    }

    /// All that a process can read of its own.
    struct Memory {
        private var regions: [Data] = []

        init(of pid: pid_t) throws {
            let file = try #require(FileHandle(forReadingAtPath: "/proc/\(pid)/mem"))
            for line in try String(contentsOfFile: "/proc/\(pid)/maps", encoding: .utf8).split(separator: "\n") {
                let words = line.split(separator: " ")
                let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
                // The kernel's own pages can't be read this way.
                guard words[1].hasPrefix("r"), !line.contains("[vvar"), !line.contains("[vsyscall]") else { continue }
                try file.seek(toOffset: ends[0])
                regions.append(try file.read(upToCount: Int(ends[1] - ends[0])) ?? Data())
            }
        }

        func count(_ part: Data) -> Int {
            regions.map { region in
                var count = 0
                var rest = region.startIndex..<region.endIndex
                while let found = region.range(of: part, in: rest) {
                    count += 1
                    rest = found.lowerBound + 1..<region.endIndex
                }
                return count
            }.reduce(0, +)
        }
    }
}
