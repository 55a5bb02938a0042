/// The rules of precedence: who contends, who is suspended, who is next. Each is one walk over the requests: a
/// thousand of them cost a thousand steps.
extension Arbiter {
    /// Two privilege requests of one person from different process groups: neither may use the finger. Each is told
    /// who the other is; whoever remains is asked for afresh.
    ///
    /// Who asks for an account that isn't theirs (`su`) doesn't contend with its owner, but gives way.
    mutating func contend(at now: Instant) {
        let owners = Set(entries.lazy.filter { $0.canContend && !$0.ask.isByAnother }.map(\.ask.account.uid))
        finish { entry in
            let givesWay = entry.canContend && entry.ask.isByAnother && owners.contains(entry.ask.account.uid)
            return givesWay ? Denial(.contended) : nil
        }
        // Of each person: the first request, and the first from another process group.
        var rivals: [UInt32: (first: Int, other: Int?)] = [:]
        for at in entries.indices where entries[at].canContend {
            let uid = entries[at].ask.account.uid
            guard let known = rivals[uid] else {
                rivals[uid] = (at, nil)
                continue
            }
            if known.other == nil && entries[at].ask.processGroup != entries[known.first].ask.processGroup {
                rivals[uid] = (known.first, at)
            }
        }
        for at in entries.indices where entries[at].canContend {
            if case (let first, let other?)? = rivals[entries[at].ask.account.uid] {
                guard !entries[at].isContended else { continue }
                let isFirstGroup = entries[at].ask.processGroup == entries[first].ask.processGroup
                entries[at].pause(at: now)
                entries[at].phase = .contended(since: now)
                entries[at].attempt += 1
                let rival = entries[isFirstGroup ? other : first].ask.asker
                actions.append(.waiting(entries[at].ask.id, .contended, place: nil, other: rival))
            } else if entries[at].isContended {
                entries[at].phase = .cooling(until: now + Arbiter.cooling)
            }
        }
    }

    /// The lock and login requests that others give way to, and come back after.
    struct Blockers {
        /// Root's: everybody's privilege requests at the same reader give way.
        var atReader: [ReaderID: Asker] = [:]
        /// Those of a user, at whatever reader: that user's privilege requests give way. A person who touches one of
        /// two readers means the lock.
        var ofUser: [UInt32: Asker] = [:]

        subscript(entry: Entry) -> Asker? {
            guard entry.ask.serviceClass == .privilege else { return nil }
            return atReader[entry.reader] ?? ofUser[entry.ask.account.uid]
        }
    }

    func blockers() -> Blockers {
        var blockers = Blockers()
        for entry in entries where !entry.isSetAside {
            let isRoots = entry.ask.rank == Ask.highestRank
            guard isRoots || entry.ask.isUserLocker else { continue }
            if isRoots && blockers.atReader[entry.reader] == nil { blockers.atReader[entry.reader] = entry.ask.asker }
            blockers.ofUser[entry.ask.account.uid] = entry.ask.asker
        }
        return blockers
    }

    /// Those whose suspension or cooling is over.
    mutating func resume(_ blockers: Blockers, at now: Instant) {
        for at in entries.indices {
            switch entries[at].phase {
            case .suspended where blockers[entries[at]] == nil:
                entries[at].phase = .cooling(until: now + Arbiter.cooling)
            case .cooling(let until) where until <= now:
                entries[at].queue(at: now)
            default:
                break
            }
        }
    }

    /// Indexes of the requests that stand in line at a reader, highest rank first, and within a rank in the order they came.
    func line(at reader: ReaderID) -> [Int] {
        (1...Ask.highestRank).reversed().flatMap { rank in
            entries.indices.filter {
                entries[$0].reader == reader && entries[$0].ask.rank == rank && !entries[$0].isSetAside
            }
        }
    }

    /// Whose turn it is: who has a reader keeps it, also from those that come back, until somebody outranks it.
    func next(in line: [Int], _ blockers: Blockers) -> Int? {
        let free = line.filter { blockers[entries[$0]] == nil }
        if let holder = free.first(where: { entries[$0].isElected }),
            !free.contains(where: { entries[$0].ask.outranks(entries[holder].ask) })
        {
            return holder
        }
        return free.first
    }

    /// Those who had a reader, or waited for it, and must let somebody else go first.
    mutating func yield(to elected: Set<RequestID>, _ blockers: Blockers, at now: Instant) {
        var withdrawn: [RequestID] = []
        for at in entries.indices where !elected.contains(entries[at].ask.id) {
            if let blocking = blockers[entries[at]] {
                guard entries[at].phase != .suspended, !entries[at].isSetAside else { continue }
                if entries[at].wasPrompted { entries[at].pause(at: now) }
                entries[at].phase = .suspended
                actions.append(.waiting(entries[at].ask.id, .suspended, place: nil, other: blocking))
            } else if entries[at].isElected && entries[at].ask.isUserLocker {
                if entries[at].wasPrompted { entries[at].pause(at: now) }
                entries[at].queue(at: now)
            } else if entries[at].isElected {
                withdrawn.append(entries[at].ask.id)
            }
        }
        // An app's request and an enrolment can't be put aside and taken up again: they end.
        for id in withdrawn { finish(id, .denied(Denial(.preempted))) }
    }
}
