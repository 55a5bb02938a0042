import Foundation

/// One line of the table.
struct Row: Encodable {
    let name: String
    let unit: String
    /// Ours; nil: it could not be measured, `note` says why.
    let value: Double?
    /// The peer's, if there is one to compare with.
    let peer: Double?
    /// The peer's by ours: above 1, ours is the smaller.
    let ratio: Double?
    /// What was to be reached, in words, and whether it was; nil: a figure to be stated.
    let goal: String?
    let isReached: Bool?
    let note: String?

    init(
        _ name: String, _ unit: String, _ value: Double?, peer: Double? = nil, goal: Goal? = nil, note: String? = nil
    ) {
        self.name = name
        self.unit = unit
        self.value = value
        self.peer = peer
        let ratio: Double? = if let value, let peer, value != 0 { peer / value } else { nil }
        self.ratio = ratio
        self.goal = goal?.words
        isReached = value.flatMap { goal?.isReached($0, ratio) }
        self.note = note
    }

    /// What is to be reached.
    struct Goal {
        let words: String
        /// Nil when that can't be said.
        let isReached: (_ value: Double, _ ratio: Double?) -> Bool?

        static func under(_ limit: Double, _ unit: String) -> Goal {
            Goal(words: "under \(limit.formatted()) \(unit)") { value, _ in value < limit }
        }

        static func ratio(_ least: Double, _ words: String) -> Goal {
            Goal(words: words) { _, ratio in ratio.map { $0 >= least } }
        }

        static func and(_ one: Goal, _ other: Goal) -> Goal {
            Goal(words: "\(one.words), \(other.words)") { value, ratio in
                guard let first = one.isReached(value, ratio), let second = other.isReached(value, ratio) else {
                    return nil
                }
                return first && second
            }
        }
    }

    var line: String {
        func number(_ value: Double?, _ digits: Int) -> String {
            value.map { String(format: "%.\(digits)f", $0) } ?? "-"
        }
        let digits = unit == "ms" ? 3 : unit == "KiB" ? 1 : 0
        let verdict = isReached.map { $0 ? "reached" : "MISSED" } ?? (value == nil ? "not measured" : "")
        let columns = [
            name.padded(70), number(value, digits).padded(10, left: true), unit.padded(4),
            number(peer, digits).padded(10, left: true), number(ratio, 2).padded(8, left: true), verdict.padded(12),
            [goal, note].compactMap(\.self).joined(separator: "; "),
        ]
        return columns.joined(separator: " ").trimmingCharacters(in: .whitespaces)
    }

    static let heading = [
        "name".padded(70), "value".padded(10, left: true), "unit", "peer".padded(10, left: true),
        "ratio".padded(8, left: true), "goal",
    ].joined(separator: " ")
}

extension String {
    fileprivate func padded(_ width: Int, left: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, width - count))
        return left ? padding + self : self + padding
    }
}

/// Everything measured, printed as it comes and kept as JSON.
struct Report: Encodable {
    private(set) var machine: Machine
    private(set) var rows: [Row] = []

    init(_ machine: Machine) {
        self.machine = machine
        print(machine.line)
        print("ratio: the peer's value by ours; above 1, ours is the smaller")
        print(Row.heading)
    }

    mutating func add(_ new: [Row]) {
        for row in new { print(row.line) }
        fflush(nil)
        rows += new
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(self) + Data("\n".utf8)).write(to: URL(filePath: path))
    }
}

/// Where the figures come from.
struct Machine: Encodable {
    let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    let processor: String
    let kernel: String
    let system: String
    let libfprint: String
    let peer: String
    let build: String
    let rounds: Int
    /// Of one minute, when the measurement began: above the number of cores, the figures say little.
    let load: Double

    init(peer: String, rounds: Int) {
        func value(_ key: String, in path: String, separator: Character) -> String {
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            let line = text.split(separator: "\n").first { $0.hasPrefix(key) }
            return line?.split(separator: separator, maxSplits: 1).last
                .map { $0.trimmingCharacters(in: .init(charactersIn: "\" ")) } ?? "?"
        }
        processor = value("model name", in: "/proc/cpuinfo", separator: ":")
        system = value("PRETTY_NAME", in: "/etc/os-release", separator: "=")
        kernel = value("", in: "/proc/sys/kernel/osrelease", separator: "\n")
        libfprint = Machine.version(of: "libfprint-2-2")
        self.peer = peer
        self.rounds = rounds
        #if DEBUG
            build = "debug build: the figures say nothing"
        #else
            build = "release build"
        #endif
        var loads = [0.0]
        getloadavg(&loads, 1)
        load = loads[0]
    }

    private static func version(of package: String) -> String {
        guard let query = try? Child("/usr/bin/dpkg-query", ["-W", "-f", "${Version}\n", package], environment: [:])
        else { return "?" }
        return (try? query.lines())?.first ?? "?"
    }

    var line: String {
        """
        \(build), \(cores) cores (\(processor)), Linux \(kernel), \(system), libfprint \(libfprint), peer \(peer), \
        medians of \(rounds), load \(String(format: "%.2f", load))
        """
    }
}

extension [Double] {
    /// The middle one; of an even number, the mean of the two.
    var median: Double? {
        guard !isEmpty else { return nil }
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }

    /// How many, and the worst.
    var spread: String { "n \(count), worst \(String(format: "%.2f", self.max() ?? 0))" }
}
