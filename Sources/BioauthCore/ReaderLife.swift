/// The life of one reader: opened when somebody wants it, armed, kept warm, closed, and brought back after trouble.
///
/// A value like the arbiter. One action runs at the device at a time. An action isn't cancelled while a finger is on
/// the reader, and the next isn't started before the last has completed *and* the finger is gone; where the driver
/// doesn't tell of fingers, one second later.
public struct ReaderLife: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        case open
        case close
        case start(Job)
        case cancel
        /// Tell the arbiter.
        case standing(ReaderStanding)
    }

    /// The first wait before another try after a failure; it doubles up to `longestDelay`.
    public static let firstDelay: Duration = .milliseconds(100)
    public static let longestDelay: Duration = .seconds(10)
    /// How long to wait between two actions where the driver doesn't tell whether a finger is there.
    public static let settling: Duration = .seconds(1)
    /// How long a finger may stay on the reader before an unwanted action is cancelled nevertheless.
    public static let fingerPatience: Duration = .seconds(10)
    /// How long after the machine woke a reader that has gone may take to come back: hubs take their time.
    public static let returning: Duration = .seconds(10)
    /// How long after a finger was lifted what it showed may take to be compared (NBIS: 57 to 244 ms).
    public static let comparing: Duration = .seconds(2)

    enum State: Hashable, Sendable {
        case absent
        /// Gone while the machine slept or just after, and expected back until then; nil: it sleeps still.
        case away(until: Instant?)
        /// Closed; not opened again before `retry`.
        case closed(retry: Instant?)
        case opening
        /// Open and idle, since then.
        case idle(since: Instant)
        case scanning(Scan)
        case closing
    }

    struct Scan: Hashable, Sendable {
        let job: Job
        /// Whether the touch has been compared: only its completion is still awaited.
        var isShown = false
        /// Whether it was compared with nothing, because the scan was no good.
        var isRetry = false
        /// Whether a finger is there; nil: the driver hasn't told yet.
        var finger: Bool?
        /// When the finger was lifted: what it showed may still be being compared.
        var lifted: Instant?
        /// Since when nobody wants it any more.
        var unwantedSince: Instant?
        var isCancelled = false

        /// When it may be cancelled, once nobody wants it: a touch that has begun counts, whoever has left meanwhile.
        /// Nil while it is wanted, and when it needn't be any more.
        var cancellable: Instant? {
            guard let unwantedSince, !isShown, !isCancelled else { return nil }
            if finger == true { return unwantedSince + ReaderLife.fingerPatience }
            // What an enrolment has seen so far is of no use to anybody.
            guard let lifted, case .identify = job.kind else { return unwantedSince }
            return max(unwantedSince, lifted + ReaderLife.comparing)
        }
    }

    private(set) var state: State = .absent
    private(set) var standing: ReaderStanding = .absent
    private var wanted: Job?
    /// Nothing is started before then: the finger of the last action may still be there. Nil: it isn't.
    private var settled: Instant?
    /// The job whose scan was no good: the same finger may try again at once, for that job and no other.
    private var retried: Job?
    /// Failures since it last served well: an action completed, or nothing failed for as long as it is kept warm.
    private var failures = 0
    /// Whether the driver has ever told of a finger, so that its silence means that none was there.
    private var tellsFingers = false
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

    public var isOpening: Bool { state == .opening }
    public var isScanning: Bool { if case .scanning = state { true } else { false } }
    public var isOpen: Bool { if case .idle = state { true } else { isScanning } }
    public var current: ReaderStanding { standing }
    /// It has gone as the machine slept, and may come back yet.
    public var isAway: Bool { if case .away = state { true } else { false } }
    /// Nothing runs at it, and it is not open.
    public var isAtRest: Bool { if case .closed = state { true } else { state == .absent || isAway } }
    /// Whether it may be open when the machine is about to sleep, so that the machine has to wait for it.
    public var delaysSleep: Bool { isAsleep ? !isAtRest : state != .absent }

    /// When `tick` has to be called at the latest, or nil.
    public var nextDeadline: Instant? {
        switch state {
        case .absent, .opening, .closing: nil
        case .away(let until): until
        case .closed(let retry): isAsleep ? nil : retry
        case .idle(let since): settled ?? (since + keptWarm)
        case .scanning(let scan): scan.cancellable
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
        if case .closed = state { state = .closed(retry: nil) }
        return (state == .absent ? [] : [stand(.unproven)]) + proceed(at: now)
    }

    public mutating func wants(_ job: Job?, at now: Instant) -> [Action] {
        wanted = job
        return proceed(at: now)
    }

    public mutating func opened(_ fault: ReaderFault?, at now: Instant) -> [Action] {
        guard state == .opening else { return [] }
        if let fault {
            isSpoilt = false
            return failed(fault, at: now)
        }
        state = .idle(since: now)
        return (isSpoilt ? [] : [stand(.good)]) + proceed(at: now)
    }

    public mutating func closed(at now: Instant) -> [Action] {
        guard state == .closing else { return [] }
        isSpoilt = false
        if case .failing = standing { state = .closed(retry: now + delay) } else { state = .closed(retry: nil) }
        return proceed(at: now)
    }

    /// A finger came or went.
    public mutating func finger(_ present: Bool, at now: Instant) -> [Action] {
        guard case .scanning(var scan) = state else { return [] }
        tellsFingers = true
        // Whatever is told while a cancelled action ends: libfprint takes the finger for gone then, wherever it is.
        if scan.isCancelled && !present { return [] }
        scan.lifted = present ? nil : scan.finger == true ? now : scan.lifted
        scan.finger = present
        state = .scanning(scan)
        return proceed(at: now)
    }

    /// The touch has been compared; or, as a retry, the scan was no good.
    public mutating func shown(retry: Bool = false, at now: Instant) -> [Action] {
        guard case .scanning(var scan) = state else { return [] }
        scan.isShown = true
        scan.isRetry = retry
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
        if let fault, fault != .cancelled { return failed(fault, at: now) }
        failures = 0
        state = .idle(since: now)
        return proceed(at: now)
    }

    public mutating func tick(at now: Instant) -> [Action] {
        proceed(at: now)
    }

    // MARK: Consequences

    private var delay: Duration {
        min(ReaderLife.firstDelay * (1 << min(max(failures - 1, 0), 10)), ReaderLife.longestDelay)
    }

    private mutating func failed(_ fault: ReaderFault, at now: Instant) -> [Action] {
        if fault == .unplugged { return removed(at: now) }
        failures += 1
        let cause: Cause = fault == .hot ? .readerHot : .readerFailed
        let since: Instant
        if case .failing(_, let first) = standing { since = first } else { since = now }
        let wasOpen = isScanning
        state = wasOpen ? .closing : .closed(retry: now + delay)
        return [stand(.failing(cause, since: since))] + (wasOpen ? [.close] : [])
    }

    private mutating func stand(_ new: ReaderStanding) -> Action {
        standing = new
        return .standing(new)
    }

    private mutating func proceed(at now: Instant) -> [Action] {
        switch state {
        case .absent, .opening, .closing:
            return []
        case .away(let until):
            guard let until, until <= now else { return [] }
            state = .absent
            return [stand(.absent)]
        case .closed(let retry):
            guard !isAsleep else { return [] }
            // After a failure it is brought back even if nobody waits: the next request finds it known to work.
            if let retry {
                guard retry <= now else { return [] }
            } else if wanted == nil && standing == .good {
                return []
            }
            state = .opening
            return [.open]
        case .idle(let since):
            if isSpoilt {
                state = .closing
                return [.close]
            }
            if let settled, settled > now, wanted == nil || wanted != retried { return [] }
            settled = nil
            if let wanted {
                state = .scanning(Scan(job: wanted))
                return [.start(wanted)]
            }
            if since + keptWarm <= now {
                failures = 0
                state = .closing
                return [.close]
            }
            return []
        case .scanning(var scan):
            return proceed(scanning: &scan, at: now)
        }
    }

    private mutating func proceed(scanning scan: inout Scan, at now: Instant) -> [Action] {
        defer { state = .scanning(scan) }
        if isSpoilt {
            guard !scan.isCancelled else { return [] }
            scan.isCancelled = true
            return [.cancel]
        }
        if wanted == scan.job {
            scan.unwantedSince = nil
            return []
        }
        scan.unwantedSince = scan.unwantedSince ?? now
        guard let cancellable = scan.cancellable, cancellable <= now else { return [] }
        scan.isCancelled = true
        return [.cancel]
    }
}
