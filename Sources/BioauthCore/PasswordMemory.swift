/// What was last said of accounts: whether they have a password. So that asking whether a finger would do needn't wait
/// for that.
public struct PasswordMemory: Sendable {
    /// How long an answer is told.
    public static let kept: Duration = .seconds(60)
    /// How old it may be before it is asked for again behind the one that is told.
    public static let fresh: Duration = .seconds(5)
    /// Accounts of which something is kept. Of one uid it is one, whatever names it is asked for by.
    public static let accounts = 64

    public struct Answer: Hashable, Sendable {
        /// Nil: nobody can tell.
        public let isSet: Bool?
        /// It is time to ask again.
        public let isDue: Bool

        public init(isSet: Bool?, isDue: Bool) {
            self.isSet = isSet
            self.isDue = isDue
        }
    }

    private struct Entry {
        let name: String
        let isSet: Bool?
        let since: Instant
    }

    private var entries: [UInt32: Entry] = [:]

    public init() {}

    public mutating func remember(_ account: Account, isSet: Bool?, at now: Instant) {
        if entries[account.uid] == nil, entries.count >= PasswordMemory.accounts,
            let oldest = entries.min(by: { $0.value.since < $1.value.since })
        {
            entries[oldest.key] = nil
        }
        entries[account.uid] = Entry(name: account.name, isSet: isSet, since: now)
    }

    /// Nil: nothing is remembered.
    public func recall(_ account: Account, at now: Instant) -> Answer? {
        guard let entry = entries[account.uid], entry.name == account.name else { return nil }
        let age = now - entry.since
        return age < PasswordMemory.kept ? Answer(isSet: entry.isSet, isDue: age >= PasswordMemory.fresh) : nil
    }
}
