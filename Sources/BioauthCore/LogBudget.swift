/// How much of the log a user that isn't root may fill: so many entries in each while, and then a count of the rest.
/// Without it one program could drown what an administrator has to see.
public struct LogBudget: Sendable {
    public static let entries = 20
    public static let window: Duration = .seconds(10)

    private struct Spent: Sendable {
        var since: Instant
        var count = 0
    }

    private var spent: [UInt32: Spent] = [:]

    public init() {}

    public enum Allowance: Hashable, Sendable {
        /// Write it. So many before it were not written.
        case write(skipped: Int)
        case skip
    }

    /// Asks for one entry on that user's account.
    public mutating func ask(_ uid: UInt32, at now: Instant) -> Allowance {
        var own = spent[uid] ?? Spent(since: now)
        var skipped = 0
        if now - own.since >= LogBudget.window {
            skipped = max(0, own.count - LogBudget.entries)
            own = Spent(since: now)
            // Whoever has been silent as long is forgotten.
            spent = spent.filter { now - $0.value.since < LogBudget.window }
        }
        own.count += 1
        spent[uid] = own
        return own.count <= LogBudget.entries ? .write(skipped: skipped) : .skip
    }
}
