import BioauthCore

/// The arbiter, the readers' lives and the readers, put together as the daemon puts them.
struct DeskTrial: Hashable {
    /// A request that has not ended, as the daemon keeps it.
    struct Request: Hashable {
        let ask: Ask
        /// The reader that serves it.
        var reader: ReaderID

        func hash(into hasher: inout Hasher) {
            hasher.combine(ask.id)
            hasher.combine(reader)
        }
    }

    /// What comes out of it.
    enum Told: Hashable {
        case action(Arbiter.Action)
        /// The print is kept, and that is the enrolment's end.
        case enrolled(RequestID)
        /// The daemon has ended with everything that it knew, and another has taken its place.
        case startedAnew
    }

    private(set) var arbiter = Arbiter()
    private(set) var readers: [DeskReader]
    private(set) var now = Instant(nanoseconds: 0) + .seconds(1000)
    private(set) var asked: Set<RequestID> = []
    private(set) var requests: [Request] = []
    private(set) var complaints: [String] = []
    private(set) var isAsleep = false
    /// What is kept of accounts; nil: no mismatch has consequences.
    var accounts: PlayedAccounts?
    /// What was told since somebody last looked; nil: nobody does.
    var told: [Told]?
    /// The daemon is killed after so many steps more, nil: it isn't.
    var stepsToLive: Int?
    /// The owner of the touch that is being compared, if it matched.
    private var matched: Job?

    private enum Step: Hashable {
        case arbiter(Arbiter.Action)
        case life(ReaderLife.Action, Int)
    }
    private var pending: [Step] = []
    private var isActing = false
    /// Time has passed, and not everybody has heard of it.
    private var isTicking = false
    /// Readers that have found a finger as their actions began: they tell of it once all that was decided has been done.
    private var found: [Int] = []
    /// The daemon was started while the machine sleeps, and has yet to hear of it.
    private var hearsOfSleep = false

    /// With so many readers, all plugged in.
    init(_ drivers: [DeskReader.Driver]) {
        readers = drivers.enumerated().map { DeskReader(ReaderID(number: UInt64($0.offset) + 1), $0.element) }
        for at in readers.indices { plugIn(at) }
    }

    /// The one reader where there is one, and else the first.
    var reader: DeskReader { readers[0] }

    var live: [RequestID] { requests.map(\.ask.id) }

    var nextDeadline: Instant? {
        var next = arbiter.nextDeadline
        for reader in readers {
            guard let due = reader.life.nextDeadline else { continue }
            next = next.map { min($0, due) } ?? due
        }
        return next
    }

    // MARK: What happens

    mutating func ask(_ ask: Ask) {
        asked.insert(ask.id)
        requests.append(Request(ask: ask, reader: ask.reader))
        act(arbiter.asked(ask, at: now))
    }

    mutating func leave(_ id: RequestID) {
        requests.removeAll { $0.ask.id == id }
        act(arbiter.gone([id], at: now))
    }

    mutating func end(_ id: RequestID, _ denial: Denial) { act(arbiter.ended(id, denial, at: now)) }

    mutating func pass(_ time: Duration) {
        now = now + time
        isTicking = true
        for at in readers.indices { take(at) { $0.tick(at: $1) } }
        act(arbiter.tick(at: now))
        isTicking = false
        run([])
        if let due = nextDeadline, due <= now { complaints.append("wants to be woken in the past") }
    }

    /// A deadline passes, and something else happens before anybody is woken.
    mutating func oversleep() {
        if let due = nextDeadline { now = due }
    }

    /// Time passes in which nothing falls due.
    mutating func wait(until time: Instant) { now = max(now, time) }

    mutating func stop() { act(arbiter.endAll(Denial(.daemonStopping), at: now)) }

    mutating func plugIn(_ at: Int = 0) {
        readers[at].device = .closed
        readers[at].isHot = false
        // One that comes back to its place goes on with its life.
        if !readers[at].life.isAway {
            readers[at].life = ReaderLife(keptWarm: DeskReader.keptWarm, isAsleep: arbiter.isAsleep)
        }
        take(at) { $0.added(at: $1) }
    }

    mutating func unplug(_ at: Int = 0) {
        readers[at].device = .unplugged
        readers[at].touch = nil
        take(at) { $0.removed(at: $1) }
    }

    mutating func sleep() {
        isAsleep = true
        for at in readers.indices {
            if case .scanning(var scan) = readers[at].device {
                scan.hasSlept = true
                readers[at].device = .scanning(scan)
            }
            take(at) { $0.slept(at: $1) }
        }
        act(arbiter.slept(at: now))
    }

    mutating func wake() {
        isAsleep = false
        for at in readers.indices { take(at) { $0.woke(at: $1) } }
        act(arbiter.woke(at: now))
    }

    mutating func touchDown(_ at: Int = 0) {
        readers[at].touch = DeskReader.Touch()
        if let scan = readers[at].scan {
            // Whoever it was, it was nobody's any more when its action had been given up.
            if !scan.isCancelled { readers[at].touch!.earlier = scan.job }
            if scan.isRetry { readers[at].touch!.retried = scan.job }
            tellFinger(true, at)
        }
    }

    mutating func touchUp(_ at: Int = 0) {
        readers[at].touch = nil
        if readers[at].scan != nil { tellFinger(false, at) }
    }

    private mutating func tellFinger(_ isPresent: Bool, _ at: Int) {
        if readers[at].driver.tellsFingers { take(at) { $0.finger(isPresent, at: $1) } }
    }

    /// The reader's answer to the opening.
    mutating func opened(_ fault: ReaderFault?, at: Int = 0) {
        readers[at].device = fault == nil ? .open : .closed
        take(at) { $0.opened(fault, at: $1) }
    }

    /// The device has become too hot, or has cooled down.
    mutating func heated(_ isHot: Bool, at: Int = 0) {
        readers[at].isHot = isHot
        // libfprint ends what runs.
        if isHot { readers[at].cancelScan() }
        take(at) { $0.heated(isHot, at: $1) }
    }

    mutating func closed(_ at: Int = 0) {
        readers[at].device = .closed
        take(at) { $0.closed(at: $1) }
    }

    /// The finger that is there, or has just been, has been compared.
    mutating func compared(_ result: Identification, at: Int = 0) {
        guard var scan = readers[at].scan else { return }
        var isRetry = false
        if case .retry = result { isRetry = true }
        scan.isShown = true
        scan.isRetry = isRetry
        readers[at].device = .scanning(scan)
        readers[at].touch?.timesShown += 1
        if let touch = readers[at].touch, touch.timesShown > 1, !touch.wasForced, !readers[at].isSettled(at: now) {
            complaints.append("one touch is compared twice")
        }
        if isRetry {
            readers[at].touch?.timesShown = 0
            readers[at].touch?.retried = scan.job
        }
        take(at) { $0.shown(retry: isRetry, at: $1) }
        if readers[at].driver.keepsPrints && result == .noMatch { take(at) { $0.errands(true, at: $1) } }
        guard readers[at].life.isTouchMeant else { return }
        if case .matched = result { matched = scan.job }
        act(arbiter.identified(scan.job, result, finger: .rightIndex, at: now))
        matched = nil
    }

    /// A touch of an enrolment was taken, so many by now of all.
    mutating func progressed(_ stage: Int, of stages: Int, retry: RetryReason?, at: Int) {
        guard let scan = readers[at].scan else { return }
        take(at) { $0.progressed(isLast: retry == nil && stage == stages, at: $1) }
        act(arbiter.enrolling(scan.job.owner, stage: stage, retry: retry, at: now))
    }

    mutating func completed(_ fault: ReaderFault?, at: Int = 0) {
        guard let scan = readers[at].scan else { return }
        let id = scan.job.owner
        if readers[at].touch != nil {
            readers[at].touch!.ended = now
            if scan.wasForced { readers[at].touch!.wasForced = true }
        }
        let fault = readers[at].life.outcome(fault)
        if case .enroll = scan.job.kind {
            if fault == nil, live.contains(id) {
                requests.removeAll { $0.ask.id == id }
                told?.append(.enrolled(id))
                act(arbiter.enrolled(id, at: now))
            }
            if case .ends(let cause)? = fault?.trouble.enrollment { end(id, Denial(cause)) }
        } else if case .ends(let cause)? = fault?.trouble.identification {
            end(id, Denial(cause))
        }
        // Cancelled meanwhile, or the daemon was killed.
        if readers[at].scan != nil { readers[at].device = .open }
        take(at) { $0.completed(fault, at: $1) }
    }

    /// One that the sleep cuts short is run again after it.
    mutating func errandDone(_ fault: ReaderFault?, at: Int = 0) {
        readers[at].device = .open
        let isPending = fault == .cancelled && readers[at].life.isAsleep
        take(at) { $0.errands(isPending, at: $1) + $0.errandDone(fault, at: $1) }
    }

    // MARK: The daemon

    private mutating func take(_ at: Int, _ event: (inout ReaderLife, Instant) -> [ReaderLife.Action]) {
        run(event(&readers[at].life, now).map { .life($0, at) })
    }

    private mutating func act(_ actions: [Arbiter.Action]) { run(actions.map(Step.arbiter)) }

    /// Carries out everything in the order it was decided in.
    private mutating func run(_ steps: [Step]) {
        pending += steps
        guard !isActing else { return }
        isActing = true
        while true {
            if stepsToLive == 0 && !pending.isEmpty { startAnew() }
            if pending.isEmpty, !isTicking, let at = found.popLast(), readers[at].scan != nil { tellFinger(true, at) }
            guard !pending.isEmpty else { break }
            stepsToLive = stepsToLive.map { $0 - 1 }
            switch pending.removeFirst() {
            case .arbiter(let action): carryOut(action)
            case .life(let action, let at): carryOut(action, at)
            }
        }
        isActing = false
        if hearsOfSleep {
            hearsOfSleep = false
            sleep()
        }
        for reader in readers where reader.life.isAsleep { judgeSleep(reader) }
    }

    private mutating func judgeSleep(_ reader: DeskReader) {
        switch reader.device {
        case .open:
            complaints.append("leaves the reader open in the sleep")
        case .scanning(let scan) where !scan.isCancelled:
            complaints.append("lets the reader scan in the sleep")
        case .errand(isCancelled: false):
            complaints.append("lets the reader run an errand in the sleep")
        case .errand, .scanning, .opening, .closing, .closed, .unplugged:
            if reader.life.delaysSleep == (reader.device == .closed || reader.device == .unplugged) {
                complaints.append("delays the sleep: \(reader.life.delaysSleep), with the reader \(reader.device)")
            }
        }
    }

    private mutating func carryOut(_ action: Arbiter.Action) {
        told?.append(.action(action))
        switch action {
        case .want(let job, let id):
            if let at = readers.firstIndex(where: { $0.id == id }) { take(at) { $0.wants(job, at: $1) } }
        case .charge(let account, let id):
            act(arbiter.charged(account, id, accounts?.mismatched(account, at: now), at: now))
        case .duplicate(let id, _): end(id, Denial(.duplicatePrint))
        case .finish(let id, let verdict):
            if case .allowed = verdict {
                if matched?.owner != id { complaints.append("lets \(id.number) in by no touch") }
                if readers.contains(where: { $0.scan?.job == matched && $0.scan?.hasSlept ?? false }) {
                    complaints.append("lets \(id.number) in by a touch from before the sleep")
                }
                if let request = requests.first(where: { $0.ask.id == id }) { accounts?.matched(request.ask.account) }
            }
            if !live.contains(id) { complaints.append("ends \(id.number) twice") }
            requests.removeAll { $0.ask.id == id }
        case .prompt(let id, _, _): if isAsleep { complaints.append("prompts \(id.number) in the sleep") }
        case .waiting, .retry, .mismatch, .enrolling: break
        }
    }

    private mutating func carryOut(_ action: ReaderLife.Action, _ at: Int) {
        if case .standing(let standing) = action { return stands(standing, at) }
        let reader = readers[at]
        // Nothing is asked of a reader that has gone since.
        guard reader.isPluggedIn else { return }
        if isAsleep {
            switch action {
            case .open, .start, .runErrand, .giveUp: complaints.append("\(action) in the sleep")
            case .close, .cancel, .standing: break
            }
        }
        switch (action, reader.device) {
        case (.open, .closed): readers[at].device = .opening(isCancelled: false)
        case (.close, .open): readers[at].device = .closing(isCancelled: false)
        case (.start(let job), .open):
            if reader.isHot { complaints.append("starts \(job.owner.number) while it is hot") }
            start(job, at)
        case (.runErrand, .open):
            if reader.isHot { complaints.append("runs an errand while it is hot") }
            readers[at].device = .errand(isCancelled: false)
        case (.cancel, .errand(false)): readers[at].device = .errand(isCancelled: true)
        case (.cancel, .opening(false)): readers[at].device = .opening(isCancelled: true)
        case (.cancel, .closing(false)): readers[at].device = .closing(isCancelled: true)
        case (.giveUp, .opening(true)), (.giveUp, .closing(true)), (.giveUp, .errand(true)): startAnew()
        case (.giveUp, .scanning(let scan)) where scan.isCancelled: startAnew()
        case (.cancel, .scanning(let scan)) where !scan.isCancelled:
            let isFree = reader.touch == nil || found.contains(at) || scan.isShown || scan.hasSlept
            let isOverdue = now - scan.began >= .seconds(10)
            if reader.driver.tellsFingers && !isFree && !isOverdue {
                complaints.append("cancels while a finger is there")
            }
            readers[at].cancelScan()
        case (.open, _), (.close, _), (.start, _), (.runErrand, _), (.cancel, _), (.giveUp, _), (.standing, _):
            complaints.append("\(action) while the reader is \(reader.device)")
        }
    }

    mutating func changed(_ standing: ReaderStanding, _ at: Int) {
        act(arbiter.readerChanged(readers[at].id, standing, at: now))
    }

    mutating func move(_ moves: [RequestID: ReaderID]) {
        for at in requests.indices { requests[at].reader = moves[requests[at].ask.id] ?? requests[at].reader }
        act(arbiter.moved(moves, at: now))
    }

    private mutating func start(_ job: Job, _ at: Int) {
        readers[at].device = .scanning(DeskReader.Scan(job: job, began: now))
        guard let touch = readers[at].touch else { return }
        if touch.earlier != nil && touch.retried != job && !touch.wasForced && !readers[at].isSettled(at: now) {
            complaints.append("starts \(job.owner.number) at a finger that was there before")
        }
        found.append(at)
    }

    /// The daemon ends with everything that it knew, and another takes its place.
    mutating func startAnew() {
        requests = []
        pending = []
        stepsToLive = nil
        matched = nil
        arbiter = Arbiter()
        told?.append(.startedAnew)
        hearsOfSleep = isAsleep
        isAsleep = false
        for at in readers.indices {
            readers[at].life = ReaderLife(keptWarm: DeskReader.keptWarm)
            readers[at].touch?.wasForced = true
            if readers[at].device != .unplugged { plugIn(at) }
        }
        run([])
    }
}
