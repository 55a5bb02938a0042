import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation
import TestSupport
import Testing

/// Where a secret lies while it is needed, and that it lies nowhere afterwards.
@Suite(.enabled(if: isRoot, "another process's memory can be read by root alone"))
struct SecretMemoryTests {
    static let wrong = "Zwölf Boxkämpfer jagen Viktor quer über Deich und Düne"

    @Test(arguments: [KnownPassword.text, wrong])
    func `one locked copy before PAM, none after`(secret: String) throws {
        let looks = Looks()
        let system = try SystemPasswordTests { _, pid in looks.take(at: pid) }
        defer { system.daemon.stop() }
        _ = try system.service.verdict(on: secret, of: SystemPasswordTests.Kind.usual.account)

        let taken = looks.taken
        try #require(taken.count == 2)
        let secret = Data(secret.utf8)
        // While the turn is asked for: the message itself, and no copy of it. That also shows that looking finds it.
        #expect(taken[0].count(secret) == 1)
        #expect(taken[0].lockedKilobytes > 0)
        #expect(taken[0].coreLimit == "0")
        // While the result is told, before anybody has a verdict: not even eight bytes of it.
        for start in 0...secret.count - 8 { #expect(taken[1].count(secret[start..<start + 8]) == 0) }
    }

    /// What was seen of a process each time that the daemon heard from it.
    final class Looks: @unchecked Sendable {
        private let lock = NSLock()
        private var looks: [Look] = []

        var taken: [Look] { lock.withLock { looks } }

        /// Quick: the process waits a second for the daemon.
        func take(at pid: pid_t) {
            guard let look = try? Look(at: pid) else { return }
            lock.withLock { looks.append(look) }
        }
    }

    struct Look {
        let lockedKilobytes: Int
        let coreLimit: Substring
        /// All that the process can write to.
        private let regions: [Data]

        init(at pid: pid_t) throws {
            let memory = try #require(FileHandle(forReadingAtPath: "/proc/\(pid)/mem"))
            regions = try Look.lines("/proc/\(pid)/maps").compactMap { line in
                let words = line.split(separator: " ")
                guard words[1].hasPrefix("rw") else { return nil }
                let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
                try memory.seek(toOffset: ends[0])
                return try memory.read(upToCount: Int(ends[1] - ends[0]))
            }
            lockedKilobytes = try Int(Look.word(1, of: "VmLck:", in: "/proc/\(pid)/status")) ?? 0
            coreLimit = try Look.word(4, of: "Max core file size", in: "/proc/\(pid)/limits")
        }

        /// How often the bytes lie there.
        func count(_ bytes: Data) -> Int {
            regions.map { region in
                var count = 0
                var rest = region[...]
                while let found = rest.range(of: bytes) {
                    count += 1
                    rest = rest[(found.lowerBound + 1)...]
                }
                return count
            }.reduce(0, +)
        }

        private static func lines(_ path: String) throws -> [Substring] {
            try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        }

        private static func word(_ place: Int, of start: String, in path: String) throws -> Substring {
            let line = try #require(try lines(path).first { $0.hasPrefix(start) })
            return line.split(whereSeparator: \.isWhitespace)[place]
        }
    }
}
