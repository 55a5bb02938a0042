import BioauthCore
import Testing

struct LogBudgetTests {
    @Test func `a user fills no more of the log than its budget, and the rest is counted`() {
        var budget = LogBudget()
        var now = Instant(nanoseconds: 0)
        for _ in 0..<LogBudget.entries { #expect(budget.ask(1, at: now) == .write(skipped: 0)) }
        for _ in 0..<7 { #expect(budget.ask(1, at: now) == .skip) }
        #expect(budget.ask(2, at: now) == .write(skipped: 0), "others have their own")
        now = now + LogBudget.window
        #expect(budget.ask(1, at: now) == .write(skipped: 7))
        #expect(budget.ask(1, at: now) == .write(skipped: 0))
    }
}
