/// A moment on the boot-time clock (`CLOCK_BOOTTIME`): nanoseconds since boot, suspended time included.
public struct Instant: Hashable, Comparable, Sendable {
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }

    /// Saturates instead of overflowing: a moment that far away never comes.
    public static func + (a: Instant, d: Duration) -> Instant {
        let (sum, overflow) = a.nanoseconds.addingReportingOverflow(d.clampedNanoseconds)
        return Instant(nanoseconds: overflow ? (d < .zero ? .min : .max) : sum)
    }

    public static func - (a: Instant, b: Instant) -> Duration {
        let (difference, overflow) = a.nanoseconds.subtractingReportingOverflow(b.nanoseconds)
        return .nanoseconds(overflow ? (a < b ? .min : .max) : difference)
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to what 64 bits hold (292 years).
    public var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, overflow2) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow2 ? (seconds < 0 ? .min : .max) : sum
    }

    /// Whole milliseconds, rounded up, never negative, clamped to 32 bits (49 days): how times travel on the wire.
    public var wireMilliseconds: UInt32 {
        guard self > .zero else { return 0 }
        return UInt32(clamping: (clampedNanoseconds / 1_000_000) + (clampedNanoseconds % 1_000_000 == 0 ? 0 : 1))
    }
}

/// What the daemon knows of time when an event arrives. Core has no clock: every rule takes one of these.
public struct Moment: Hashable, Sendable {
    /// Since boot, suspended time included.
    public let boot: Instant
    /// The kernel's identity of this boot (`/proc/sys/kernel/random/boot_id`), 32 hexadecimal digits.
    public let bootID: String
    /// Seconds since 1970 by the wall clock. Anybody may have set it: it lengthens a wait, and never shortens one.
    public let wall: Int64

    public init(boot: Instant, bootID: String, wall: Int64) {
        self.boot = boot
        self.bootID = bootID
        self.wall = wall
    }
}
