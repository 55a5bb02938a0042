import BioauthCore
import Testing

/// What a touch comes to, and how requests end.
@Suite struct ArbiterTouchTests {
    let sudo = Ask.sudo(1, of: 1001)
    let next = Ask.sudo(2, of: 1002)

    // MARK: Matches

    @Test func `a match answers its request, and the next in line is prompted in the same step`() {
        var desk = Arbitration(sudo, next)
        #expect(desk.matched(sudo.job) == [.allowed(sudo), .prompt(next), .want(next.job)])
    }

    @Test func `a match answers one request only`() {
        let same = Ask.sudo(2, of: 1001, group: sudo.processGroup)
        var desk = Arbitration(sudo, same)
        #expect(desk.matched(sudo.job) == [.allowed(sudo), .prompt(same), .want(same.job)])
        #expect(desk.matched(sudo.job) == [])
        #expect(desk.arbiter.contains(same.id))
    }

    @Test func `a match after its owner has gone is nobody's`() {
        var desk = Arbitration(sudo, next)
        desk.gone(sudo)
        #expect(desk.matched(sudo.job) == [])
        #expect(desk.arbiter.count == 1)
    }

    @Test func `a match of a finger that isn't known is nobody's`() {
        var desk = Arbitration(sudo)
        #expect(desk.touched(sudo.job, .matched(index: 9)) == [])
    }

    @Test func `a touch that began before a lock took over still answers its own request`() {
        let lock = Ask.login(2, of: 1001)
        var desk = Arbitration(sudo, lock)
        #expect(desk.matched(sudo.job) == [.allowed(sudo)])
        #expect(desk.arbiter.contains(lock.id))
    }

    // MARK: Mismatches

    @Test func `a mismatch is charged to the account, and told when it is recorded`() {
        var desk = Arbitration(sudo)
        #expect(desk.touched(sudo.job, .noMatch) == [.charge(sudo.account, sudo.id)])
        #expect(desk.charged(sudo) == [.mismatch(sudo.id, triesLeft: 2)])
    }

    @Test func `the last try used up ends the request`() {
        let sudo = Ask.sudo(1, of: 1001, tries: 2)
        var desk = Arbitration(sudo, next)
        #expect(desk.charged(sudo) == [.mismatch(sudo.id, triesLeft: 1)])
        #expect(desk.charged(sudo) == [.denied(sudo, .mismatchesUsedUp), .prompt(next), .want(next.job)])
    }

    @Test func `a mismatch after its owner has gone is charged all the same`() {
        var desk = Arbitration(sudo)
        desk.gone(sudo)
        #expect(desk.touched(sudo.job, .noMatch) == [.charge(sudo.account, sudo.id)])
        #expect(desk.charged(sudo) == [])
    }

    @Test func `a mismatch of one who waits by now is charged and told to it`() {
        let lock = Ask.vlock(2, of: 1001)
        var desk = Arbitration(sudo, lock)
        #expect(desk.touched(sudo.job, .noMatch) == [.charge(sudo.account, sudo.id)])
        #expect(desk.charged(sudo) == [.mismatch(sudo.id, triesLeft: 2)])
    }

    @Test func `a lockout ends every request of the account, waiting or not, and no other`() {
        let lock = Ask.login(2, of: 1002)
        let app = Ask.app(3, of: 1001)
        let enrollment = Ask.enrollment(4, of: 1001)
        var desk = Arbitration(sudo, lock, app, enrollment)
        let denial = Denial(.lockedOut, endsIn: .seconds(30))
        let began = Verdict.denied(Denial(.lockedOut, endsIn: .seconds(30), lockoutBegan: true))
        let actions = desk.charged(sudo, denial)
        #expect(actions.prefix(2) == [.finish(sudo.id, began), .finish(app.id, began)])
        #expect(desk.arbiter.contains(lock.id) && desk.arbiter.contains(enrollment.id))
        #expect(desk.arbiter.count == 2)
    }

    @Test func `the account is number and name: another's of the same number is not locked out with it`() {
        let renamed = Ask(
            id: RequestID(number: 2), account: Account(uid: 1001, name: "somebody-else"), asker: sudo.asker,
            serviceClass: .app, isRoot: false, processGroup: 2, work: .identify, reader: .first,
            timeout: .seconds(30), tries: 3, fingerOnly: false)
        var desk = Arbitration(sudo, renamed)
        _ = desk.charged(sudo, Denial(.passwordNeeded))
        #expect(desk.arbiter.contains(renamed.id))
    }

    @Test func `a lockout that its owner's end preceded ends the others of the account`() {
        let same = Ask.sudo(2, of: 1001, group: sudo.processGroup)
        var desk = Arbitration(sudo, same)
        desk.gone(sudo)
        let began = Verdict.denied(Denial(.passwordNeeded, lockoutBegan: true))
        #expect(desk.charged(sudo, Denial(.passwordNeeded)) == [.finish(same.id, began), .want(nil)])
    }

    @Test func `a mismatch that can't be recorded ends the account's requests, and says that it is no lockout`() {
        var desk = Arbitration(sudo)
        #expect(desk.charged(sudo, Denial(.stateNotWritable)) == [.denied(sudo, .stateNotWritable), .want(nil)])
    }

    // MARK: Scans that don't count

    @Test(arguments: RetryReason.allCases)
    func `a scan that doesn't count is asked again, and charged to nobody`(reason: RetryReason) {
        var desk = Arbitration(sudo)
        #expect(desk.touched(sudo.job, .retry(reason)) == [.retry(sudo.id, reason)])
    }

    @Test func `one who waits by now, or has gone, isn't asked again`() {
        let lock = Ask.vlock(2, of: 1001)
        var desk = Arbitration(sudo, lock)
        #expect(desk.touched(sudo.job, .retry(.tooShort)) == [])
        desk.gone(sudo)
        #expect(desk.touched(sudo.job, .retry(.tooShort)) == [])
    }

    // MARK: Enrolments

    @Test func `a finger nobody has is enrolled after it was compared with everybody's, and nobody is charged`() {
        let enrollment = Ask.enrollment(1, of: 1001)
        var desk = Arbitration()
        #expect(desk.asked(enrollment) == [.prompt(enrollment), .want(enrollment.duplicateJob)])
        #expect(desk.touched(enrollment.duplicateJob, .retry(.tooFast)) == [.retry(enrollment.id, .tooFast)])
        #expect(desk.touched(enrollment.duplicateJob, .noMatch) == [.want(enrollment.enrollJob)])
        #expect(desk.progressed(enrollment, 1) == [.enrolling(enrollment.id, stage: 1, retry: nil)])
        #expect(
            desk.progressed(enrollment, 1, .centerFinger)
                == [.enrolling(enrollment.id, stage: 1, retry: .centerFinger)])
        #expect(desk.enrolled(enrollment) == [.want(nil)])
        #expect(desk.arbiter.count == 0)
    }

    @Test func `a finger that is known already is told, for policy to judge`() {
        let enrollment = Ask.enrollment(1, of: 1001)
        var desk = Arbitration(enrollment)
        #expect(
            desk.touched(enrollment.duplicateJob, .matched(index: 7), .leftIndex)
                == [.duplicate(enrollment.id, index: 7), .want(enrollment.enrollJob)])
        #expect(desk.ended(enrollment, .duplicatePrint) == [.denied(enrollment, .duplicatePrint), .want(nil)])
    }

    @Test func `of an enrolment that has gone nothing is told`() {
        let enrollment = Ask.enrollment(1, of: 1001)
        var desk = Arbitration(enrollment)
        desk.gone(enrollment)
        #expect(desk.touched(enrollment.duplicateJob, .matched(index: 0), .leftIndex) == [])
        #expect(desk.touched(enrollment.duplicateJob, .noMatch) == [])
        #expect(desk.progressed(enrollment, 1) == [])
        #expect(desk.enrolled(enrollment) == [])
    }

    // MARK: Ends

    @Test func `a request ends when its time is up`() {
        var desk = Arbitration(sudo, next)
        #expect(desk.wait(.milliseconds(29_999)) == [])
        #expect(
            desk.wait(.milliseconds(1)) == [.denied(sudo, .timedOut), .denied(next, .timedOut), .want(nil)])
    }

    @Test func `a request lasts five minutes at most, also while its time is paused`() {
        let login = Ask.login(2, of: 1001)
        var desk = Arbitration(sudo)
        desk.wait(.seconds(10))
        desk.asked(login)
        #expect(desk.wait(.milliseconds(289_999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.denied(sudo, .timedOut)])
    }

    @Test func `a cancelled request frees the reader at once`() {
        var desk = Arbitration(sudo, next)
        #expect(
            desk.ended(sudo, .personCancelled) == [.denied(sudo, .personCancelled), .prompt(next), .want(next.job)])
        #expect(desk.ended(sudo, .personCancelled) == [])
    }

    @Test func `when the daemon stops, every request is told`() {
        let app = Ask.app(3, of: 1001)
        var desk = Arbitration(sudo, next, app)
        #expect(
            desk.endAll(.daemonStopping) == [
                .denied(sudo, .daemonStopping), .denied(next, .daemonStopping), .denied(app, .daemonStopping),
                .want(nil),
            ])
    }
}
