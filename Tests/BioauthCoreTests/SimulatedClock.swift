import BioauthCore

/// A machine's clocks, set by hand.
struct SimulatedClock {
    private(set) var boots = 1
    private(set) var uptime: Duration = .seconds(100)
    /// What really passed since the test began, whatever the wall clock says.
    private(set) var truth: Duration = .zero
    private(set) var wall: Int64 = 1_700_000_000

    var now: Moment {
        Moment(boot: Instant(nanoseconds: 0) + uptime, bootID: "boot-\(boots)", wall: wall)
    }

    /// Time passes; suspended time is no different on the boot-time clock.
    mutating func wait(_ time: Duration) {
        uptime += time
        pass(time)
    }

    /// The machine is off for a while, and has been up again for a while when it is asked next.
    mutating func reboot(off: Duration = .seconds(10), up: Duration = .seconds(5)) {
        boots += 1
        uptime = up
        pass(off + up)
    }

    mutating func setWall(_ wall: Int64) {
        self.wall = wall
    }

    private mutating func pass(_ time: Duration) {
        truth += time
        let (later, overflow) = wall.addingReportingOverflow(time.components.seconds)
        wall = overflow ? .max : later
    }
}

extension Duration {
    static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
    static func hours(_ count: Int) -> Duration { .seconds(3600 * count) }
}
