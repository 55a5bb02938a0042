/// Everything that can come of a stack, as far as its controls tell the modules' codes apart.
struct Ends {
    /// One end, and what happened on the way there.
    struct End: Hashable {
        fileprivate var walk: Walk
        private(set) var verdict = ReturnCode.mustFail
        private(set) var fingerAsked = false
        private(set) var passwordAsked = false
        private(set) var passwordRight = false
        private(set) var reported = false
        /// Whether a report came after the first password that was right.
        private(set) var rightPasswordReported = false

        var letsIn: Bool { verdict == .success }

        fileprivate mutating func note(_ kind: Module.Kind, _ code: ReturnCode) {
            switch kind {
            case .finger: fingerAsked = true
            case .password:
                passwordAsked = true
                passwordRight = passwordRight || code == .success
            case .report:
                reported = true
                rightPasswordReported = rightPasswordReported || passwordRight
            case .otherFinger, .deny, .permit, .other: break
            }
        }

        fileprivate mutating func finish() { verdict = walk.verdict }
    }

    let all: Set<End>

    /// - Parameter finger: what our own finger line returns.
    init(of stack: Stack, finger: ReturnCode) throws(TooComplex) {
        let codes = stack.entries.map { $0.codes(finger: finger) }
        var ends: Set<End> = []
        var seen: Set<End> = []
        var open = [End(walk: Walk(stack))]
        while var state = open.popLast() {
            guard let entry = state.walk.next else {
                state.finish()
                ends.insert(state)
                continue
            }
            for code in codes[entry] {
                var after = state
                after.walk.answer(code, in: stack)
                after.note(stack.entries[entry].kind, code)
                if seen.insert(after).inserted { open.append(after) }
            }
            if seen.count > TooComplex.states { throw TooComplex() }
        }
        all = ends
    }
}

/// There are so many ways through a stack that looking at all of them would take too long.
struct TooComplex: Error {
    static let states = 20_000
}

extension Stack.Entry {
    /// One code for each action that the control holds; those that the module can return, where that is known.
    func codes(finger: ReturnCode) -> [ReturnCode] {
        guard case .module = what else { return [.mustFail] }
        switch kind {
        case .finger: return [finger]
        case .report: return [.authInfoUnavailable]
        case .deny: return [.authError]
        case .permit: return [.success]
        case .password, .otherFinger, .other: break
        }
        var seen: Set<Control.Action> = []
        return Stack.Entry.usual.filter { seen.insert(control[$0]).inserted }
    }

    /// All codes, those first that modules return most.
    private static let usual: [ReturnCode] =
        [.success, .authError, .ignore] + ReturnCode.allCases.filter { ![.success, .authError, .ignore].contains($0) }
}
