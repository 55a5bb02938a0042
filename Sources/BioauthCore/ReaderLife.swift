/// The life of one reader: opened when somebody wants it, armed, kept warm, closed, and brought back after trouble.
///
/// A value like the arbiter. One action runs at the device at a time. An action isn't cancelled while a finger is on
/// the reader, and the next isn't started before the last has completed *and* the finger is gone; where the driver
/// doesn't tell of fingers, one second later. A call that takes too long is cancelled, then the device closed and opened
/// again; a device that answers to that neither is given up.
public struct ReaderLife: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        case open
        case close
        case start(Job)
        /// Do the first of the errands.
        case runErrand
        case cancel
        /// Tell the arbiter.
        case standing(ReaderStanding)
        /// The device doesn't answer any more: only the end of this process frees it.
        case giveUp
    }

    /// The first wait before another try after a failure; it doubles up to `longestDelay`, so that a reader which could be
    /// used again can be used within five seconds, its opening included.
    public static let firstDelay: Duration = .milliseconds(100)
    public static let longestDelay: Duration = .seconds(3)
    /// How long to wait between two actions where the driver doesn't tell whether a finger is there.
    public static let settling: Duration = .seconds(1)
    /// How long a finger may stay on the reader before an unwanted action is cancelled nevertheless.
    public static let fingerPatience: Duration = .seconds(10)
    /// How long after the machine woke a reader that has gone may take to come back: hubs take their time.
    public static let returning: Duration = .seconds(10)
    /// How long after a finger was lifted what it showed may take to be compared (NBIS: 57 to 244 ms).
    public static let comparing: Duration = .seconds(2)

    private(set) var state: State = .absent
    /// How it stands but for its heat.
    private var proof: ReaderStanding = .absent
    /// Since when it has been too hot to be used.
    private var hotSince: Instant?
    private var wanted: Job?
    /// There is something to be done at it that takes no finger.
    private var hasErrand = false
    /// Nothing is started before then: the finger of the last action may still be there. Nil: it isn't.
    private var settled: Instant?
    /// The job whose scan was no good: the same finger may try again at once, for that job and no other.
    private var retried: Job?
    /// Failures since it last served well: an action completed, or nothing failed for as long as it is kept warm.
    public private(set) var failures = 0
    /// Whether the driver has ever told of a finger, so that its silence means that none was there.
    private var tellsFingers = false
    /// Whether it has ever been open.
    private var hasServed = false
    private var keptWarm: Duration
    /// The machine sleeps, or is about to: the reader isn't opened.
    public private(set) var isAsleep: Bool
    /// When the machine woke last.
    private var woken: Instant?
    /// It was open, or about to be, when the machine went to sleep: it is closed before anything else, and at once.
    private var isSpoilt = false

    public init(keptWarm: Duration, isAsleep: Bool = false) {
        self.keptWarm = keptWarm
        self.isAsleep = isAsleep
    }

    /// It doesn't answer any more, whatever is asked of it.
    public var isLost: Bool { state == .lost }
    public var current: ReaderStanding {
        if proof == .good, let hotSince { .failing(.readerHot, since: hotSince) } else { proof }
    }
    /// When `tick` has to be called at the latest, or nil.
    public var nextDeadline: Instant? {
        if isAsleep { return nil }
        return switch state {
        case .absent, .lost: nil
        case .away(let until): until
        case .closed(let retry): retry
        case .opening(let call):
            call.due(ReaderLife.openingBound, hasServed ? ReaderLife.cancelBound : ReaderLife.unprovenCancelBound)
        case .closing(let call): call.due(ReaderLife.closingBound, ReaderLife.cancelBound)
        case .errand(let call): call.due(ReaderLife.errandBound, ReaderLife.cancelBound)
        case .idle(let since): settled ?? (since + keptWarm)
        case .scanning(let scan): [scan.cancellable, scan.overdue, scan.cancelDue].compactMap(\.self).min()
        }
    }

    // MARK: Events

    public mutating func configured(keptWarm: Duration, at now: Instant) -> [Action] {
        self.keptWarm = keptWarm
        return proceed(at: now)
    }

    /// A reader was plugged in. It is opened once, so that it is known to work.
    public mutating func added(at now: Instant) -> [Action] {
        state = .closed(retry: nil)
        failures = 0
        settled = nil
        tellsFingers = false
        hasServed = false
        hotSince = nil
        hasErrand = false
        isSpoilt = false
        return [stand(.unproven)] + proceed(at: now)
    }

    /// It was pulled out: whatever ran at it is over.
    public mutating func removed(at now: Instant) -> [Action] {
        let until = woken.map { $0 + ReaderLife.returning }
        if isAsleep {
            state = .away(until: nil)
        } else if let until, now < until {
            state = .away(until: until)
        } else {
            state = .absent
            return [stand(.absent)]
        }
        return [stand(.unproven)]
    }

    /// The machine is about to sleep: what runs at the reader is cancelled, a finger on it or not, and it is closed.
    public mutating func slept(at now: Instant) -> [Action] {
        guard !isAsleep else { return [] }
        isAsleep = true
        isSpoilt = !isAtRest
        return proceed(at: now)
    }

    /// It is awake. What the reader was before proves nothing: it is opened again.
    public mutating func woke(at now: Instant) -> [Action] {
        guard isAsleep else { return [] }
        isAsleep = false
        woken = now
        failures = 0
        if isAway { state = .away(until: now + ReaderLife.returning) }
        switch state {
        case .closed: state = .closed(retry: nil)
        // What outlasted the sleep has its whole time again.
        case .opening(let call): state = .opening(call.begun(anew: now))
        case .closing(let call): state = .closing(call.begun(anew: now))
        case .errand(let call): state = .errand(call.begun(anew: now))
        case .scanning(var scan) where scan.isCancelled:
            scan.cancel(at: now, tellsFingers: tellsFingers)
            state = .scanning(scan)
        case .absent, .away, .idle, .scanning, .lost: break
        }
        return (state == .absent ? [] : [stand(.unproven)]) + proceed(at: now)
    }

    public mutating func wants(_ job: Job?, at now: Instant) -> [Action] {
        wanted = job
        return proceed(at: now)
    }

    /// Whether there is anything to be done at it that takes no finger. It goes before the next touch, and is waited for by
    /// one that nobody has begun; not so by an enrolment.
    public mutating func errands(_ pending: Bool, at now: Instant) -> [Action] {
        hasErrand = pending
        return proceed(at: now)
    }

    /// The errand is over; `errands` has told whether there is another.
    public mutating func errandDone(_ fault: ReaderFault?, at now: Instant) -> [Action] {
        guard case .errand(let call) = state else { return [] }
        let fault = call.isHung ? ReaderFault.hung : fault
        if let fault, fault.trouble.remedy != .none, fault.trouble.remedy != .cooling {
            return failed(fault, wasOpen: fault != .notOpen, at: now)
        }
        state = .idle(since: now)
        return proceed(at: now)
    }

    public mutating func opened(_ fault: ReaderFault?, at now: Instant) -> [Action] {
        guard isOpening else { return [] }
        if let fault {
            isSpoilt = false
            return failed(fault, wasOpen: fault == .alreadyOpen, at: now)
        }
        hasServed = true
        state = .idle(since: now)
        return (isSpoilt ? [] : [stand(.good)]) + proceed(at: now)
    }

    public mutating func closed(at now: Instant) -> [Action] {
        guard case .closing = state else { return [] }
        isSpoilt = false
        if case .failing = proof { state = .closed(retry: now + delay) } else { state = .closed(retry: nil) }
        return proceed(at: now)
    }

    /// A finger came or went.
    public mutating func finger(_ present: Bool, at now: Instant) -> [Action] {
        guard case .scanning(var scan) = state else { return [] }
        tellsFingers = true
        // Whatever is told while a cancelled action ends: libfprint takes the finger for gone then, wherever it is.
        if scan.isCancelled && !present { return [] }
        scan.finger(present, isWanted: wanted == scan.job, at: now)
        state = .scanning(scan)
        return proceed(at: now)
    }

    /// The touch has been compared; or, as a retry, the scan was no good.
    public mutating func shown(retry: Bool = false, at now: Instant) -> [Action] {
        guard case .scanning(var scan) = state else { return [] }
        scan.shown = scan.shown ?? now
        scan.isRetry = retry
        scan.isAnswered = true
        state = .scanning(scan)
        return []
    }

    /// A touch of an enrolment was taken, the last one or not, or the scan was no good.
    public mutating func progressed(isLast: Bool, at now: Instant) -> [Action] {
        if isLast { return shown(at: now) }
        guard case .scanning(var scan) = state else { return [] }
        scan.isAnswered = true
        state = .scanning(scan)
        return []
    }

    /// The action has completed; with a fault, badly. Cancelled is well.
    public mutating func completed(_ fault: ReaderFault?, at now: Instant) -> [Action] {
        guard case .scanning(let scan) = state else { return [] }
        // A finger that was told to come and to go has gone, but for a retry, where it is taken for gone too early. An
        // action that no finger touched leaves nothing to wait for.
        let isUntouched = tellsFingers && !scan.isShown
        let isGone = !scan.isRetry && scan.finger != true && (scan.lifted != nil || isUntouched)
        settled = isGone ? nil : now + ReaderLife.settling
        retried = scan.isRetry ? scan.job : nil
        if let fault = outcome(fault) {
            switch fault.trouble.remedy {
            case .none: break
            // Where libfprint doesn't take it for hot, nobody tells when it has cooled down.
            case .cooling where hotSince != nil: break
            case .cooling, .reopening, .gone: return failed(fault, wasOpen: fault != .notOpen, at: now)
            }
        }
        failures = 0
        state = .idle(since: now)
        return proceed(at: now)
    }

    /// It has become too hot to be used, or has cooled down. While it is hot, nothing is asked of it; what runs is ended
    /// by libfprint.
    public mutating func heated(_ isHot: Bool, at now: Instant) -> [Action] {
        guard isHot != (hotSince != nil) else { return [] }
        hotSince = isHot ? now : nil
        if isHot, case .scanning(var scan) = state, !scan.isCancelled {
            scan.cancel(at: now, tellsFingers: tellsFingers)
            state = .scanning(scan)
        }
        return (proof == .good ? [.standing(current)] : []) + proceed(at: now)
    }

    public mutating func tick(at now: Instant) -> [Action] {
        proceed(at: now)
    }

    // MARK: Consequences

    private var delay: Duration {
        min(ReaderLife.firstDelay * (1 << min(max(failures - 1, 0), 10)), ReaderLife.longestDelay)
    }

    private mutating func failed(_ fault: ReaderFault, wasOpen: Bool, at now: Instant) -> [Action] {
        if fault.trouble.remedy == .gone { return removed(at: now) }
        failures += 1
        let fails = failing(fault.standing, at: now)
        if wasOpen { return [fails, close(at: now)] }
        state = .closed(retry: now + delay)
        return [fails]
    }

    private mutating func failing(_ cause: Cause, at now: Instant) -> Action {
        if case .failing(_, let first) = proof { return stand(.failing(cause, since: first)) }
        return stand(.failing(cause, since: now))
    }

    private mutating func stand(_ new: ReaderStanding) -> Action {
        proof = new
        return .standing(current)
    }

    private mutating func open(at now: Instant) -> Action {
        state = .opening(Call(began: now))
        return .open
    }

    private mutating func close(at now: Instant) -> Action {
        state = .closing(Call(began: now))
        return .close
    }

    private mutating func giveUp(at now: Instant) -> [Action] {
        state = .lost
        return [failing(.readerFailed, at: now), .giveUp]
    }

    private mutating func proceed(at now: Instant) -> [Action] {
        switch state {
        case .absent, .lost:
            return []
        case .away(let until):
            guard let until, until <= now else { return [] }
            state = .absent
            return [stand(.absent)]
        case .opening(var call), .closing(var call):
            guard let due = nextDeadline, due <= now else { return [] }
            if call.cancelled != nil { return giveUp(at: now) }
            call.cancelled = now
            guard isOpening else {
                state = .closing(call)
                return [.cancel]
            }
            state = .opening(call)
            return [failing(.readerFailed, at: now), .cancel]
        case .errand(var call):
            let isDue = nextDeadline.map { $0 <= now } ?? false
            if isDue && call.cancelled != nil { return giveUp(at: now) }
            guard isDue || isSpoilt && call.cancelled == nil else { return [] }
            call.cancelled = now
            call.isHung = isDue
            state = .errand(call)
            return [.cancel]
        case .closed(let retry):
            if isAsleep { return [] }
            // After a failure it is brought back even if nobody waits: the next request finds it known to work.
            if let retry {
                guard retry <= now else { return [] }
            } else if proof == .good && (wanted == nil && !hasErrand || hotSince != nil) {
                return []
            }
            return [open(at: now)]
        case .idle(let since):
            if isSpoilt { return [close(at: now)] }
            if hasErrand && hotSince == nil {
                state = .errand(Call(began: now))
                return [.runErrand]
            }
            if let settled, settled > now, wanted == nil || wanted != retried { return [] }
            settled = nil
            if let wanted, hotSince == nil {
                state = .scanning(Scan(job: wanted))
                return [.start(wanted)]
            }
            if since + keptWarm <= now {
                failures = 0
                return [close(at: now)]
            }
            return []
        case .scanning(var scan):
            if let due = scan.cancelDue { return due <= now && !isAsleep ? giveUp(at: now) : [] }
            let isOver = isOver(&scan, at: now)
            if isOver { scan.cancel(at: now, tellsFingers: tellsFingers) }
            state = .scanning(scan)
            return isOver ? [.cancel] : []
        }
    }

    /// Whether the action is to be cancelled: it has taken too long, nobody wants it any more, or the machine sleeps.
    private func isOver(_ scan: inout Scan, at now: Instant) -> Bool {
        if isSpoilt { return true }
        // One that may show another's finger is of no use even where it is wanted again.
        var isWanted = wanted == scan.job && scan.isMeant
        if hasErrand, case .identify = scan.job.kind { isWanted = false }
        scan.unwantedSince = isWanted ? nil : scan.unwantedSince ?? now
        if let overdue = scan.overdue, overdue <= now {
            // Who rests a finger after a touch that was compared holds up a reader that works.
            scan.isHung = !scan.isShown
            return true
        }
        return scan.cancellable.map { $0 <= now } ?? false
    }
}
