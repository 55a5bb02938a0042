import BioauthCore
import Testing

/// Two privilege requests of one person: neither may have the touch that is meant for the other.
@Suite struct ArbiterContentionTests {
    let first = Ask.sudo(1, of: 1001, group: 10)
    let second = Ask.sudo(2, of: 1001, group: 20)

    @Test func `from different process groups, neither may use the finger, and each is told who the other is`() {
        var desk = Arbitration(first)
        #expect(
            desk.asked(second) == [
                .waiting(first, .contended, for: second), .waiting(second, .contended, for: first), .want(nil),
            ])
    }

    @Test func `from one process group they queue`() {
        var desk = Arbitration(first)
        let next = Ask.sudo(2, of: 1001, group: 10)
        #expect(desk.asked(next) == [.queued(next, 1, behind: first)])
    }

    @Test func `of different users they queue`() {
        var desk = Arbitration(first)
        let next = Ask.sudo(2, of: 1002, group: 20)
        #expect(desk.asked(next) == [.queued(next, 1, behind: first)])
    }

    @Test(arguments: [Ask.app(2, of: 1001), .enrollment(2, of: 1001), .login(2, of: 1001), .i3lock(2, of: 1001)])
    func `only privilege requests contend`(other: Ask) {
        var desk = Arbitration(first)
        let actions = desk.asked(other)
        #expect(!actions.contains { if case .waiting(_, .contended, _, _) = $0 { true } else { false } })
    }

    @Test func `the survivor is asked for afresh after two seconds, with the time it had left`() {
        var desk = Arbitration(first)
        desk.wait(.seconds(10))
        desk.asked(second)
        desk.wait(.seconds(4))
        #expect(desk.gone(second) == [])
        #expect(desk.wait(.milliseconds(1999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.prompt(first, again: true), .want(first.job(attempt: 1))])
        #expect(desk.wait(.milliseconds(19_999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.denied(first, .timedOut), .want(nil)])
    }

    @Test func `a survivor that was never prompted is prompted for the first time`() {
        var desk = Arbitration(first, second)
        desk.gone(first)
        #expect(desk.wait(.seconds(2)) == [.prompt(second), .want(second.job(attempt: 1))])
    }

    @Test func `after five seconds both are denied`() {
        var desk = Arbitration(first, second)
        #expect(desk.wait(.milliseconds(4999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.denied(first, .contended), .denied(second, .contended)])
        #expect(desk.arbiter.nextDeadline == nil)
    }

    @Test func `a third is told of the first, and each has its own patience`() {
        let third = Ask.sudo(3, of: 1001, group: 30)
        var desk = Arbitration(first, second)
        desk.wait(.seconds(3))
        #expect(desk.asked(third) == [.waiting(third, .contended, for: first)])
        #expect(desk.wait(.seconds(2)) == [.denied(first, .contended), .denied(second, .contended)])
        #expect(desk.wait(.seconds(2)) == [.prompt(third), .want(third.job(attempt: 1))])
    }

    @Test func `one more of the first's process group contends with the second`() {
        let more = Ask.sudo(3, of: 1001, group: 10)
        var desk = Arbitration(first, second)
        #expect(desk.asked(more) == [.waiting(more, .contended, for: second)])
        #expect(desk.gone(second) == [])
        #expect(
            desk.wait(.seconds(2)) == [
                .prompt(first, again: true), .want(first.job(attempt: 1)), .queued(more, 1, behind: first),
            ])
    }

    @Test func `another within the two seconds contends again`() {
        let third = Ask.sudo(3, of: 1001, group: 30)
        var desk = Arbitration(first, second)
        desk.gone(second)
        desk.wait(.seconds(1))
        #expect(
            desk.asked(third) == [.waiting(first, .contended, for: third), .waiting(third, .contended, for: first)])
        desk.gone(third)
        #expect(desk.wait(.seconds(2)) == [.prompt(first, again: true), .want(first.job(attempt: 2))])
    }

    @Test func `they contend also while they wait behind another`() {
        let other = Ask.sudo(3, of: 1002)
        var desk = Arbitration(other, first)
        #expect(
            desk.asked(second) == [.waiting(first, .contended, for: second), .waiting(second, .contended, for: first)])
        desk.gone(other)
        #expect(desk.wait(.seconds(5)) == [.denied(first, .contended), .denied(second, .contended)])
    }

    @Test func `they contend also while a lock suspends them, and the survivor is suspended again`() {
        let lock = Ask.login(3, of: 1002)
        var desk = Arbitration(lock, first)
        #expect(
            desk.asked(second) == [.waiting(first, .contended, for: second), .waiting(second, .contended, for: first)])
        #expect(desk.gone(first) == [.waiting(second, .suspended, for: lock)])
    }

    @Test func `meanwhile the reader is another user's`() {
        let other = Ask.sudo(3, of: 1002)
        var desk = Arbitration(first, other)
        #expect(
            desk.asked(second) == [
                .waiting(first, .contended, for: second), .waiting(second, .contended, for: first), .prompt(other),
                .want(other.job),
            ])
    }

    // MARK: Touches

    @Test func `a match while they contend is nobody's`() {
        var desk = Arbitration(first, second)
        #expect(desk.matched(first.job) == [])
        #expect(desk.arbiter.count == 2)
    }

    @Test func `a match of a touch from before is nobody's when the other has gone`() {
        var desk = Arbitration(first, second)
        desk.gone(second)
        #expect(desk.matched(first.job) == [])
        desk.wait(.seconds(2))
        #expect(desk.matched(first.job) == [])
        #expect(desk.matched(first.job(attempt: 1)) == [.allowed(first), .want(nil)])
    }

    @Test func `a mismatch while they contend is charged and told`() {
        var desk = Arbitration(first, second)
        #expect(desk.touched(first.job, .noMatch) == [.charge(first.account, first.id)])
        #expect(desk.charged(first) == [.mismatch(first.id, triesLeft: 2)])
    }

    @Test func `a lockout that begins while they contend ends both`() {
        var desk = Arbitration(first, second)
        let began = Verdict.denied(Denial(.lockedOut, endsIn: .seconds(30), lockoutBegan: true))
        #expect(
            desk.charged(first, Denial(.lockedOut, endsIn: .seconds(30)))
                == [.finish(first.id, began), .finish(second.id, began)])
    }
}
