import CGLib
import CSystemd
import Glibc

/// How much an entry matters (syslog's levels).
public enum LogLevel: Int, Comparable, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
}

/// The log: entries with fields in the journal when standard error goes there, plain lines on standard error else.
public struct Log: Sendable {
    public var level: LogLevel
    private let toJournal: Bool

    public init(level: LogLevel) {
        self.level = level
        toJournal = g_log_writer_is_journald(STDERR_FILENO) != 0
    }

    /// Writes one entry. Field names are upper case letters, digits and underscores; values may be anything.
    public func write(_ level: LogLevel, _ message: String, fields: KeyValuePairs<String, String?> = [:]) {
        guard level <= self.level else { return }
        let given = fields.compactMap { field in field.value.map { (field.key, $0) } }
        if toJournal {
            send(
                [("MESSAGE", message), ("PRIORITY", String(level.rawValue))] + given.map { ("BIOAUTH_" + $0.0, $0.1) })
        } else {
            let tail = given.map { " \($0.0.lowercased())=\(Log.quoted($0.1))" }.joined()
            var line = Array("\(Log.oneLine(message))\(tail)\n".utf8)
            line.withUnsafeMutableBytes { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
    }

    private func send(_ fields: [(String, String)]) {
        let lines = fields.map { Array("\($0.0)=\($0.1)".utf8) }
        withVectors(lines[...], []) { vectors in _ = sd_journal_sendv(vectors, Int32(vectors.count)) }
    }

    private func withVectors(_ lines: ArraySlice<[UInt8]>, _ vectors: [iovec], _ body: ([iovec]) -> Void) {
        guard let line = lines.first else { return body(vectors) }
        line.withUnsafeBytes { bytes in
            let vector = iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
            withVectors(lines.dropFirst(), vectors + [vector], body)
        }
    }

    /// A value that can't be taken for another field.
    static func quoted(_ value: String) -> String {
        // Scalar by scalar: a quote may join with what follows it into one character.
        let special: Set<UnicodeScalar> = [" ", "=", "\"", "\\"]
        let line = oneLine(value).unicodeScalars
        if !line.isEmpty && !line.contains(where: special.contains) { return String(line) }
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in line {
            if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }

    /// A value that can't end the line or steer a terminal, whoever sent it.
    private static func oneLine(_ value: String) -> String {
        String(
            String.UnicodeScalarView(value.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
    }
}
