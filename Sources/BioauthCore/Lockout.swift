/// The count of mismatches in a row and the delays it has led to, for one account.
///
/// Only real mismatches count. The count goes back to zero with a match or a password; a delay that runs out
/// leaves it as it is. Delays run on the boot-time clock, and one that a reboot cut short starts anew.
public struct Lockout: Hashable, Sendable {
    /// Mismatches in a row since the last match or password.
    public private(set) var mismatches: Int
    /// The last delay, kept until the count is cleared.
    public private(set) var delay: Delay?

    /// A delay that ends at a moment of one boot.
    public struct Delay: Hashable, Sendable {
        public let bootID: String
        public let ends: Instant

        public init(bootID: String, ends: Instant) {
            self.bootID = bootID
            self.ends = ends
        }
    }

    public init() {
        mismatches = 0
        delay = nil
    }

    /// As it was kept. Nil when the parts contradict each other.
    public init?(mismatches: Int, delay: Delay?) {
        guard (0...1_000_000).contains(mismatches), delay == nil || mismatches > 0 else { return nil }
        self.mismatches = mismatches
        self.delay = delay
    }

    /// What stands in the way of a finger now, if anything does.
    public func denial(_ settings: Settings, now: Moment) -> Denial? {
        if mismatches >= settings.mismatchesUntilPassword { return Denial(.passwordNeeded) }
        guard let delay else { return nil }
        // Of a delay begun before this boot nobody can say how much was left: it runs from boot, whole.
        let full = Instant(nanoseconds: 0) + settings.lockoutDelay
        let ends = delay.bootID == now.bootID ? delay.ends : full
        return now.boot < ends ? Denial(.lockedOut, endsIn: ends - now.boot) : nil
    }

    /// One more touch did not match.
    public mutating func mismatch(_ settings: Settings, now: Moment) {
        mismatches += 1
        if mismatches % settings.mismatchesPerDelay == 0 {
            delay = Delay(bootID: now.bootID, ends: now.boot + settings.lockoutDelay)
        }
    }

    /// A match, a password, or root's word.
    public mutating func clear() {
        self = Lockout()
    }
}
