import BioauthCore
import Testing

/// The machine's sleep: what requests hear of it, and what becomes of the reader.
@Suite struct ArbiterSleepTests {
    let sudo = Ask.sudo(1, of: 1001)

    @Test func `before the sleep the one prompted hears that it waits, and is prompted afresh two seconds after`() {
        var desk = Arbitration(sudo)
        #expect(desk.slept() == [.waiting(sudo, .suspended), .want(nil)])
        #expect(desk.slept() == [])
        #expect(desk.wait(.seconds(8 * 3600)) == [])
        #expect(desk.woke() == [])
        #expect(desk.wait(.milliseconds(1999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.prompt(sudo, again: true), .want(sudo.job(attempt: 1))])
    }

    @Test func `no touch from before the sleep serves anybody, and a wrong one counts all the same`() {
        var desk = Arbitration(sudo)
        desk.slept()
        #expect(desk.matched(sudo.job) == [])
        #expect(desk.touched(sudo.job, .retry(.tooFast)) == [])
        #expect(desk.touched(sudo.job, .noMatch) == [.charge(sudo.account, sudo.id)])
        #expect(desk.charged(sudo) == [.mismatch(sudo.id, triesLeft: 2)])
        desk.woke()
        desk.wait(.seconds(2))
        #expect(desk.matched(sudo.job) == [])
        #expect(desk.matched(sudo.job(attempt: 1)) == [.allowed(sudo), .want(nil)])
    }

    @Test func `a login and a locker don't wait two seconds, and the locker is armed for another minute`() {
        let vlock = Ask.vlock(2, of: 1001)
        var desk = Arbitration(vlock)
        desk.wait(.seconds(50))
        #expect(desk.slept() == [.waiting(vlock, .suspended), .want(nil)])
        desk.wait(.seconds(3600))
        #expect(desk.woke() == [.prompt(vlock, again: true), .want(vlock.job(attempt: 1))])
        #expect(desk.wait(.milliseconds(59_999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.waiting(vlock, .resting), .want(nil)])
    }

    @Test func `a locker that rests goes on resting, and is armed when the machine wakes`() {
        let vlock = Ask.vlock(2, of: 1001)
        var desk = Arbitration(vlock)
        desk.wait(.seconds(60))
        #expect(desk.slept() == [])
        desk.wait(.seconds(3600))
        #expect(desk.woke() == [.prompt(vlock, again: true), .want(vlock.job(attempt: 1))])
    }

    @Test func `a locker whose lid is shut stays at rest when the machine wakes`() {
        let vlock = Ask.vlock(2, of: 1001)
        var desk = Arbitration(vlock)
        desk.away(vlock)
        #expect(desk.slept() == [])
        #expect(desk.woke() == [])
        #expect(desk.away() == [.prompt(vlock, again: true), .want(vlock.job(attempt: 1))])
    }

    @Test func `the lid may open before the machine is awake`() {
        let vlock = Ask.vlock(2, of: 1001)
        var desk = Arbitration(vlock)
        desk.away(vlock)
        desk.slept()
        #expect(desk.away() == [.waiting(vlock, .suspended)])
        #expect(desk.woke() == [.prompt(vlock, again: true), .want(vlock.job(attempt: 1))])
    }

    @Test func `an app's request and an enrolment end, before the sleep and in it`() {
        let app = Ask.app(2, of: 1002)
        let enrollment = Ask.enrollment(3, of: 1003)
        var desk = Arbitration(sudo, app, enrollment)
        #expect(
            desk.slept() == [
                .denied(app, .suspended), .denied(enrollment, .suspended), .waiting(sudo, .suspended), .want(nil),
            ])
        let another = Ask.app(4, of: 1002)
        #expect(desk.asked(another) == [.denied(another, .suspended)])
    }

    @Test func `who asks in the sleep waits for its end`() {
        let login = Ask.login(2, of: 1002)
        var desk = Arbitration()
        desk.slept()
        #expect(desk.asked(sudo) == [.waiting(sudo, .suspended)])
        #expect(desk.asked(login) == [.waiting(login, .suspended)])
        #expect(desk.woke() == [.prompt(login), .want(login.job(attempt: 1))])
    }

    @Test func `a request that another suspended stays so, and hears nothing twice`() {
        let login = Ask.login(2, of: 1002)
        var desk = Arbitration(sudo, login)
        #expect(desk.slept() == [.waiting(login, .suspended), .want(nil)])
        #expect(desk.woke() == [.prompt(login, again: true), .want(login.job(attempt: 1))])
        #expect(desk.matched(login.job(attempt: 1)) == [.allowed(login), .want(nil)])
        #expect(desk.wait(.seconds(2)) == [.prompt(sudo, again: true), .want(sudo.job(attempt: 1))])
    }

    @Test func `two requests of one person contend afresh after it`() {
        let other = Ask.sudo(2, of: 1001)
        var desk = Arbitration(sudo, other)
        desk.wait(.seconds(4))
        #expect(desk.slept() == [.waiting(sudo, .suspended), .waiting(other, .suspended)])
        desk.wait(.seconds(3600))
        #expect(desk.woke() == [.waiting(sudo, .contended, for: other), .waiting(other, .contended, for: sudo)])
        #expect(desk.wait(.milliseconds(4999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.denied(sudo, .contended), .denied(other, .contended)])
    }

    // MARK: Time

    @Test func `the time it had left, it has after the fresh prompt`() {
        var desk = Arbitration(sudo)
        desk.wait(.seconds(29))
        desk.slept()
        desk.wait(.seconds(3600))
        desk.woke()
        desk.wait(.seconds(2))
        #expect(desk.wait(.milliseconds(999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.denied(sudo, .timedOut), .want(nil)])
    }

    @Test func `the time of one that waits in line doesn't run in the sleep either`() {
        let app = Ask.sudo(2, of: 1002, timeout: .seconds(10))
        var desk = Arbitration(sudo, app)
        desk.wait(.seconds(9))
        desk.slept()
        desk.wait(.seconds(3600))
        desk.woke()
        #expect(desk.wait(.milliseconds(999)) == [])
        #expect(desk.wait(.milliseconds(1)) == [.denied(app, .timedOut)])
    }

    @Test func `no request lasts longer for it than five minutes that the machine is awake`() {
        let vlock = Ask.vlock(2, of: 1001)
        var desk = Arbitration(vlock)
        desk.wait(.seconds(200))
        desk.slept()
        desk.wait(.seconds(3600))
        desk.woke()
        let told = desk.wait(.seconds(99))
        #expect(told == [.waiting(vlock, .resting), .want(nil)])
        #expect(desk.wait(.seconds(1)) == [.denied(vlock, .timedOut)])
    }

    // MARK: The reader

    @Test func `a reader that goes in the sleep ends nothing, unless it is gone when the machine wakes`() {
        var desk = Arbitration(sudo)
        desk.slept()
        #expect(desk.reader(.absent) == [])
        #expect(desk.reader(.unproven) == [])
        #expect(desk.reader(.absent) == [])
        #expect(desk.woke() == [.denied(sudo, .readerUnplugged)])
    }

    @Test func `what is to be armed first waits for the reader to be opened`() {
        let login = Ask.login(2, of: 1002)
        var desk = Arbitration(login)
        desk.slept()
        desk.reader(.unproven)
        #expect(desk.woke() == [.waiting(login, .readerOpening), .want(login.job(attempt: 1))])
        #expect(desk.reader(.good) == [.prompt(login, again: true)])
    }
}

/// The reader before the sleep, in it and after it.
@Suite struct ReaderSleepTests {
    let job = Ask.sudo(1, of: 1001).job

    @Test func `an idle reader is closed, and opened again when the machine wakes, though nobody waits`() {
        var reader = LivingReader()
        #expect(reader.slept() == [.close])
        #expect(reader.slept() == [])
        #expect(reader.life.delaysSleep)
        #expect(reader.closed() == [])
        #expect(!reader.life.delaysSleep)
        #expect(reader.wait(.seconds(3600)) == [])
        #expect(reader.woke() == [.standing(.unproven), .open])
        #expect(reader.life.delaysSleep)
        #expect(reader.opened() == [.standing(.good)])
    }

    @Test func `one that is closed lets the machine sleep at once, and is tried when it wakes`() {
        var reader = LivingReader(keptWarm: .seconds(30))
        reader.wait(.seconds(30))
        reader.closed()
        #expect(reader.slept() == [])
        #expect(!reader.life.delaysSleep)
        #expect(reader.wants(job) == [])
        #expect(reader.woke() == [.standing(.unproven), .open])
        #expect(reader.opened() == [.standing(.good), .start(job)])
    }

    @Test(arguments: [false, true])
    func `what runs is cancelled at once, a finger on the reader or not, and then it is closed`(finger: Bool) {
        var reader = LivingReader()
        reader.wants(job)
        if finger { reader.finger(true) }
        reader.wants(nil)
        if finger { #expect(reader.slept() == [.cancel]) } else { #expect(reader.slept() == []) }
        #expect(reader.completed(.cancelled) == [.close])
        #expect(reader.closed() == [])
        #expect(!reader.life.delaysSleep)
    }

    @Test func `also where the touch was compared already and the finger doesn't go`() {
        var reader = LivingReader()
        reader.wants(job)
        reader.finger(true)
        reader.shown()
        #expect(reader.slept() == [.cancel])
        #expect(reader.completed() == [.close])
    }

    @Test func `one that is being opened is closed as soon as it is open`() {
        var reader = LivingReader(unplugged: .seconds(30))
        reader.added()
        #expect(reader.slept() == [])
        #expect(reader.opened() == [.close])
        #expect(reader.closed() == [])
    }

    @Test func `one that could not be closed in time is closed when the machine wakes, before it is used`() {
        var reader = LivingReader()
        reader.wants(job)
        #expect(reader.slept() == [.cancel])
        #expect(reader.woke() == [.standing(.unproven)])
        #expect(reader.completed(.cancelled) == [.close])
        #expect(reader.closed() == [.open])
        #expect(reader.opened() == [.standing(.good)])
        #expect(reader.wait(.seconds(1)) == [.start(job)])

        reader = LivingReader(unplugged: .seconds(30))
        reader.added()
        reader.slept()
        #expect(reader.woke() == [.standing(.unproven)])
        #expect(reader.opened() == [.close])
        #expect(reader.closed() == [.open])
    }

    @Test func `failures before the sleep don't slow the opening after it, which is tried with growing delay`() {
        var reader = LivingReader(unplugged: .seconds(30))
        reader.added()
        for _ in 1...8 {
            reader.opened(.failed("no answer"))
            reader.wait(.seconds(10))
        }
        reader.opened(.failed("no answer"))
        #expect(reader.slept() == [])
        #expect(reader.life.nextDeadline == nil)
        reader.wait(.seconds(3600))
        #expect(reader.woke() == [.standing(.unproven), .open])
        let since = reader.now
        for milliseconds in [100, 200, 400] {
            #expect(reader.opened(.failed("no answer")) == [.standing(.failing(.readerFailed, since: since))])
            #expect(reader.wait(.milliseconds(milliseconds - 1)) == [])
            #expect(reader.wait(.milliseconds(1)) == [.open])
        }
    }

    // MARK: Readers that go and come back

    @Test func `one that goes in the sleep may take ten seconds to come back`() {
        var reader = LivingReader()
        reader.slept()
        #expect(reader.removed() == [.standing(.unproven)])
        #expect(!reader.life.delaysSleep)
        reader.wait(.seconds(3600))
        #expect(reader.woke() == [.standing(.unproven)])
        #expect(reader.wait(.milliseconds(9999)) == [])
        #expect(reader.life.isAway)
        #expect(reader.added() == [.standing(.unproven), .open])
        #expect(reader.opened() == [.standing(.good)])
    }

    @Test func `so may one that goes just after it, and then it is gone`() {
        var reader = LivingReader()
        reader.slept()
        reader.closed()
        reader.woke()
        reader.wait(.seconds(4))
        #expect(reader.removed() == [.standing(.unproven)])
        #expect(reader.wait(.milliseconds(5999)) == [])
        #expect(reader.wait(.milliseconds(1)) == [.standing(.absent)])
        #expect(reader.life.nextDeadline == nil)
        reader.added()
        #expect(reader.removed() == [.standing(.absent)])
    }

    @Test func `one that comes in the sleep is opened when the machine wakes`() {
        var reader = LivingReader(unplugged: .seconds(30))
        #expect(reader.slept() == [])
        #expect(reader.added() == [.standing(.unproven)])
        #expect(!reader.life.delaysSleep)
        #expect(reader.woke() == [.standing(.unproven), .open])
    }

    @Test func `where there is none, sleep is nothing to wait for`() {
        var reader = LivingReader(unplugged: .seconds(30))
        #expect(!reader.life.delaysSleep)
        #expect(reader.slept() == [])
        #expect(reader.woke() == [])
    }
}
