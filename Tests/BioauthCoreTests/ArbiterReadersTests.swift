import BioauthCore
import Testing

/// Several readers: whoever may use one needn't wait for those at another.
@Suite struct ArbiterReadersTests {
    let sudo = Ask.sudo(1, of: 1001)
    let other = Ask.sudo(2, of: 1002, reader: .second)

    /// Two readers that work.
    private func pair(_ asks: Ask...) -> Arbitration {
        var desk = Arbitration()
        desk.reader(.good, of: .second)
        for ask in asks { desk.asked(ask) }
        return desk
    }

    @Test func `two people at two readers are served at once`() {
        var desk = pair()
        #expect(desk.asked(sudo) == [.prompt(sudo), .want(sudo.job)])
        #expect(desk.asked(other) == [.prompt(other), .want(other.job, at: .second)])
        #expect(desk.matched(other.job) == [.allowed(other), .want(nil, at: .second)])
        #expect(desk.matched(sudo.job) == [.allowed(sudo), .want(nil)])
    }

    @Test func `each reader has a line of its own`() {
        let next = Ask.sudo(3, of: 1003)
        let nextThere = Ask.sudo(4, of: 1004, reader: .second)
        var desk = pair(sudo, other)
        #expect(desk.asked(next) == [.queued(next, 1, behind: sudo)])
        #expect(desk.asked(nextThere) == [.queued(nextThere, 1, behind: other)])
        #expect(desk.matched(sudo.job) == [.allowed(sudo), .prompt(next), .want(next.job)])
    }

    @Test func `two sudos of one person contend, whatever their readers`() {
        let rival = Ask.sudo(2, of: 1001, reader: .second)
        var desk = pair(sudo)
        #expect(
            desk.asked(rival) == [
                .waiting(sudo, .contended, for: rival), .waiting(rival, .contended, for: sudo), .want(nil),
            ])
        #expect(desk.gone(rival) == [])
        #expect(desk.wait(Arbiter.cooling) == [.prompt(sudo, again: true), .want(sudo.job(attempt: 1))])
    }

    @Test func `a login suspends sudo at its own reader, and its own account's at every reader`() {
        let own = Ask.sudo(3, of: 1009)
        let login = Ask.login(4, of: 1009, reader: .second)
        var desk = pair(sudo, other, own)
        #expect(
            desk.asked(login) == [
                .prompt(login), .want(login.job, at: .second), .waiting(other, .suspended, for: login),
                .waiting(own, .suspended, for: login),
            ])
        #expect(desk.matched(login.job) == [.allowed(login), .want(nil, at: .second)])
        #expect(
            desk.wait(Arbiter.cooling) == [
                .prompt(other, again: true), .want(other.job, at: .second), .queued(own, 1, behind: sudo),
            ])
    }

    @Test func `a locker that runs as its user suspends that user's sudo at another reader`() {
        let locker = Ask.i3lock(3, of: 1001, reader: .second)
        var desk = pair(sudo)
        #expect(
            desk.asked(locker) == [
                .want(nil), .prompt(locker), .want(locker.job, at: .second), .waiting(sudo, .suspended, for: locker),
            ])
    }

    @Test func `a request withdraws an app's at its own reader only`() {
        let app = Ask.app(3, of: 1003)
        let appThere = Ask.app(4, of: 1004, reader: .second)
        var desk = pair(app, appThere)
        #expect(desk.asked(sudo) == [.prompt(sudo), .want(sudo.job), .denied(app, .preempted)])
    }

    // MARK: From one reader to another

    @Test func `a request that moves is prompted afresh, and a touch at the old reader isn't its any more`() {
        var desk = pair(sudo)
        let afresh = sudo.job(attempt: 1)
        #expect(
            desk.moved(sudo, to: .second) == [.want(nil), .prompt(sudo, again: true), .want(afresh, at: .second)])
        #expect(desk.matched(sudo.job) == [])
        #expect(desk.touched(sudo.job, .retry(.tooFast)) == [])
        #expect(desk.touched(sudo.job, .noMatch) == [.charge(sudo.account, sudo.id)])
        #expect(desk.matched(afresh) == [.allowed(sudo), .want(nil, at: .second)])
    }

    @Test func `one that was moved outlives its reader, the others don't`() {
        let next = Ask.sudo(3, of: 1003)
        var desk = pair(sudo, next)
        desk.moved(next, to: .second)
        #expect(desk.reader(.absent) == [.denied(sudo, .readerUnplugged), .want(nil)])
        #expect(desk.matched(next.job(attempt: 1)) == [.allowed(next), .want(nil, at: .second)])
    }

    @Test func `its time runs on`() {
        var desk = pair(sudo)
        desk.wait(.seconds(20))
        desk.moved(sudo, to: .second)
        #expect(desk.wait(.milliseconds(9999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.denied(sudo, .timedOut), .want(nil, at: .second)])
    }

    @Test func `one that moves stands in line by when it came`() {
        let next = Ask.sudo(3, of: 1003, reader: .second)
        var desk = pair(sudo, other, next)
        #expect(
            desk.moved(sudo, to: .second)
                == [.want(nil), .queued(sudo, 1, behind: other), .queued(next, 2, behind: other)])
    }

    @Test func `one that is suspended or contended moves as it is`() {
        let login = Ask.login(3, of: 1003)
        var desk = pair(sudo, login)
        #expect(desk.moved(sudo, to: .second) == [])
        #expect(desk.wait(Arbiter.cooling) == [.prompt(sudo, again: true), .want(sudo.job(attempt: 1), at: .second)])
    }

    @Test func `a failing reader hurries those alone who wait for it`() {
        let hurried = Ask.sudo(3, of: 1003, fingerOnly: true)
        let there = Ask.sudo(4, of: 1004, reader: .second, fingerOnly: true)
        var desk = pair(hurried, there)
        desk.reader(.failing(.readerFailed, since: desk.now))
        #expect(desk.wait(Arbiter.readerPatience) == [.denied(hurried, .readerFailed), .want(nil)])
        #expect(desk.arbiter.contains(there.id))
    }

    // MARK: Print by print

    @Test
    func `a touch for one print of several that doesn't match is followed by a prompt, and nothing is counted yet`() {
        var desk = pair(sudo)
        #expect(desk.wentOn(sudo.job) == [.prompt(sudo, again: true)])
        #expect(desk.touched(sudo.job, .noMatch) == [.charge(sudo.account, sudo.id)])
        #expect(desk.charged(sudo) == [.mismatch(sudo.id, triesLeft: 2)])
        #expect(desk.wentOn(sudo.job) == [.prompt(sudo, triesLeft: 2, again: true)])
    }

    @Test func `nobody is prompted for another print who isn't waiting for a touch there any more`() {
        var desk = pair(sudo)
        desk.moved(sudo, to: .second)
        #expect(desk.wentOn(sudo.job) == [])
        desk.wait(.seconds(30))
        #expect(desk.wentOn(sudo.job(attempt: 1)) == [])
    }
}
