import BioauthCore
import Testing

@Suite struct LockoutTests {
    var clock = SimulatedClock()
    var settings = Settings()
    var lockout = Lockout()

    @Test func `nothing stands in the way of a finger that was never tried`() {
        #expect(denial == nil)
    }

    /// Mismatches in a row, and what they lead to at once and once a delay is over.
    @Test(
        arguments: [
            (1, nil, nil), (4, nil, nil), (5, .lockedOut, nil), (6, nil, nil), (9, nil, nil), (10, .lockedOut, nil),
            (11, nil, nil), (15, .lockedOut, nil), (19, nil, nil), (20, .passwordNeeded, .passwordNeeded),
            (21, .passwordNeeded, .passwordNeeded), (25, .passwordNeeded, .passwordNeeded),
        ] as [(Int, Cause?, Cause?)])
    mutating func `every fifth mismatch brings a delay, the twentieth the password`(
        count: Int, atOnce: Cause?, later: Cause?
    ) {
        for _ in 1..<count { missOnceRested() }
        clock.wait(.seconds(30))
        miss()
        #expect(lockout.mismatches == count)
        #expect(denial?.cause == atOnce)
        #expect(denial?.endsIn == (atOnce == .lockedOut ? .seconds(30) : nil))
        clock.wait(.seconds(30))
        #expect(denial?.cause == later)
    }

    @Test mutating func `a delay lasts 30 seconds to the nanosecond, and says how long it still lasts`() {
        miss(5)
        #expect(denial == Denial(.lockedOut, endsIn: .seconds(30)))
        clock.wait(.milliseconds(12_500))
        #expect(denial == Denial(.lockedOut, endsIn: .milliseconds(17_500)))
        clock.wait(.milliseconds(17_500) - .nanoseconds(1))
        #expect(denial == Denial(.lockedOut, endsIn: .nanoseconds(1)))
        clock.wait(.nanoseconds(1))
        #expect(denial == nil)
    }

    @Test mutating func `a delay that runs out does not clear the count`() {
        miss(5)
        clock.wait(.hours(1000))
        #expect(lockout.mismatches == 5)
        #expect(denial == nil)
        miss(4)
        #expect(denial == nil)
        miss()
        #expect(denial == Denial(.lockedOut, endsIn: .seconds(30)))
    }

    @Test mutating func `twenty mismatches never pass by themselves`() {
        miss(20)
        clock.wait(.hours(100_000))
        #expect(denial == Denial(.passwordNeeded))
        clock.reboot(off: .hours(100_000), up: .hours(1))
        #expect(denial == Denial(.passwordNeeded))
    }

    @Test(arguments: [1, 5, 7, 20, 23])
    mutating func `clearing takes back the count and the delay`(count: Int) {
        miss(count)
        lockout.clear()
        #expect(lockout == Lockout())
        #expect(denial == nil)
        miss(4)
        #expect(denial == nil)
        miss()
        #expect(denial?.cause == .lockedOut)
    }

    @Test mutating func `a delay that a reboot cut short starts anew, whole`() {
        miss(5)
        clock.wait(.seconds(29))
        clock.reboot(up: .seconds(4))
        #expect(denial == Denial(.lockedOut, endsIn: .seconds(26)))
        clock.wait(.seconds(20))
        clock.reboot(up: .seconds(1))
        #expect(denial == Denial(.lockedOut, endsIn: .seconds(29)))
        clock.wait(.seconds(29))
        #expect(denial == nil)
        #expect(lockout.mismatches == 5)
    }

    @Test mutating func `time that the machine is off shortens no delay`() {
        miss(5)
        clock.reboot(off: .hours(10_000), up: .zero)
        #expect(denial == Denial(.lockedOut, endsIn: .seconds(30)))
    }

    @Test(arguments: [.min, 0, 1_600_000_000, 1_800_000_000, .max] as [Int64])
    mutating func `the wall clock changes nothing`(wall: Int64) {
        miss(5)
        clock.wait(.seconds(3))
        clock.setWall(wall)
        #expect(denial == Denial(.lockedOut, endsIn: .seconds(27)))
        clock.reboot(off: .zero, up: .seconds(2))
        clock.setWall(wall)
        #expect(denial == Denial(.lockedOut, endsIn: .seconds(28)))
    }

    @Test mutating func `a longer delay in the settings doesn't touch the one that runs, and holds for the next`() {
        miss(5)
        settings.lockoutDelay = .minutes(10)
        #expect(denial?.endsIn == .seconds(30))
        clock.wait(.seconds(30))
        miss(5)
        #expect(denial?.endsIn == .minutes(10))
    }

    @Test mutating func `a shorter delay in the settings doesn't shorten the one that runs`() {
        miss(5)
        settings.lockoutDelay = .seconds(1)
        clock.wait(.seconds(29))
        #expect(denial?.endsIn == .seconds(1))
    }

    @Test mutating func `fewer mismatches to the password count at once`() {
        miss(12)
        clock.wait(.seconds(30))
        #expect(denial == nil)
        settings.mismatchesUntilPassword = 12
        #expect(denial == Denial(.passwordNeeded))
        settings.mismatchesUntilPassword = 13
        #expect(denial == nil)
    }

    @Test(arguments: 1...20, 1...20)
    mutating func `whatever the settings were before, a delay comes within as many mismatches as they are now`(
        before: Int, after: Int
    ) {
        settings.mismatchesUntilPassword = 100
        settings.mismatchesPerDelay = before
        miss(before - 1)
        settings.mismatchesPerDelay = after
        for _ in 1...after where denial == nil { miss() }
        #expect(denial?.cause == .lockedOut)
    }

    @Test mutating func `one mismatch may be all that is allowed`() {
        settings.mismatchesPerDelay = 1
        settings.mismatchesUntilPassword = 2
        miss()
        #expect(denial == Denial(.lockedOut, endsIn: .seconds(30)))
        clock.wait(.seconds(30))
        #expect(denial == nil)
        miss()
        #expect(denial == Denial(.passwordNeeded))
    }

    @Test func `what was kept is taken as it was, unless it contradicts itself`() {
        let delay = Lockout.Delay(bootID: "boot-1", ends: Instant(nanoseconds: 5))
        let kept = Lockout(mismatches: 7, delay: delay)
        #expect(kept?.mismatches == 7)
        #expect(kept?.delay == delay)
        #expect(Lockout(mismatches: 0, delay: nil) == Lockout())
        #expect(Lockout(mismatches: 3, delay: nil)?.mismatches == 3)
        #expect(Lockout(mismatches: 1_000_000, delay: nil) != nil)
        #expect(Lockout(mismatches: 0, delay: delay) == nil)
        #expect(Lockout(mismatches: -1, delay: nil) == nil)
        #expect(Lockout(mismatches: 1_000_001, delay: nil) == nil)
    }

    @Test mutating func `what was kept and taken up again goes on where it was`() throws {
        miss(8)
        clock.wait(.seconds(10))
        let again = try #require(Lockout(mismatches: lockout.mismatches, delay: lockout.delay))
        #expect(again == lockout)
        #expect(again.denial(settings, now: clock.now) == denial)
    }

    private var denial: Denial? { lockout.denial(settings, now: clock.now) }

    private mutating func miss(_ count: Int = 1) {
        for _ in 0..<count { lockout.mismatch(settings, now: clock.now) }
    }

    private mutating func missOnceRested() {
        clock.wait(.seconds(30))
        miss()
    }
}
