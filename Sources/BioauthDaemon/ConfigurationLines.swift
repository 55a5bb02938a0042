import BioauthSystem

/// Where things stand in a key file: GLib keeps no line numbers. They are counted from 1.
struct ConfigurationLines {
    private let lines: [ArraySlice<UInt8>]

    init(_ bytes: [UInt8]) {
        lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }

    /// The first line that isn't UTF-8, if one isn't.
    var notUTF8: Int? { lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 } }

    /// The line at which GLib gave up: a file that begins well goes on well up to there.
    var unreadable: Int? {
        var (good, bad) = (0, lines.count)
        while good + 1 < bad {
            let middle = (good + bad) / 2
            if (try? KeyFile(Array(lines[..<middle].joined(separator: [UInt8(ascii: "\n")])))) == nil {
                bad = middle
            } else {
                good = middle
            }
        }
        return bad
    }

    /// Where the group stands first.
    func of(_ group: String) -> Int? {
        lines.firstIndex { groupName($0) == group }.map { $0 + 1 }
    }

    /// Where the key stands last in the group.
    func of(_ key: String, in group: String) -> Int? {
        var found: Int?
        var current: String?
        for (number, line) in lines.enumerated() {
            if let name = groupName(line) {
                current = name
            } else if current == group, keyName(line) == key {
                found = number + 1
            }
        }
        return found
    }

    private func groupName(_ line: ArraySlice<UInt8>) -> String? {
        let words = trimmed(line)
        guard words.first == UInt8(ascii: "[") else { return nil }
        return String(decoding: words.dropFirst().prefix { $0 != UInt8(ascii: "]") }, as: UTF8.self)
    }

    private func keyName(_ line: ArraySlice<UInt8>) -> String? {
        guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = trimmed(line[..<equals])
        return name.first == UInt8(ascii: "#") ? nil : String(decoding: name, as: UTF8.self)
    }

    /// Without what GLib takes for space.
    private func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        let start = line.drop(while: isSpace)
        return start.prefix(start.lastIndex { !isSpace($0) }.map { $0 + 1 - start.startIndex } ?? 0)
    }
}
