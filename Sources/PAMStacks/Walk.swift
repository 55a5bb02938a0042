/// One walk through a stack as libpam makes it for `pam_authenticate`: a module is asked, its code goes in, and the next
/// one to ask comes out, or the verdict.
struct Walk {
    private enum Impression {
        case none, positive, negative
    }

    private struct Standing {
        var impression = Impression.none
        var status = ReturnCode.mustFail
    }

    private let entries: [Stack.Entry]
    private var standing = Standing()
    /// How things stood at the beginning of the substack of each depth.
    private var atStart: [Int: Standing] = [0: Standing()]
    private var lastLevel = 0
    /// The entry whose code is wanted; nil at the end.
    private(set) var next: Int?

    init(_ stack: Stack) {
        entries = stack.entries
        goOn(at: 0)
    }

    /// What the whole returns, when it is at its end.
    var verdict: ReturnCode {
        standing.status == .success && standing.impression != .positive ? .mustFail : standing.status
    }

    /// Takes the code of the entry that is next, and goes to the one after it.
    mutating func answer(_ code: ReturnCode) {
        guard var at = next else { return }
        let level = entries[at].level
        switch entries[at].control[code] {
        case .ignore:
            break
        case .reset:
            standing = atStart[level] ?? Standing()
        case .ok:
            count(code)
        case .done:
            count(code)
            if standing.impression == .positive { at = end(of: level, from: at) }
        case .bad:
            refuse(code)
        case .die:
            refuse(code)
            at = end(of: level, from: at)
        case .jump(let count):
            if let landing = entries.landing(count, from: at) {
                at = landing
            } else {
                standing = Standing(impression: .negative)
                at = end(of: level, from: at)
            }
        }
        goOn(at: at + 1)
    }

    private mutating func count(_ code: ReturnCode) {
        if standing.impression == .none || standing.impression == .positive && standing.status == .success {
            standing = Standing(impression: .positive, status: code)
        }
    }

    private mutating func refuse(_ code: ReturnCode) {
        if standing.impression != .negative {
            standing = Standing(impression: .negative, status: code == .ignore ? .mustFail : code)
        }
    }

    private func end(of level: Int, from start: Int) -> Int {
        var at = start
        while at + 1 < entries.count && entries[at + 1].level >= level { at += 1 }
        return at
    }

    /// Goes to the first entry from there on that runs something.
    private mutating func goOn(at start: Int) {
        var at = start
        while at < entries.count {
            let level = entries[at].level
            if lastLevel < level { atStart[level] = standing }
            lastLevel = level
            if entries[at].what != .substack {
                next = at
                return
            }
            at += 1
        }
        next = nil
    }
}

extension [Stack.Entry] {
    /// The last entry that a jump of so many (1 or more) from one entry passes over, a substack counting as one; nil when
    /// there are not so many before the end of the substack.
    func landing(_ count: Int, from start: Int) -> Int? {
        let level = self[start].level
        var (at, left) = (start, count)
        while left > 0 {
            guard at + 1 < self.count, self[at + 1].level >= level else { return nil }
            at += 1
            while at + 1 < self.count && self[at + 1].level > level { at += 1 }
            left -= 1
        }
        return at
    }
}
