/// The difference between two texts as `diff -u` shows it.
public enum UnifiedDiff {
    private enum Line: Equatable {
        case kept(ArraySlice<UInt8>), removed(ArraySlice<UInt8>), added(ArraySlice<UInt8>)

        var isChange: Bool { if case .kept = self { false } else { true } }
        var isInOld: Bool { if case .added = self { false } else { true } }
        var isInNew: Bool { if case .removed = self { false } else { true } }
    }

    private static let context = 3

    /// - Parameters:
    ///   - old: nil for a file that isn't there; the same with `new`.
    /// - Returns: nothing when they are the same.
    public static func text(_ old: ServiceFile?, _ new: ServiceFile?, oldName: String, newName: String) -> String {
        let lines = lines(old?.lines ?? [], new?.lines ?? [])
        let changes = lines.indices.filter { lines[$0].isChange }
        guard var first = changes.first else { return "" }
        var text = "--- \(old == nil ? "/dev/null" : oldName)\n+++ \(new == nil ? "/dev/null" : newName)\n"
        var last = first
        for change in changes.dropFirst() + [Int.max] {
            if change != Int.max && change - last <= 2 * context {
                last = change
                continue
            }
            text += hunk(lines, max(0, first - context)..<min(lines.count, last + context + 1))
            (first, last) = (change, change)
        }
        return text
    }

    private static func hunk(_ lines: [Line], _ range: Range<Int>) -> String {
        let before = lines[..<range.lowerBound]
        func span(_ isIn: (Line) -> Bool) -> String {
            let (start, count) = (before.count(where: isIn), lines[range].count(where: isIn))
            return "\(count == 0 ? start : start + 1)\(count == 1 ? "" : ",\(count)")"
        }
        var text = "@@ -\(span(\.isInOld)) +\(span(\.isInNew)) @@\n"
        for line in lines[range] {
            let (mark, bytes) =
                switch line {
                case .kept(let bytes): (" ", bytes)
                case .removed(let bytes): ("-", bytes)
                case .added(let bytes): ("+", bytes)
                }
            text += mark + shown(bytes)
            if bytes.last != UInt8(ascii: "\n") { text += "\n\\ No newline at end of file\n" }
        }
        return text
    }

    /// Control characters but tab and newline would be obeyed by a terminal.
    private static func shown(_ bytes: ArraySlice<UInt8>) -> String {
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            let isShown =
                scalar == "\t" || scalar == "\n" || !(scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value))
            text.unicodeScalars.append(isShown ? scalar : "\u{FFFD}")
        }
        return text
    }

    private static func lines(_ old: [ArraySlice<UInt8>], _ new: [ArraySlice<UInt8>]) -> [Line] {
        var (removed, added) = (Set<Int>(), Set<Int>())
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var result: [Line] = []
        var (here, there) = (0, 0)
        while here < old.count || there < new.count {
            if removed.contains(here) {
                result.append(.removed(old[here]))
                here += 1
            } else if added.contains(there) {
                result.append(.added(new[there]))
                there += 1
            } else {
                result.append(.kept(old[here]))
                here += 1
                there += 1
            }
        }
        return result
    }
}
