import BioauthCore
import Testing

/// Whose turn it is at the reader.
@Suite struct ArbiterTests {
    @Test func `a request alone is prompted at once, and the reader is wanted for it`() {
        var desk = Arbitration()
        let sudo = Ask.sudo(1, of: 1001)
        #expect(desk.asked(sudo) == [.prompt(sudo), .want(sudo.job)])
        #expect(desk.gone(sudo) == [.want(nil)])
        #expect(desk.arbiter.nextDeadline == nil)
    }

    // MARK: Lock and login

    @Test(arguments: [Ask.login(2, of: 1001), .login(2, of: 1002), .vlock(2, of: 1002), .i3lock(2, of: 1001)])
    func `a lock or a login suspends a privilege request`(lock: Ask) {
        let sudo = Ask.sudo(1, of: 1001)
        var desk = Arbitration(sudo)
        #expect(desk.asked(lock) == [.prompt(lock), .want(lock.job), .waiting(sudo, .suspended, for: lock)])
        #expect(desk.wait(.seconds(25)) == [])
    }

    @Test(arguments: [Ask.login(1, of: 1001), .vlock(1, of: 1002), .i3lock(1, of: 1001)])
    func `a privilege request that comes during a lock or a login is suspended, not prompted`(lock: Ask) {
        var desk = Arbitration(lock)
        let sudo = Ask.sudo(2, of: 1001)
        #expect(desk.asked(sudo) == [.waiting(sudo, .suspended, for: lock)])
    }

    @Test func `two seconds after the lock ended it is prompted afresh, with the time it had left`() {
        let sudo = Ask.sudo(1, of: 1001, timeout: .seconds(30))
        let lock = Ask.login(2, of: 1001)
        var desk = Arbitration(sudo)
        desk.wait(.seconds(10))
        desk.asked(lock)
        desk.wait(.seconds(100))
        #expect(desk.gone(lock) == [.want(nil)])
        #expect(desk.wait(.milliseconds(1999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.prompt(sudo, again: true), .want(sudo.job)])
        #expect(desk.wait(.milliseconds(19_999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.denied(sudo, .timedOut), .want(nil)])
    }

    @Test func `the time of one that was never prompted runs also while it is suspended`() {
        let lock = Ask.login(1, of: 1002)
        let sudo = Ask.sudo(2, of: 1001, timeout: .seconds(30))
        var desk = Arbitration(lock, sudo)
        #expect(desk.wait(.milliseconds(29_999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.denied(sudo, .timedOut)])
    }

    @Test func `a second lock within the two seconds suspends it again`() {
        let sudo = Ask.sudo(1, of: 1001)
        let first = Ask.vlock(2, of: 1001)
        let second = Ask.vlock(3, of: 1001)
        var desk = Arbitration(sudo, first)
        desk.gone(first)
        desk.wait(.seconds(1))
        #expect(desk.asked(second) == [.prompt(second), .want(second.job), .waiting(sudo, .suspended, for: second)])
        #expect(desk.wait(.seconds(10)) == [])
        desk.gone(second)
        #expect(desk.wait(.seconds(2)) == [.prompt(sudo, again: true), .want(sudo.job)])
    }

    @Test func `it stays suspended until the last lock or login has ended`() {
        let sudo = Ask.sudo(1, of: 1001)
        let login = Ask.login(2, of: 1002)
        let locker = Ask.i3lock(3, of: 1001)
        var desk = Arbitration(sudo, login, locker)
        #expect(desk.gone(login) == [.prompt(locker), .want(locker.job)])
        #expect(desk.wait(.seconds(10)) == [])
        desk.gone(locker)
        #expect(desk.wait(.seconds(2)) == [.prompt(sudo, again: true), .want(sudo.job)])
    }

    @Test func `a locker that runs as its user comes before that user's requests only`() {
        let other = Ask.sudo(1, of: 1002)
        let own = Ask.sudo(2, of: 1001)
        let locker = Ask.i3lock(3, of: 1001)
        var desk = Arbitration(other, own)
        #expect(desk.asked(locker) == [.waiting(own, .suspended, for: locker), .queued(locker, 2, behind: other)])
        #expect(desk.gone(other) == [.prompt(locker), .want(locker.job)])
    }

    @Test func `a locker that runs as its user withdraws no other user's app, but its own user's`() {
        let other = Ask.app(1, of: 1002)
        let own = Ask.app(2, of: 1001)
        let locker = Ask.i3lock(3, of: 1001)
        var desk = Arbitration(other)
        #expect(desk.asked(locker) == [.queued(locker, 1, behind: other)])
        desk = Arbitration(own)
        #expect(desk.asked(locker) == [.prompt(locker), .want(locker.job), .denied(own, .preempted)])
    }

    @Test(arguments: [Ask.login(2, of: 1002), .vlock(2, of: 1002), .sudo(2, of: 1002), .enrollment(2, of: 1001)])
    func `a locker that runs as its user goes back in line for whatever root's word stands for`(root: Ask) {
        let locker = Ask.i3lock(1, of: 1001, timeout: .seconds(100))
        var desk = Arbitration(locker)
        desk.wait(.seconds(10))
        let job = root.work == .identify ? root.job : root.duplicateJob
        #expect(desk.asked(root) == [.prompt(root), .want(job), .queued(locker, 1, behind: root)])
        desk.wait(.seconds(20))
        #expect(desk.gone(root) == [.prompt(locker, again: true), .want(locker.job)])
        #expect(desk.wait(.seconds(60)) == [.waiting(locker, .resting), .want(nil)])
        #expect(desk.wait(.milliseconds(29_999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.denied(locker, .timedOut)])
    }

    @Test func `nobody's own locker keeps another's privilege request waiting`() {
        let lockers = (1...3).map { Ask.i3lock($0, of: 1002) }
        let sudo = Ask.sudo(4, of: 1001)
        var desk = Arbitration(lockers[0], lockers[1], lockers[2])
        #expect(desk.asked(sudo).prefix(2) == [.prompt(sudo), .want(sudo.job)])
    }

    // MARK: Apps and enrolments

    @Test(arguments: [Ask.sudo(2, of: 1002), .login(2, of: 1001), .vlock(2, of: 1002)])
    func `a root peer's request withdraws an app's`(root: Ask) {
        let app = Ask.app(1, of: 1001)
        var desk = Arbitration(app)
        #expect(desk.asked(root) == [.prompt(root), .want(root.job), .denied(app, .preempted)])
    }

    @Test func `an app never waits in front of a root peer's request`() {
        let sudo = Ask.sudo(1, of: 1001)
        let app = Ask.app(2, of: 1001)
        let late = Ask.sudo(3, of: 1002)
        var desk = Arbitration(sudo)
        #expect(desk.asked(app) == [.queued(app, 1, behind: sudo)])
        #expect(desk.asked(late) == [.queued(late, 1, behind: sudo), .queued(app, 2, behind: sudo)])
        #expect(desk.gone(sudo) == [.prompt(late), .want(late.job), .queued(app, 1, behind: late)])
        #expect(desk.gone(late) == [.prompt(app), .want(app.job)])
    }

    @Test func `an app waits while a privilege request is about to be prompted afresh`() {
        let sudo = Ask.sudo(1, of: 1001)
        let login = Ask.login(2, of: 1001)
        let app = Ask.app(3, of: 1001)
        var desk = Arbitration(sudo, login, app)
        #expect(desk.gone(login) == [.want(nil), .queued(app, 1, behind: sudo)])
        #expect(desk.wait(.seconds(2)) == [.prompt(sudo, again: true), .want(sudo.job)])
    }

    @Test func `an enrolment waits its turn among privilege requests, and ends for a login`() {
        let enrollment = Ask.enrollment(1, of: 1001)
        let sudo = Ask.sudo(2, of: 1002)
        let login = Ask.login(3, of: 1002)
        var desk = Arbitration(enrollment)
        #expect(desk.asked(sudo) == [.queued(sudo, 1, behind: enrollment)])
        #expect(
            desk.asked(login) == [
                .prompt(login), .want(login.job), .waiting(sudo, .suspended, for: login),
                .denied(enrollment, .preempted),
            ])
    }

    @Test func `an enrolment withdraws an app's request and is not withdrawn by one`() {
        let app = Ask.app(1, of: 1001)
        let enrollment = Ask.enrollment(2, of: 1001)
        let late = Ask.app(3, of: 1001)
        var desk = Arbitration(app)
        #expect(
            desk.asked(enrollment) == [.prompt(enrollment), .want(enrollment.duplicateJob), .denied(app, .preempted)])
        #expect(desk.asked(late) == [.queued(late, 1, behind: enrollment)])
    }

    // MARK: First come, first served

    @Test func `requests of one class are served as they came, and told their places`() {
        let asks = (1...4).map { Ask.sudo($0, of: 1000 + UInt32($0)) }
        var desk = Arbitration(asks[0])
        #expect(desk.asked(asks[1]) == [.queued(asks[1], 1, behind: asks[0])])
        #expect(desk.asked(asks[2]) == [.queued(asks[2], 2, behind: asks[0])])
        #expect(desk.asked(asks[3]) == [.queued(asks[3], 3, behind: asks[0])])
        #expect(desk.gone(asks[1]) == [.queued(asks[2], 1, behind: asks[0]), .queued(asks[3], 2, behind: asks[0])])
        #expect(
            desk.gone(asks[0]) == [.prompt(asks[2]), .want(asks[2].job), .queued(asks[3], 1, behind: asks[2])])
        #expect(desk.gone(asks[3]) == [])
    }

    @Test func `logins go before privilege requests, those before apps, whatever the order they came in`() {
        let app = Ask.app(1, of: 1001)
        let sudo = Ask.sudo(2, of: 1002)
        let login = Ask.login(3, of: 1003)
        for order in [[app, sudo, login], [login, sudo, app], [sudo, app, login], [login, app, sudo]] {
            var desk = Arbitration()
            let actions = order.flatMap { desk.asked($0) }
            #expect(actions.last { if case .want = $0 { true } else { false } } == .want(login.job))
        }
    }

    @Test func `who has the reader keeps it when another of its rank comes back`() {
        let first = Ask.sudo(1, of: 1001)
        let rival = Ask.sudo(2, of: 1001)
        let other = Ask.sudo(3, of: 1002)
        var desk = Arbitration(first, rival, other)
        desk.gone(rival)
        #expect(desk.wait(.seconds(2)) == [.queued(first, 1, behind: other)])
        #expect(desk.gone(other) == [.prompt(first, again: true), .want(first.job(attempt: 1))])
    }

    @Test func `a locker that wakes from its rest doesn't take the reader from another`() {
        let first = Ask.vlock(1, of: 1001)
        let second = Ask.vlock(2, of: 1002)
        var desk = Arbitration(first, second)
        #expect(
            desk.wait(.seconds(60)) == [.waiting(first, .resting), .prompt(second), .want(second.job)])
        #expect(desk.activity() == [.queued(first, 1, behind: second)])
        #expect(desk.gone(second) == [.prompt(first, again: true), .want(first.job)])
    }

    // MARK: Rest

    @Test func `a locker rests after a minute and is armed again when somebody is there`() {
        let locker = Ask.i3lock(1, of: 1001)
        var desk = Arbitration(locker)
        #expect(desk.wait(.milliseconds(59_999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.waiting(locker, .resting), .want(nil)])
        #expect(desk.wait(.seconds(100)) == [])
        #expect(desk.activity() == [.prompt(locker, again: true), .want(locker.job)])
        #expect(desk.wait(.seconds(60)) == [.waiting(locker, .resting), .want(nil)])
    }

    @Test func `somebody's presence prolongs the minute of a locker that is armed`() {
        let locker = Ask.vlock(1, of: 1001)
        var desk = Arbitration(locker)
        desk.wait(.seconds(50))
        #expect(desk.activity() == [])
        #expect(desk.wait(.milliseconds(59_999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.waiting(locker, .resting), .want(nil)])
    }

    @Test func `a locker's minute begins with its turn`() {
        let login = Ask.login(1, of: 1001)
        let locker = Ask.vlock(2, of: 1001)
        var desk = Arbitration(login, locker)
        desk.wait(.seconds(100))
        #expect(desk.gone(login) == [.prompt(locker), .want(locker.job)])
        #expect(desk.wait(.milliseconds(59_999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.waiting(locker, .resting), .want(nil)])
    }

    @Test func `a resting locker suspends nobody until it is armed again`() {
        let locker = Ask.vlock(1, of: 1001)
        let sudo = Ask.sudo(2, of: 1001)
        var desk = Arbitration(locker)
        desk.wait(.seconds(60))
        #expect(desk.asked(sudo) == [.prompt(sudo), .want(sudo.job)])
        #expect(
            desk.activity() == [
                .prompt(locker, again: true), .want(locker.job), .waiting(sudo, .suspended, for: locker),
            ])
    }

    @Test func `logins do not rest`() {
        var desk = Arbitration(.login(1, of: 1001))
        #expect(desk.wait(.seconds(299)) == [])
    }

    @Test func `a locker whose session goes to the background rests until it is in front again`() {
        let locker = Ask.i3lock(1, of: 1001)
        let sudo = Ask.sudo(2, of: 1002)
        var desk = Arbitration(locker)
        #expect(desk.away(locker) == [.waiting(locker, .resting), .want(nil)])
        #expect(desk.activity() == [])
        #expect(desk.asked(sudo) == [.prompt(sudo), .want(sudo.job)])
        desk.gone(sudo)
        #expect(desk.away() == [.prompt(locker, again: true), .want(locker.job)])
        #expect(desk.wait(.milliseconds(59_999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.waiting(locker, .resting), .want(nil)])
    }

    @Test func `a login whose session goes to the background rests too, and is in front of others when it is back`() {
        let login = Ask.login(1, of: 1001)
        let sudo = Ask.sudo(2, of: 1002)
        var desk = Arbitration(login)
        #expect(desk.away(login) == [.waiting(login, .resting), .want(nil)])
        desk.asked(sudo)
        #expect(
            desk.away() == [
                .prompt(login, again: true), .want(login.job), .waiting(sudo, .suspended, for: login),
            ])
    }

    @Test func `what a shut lid ends is not prompted for on the way`() {
        let locker = Ask.i3lock(1, of: 1001)
        let app = Ask.app(2, of: 1001)
        var desk = Arbitration(locker, app)
        #expect(
            desk.away(locker, ending: [app.id: Denial(.lidClosed)]) == [
                .finish(app.id, .denied(Denial(.lidClosed))), .waiting(locker, .resting), .want(nil),
            ])
    }

    @Test func `a locker that rests already hears nothing of it when its session goes to the background`() {
        let locker = Ask.i3lock(1, of: 1001)
        var desk = Arbitration(locker)
        desk.wait(.seconds(60))
        #expect(desk.away(locker) == [])
        #expect(desk.away() == [.prompt(locker, again: true), .want(locker.job)])
    }
}
