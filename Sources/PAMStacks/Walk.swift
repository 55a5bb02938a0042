/// One walk through a stack as libpam makes it for `pam_authenticate`: a module is asked, its code goes in, and the next
/// one to ask comes out, or the verdict. All that counts for what comes is in the value, so that two equal ones go on alike.
struct Walk: Hashable {
    private enum Impression {
        case none, positive, negative
    }

    private struct Standing: Hashable {
        var impression = Impression.none
        var status = ReturnCode.mustFail
    }

    private var standing = Standing()
    /// How things stood at the beginning of the substack of each depth.
    private var atStart = [Standing()]
    private var lastLevel = 0
    /// The entry whose code is wanted; nil at the end.
    private(set) var next: Int?

    init(_ stack: Stack) {
        goOn(at: 0, in: stack.entries)
    }

    /// What the whole returns, when it is at its end.
    var verdict: ReturnCode {
        standing.status == .success && standing.impression != .positive ? .mustFail : standing.status
    }

    /// Takes the code of the entry that is next, and goes to the one after it.
    mutating func answer(_ code: ReturnCode, in stack: Stack) {
        guard var at = next else { return }
        let entries = stack.entries
        let level = entries[at].level
        switch entries[at].control[code] {
        case .ignore:
            break
        case .reset:
            standing = atStart[level]
        case .ok:
            count(code)
        case .done:
            count(code)
            if standing.impression == .positive { at = entries.end(of: level, from: at) }
        case .bad:
            refuse(code)
        case .die:
            refuse(code)
            at = entries.end(of: level, from: at)
        case .jump(let count):
            if let landing = entries.landing(count, from: at) {
                at = landing
            } else {
                standing = Standing(impression: .negative)
                at = entries.end(of: level, from: at)
            }
        }
        goOn(at: at + 1, in: entries)
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

    /// Goes to the first entry from there on that runs something.
    private mutating func goOn(at start: Int, in entries: [Stack.Entry]) {
        var at = start
        while at < entries.count {
            let level = entries[at].level
            // A substack is entered from the one around it: never two deeper at once. What was left is of no use any more.
            if lastLevel < level { atStart.append(standing) } else { atStart.removeLast(lastLevel - level) }
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
    /// The last entry of the substack that this one is in.
    fileprivate func end(of level: Int, from start: Int) -> Int {
        var at = start
        while at + 1 < count && self[at + 1].level >= level { at += 1 }
        return at
    }

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
