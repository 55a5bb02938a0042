/// Whether a stack with other lines of ours in it is still the same to everybody else.
enum Comparison {
    /// True if, for everything that the other modules may return while the finger lets nobody in, the same modules are
    /// asked in the same order, and the verdict is the same.
    static func isSame(_ old: Stack, _ new: Stack) throws(Ways.TooMany) -> Bool {
        let (others, othersNow) = (old.othersLines, new.othersLines)
        guard others.map({ old.entries[$0].what }) == othersNow.map({ new.entries[$0].what }) else { return false }
        // From an entry of the one to that of the other.
        let place = Dictionary(uniqueKeysWithValues: zip(others, othersNow))
        for finger in Wiring.failures {
            for way in try Ways(old, finger: finger).all {
                let asked = way.steps.filter { !old.entries[$0.entry].isOurs }
                guard follow(new, asked.map { (place[$0.entry]!, $0.code) }, finger: finger) == way.verdict else {
                    return false
                }
            }
        }
        return true
    }

    /// The verdict when just these others' entries are asked in this order; nil when it is another order.
    private static func follow(_ stack: Stack, _ steps: [(entry: Int, code: ReturnCode)], finger: ReturnCode)
        -> ReturnCode?
    {
        var walk = Walk(stack)
        var left = steps[...]
        while let entry = walk.next {
            switch stack.entries[entry].kind {
            case .finger: walk.answer(finger)
            case .report: walk.answer(.authInfoUnavailable)
            default:
                guard let step = left.popFirst(), step.entry == entry else { return nil }
                walk.answer(step.code)
            }
        }
        return left.isEmpty ? walk.verdict : nil
    }
}

extension Stack {
    /// The entries that run something and are not ours.
    fileprivate var othersLines: [Int] {
        entries.indices.filter { !entries[$0].isOurs && entries[$0].what != .substack }
    }
}
