/// What follows from each code that a module returns: the second field of a line.
public struct Control: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        case ignore, ok, done, bad, die, reset
        /// Passes over so many modules, a substack counting as one (1 or more).
        case jump(Int)
    }

    private var actions: [Action]

    subscript(code: ReturnCode) -> Action { actions[code.rawValue] }

    /// The jumps in it, each once.
    var jumps: Set<Int> {
        Set(actions.compactMap { if case .jump(let count) = $0 { count } else { nil } })
    }

    private init(_ named: [ReturnCode: Action], otherwise: Action) {
        actions = ReturnCode.allCases.map { named[$0] ?? otherwise }
    }

    /// A line without a control, or with one that can't be read: everything is bad.
    static let bad = Control([:], otherwise: .bad)

    /// Reads the field, without its brackets if it had some.
    init(_ text: String) {
        self = Control.words[text.lowercased()] ?? Control.parsed(text) ?? .bad
    }

    private static let words: [String: Control] = [
        "required": Control([.success: .ok, .newAuthTokenRequired: .ok, .ignore: .ignore], otherwise: .bad),
        "requisite": Control([.success: .ok, .newAuthTokenRequired: .ok, .ignore: .ignore], otherwise: .die),
        "optional": Control([.success: .ok, .newAuthTokenRequired: .ok], otherwise: .ignore),
        "sufficient": Control([.success: .done, .newAuthTokenRequired: .done], otherwise: .ignore),
    ]

    /// `code=action code=action …`, with spaces wherever. `default` is for the codes that were not named before it.
    private static func parsed(_ text: String) -> Control? {
        var actions: [Action?] = Array(repeating: nil, count: ReturnCode.allCases.count)
        var rest = text.unicodeScalars[...]
        func skipSpace() { rest = rest.drop(while: \.isSpace) }
        func word() -> String {
            let word = rest.prefix { ("a"..."z").contains($0) || $0 == "_" }
            rest = rest[word.endIndex...]
            return String(word)
        }
        while true {
            skipSpace()
            if rest.isEmpty { break }
            let name = word()
            skipSpace()
            guard rest.popFirst() == "=" else { return nil }
            skipSpace()
            guard let action = action(&rest) else { return nil }
            if name == "default" {
                for at in actions.indices where actions[at] == nil { actions[at] = action }
            } else if let code = ReturnCode(name: name) {
                actions[code.rawValue] = action
            } else {
                return nil
            }
        }
        var control = Control.bad
        control.actions = actions.map { $0 ?? .bad }
        return control
    }

    private static func action(_ rest: inout Substring.UnicodeScalarView) -> Action? {
        for (name, action) in named where rest.starts(with: name.unicodeScalars) {
            rest = rest.dropFirst(name.unicodeScalars.count)
            return action
        }
        let digits = rest.prefix { ("0"..."9").contains($0) }
        rest = rest[digits.endIndex...]
        guard let count = Int(String(digits)), (1...Int(Int32.max)).contains(count) else { return nil }
        return .jump(count)
    }

    private static let named: [(String, Action)] = [
        ("ignore", .ignore), ("ok", .ok), ("done", .done), ("bad", .bad), ("die", .die), ("reset", .reset),
    ]
}

extension Unicode.Scalar {
    /// What C calls space.
    var isSpace: Bool { self == " " || ("\t"..."\r").contains(self) }
}
