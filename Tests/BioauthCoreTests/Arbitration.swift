import BioauthCore
import Testing

/// An arbiter with a clock set by hand, ticked when it asks to be.
struct Arbitration {
    typealias Actions = [Arbiter.Action]

    private(set) var arbiter = Arbiter()
    private(set) var now = Instant(nanoseconds: 0) + .seconds(1000)

    init(reader: ReaderStanding = .good) {
        _ = arbiter.readerChanged(.first, reader, at: now)
    }

    /// Requests that are there already.
    init(_ asks: Ask...) {
        self.init()
        for ask in asks { _ = asked(ask) }
    }

    @discardableResult mutating func asked(_ ask: Ask) -> Actions { arbiter.asked(ask, at: now) }

    @discardableResult mutating func gone(_ ask: Ask) -> Actions { arbiter.gone([ask.id], at: now) }

    @discardableResult mutating func reader(_ standing: ReaderStanding, of reader: ReaderID = .first) -> Actions {
        arbiter.readerChanged(reader, standing, at: now)
    }

    @discardableResult mutating func moved(_ asks: Ask..., to reader: ReaderID) -> Actions {
        arbiter.moved(Dictionary(uniqueKeysWithValues: asks.map { ($0.id, reader) }), at: now)
    }

    mutating func reader(failing cause: Cause) -> Actions { reader(.failing(cause, since: now)) }

    mutating func touched(_ job: Job, _ result: Identification, _ finger: Finger? = nil) -> Actions {
        arbiter.identified(job, result, finger: finger, at: now)
    }

    /// A touch of the right finger.
    mutating func matched(_ job: Job) -> Actions { touched(job, .matched(index: 0), .rightIndex) }

    mutating func wentOn(_ job: Job) -> Actions { arbiter.goesOn(job, at: now) }

    mutating func charged(_ ask: Ask, _ denial: Denial? = nil) -> Actions {
        arbiter.charged(ask.account, ask.id, denial, at: now)
    }

    @discardableResult mutating func activity() -> Actions { arbiter.activity(at: now) }

    @discardableResult mutating func slept() -> Actions { arbiter.slept(at: now) }

    @discardableResult mutating func woke() -> Actions { arbiter.woke(at: now) }

    @discardableResult mutating func away(_ asks: Ask..., ending denials: [RequestID: Denial] = [:]) -> Actions {
        arbiter.away(Set(asks.map(\.id)), ending: denials, at: now)
    }

    mutating func ended(_ ask: Ask, _ cause: Cause) -> Actions { arbiter.ended(ask.id, Denial(cause), at: now) }

    mutating func endAll(_ cause: Cause) -> Actions { arbiter.endAll(Denial(cause), at: now) }

    mutating func progressed(_ ask: Ask, _ stage: Int, _ retry: RetryReason? = nil) -> Actions {
        arbiter.enrolling(ask.id, stage: stage, retry: retry, at: now)
    }

    mutating func enrolled(_ ask: Ask) -> Actions { arbiter.enrolled(ask.id, at: now) }

    /// Time passes; whatever falls due on the way happens then.
    @discardableResult mutating func wait(_ time: Duration) -> Actions {
        let end = now + time
        var actions: Actions = []
        while let due = arbiter.nextDeadline, due <= end {
            #expect(due > now, "a deadline that has passed already would be ticked for ever")
            guard due > now else { break }
            now = due
            actions += arbiter.tick(at: now)
        }
        now = end
        return actions
    }
}

extension ReaderID {
    static let first = ReaderID(number: 1)
    static let second = ReaderID(number: 2)
}

extension Account {
    static func test(_ uid: UInt32) -> Account { Account(uid: uid, name: "user\(uid)") }
}

extension Ask {
    /// - Parameter number: of the request, and of its process group where no other is given.
    static func test(
        _ number: UInt64, _ serviceClass: ServiceClass, of uid: UInt32, isRoot: Bool = true, group: Int32? = nil,
        service: String, work: Work = .identify, reader: ReaderID = .first, timeout: Duration = .seconds(30),
        tries: Int = 3, fingerOnly: Bool = false
    ) -> Ask {
        Ask(
            id: RequestID(number: number), account: .test(uid),
            asker: Asker(service: service, tty: "/dev/pts/\(number)", pid: Int32(number)), serviceClass: serviceClass,
            isRoot: isRoot, processGroup: group ?? Int32(number), work: work, reader: reader, timeout: timeout,
            tries: tries, fingerOnly: fingerOnly)
    }

    static func sudo(
        _ number: UInt64, of uid: UInt32, group: Int32? = nil, reader: ReaderID = .first,
        timeout: Duration = .seconds(30), tries: Int = 3, fingerOnly: Bool = false
    ) -> Ask {
        test(
            number, .privilege, of: uid, group: group, service: "sudo", reader: reader, timeout: timeout, tries: tries,
            fingerOnly: fingerOnly)
    }

    static func login(
        _ number: UInt64, of uid: UInt32, reader: ReaderID = .first, timeout: Duration = .seconds(300)
    ) -> Ask {
        test(number, .login, of: uid, service: "login", reader: reader, timeout: timeout)
    }

    /// A locker with root's word for it.
    static func vlock(
        _ number: UInt64, of uid: UInt32, reader: ReaderID = .first, timeout: Duration = .seconds(300)
    ) -> Ask {
        test(number, .lock, of: uid, service: "vlock", reader: reader, timeout: timeout)
    }

    /// A locker that runs as its user.
    static func i3lock(
        _ number: UInt64, of uid: UInt32, reader: ReaderID = .first, timeout: Duration = .seconds(300)
    ) -> Ask {
        test(number, .lock, of: uid, isRoot: false, service: "i3lock", reader: reader, timeout: timeout)
    }

    static func app(_ number: UInt64, of uid: UInt32, reader: ReaderID = .first) -> Ask {
        test(number, .app, of: uid, isRoot: false, service: "bioauthctl", reader: reader)
    }

    static func enrollment(_ number: UInt64, of uid: UInt32, reader: ReaderID = .first) -> Ask {
        test(
            number, .app, of: uid, service: "enroll", work: .enroll(.leftThumb), reader: reader, timeout: .seconds(300))
    }

    /// What the reader is armed for on its behalf.
    var job: Job { job(attempt: 0) }

    func job(attempt: Int) -> Job { Job(owner: id, account: account, kind: .identify, attempt: attempt) }

    var duplicateJob: Job { Job(owner: id, account: account, kind: .findDuplicate(.leftThumb)) }

    var enrollJob: Job { Job(owner: id, account: account, kind: .enroll(.leftThumb)) }
}

/// What a request is told, in the order of the words: about whom, and what.
extension Arbiter.Action {
    static func want(_ job: Job?) -> Self { .want(job, at: .first) }

    static func prompt(_ ask: Ask, triesLeft: Int = 3, again: Bool = false) -> Self {
        .prompt(ask.id, triesLeft: triesLeft, again: again)
    }

    static func waiting(_ ask: Ask, _ cause: Cause, for other: Ask? = nil) -> Self {
        .waiting(ask.id, cause, place: nil, other: other?.asker)
    }

    static func queued(_ ask: Ask, _ place: Int, behind other: Ask) -> Self {
        .waiting(ask.id, .queued, place: place, other: other.asker)
    }

    static func denied(_ ask: Ask, _ cause: Cause) -> Self { .finish(ask.id, .denied(Denial(cause))) }

    static func allowed(_ ask: Ask) -> Self { .finish(ask.id, .allowed(.rightIndex)) }
}
