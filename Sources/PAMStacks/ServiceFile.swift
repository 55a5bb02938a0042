/// A file of /etc/pam.d: its lines byte for byte, and what libpam reads in them (pam.conf(5), Linux-PAM 1.5).
public struct ServiceFile: Hashable, Sendable {
    /// The file's lines, each with its newline; the last may have none.
    public let lines: [ArraySlice<UInt8>]
    public let statements: [Statement]
    /// Whether libpam gives up on it, and on every service that includes it.
    public let isUnreadable: Bool

    /// Bytes that libpam 1.5 takes for one line, those that a backslash joins included.
    static let longestLine = 1022

    public init(_ bytes: [UInt8]) {
        lines = ServiceFile.split(bytes)
        var assembly = Assembly()
        for (number, line) in lines.enumerated() { assembly.add(line, number: number) }
        statements = assembly.statements.map(Statement.init)
        // A backslash at the very end, more than fits, and what C would take for the end of a text.
        isUnreadable = assembly.isUnfinished || assembly.isTooLong || bytes.contains(0)
    }

    public var bytes: [UInt8] { Array(lines.joined()) }

    private static func split(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        for at in bytes.indices where bytes[at] == UInt8(ascii: "\n") {
            lines.append(bytes[start...at])
            start = at + 1
        }
        if start < bytes.count { lines.append(bytes[start...]) }
        return lines
    }
}

/// Joins lines as libpam does: a backslash at the end goes on in the next line that is neither empty nor a comment; what
/// follows a `#` anywhere ends the line, a backslash there counts for nothing.
private struct Assembly {
    private(set) var statements: [(lines: Range<Int>, text: [UInt8])] = []
    private(set) var isTooLong = false
    private var text: [UInt8] = []
    private var first: Int?

    var isUnfinished: Bool { first != nil }

    mutating func add(_ line: ArraySlice<UInt8>, number: Int) {
        let content = line.drop { $0.isBlank }
        if content.isEmpty || content.first == UInt8(ascii: "#") { return }
        let start = first ?? number
        let uncommented = content.prefix { $0 != UInt8(ascii: "#") }
        let isCommented = uncommented.count < content.count
        let end = uncommented.lastIndex { !$0.isBlank }.map { $0 + 1 } ?? uncommented.startIndex
        let goesOn = !isCommented && end > uncommented.startIndex && uncommented[end - 1] == UInt8(ascii: "\\")
        text += goesOn ? uncommented[..<(end - 1)] + [UInt8(ascii: " ")] : uncommented
        isTooLong = isTooLong || text.count > ServiceFile.longestLine || line.count > ServiceFile.longestLine
        first = goesOn ? start : nil
        if !goesOn {
            statements.append((start..<number + 1, text))
            text = []
        }
    }
}

extension UInt8 {
    /// What separates words.
    var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A }
}
