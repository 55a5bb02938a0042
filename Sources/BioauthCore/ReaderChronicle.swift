/// What there is to tell of one reader: each thing once, however often it happens.
///
/// Trouble is told when it begins, and when it is over, with how long it lasted and how often the reader was tried in
/// vain. Trouble that is back before the reader has served is told once more; from then on it is over when the reader has
/// served, and not as soon as it can be opened. So one that fails for hours has a handful of lines.
public struct ReaderChronicle: Hashable, Sendable {
    public enum Entry: Hashable, Sendable {
        /// It can be used: for the first time since it was plugged in or the machine woke, or again.
        case ready(after: Outage?)
        case failing(Cause)
        /// It doesn't answer any more, and only the end of this process frees it.
        case lost(after: Outage?)
    }

    /// A while in which it could not be used.
    public struct Outage: Hashable, Sendable {
        /// What kept it from serving; where it was more than one thing, the first.
        public let cause: Cause
        public let lasted: Duration
        /// How often it was tried in vain.
        public let failures: Int

        public init(cause: Cause, lasted: Duration, failures: Int) {
            self.cause = cause
            self.lasted = lasted
            self.failures = failures
        }
    }

    private struct Spell: Hashable {
        let since: Instant
        /// What has been told of it.
        var causes: [Cause]
        var failures: Int
        /// It came back before the reader had served.
        let isRelapse: Bool
    }

    private enum State: Hashable {
        case untold
        case ready
        case failing(Spell)
        case lost
    }

    private var state = State.untold
    /// The failures of the reader's life that are counted already.
    private var counted = 0

    public init() {}

    /// Looks at the reader after something has happened to it, and gives what there is to tell of that.
    public mutating func follow(_ life: ReaderLife, at now: Instant) -> Entry? {
        let new = max(0, life.failures - counted)
        counted = life.failures
        if case .failing(var spell) = state, new > 0 {
            spell.failures += new
            state = .failing(spell)
        }
        if life.isLost {
            guard state != .lost else { return nil }
            defer { state = .lost }
            return .lost(after: outage(at: now))
        }
        switch (life.current, state) {
        case (.good, .failing(let spell)) where spell.isRelapse && life.failures > 0:
            return nil
        case (.good, .untold), (.good, .failing):
            defer { state = .ready }
            return .ready(after: outage(at: now))
        case (.failing(let cause, _), .failing(var spell)):
            guard !spell.causes.contains(cause) else { return nil }
            spell.causes.append(cause)
            state = .failing(spell)
            return .failing(cause)
        case (.failing(let cause, _), .untold), (.failing(let cause, _), .ready):
            state = .failing(Spell(since: now, causes: [cause], failures: new, isRelapse: life.failures > 1))
            return .failing(cause)
        case (.unproven, .ready):
            state = .untold
            return nil
        case (.good, _), (.failing, .lost), (.unproven, _), (.absent, _):
            return nil
        }
    }

    /// It was pulled out, which is told by itself: with the trouble that is over so.
    public mutating func removed(at now: Instant) -> Outage? {
        defer { state = .untold }
        return outage(at: now)
    }

    private func outage(at now: Instant) -> Outage? {
        guard case .failing(let spell) = state else { return nil }
        return Outage(cause: spell.causes[0], lasted: now - spell.since, failures: spell.failures)
    }
}
