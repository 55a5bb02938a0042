/// The four kinds of stacks.
public enum Facility: String, CaseIterable, Sendable {
    case auth, account, password, session
}

/// One line of a service's file as libpam understands it, continued lines joined.
public struct Statement: Hashable, Sendable {
    /// The lines of the file that it takes, from the first to the last.
    public let lines: Range<Int>
    /// Nil: it counts for whatever is asked for (`@include`, and what has no type that exists).
    public let facility: Facility?
    public let content: Content

    public enum Content: Hashable, Sendable {
        case module(Control, Module)
        case include(String, isSubstack: Bool)
        /// Not to be carried out: it always fails.
        case broken(Control)
    }

    /// Whether it has a part in authenticating.
    var isForAuthentication: Bool { facility == nil || facility == .auth }

    init(lines: Range<Int>, text: [UInt8]) {
        self.lines = lines
        var words = Words(text)
        let first = words.next()
        if first?.lowercased() == "@include" {
            facility = nil
            content = words.next().map { .include($0, isSubstack: false) } ?? .broken(.bad)
            return
        }
        let type = first.map { $0.hasPrefix("-") ? String($0.dropFirst()) : $0 } ?? ""
        let facility = Facility(rawValue: type.lowercased())
        self.facility = facility
        content = facility == nil ? .broken(.bad) : Statement.content(&words)
    }

    private static func content(_ words: inout Words) -> Content {
        guard let control = words.next() else { return .broken(.bad) }
        let next = words.next()
        let keyword = control.lowercased()
        if keyword == "include" || keyword == "substack" {
            return next.map { .include($0, isSubstack: keyword == "substack") } ?? .broken(.bad)
        }
        let actions = Control(control)
        guard let path = next else { return .broken(actions) }
        var arguments: [String] = []
        while let argument = words.next() { arguments.append(argument) }
        return .module(actions, Module(path: path, arguments: arguments))
    }
}

/// Words between blanks; `[…]` is one, in which `\]` stands for a bracket.
private struct Words {
    private var rest: ArraySlice<UInt8>

    init(_ text: [UInt8]) {
        rest = text[...]
    }

    mutating func next() -> String? {
        rest = rest.drop { $0.isBlank }
        guard let first = rest.first else { return nil }
        guard first == UInt8(ascii: "[") else {
            let word = rest.prefix { !$0.isBlank }
            // The blank that ends it goes along.
            rest = rest[word.endIndex...].dropFirst()
            return String(decoding: word, as: UTF8.self)
        }
        var word: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "]") {
            let isEscaped = byte == UInt8(ascii: "\\") && rest.first == UInt8(ascii: "]")
            word.append(isEscaped ? rest.removeFirst() : byte)
        }
        return String(decoding: word, as: UTF8.self)
    }
}
