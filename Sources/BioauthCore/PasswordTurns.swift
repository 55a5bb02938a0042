/// How often wrong passwords may be tried through `bioauth-password`, counted per asking user.
///
/// A turn counts as wrong from the moment it is granted until the word comes that it was right: trying twice at once,
/// or never telling, gains nothing. Root's turns aren't counted: it needs nobody's password.
public struct PasswordTurns: Sendable {
    /// Wrong ones that cost nothing.
    public static let free = 5
    /// The wait after the fifth; it doubles with each further one, up to `longestDelay`.
    public static let firstDelay: Duration = .seconds(2)
    public static let longestDelay: Duration = .seconds(600)

    private struct Count: Sendable {
        var wrong = 0
        var next: Instant
    }

    private var counts: [UInt32: Count] = [:]

    public init() {}

    /// Grants a turn, or tells how long to wait for one.
    public mutating func turn(of uid: UInt32, at now: Instant) -> Duration? {
        var count = counts[uid] ?? Count(next: now)
        if now < count.next { return count.next - now }
        count.wrong += 1
        if count.wrong >= PasswordTurns.free {
            let doublings = min(count.wrong - PasswordTurns.free, 16)
            let delay = min(PasswordTurns.firstDelay * (1 << doublings), PasswordTurns.longestDelay)
            count.next = now + delay
        }
        counts[uid] = count
        return nil
    }

    /// The password was right: that uid starts over.
    public mutating func right(_ uid: UInt32) {
        counts[uid] = nil
    }
}

/// Proofs that a password was given a moment ago, each good for one enrolment, deletion or switch of that
/// account.
public struct Tickets: Sendable {
    /// How long one lasts.
    public static let lifetime: Duration = .seconds(120)
    /// How many an account may hold at once; the oldest goes first.
    public static let perAccount = 4

    private var issued: [(bytes: [UInt8], account: Account, ends: Instant)] = []

    public init() {}

    /// Takes fresh random bytes in as a ticket of the account's.
    public mutating func issue(_ bytes: [UInt8], for account: Account, at now: Instant) {
        issued.removeAll { $0.ends <= now }
        if issued.count(where: { $0.account == account }) >= Tickets.perAccount,
            let oldest = issued.firstIndex(where: { $0.account == account })
        {
            issued.remove(at: oldest)
        }
        issued.append((bytes, account, now + Tickets.lifetime))
    }

    /// Whether the ticket is good for the account; it isn't any more afterwards.
    public mutating func spend(_ bytes: [UInt8], for account: Account, at now: Instant) -> Bool {
        issued.removeAll { $0.ends <= now }
        guard let at = issued.firstIndex(where: { $0.account == account && $0.bytes == bytes }) else { return false }
        issued.remove(at: at)
        return true
    }
}
