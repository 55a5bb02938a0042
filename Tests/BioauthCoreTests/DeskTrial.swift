import BioauthCore

/// The arbiter, the reader's life and a reader, put together as the daemon puts them.
struct DeskTrial: Hashable {
    /// How a driver treats fingers.
    struct Driver: Hashable {
        var tellsFingers: Bool
        /// Its actions complete only when the finger has gone.
        var waitsForLift: Bool
    }

    enum Device: Hashable {
        case unplugged, closed, open
        case opening(isCancelled: Bool)
        case closing(isCancelled: Bool)
        case scanning(Scan)
    }

    struct Scan: Hashable {
        let job: Job
        let began: Instant
        var isShown = false
        var isCancelled = false
        /// It was cancelled although a finger was there.
        var wasForced = false
        /// The machine has slept since it began.
        var hasSlept = false
    }

    /// The finger that is on the reader.
    struct Touch: Hashable {
        /// The action it was on the reader with first, if that is not the one that runs.
        var earlier: Job?
        /// An action that ended while it was there: when, and whether it could be helped.
        var ended: Instant?
        var wasForced = false
        var timesShown = 0
    }

    private(set) var arbiter = Arbiter()
    private(set) var life = ReaderLife(keptWarm: .seconds(3))
    private(set) var now = Instant(nanoseconds: 0) + .seconds(1000)
    private(set) var device = Device.unplugged
    private(set) var isHot = false
    private(set) var touch: Touch?
    private(set) var asked: Set<RequestID> = []
    private(set) var live: [RequestID] = []
    private(set) var complaints: [String] = []
    private(set) var isAsleep = false
    let driver: Driver
    /// The owner of the touch that is being compared, if it matched.
    private var matched: Job?

    private enum Step: Hashable {
        case arbiter(Arbiter.Action)
        case life(ReaderLife.Action)
    }
    private var pending: [Step] = []
    private var isActing = false

    init(_ driver: Driver) {
        self.driver = driver
        plugIn()
    }

    var isScanning: Bool { if case .scanning = device { true } else { false } }

    /// Whether something is to come from the reader by itself.
    var isBusy: Bool {
        switch device {
        case .opening, .closing: true
        case .scanning(let scan): scan.isCancelled
        case .unplugged, .closed, .open: false
        }
    }

    var nextDeadline: Instant? { [arbiter.nextDeadline, life.nextDeadline].compactMap(\.self).min() }

    // MARK: What happens

    mutating func ask(_ ask: Ask) {
        asked.insert(ask.id)
        live.append(ask.id)
        act(arbiter.asked(ask, at: now))
    }

    mutating func leave(_ id: RequestID) {
        live.removeAll { $0 == id }
        act(arbiter.gone([id], at: now))
    }

    mutating func pass(_ time: Duration) {
        now = now + time
        act(life.tick(at: now))
        act(arbiter.tick(at: now))
        if let due = nextDeadline, due <= now { complaints.append("wants to be woken in the past") }
    }

    /// A deadline passes, and something else happens before anybody is woken.
    mutating func oversleep() {
        if let due = nextDeadline { now = due }
    }

    mutating func plugIn() {
        device = .closed
        isHot = false
        act(life.added(at: now))
    }

    mutating func unplug() {
        device = .unplugged
        touch = nil
        act(life.removed(at: now))
    }

    mutating func sleep() {
        isAsleep = true
        if case .scanning(var scan) = device {
            scan.hasSlept = true
            device = .scanning(scan)
        }
        act(life.slept(at: now))
        act(arbiter.slept(at: now))
    }

    mutating func wake() {
        isAsleep = false
        act(life.woke(at: now))
        act(arbiter.woke(at: now))
    }

    mutating func touchDown() {
        touch = Touch()
        if case .scanning(let scan) = device {
            // Whoever it was, it was nobody's any more when its action had been given up.
            if !scan.isCancelled { touch!.earlier = scan.job }
            if driver.tellsFingers { act(life.finger(true, at: now)) }
        }
    }

    mutating func touchUp() {
        touch = nil
        if case .scanning = device, driver.tellsFingers { act(life.finger(false, at: now)) }
    }

    /// The reader's answer to the opening.
    mutating func opened(_ fault: ReaderFault?) {
        device = fault == nil ? .open : .closed
        act(life.opened(fault, at: now))
    }

    /// The device has become too hot, or has cooled down.
    mutating func heated(_ isHot: Bool) {
        self.isHot = isHot
        if isHot, case .scanning(var scan) = device {
            // libfprint ends it.
            scan.isCancelled = true
            scan.wasForced = touch != nil
            device = .scanning(scan)
        }
        act(life.heated(isHot, at: now))
    }

    mutating func closed() {
        device = .closed
        act(life.closed(at: now))
    }

    /// The finger that is there has been compared.
    mutating func compared(_ result: Identification) {
        guard case .scanning(var scan) = device, touch != nil else { return }
        scan.isShown = true
        device = .scanning(scan)
        touch!.timesShown += 1
        if touch!.timesShown > 1 && !touch!.wasForced && !isSettled {
            complaints.append("one touch is compared twice")
        }
        if case .matched = result { matched = scan.job }
        act(life.shown(at: now))
        act(arbiter.identified(scan.job, result, finger: .rightIndex, at: now))
        matched = nil
    }

    mutating func completed(_ fault: ReaderFault?) {
        guard case .scanning(let scan) = device else { return }
        if touch != nil {
            touch!.ended = now
            if scan.wasForced { touch!.wasForced = true }
        }
        if fault == nil, case .enroll = scan.job.kind {
            live.removeAll { $0 == scan.job.owner }
            act(arbiter.enrolled(scan.job.owner, at: now))
        }
        device = .open
        act(life.completed(fault, at: now))
    }

    // MARK: The daemon

    private mutating func act(_ actions: [Arbiter.Action]) { run(actions.map(Step.arbiter)) }

    private mutating func act(_ actions: [ReaderLife.Action]) { run(actions.map(Step.life)) }

    /// Carries out everything in the order it was decided in.
    private mutating func run(_ steps: [Step]) {
        pending += steps
        guard !isActing else { return }
        isActing = true
        while !pending.isEmpty {
            switch pending.removeFirst() {
            case .arbiter(let action): carryOut(action)
            case .life(let action): carryOut(action)
            }
        }
        isActing = false
        if life.isAsleep { judgeSleep() }
    }

    private mutating func judgeSleep() {
        switch device {
        case .open:
            complaints.append("leaves the reader open in the sleep")
        case .scanning(let scan) where !scan.isCancelled:
            complaints.append("lets the reader scan in the sleep")
        case .scanning, .opening, .closing, .closed, .unplugged:
            if life.delaysSleep == (device == .closed || device == .unplugged) {
                complaints.append("delays the sleep: \(life.delaysSleep), with the reader \(device)")
            }
        }
    }

    private mutating func carryOut(_ action: Arbiter.Action) {
        switch action {
        case .want(let job, _): act(life.wants(job, at: now))
        case .charge(let account, let id): act(arbiter.charged(account, id, nil, at: now))
        case .duplicate(let id, _): act(arbiter.ended(id, Denial(.duplicatePrint), at: now))
        case .finish(let id, let verdict):
            if case .allowed = verdict, matched?.owner != id { complaints.append("lets \(id.number) in by no touch") }
            if case .allowed = verdict, case .scanning(let scan) = device, scan.hasSlept {
                complaints.append("lets \(id.number) in by a touch from before the sleep")
            }
            if !live.contains(id) { complaints.append("ends \(id.number) twice") }
            live.removeAll { $0 == id }
        case .prompt(let id, _, _): if isAsleep { complaints.append("prompts \(id.number) in the sleep") }
        case .waiting, .retry, .mismatch, .enrolling: break
        }
    }

    private mutating func carryOut(_ action: ReaderLife.Action) {
        if isAsleep {
            switch action {
            case .open, .start, .runErrand, .giveUp: complaints.append("\(action) in the sleep")
            case .close, .cancel, .standing: break
            }
        }
        switch (action, device) {
        case (.standing(let standing), _): act(arbiter.readerChanged(.first, standing, at: now))
        case (_, .unplugged): break
        case (.open, .closed): device = .opening(isCancelled: false)
        case (.close, .open): device = .closing(isCancelled: false)
        case (.start(let job), .open):
            if isHot { complaints.append("starts \(job.owner.number) while it is hot") }
            start(job)
        case (.cancel, .opening(false)): device = .opening(isCancelled: true)
        case (.cancel, .closing(false)): device = .closing(isCancelled: true)
        case (.giveUp, .opening(true)), (.giveUp, .closing(true)): startAnew()
        case (.giveUp, .scanning(let scan)) where scan.isCancelled: startAnew()
        case (.cancel, .scanning(var scan)) where !scan.isCancelled:
            scan.isCancelled = true
            scan.wasForced = touch != nil
            let mayCancel = touch == nil || scan.isShown || scan.hasSlept || now - scan.began >= .seconds(10)
            if driver.tellsFingers && !mayCancel {
                complaints.append("cancels while a finger is there")
            }
            device = .scanning(scan)
        case (.open, _), (.close, _), (.start, _), (.runErrand, _), (.cancel, _), (.giveUp, _):
            complaints.append("\(action) while the reader is \(device)")
        }
    }

    /// The daemon ends with everything that it knew, and another takes its place.
    private mutating func startAnew() {
        live = []
        pending = []
        arbiter = Arbiter()
        life = ReaderLife(keptWarm: .seconds(3))
        touch?.wasForced = true
        plugIn()
    }

    private mutating func start(_ job: Job) {
        device = .scanning(Scan(job: job, began: now))
        guard let touch else { return }
        if touch.earlier != nil && !touch.wasForced && !isSettled {
            complaints.append("starts \(job.owner.number) at a finger that was there before")
        }
        if driver.tellsFingers { act(life.finger(true, at: now)) }
    }

    /// The last action ended a second ago with the finger still there: that is as long as anybody waits for it.
    private var isSettled: Bool {
        touch?.ended.map { now - $0 >= .seconds(1) } ?? false
    }
}
