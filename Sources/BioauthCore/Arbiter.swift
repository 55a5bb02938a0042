/// Who gets which reader, and when.
///
/// A value: an event goes in with the time it happened at, a list of actions comes out, to be carried out in order
/// before the next event. It holds every request between its admission and its end.
///
/// A request is *queued* behind others, then *elected*: prompted as soon as the reader is known to work, and wanted at
/// the reader. Who has it keeps it until somebody of a higher rank asks. From there it may be *suspended* by a lock or
/// login, or *contended* by another of the same person's: both lead back, over two seconds of *cooling*, to a fresh
/// prompt. Each reader has a line of its own; contention knows no readers, and nor does a lock that its owner's other
/// requests give way to. A request that is *moved* stands in the line of another reader. A locker is *resting* after a
/// minute, until somebody is there; one that runs as its user goes back in line. While the machine sleeps all are
/// suspended.
public struct Arbiter: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        /// What a reader is to be armed for from now on; nil: nothing.
        case want(Job?, at: ReaderID)
        /// Ask the person for a touch.
        case prompt(RequestID, triesLeft: Int, again: Bool)
        case waiting(RequestID, Cause, place: Int?, other: Asker?)
        case retry(RequestID, RetryReason)
        case mismatch(RequestID, triesLeft: Int)
        /// Record one mismatch of the account durably, then answer with `charged`.
        case charge(Account, RequestID)
        case finish(RequestID, Verdict)
        /// The finger that is to be enrolled is known already: whose it is, is for policy to judge.
        case duplicate(RequestID, index: Int)
        case enrolling(RequestID, stage: Int, retry: RetryReason?)
    }

    /// How long a request waits, contended, before it is denied.
    public static let contentionPatience: Duration = .seconds(5)
    /// How long a request with nothing but the finger waits for a reader that fails to open.
    public static let readerPatience: Duration = .seconds(2)
    /// How long after the end of what suspended it a request is prompted afresh.
    public static let cooling: Duration = .seconds(2)
    /// How long a locker stays armed after it was its turn or somebody was there.
    public static let lockerArmed: Duration = .seconds(60)
    /// How long a request may last in all, suspended or not.
    public static let longest: Duration = Limits.requestTime.upperBound

    /// Every request that has not ended, in the order they came.
    var entries: [Entry] = []
    /// How each reader stands that is plugged in.
    private var readers: [ReaderID: ReaderStanding] = [:]
    /// What each was last wanted for.
    private var wanted: [ReaderID: Job] = [:]
    /// Whether the machine sleeps, or is about to.
    public internal(set) var isAsleep = false
    var actions: [Action] = []

    public init() {}

    public var count: Int { entries.count }

    /// When `tick` has to be called at the latest, or nil.
    public var nextDeadline: Instant? {
        isAsleep ? nil : entries.lazy.map { $0.nextDeadline(readers[$0.reader]) }.min()
    }

    /// Whether the person has been asked for a touch, and a touch is what it waits for.
    public func isPrompted(_ id: RequestID) -> Bool { entries.contains { $0.ask.id == id && $0.phase == .prompted } }

    public func contains(_ id: RequestID) -> Bool { entries.contains { $0.ask.id == id } }

    // MARK: Events

    /// A request that policy has let through.
    public mutating func asked(_ ask: Ask, at now: Instant) -> [Action] {
        entries.append(Entry(ask, at: now))
        return settled(at: now)
    }

    /// The clients are gone: nobody is told.
    public mutating func gone(_ ids: Set<RequestID>, at now: Instant) -> [Action] {
        entries.removeAll { ids.contains($0.ask.id) }
        return settled(at: now)
    }

    /// The request ends with this denial: the client cancelled it, or it can't go on.
    public mutating func ended(_ id: RequestID, _ denial: Denial, at now: Instant) -> [Action] {
        finish(id, .denied(denial))
        return settled(at: now)
    }

    /// Every request ends with this denial.
    public mutating func endAll(_ denial: Denial, at now: Instant) -> [Action] {
        finish { _ in denial }
        return settled(at: now)
    }

    /// How a reader stands from now on. One that is absent takes with it whoever has not been moved.
    public mutating func readerChanged(
        _ reader: ReaderID, _ standing: ReaderStanding, at now: Instant
    ) -> [Action] {
        readers[reader] = standing
        return settled(at: now)
    }

    /// These are served by other readers from now on, and asked for afresh there.
    public mutating func moved(_ moves: [RequestID: ReaderID], at now: Instant) -> [Action] {
        for at in entries.indices {
            guard let reader = moves[entries[at].ask.id], reader != entries[at].reader else { continue }
            entries[at].move(to: reader, at: now)
        }
        return settled(at: now)
    }

    /// A touch was compared for a job, `matched` with the finger it turned out to be.
    public mutating func identified(
        _ job: Job, _ result: Identification, finger: Finger?, at now: Instant
    ) -> [Action] {
        // A touch that comes late is nobody's, also where the tick is late: after a suspend, say.
        expire(at: now)
        let at = entries.firstIndex { $0.ask.id == job.owner }
        switch (job.kind, result) {
        case (.identify, .matched):
            // A touch from before the prompt is nobody's, and one from before another of the person's requests
            // contended for it neither.
            if let at, let finger, entries[at].wasPrompted, entries[at].job == job {
                finish(job.owner, .allowed(finger))
            }
        case (.identify, .noMatch):
            // Whoever asked may be gone: a stranger's touch counts all the same.
            actions.append(.charge(job.account, job.owner))
        case (_, .retry(let reason)):
            if let at, entries[at].phase == .prompted, entries[at].job == job {
                actions.append(.retry(job.owner, reason))
            }
        case (.findDuplicate, .matched(let index)):
            if let at {
                entries[at].isChecked = true
                actions.append(.duplicate(job.owner, index: index))
            }
        case (.findDuplicate, .noMatch):
            if let at { entries[at].isChecked = true }
        case (.enroll, .matched), (.enroll, .noMatch):
            break
        }
        return settled(at: now)
    }

    /// A touch didn't match the one print that it was compared with, on a reader that compares no more at once: the next
    /// touch is for the next print.
    public mutating func goesOn(_ job: Job, at now: Instant) -> [Action] {
        expire(at: now)
        if let at = entries.firstIndex(where: { $0.ask.id == job.owner && $0.phase == .prompted && $0.job == job }) {
            actions.append(.prompt(job.owner, triesLeft: entries[at].triesLeft, again: true))
        }
        return settled(at: now)
    }

    /// A mismatch was recorded, and this is what stands in the way of the account's finger from now on, if anything.
    public mutating func charged(_ account: Account, _ id: RequestID, _ denial: Denial?, at now: Instant) -> [Action] {
        if let denial {
            let began = Denial(denial.cause, endsIn: denial.endsIn, lockoutBegan: denial.code == .biometryLockout)
            finish { $0.ask.account == account && $0.ask.isIdentification ? began : nil }
        } else if let at = entries.firstIndex(where: { $0.ask.id == id }) {
            entries[at].triesLeft -= 1
            if entries[at].triesLeft > 0 {
                actions.append(.mismatch(id, triesLeft: entries[at].triesLeft))
            } else {
                finish(id, .denied(Denial(.mismatchesUsedUp)))
            }
        }
        return settled(at: now)
    }

    /// So many stages of an enrolment are complete, or the scan did not count.
    public mutating func enrolling(_ id: RequestID, stage: Int, retry: RetryReason?, at now: Instant) -> [Action] {
        if contains(id) { actions.append(.enrolling(id, stage: stage, retry: retry)) }
        return settled(at: now)
    }

    /// The enrolment is complete: its end is told by who keeps the print.
    public mutating func enrolled(_ id: RequestID, at now: Instant) -> [Action] {
        entries.removeAll { $0.ask.id == id }
        return settled(at: now)
    }

    /// These lock and login requests, and no others, are where nobody can be now: their session isn't in front, or the lid
    /// is shut. They rest until it is over. For other requests it means the end.
    public mutating func away(
        _ ids: Set<RequestID>, ending denials: [RequestID: Denial] = [:], at now: Instant
    ) -> [Action] {
        finish { denials[$0.ask.id] }
        for at in entries.indices where entries[at].isAway != ids.contains(entries[at].ask.id) {
            entries[at].isAway.toggle()
            if !entries[at].isAway {
                entries[at].rests = nil
                entries[at].queue(at: now)
            } else if entries[at].phase != .resting {
                entries[at].phase = .resting
                actions.append(.waiting(entries[at].ask.id, .resting, place: nil, other: nil))
            }
        }
        return settled(at: now)
    }

    /// Somebody is there: a lid opened, the machine resumed, a key was pressed. Lockers are armed again.
    public mutating func activity(at now: Instant) -> [Action] {
        for at in entries.indices where entries[at].ask.serviceClass == .lock && !entries[at].isAway {
            entries[at].rests = now + Arbiter.lockerArmed
            if entries[at].phase == .resting { entries[at].queue(at: now) }
        }
        return settled(at: now)
    }

    public mutating func tick(at now: Instant) -> [Action] {
        settled(at: now)
    }

    // MARK: Consequences

    mutating func finish(_ id: RequestID, _ verdict: Verdict) {
        guard contains(id) else { return }
        entries.removeAll { $0.ask.id == id }
        actions.append(.finish(id, verdict))
    }

    /// Ends every request for which there is a denial, in one walk.
    mutating func finish(_ denial: (Entry) -> Denial?) {
        var ended: [Action] = []
        entries.removeAll { entry in
            guard let denial = denial(entry) else { return false }
            ended.append(.finish(entry.ask.id, .denied(denial)))
            return true
        }
        actions += ended
    }

    /// Brings every request into the phase that the rules give it now, and hands out what follows. Those elected hear
    /// first: however many others there are, their prompts don't wait for them.
    mutating func settled(at now: Instant) -> [Action] {
        defer { actions = [] }
        if isAsleep {
            suspendAll(at: now)
            for reader in wanted.keys.sorted() { want(nil, at: reader) }
            return actions
        }
        let readers = readers
        finish { readers[$0.reader] ?? .absent == .absent ? Denial(.readerUnplugged) : nil }
        expire(at: now)
        contend(at: now)
        let blockers = blockers()
        resume(blockers, at: now)
        var fronts: [(reader: ReaderID, next: RequestID)] = []
        var elected: Set<RequestID> = []
        for (reader, standing) in readers.sorted(by: { $0.key < $1.key }) {
            let next = next(in: line(at: reader), blockers)
            // While the next cools, nobody passes it.
            let turn = next.flatMap { entries[$0].isCooling ? nil : $0 }
            if let turn { advance(turn, standing, at: now) }
            want(turn.map { entries[$0].job }, at: reader)
            if let next { fronts.append((reader, entries[next].ask.id)) }
            if let turn { elected.insert(entries[turn].ask.id) }
        }
        yield(to: elected, blockers, at: now)
        for front in fronts { tellPlaces(behind: front.next, at: front.reader) }
        self.readers = readers.filter { $0.value != .absent }
        return actions
    }

    private mutating func want(_ job: Job?, at reader: ReaderID) {
        guard job != wanted[reader] else { return }
        wanted[reader] = job
        actions.append(.want(job, at: reader))
    }

    /// Ends what has waited too long.
    private mutating func expire(at now: Instant) {
        if isAsleep { return }
        let readers = readers
        finish { entry in
            let expiry = entry.expiry(readers[entry.reader])
            return expiry.at <= now ? Denial(expiry.cause) : nil
        }
        for at in entries.indices where entries[at].isElected && entries[at].rests.map({ $0 <= now }) ?? false {
            entries[at].phase = .resting
            actions.append(.waiting(entries[at].ask.id, .resting, place: nil, other: nil))
        }
    }

    /// The one elected: prompted once the reader is known to work, told to wait for it else.
    private mutating func advance(_ at: Int, _ reader: ReaderStanding, at now: Instant) {
        let id = entries[at].ask.id
        if !entries[at].isElected && entries[at].ask.serviceClass == .lock {
            entries[at].rests = now + Arbiter.lockerArmed
        }
        if case .good = reader {
            guard entries[at].phase != .prompted else { return }
            if let left = entries[at].timeLeft {
                entries[at].deadline = now + left
                entries[at].timeLeft = nil
            }
            let again = entries[at].wasPrompted
            entries[at].phase = .prompted
            entries[at].wasPrompted = true
            actions.append(.prompt(id, triesLeft: entries[at].triesLeft, again: again))
        } else {
            var cause = Cause.readerOpening
            if case .failing(let why, _) = reader { cause = why }
            guard entries[at].phase != .awaitingReader(cause) else { return }
            entries[at].phase = .awaitingReader(cause)
            actions.append(.waiting(id, cause, place: nil, other: nil))
        }
    }

    /// Tells those in line how many go first, where that has changed, and who is the first of them.
    private mutating func tellPlaces(behind next: RequestID, at reader: ReaderID) {
        let line = line(at: reader)
        guard let front = line.first(where: { entries[$0].ask.id == next }) else { return }
        var place = 0
        for at in line where at != front {
            place += 1
            guard case .queued(let told) = entries[at].phase, told != place else { continue }
            entries[at].phase = .queued(place)
            actions.append(.waiting(entries[at].ask.id, .queued, place: place, other: entries[front].ask.asker))
        }
    }
}
