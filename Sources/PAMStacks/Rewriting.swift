/// A file with lines put in or taken out; what jumped over the place still lands where it did.
struct Rewriting {
    private let file: ServiceFile
    private let stack: Stack
    private let name: String
    private var before: [Int: String] = [:]
    private var after: [Int: String] = [:]
    private var removed: Set<Int> = []
    private var substacks: Set<Int> = []

    /// - Parameter stack: that of the file itself, as if it were a service.
    init(_ file: ServiceFile, named name: String, stack: Stack) {
        self.file = file
        self.name = name
        self.stack = stack
    }

    /// A line right before a statement.
    mutating func insert(_ line: String, before statement: Int) { before[statement] = line }

    /// A line right after a statement.
    mutating func insert(_ line: String, after statement: Int) { after[statement] = line }

    mutating func remove(_ statement: Int) { removed.insert(statement) }

    /// Makes a substack of an included file.
    mutating func makeSubstack(_ statement: Int) { substacks.insert(statement) }

    /// Nil when a line that has to be changed can't be.
    func result() -> ServiceFile? {
        var text: [UInt8] = []
        var line = 0
        for (number, statement) in file.statements.enumerated() {
            text += file.lines[line..<statement.lines.lowerBound].joined()
            add(before[number], to: &text)
            if !removed.contains(number) {
                guard let lines = rewritten(number) else { return nil }
                text += lines
            }
            add(after[number], to: &text)
            line = statement.lines.upperBound
        }
        text += file.lines[line...].joined()
        return ServiceFile(text)
    }

    private func add(_ line: String?, to text: inout [UInt8]) {
        guard let line else { return }
        if let last = text.last, last != UInt8(ascii: "\n") { text.append(UInt8(ascii: "\n")) }
        text += "\(line)\n".utf8
    }

    /// The statement's lines, with its jumps and its control as they have to be.
    private func rewritten(_ number: Int) -> [UInt8]? {
        let lines = Array(file.lines[file.statements[number].lines].joined())
        if substacks.contains(number) { return LineText(lines)?.replacing("include", with: "substack") }
        let changes = jumpChanges(number)
        if changes.allSatisfy({ $0 == $1 }) { return lines }
        return LineText(lines)?.replacing(jumps: changes)
    }

    /// For each jump of the statement the count that it has to have.
    private func jumpChanges(_ number: Int) -> [Int: Int] {
        guard case .module(let control, _) = file.statements[number].content, !control.jumps.isEmpty,
            let source = stack.entries.firstIndex(where: { $0.file == name && $0.statement == number })
        else { return [:] }
        var changes: [Int: Int] = [:]
        for count in control.jumps {
            guard let over = stack.entries.landing(count, from: source) else { continue }
            let more = insertedPlaces.count { source < $0 && $0 <= over }
            let less = removedPlaces.count { source < $0 && $0 <= over }
            changes[count] = count + more - less
        }
        return changes
    }

    /// The entries before which something comes in.
    private var insertedPlaces: [Int] {
        (Array(before.keys) + after.keys.map { $0 + 1 }).map { statement in
            stack.entries.firstIndex { $0.trunk >= statement } ?? stack.entries.count
        }
    }

    private var removedPlaces: [Int] {
        stack.entries.indices.filter { stack.entries[$0].file == name && removed.contains(stack.entries[$0].statement) }
    }
}

/// The bytes of a statement, to be changed in its control alone.
private struct LineText {
    private var bytes: [UInt8]

    /// Nil where a comment stands between joined lines: what is in it must not be taken for the control.
    init?(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        guard lines.count < 2 || !bytes.contains(UInt8(ascii: "#")) else { return nil }
        self.bytes = bytes
    }

    func replacing(_ word: String, with other: String) -> [UInt8]? {
        let (word, lower) = (Array(word.utf8), bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 })
        // The second word: the first is the type.
        guard let start = lower.indices.dropFirst().first(where: { lower[$0...].starts(with: word) }) else {
            return nil
        }
        return bytes[..<start] + Array(other.utf8) + bytes[(start + word.count)...]
    }

    /// Changes the numbers after `=` in the brackets; one that would be 0 passes over nothing: `ignore`.
    func replacing(jumps: [Int: Int]) -> [UInt8]? {
        guard let open = bytes.firstIndex(of: UInt8(ascii: "[")),
            let close = bytes[open...].firstIndex(of: UInt8(ascii: "]"))
        else { return nil }
        var control: [UInt8] = []
        var at = open
        while at < close {
            let digits = bytes[at..<close].prefix { (0x30...0x39).contains($0) }
            if let count = Int(String(decoding: digits, as: UTF8.self)), let now = jumps[count] {
                control += Array((now == 0 ? "ignore" : String(now)).utf8)
                at += digits.count
            } else {
                control += bytes[at..<max(at + 1, digits.endIndex)]
                at = max(at + 1, digits.endIndex)
            }
        }
        return bytes[..<open] + control + bytes[close...]
    }
}
