import BioauthCore
import Testing

@Suite struct TimeTests {
    let start = Instant(nanoseconds: 5)

    @Test func `moments are ordered and differ by durations`() {
        let later = start + .seconds(1)
        #expect(start < later && later - start == .seconds(1) && start - later == .seconds(-1))
        #expect(later + .seconds(-1) == start)
    }

    @Test func `a moment beyond all clocks never comes`() {
        #expect(start + .seconds(Int64.max) == Instant(nanoseconds: .max))
        #expect(Instant(nanoseconds: -5) + .seconds(Int64.min) == Instant(nanoseconds: .min))
        #expect(Instant(nanoseconds: .max) + .nanoseconds(1) == Instant(nanoseconds: .max))
        #expect(Instant(nanoseconds: .max) - Instant(nanoseconds: .min) == .nanoseconds(Int64.max))
        #expect(Instant(nanoseconds: .min) - Instant(nanoseconds: .max) == .nanoseconds(Int64.min))
    }

    @Test(
        arguments: [
            (.zero, 0), (.nanoseconds(1), 1), (.microseconds(999), 1), (.milliseconds(1), 1), (.microseconds(1001), 2),
            (.seconds(30), 30_000), (.milliseconds(UInt32.max), .max), (.seconds(5_000_000), .max),
            (.seconds(Int64.max), .max), (.nanoseconds(-1), 0), (.seconds(Int64.min), 0),
        ] as [(Duration, UInt32)])
    func `times travel in whole milliseconds, rounded up, never negative, never wrapped`(
        time: Duration, milliseconds: UInt32
    ) {
        #expect(time.wireMilliseconds == milliseconds)
    }
}
