import Testing

@testable import bioauth_month

/// Months played to the daemon's decisions alone, some of the ten thousand of `make month`; and whether it would be noticed
/// if they went wrong.
@Suite struct MonthRunTests {
    static let seeds: ClosedRange<UInt64> = 1...100

    @Test func `months keep every rule, and all that matters happens in them`() {
        var seen: [MonthWitness.Sight: Int] = [:]
        for seed in MonthRunTests.seeds {
            let run = MonthRun(seed: seed)
            #expect(run.outcome == nil, "make month SEED=\(seed)")
            seen.merge(run.seen, uniquingKeysWith: +)
        }
        for sight in MonthWitness.Sight.allCases { #expect(seen[sight] != nil, "\(sight)") }
    }

    @Test(arguments: [
        (MonthTrial.Flaw.losesWrite, "keeps"), (.tellsTwice, "serve"), (.mistakesStranger, "touch of a stranger"),
        (.forgetsLeaving, "which has ended"), (.neverMends, "after the last fault"), (.oversleeps, "has forgotten"),
    ])
    func `what goes wrong is noticed`(flaw: MonthTrial.Flaw, complaint: String) {
        let complaints = MonthRunTests.seeds.compactMap { MonthRun(seed: $0, flaw: flaw).complaint }
        #expect(complaints.contains { $0.contains(complaint) }, "\(complaints)")
    }

    @Test func `a month is the same each time`() {
        for seed in MonthRunTests.seeds.prefix(5) {
            var (first, second) = ("", "")
            _ = MonthRun(seed: seed) { first += $0 }
            _ = MonthRun(seed: seed) { second += $0 }
            #expect(first == second)
        }
    }
}
