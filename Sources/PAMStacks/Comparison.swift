/// Whether a stack with other lines of ours in it is still the same to everybody else.
enum Comparison {
    private struct Pair: Hashable {
        var old: Walk
        var new: Walk
    }

    /// True if, for everything that the other modules may return while the finger lets nobody in, the same modules are
    /// asked in the same order, and the verdict is the same.
    static func isSame(_ old: Stack, _ new: Stack) throws(TooComplex) -> Bool {
        let (others, othersNow) = (old.othersLines, new.othersLines)
        guard others.map({ old.entries[$0].what }) == othersNow.map({ new.entries[$0].what }) else { return false }
        // From an entry of the one to that of the other.
        let place = Dictionary(uniqueKeysWithValues: zip(others, othersNow))
        for finger in Wiring.failures(in: old, new) {
            let codes = others.map { entry in
                let codes = old.entries[entry].codes(finger: finger) + new.entries[place[entry]!].codes(finger: finger)
                return (entry, Set(codes))
            }
            let codesOf = Dictionary(uniqueKeysWithValues: codes)
            var seen: Set<Pair> = []
            var open = [Pair(old: Walk(old), new: Walk(new))]
            while var pair = open.popLast() {
                pair.old.passOurs(in: old, finger: finger)
                pair.new.passOurs(in: new, finger: finger)
                guard pair.old.next.flatMap({ place[$0] }) == pair.new.next else { return false }
                guard let entry = pair.old.next else {
                    if pair.old.verdict != pair.new.verdict { return false }
                    continue
                }
                for code in codesOf[entry]! {
                    var after = pair
                    after.old.answer(code, in: old)
                    after.new.answer(code, in: new)
                    if seen.insert(after).inserted { open.append(after) }
                }
                if seen.count > TooComplex.states { throw TooComplex() }
            }
        }
        return true
    }
}

extension Walk {
    fileprivate mutating func passOurs(in stack: Stack, finger: ReturnCode) {
        while let entry = next, stack.entries[entry].isOurs {
            answer(stack.entries[entry].kind == .finger ? finger : .authInfoUnavailable, in: stack)
        }
    }
}

extension Stack {
    /// The entries that run something and are not ours.
    fileprivate var othersLines: [Int] {
        entries.indices.filter { !entries[$0].isOurs && entries[$0].what != .substack }
    }
}
