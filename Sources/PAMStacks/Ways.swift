/// Every way in which a stack may be gone through, as far as its controls tell the modules' codes apart.
struct Ways {
    struct Step: Hashable {
        /// Which of the stack's entries.
        let entry: Int
        let code: ReturnCode
    }

    struct Way {
        let steps: [Step]
        let verdict: ReturnCode
        var lets: Bool { verdict == .success }
    }

    /// There are so many that looking at all of them would take too long.
    struct TooMany: Error {}

    let stack: Stack
    let all: [Way]

    static let most = 50_000

    /// - Parameter finger: what our own finger line returns.
    init(_ stack: Stack, finger: ReturnCode) throws(TooMany) {
        self.stack = stack
        let codes = stack.entries.map { Ways.codes(of: $0, finger: finger) }
        var ways: [Way] = []
        var open = [(walk: Walk(stack), steps: [Step]())]
        while let (walk, steps) = open.popLast() {
            guard let entry = walk.next else {
                ways.append(Way(steps: steps, verdict: walk.verdict))
                if ways.count > Ways.most { throw TooMany() }
                continue
            }
            for code in codes[entry] {
                var after = walk
                after.answer(code)
                open.append((after, steps + [Step(entry: entry, code: code)]))
            }
        }
        all = ways
    }

    /// One code for each action that the entry's control holds; those that it can return, where that is known.
    private static func codes(of entry: Stack.Entry, finger: ReturnCode) -> [ReturnCode] {
        guard case .module = entry.what else { return [.mustFail] }
        switch entry.kind {
        case .finger: return [finger]
        case .report: return [.authInfoUnavailable]
        case .deny: return [.authError]
        case .permit: return [.success]
        case .password, .otherFinger, .other: break
        }
        var seen: Set<Control.Action> = []
        return usual.filter { seen.insert(entry.control[$0]).inserted }
    }

    /// All codes, those first that modules return most.
    private static let usual: [ReturnCode] =
        [.success, .authError, .ignore] + ReturnCode.allCases.filter { ![.success, .authError, .ignore].contains($0) }
}

extension Ways.Way {
    /// Whether an entry of that kind was asked and answered so; nil: whatever it answered.
    func asked(_ kind: Module.Kind, in stack: Stack, answering code: ReturnCode? = nil) -> Int? {
        steps.firstIndex { stack.entries[$0.entry].kind == kind && (code == nil || $0.code == code) }
    }
}
