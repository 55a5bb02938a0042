/// Calls of the device that are on their way, and how long each may take. One that takes longer is cancelled; if it
/// doesn't end then, nothing but the end of the process frees the device: libfprint refuses every other call until then.
extension ReaderLife {
    /// Readers take up to some seconds to open. A driver gives a transfer to a device that is silent five, and may try
    /// twice before it says itself that it failed.
    public static let openingBound: Duration = .seconds(15)
    public static let closingBound: Duration = .seconds(10)
    /// To list the prints that it keeps, or to delete one: chips take tens of milliseconds.
    public static let errandBound: Duration = .seconds(10)
    /// From a finger that was lifted until what it showed was told, or until it came again. NBIS takes 57 to 244 ms, a
    /// chip a second or two; but some drivers tell of a finger that brushed the reader and then of nothing.
    public static let answerBound: Duration = .seconds(10)
    /// From the answer until the action completed: some drivers wait until the finger has gone.
    public static let liftBound: Duration = .seconds(30)
    /// From a cancel until the call ended. Drivers take milliseconds for it.
    public static let cancelBound: Duration = .seconds(5)
    /// The same where a finger may be on the reader: some drivers wait then, too, until it has gone.
    public static let heldCancelBound: Duration = .seconds(15)

    /// The same for the opening of a reader that this process never had open: a process started anew will hardly do
    /// better, and those that wait for another reader would hear of each.
    public static let unprovenCancelBound: Duration = .seconds(60)

    /// An opening, a closing or an errand.
    struct Call: Hashable, Sendable {
        var began: Instant
        var cancelled: Instant?
        /// Whether it is cancelled because it took too long.
        var isHung = false

        /// The same with its whole time before it.
        func begun(anew now: Instant) -> Call {
            Call(began: now, cancelled: cancelled.map { _ in now }, isHung: isHung)
        }

        /// When something has to be done about it.
        func due(_ bound: Duration, _ cancelBound: Duration) -> Instant {
            cancelled.map { $0 + cancelBound } ?? began + bound
        }
    }

    struct Scan: Hashable, Sendable {
        let job: Job
        /// When the touch was compared, or the last touch of an enrolment taken: only completion is still awaited.
        var shown: Instant?
        /// Whether it was compared with nothing, because the scan was no good.
        var isRetry = false
        /// Whether a finger is there; nil: the driver hasn't told yet.
        var finger: Bool?
        /// Whether the action was wanted whenever a finger came. If not, what it shows may be of one that meant another's
        /// prompt.
        var isMeant = true
        /// When the finger was lifted: what it showed may still be being compared.
        var lifted: Instant?
        /// Whether the reader has told what the last finger showed.
        var isAnswered = false
        /// Since when nobody wants it any more.
        var unwantedSince: Instant?
        /// Since when it is being ended, by us or, where the reader has become hot, by libfprint.
        var cancelled: Instant?
        /// When it is given up if it hasn't ended.
        var cancelDue: Instant?
        /// Whether it is cancelled because it didn't do what it had to in its time.
        var isHung = false

        var isShown: Bool { shown != nil }
        var isCancelled: Bool { cancelled != nil }

        /// When it may be cancelled, once nobody wants it: a touch that has begun counts, whoever has left meanwhile.
        /// Nil while it is wanted, and when it needn't be any more.
        var cancellable: Instant? {
            guard let unwantedSince, !isShown, !isCancelled else { return nil }
            if finger == true { return unwantedSince + ReaderLife.fingerPatience }
            // What an enrolment has seen so far is of no use to anybody, nor is what another's finger shows.
            guard let lifted, isMeant, case .identify = job.kind else { return unwantedSince }
            return max(unwantedSince, lifted + ReaderLife.comparing)
        }

        /// When it has taken too long, wanted or not; nil: it waits for a finger, and may do so for hours.
        var overdue: Instant? {
            if isCancelled { return nil }
            if let shown { return shown + ReaderLife.liftBound }
            guard let lifted, finger != true, !isAnswered else { return nil }
            return lifted + ReaderLife.answerBound
        }

        mutating func finger(_ present: Bool, isWanted: Bool, at now: Instant) {
            if present { isAnswered = false }
            if present && finger != true && (!isWanted || isCancelled) { isMeant = false }
            lifted = present ? nil : finger == true ? now : lifted
            finger = present
        }

        /// - Parameter tellsFingers: whether the driver would have told of a finger.
        mutating func cancel(at now: Instant, tellsFingers: Bool) {
            let isHeld = finger ?? !tellsFingers
            cancelled = now
            cancelDue = now + (isHeld ? ReaderLife.heldCancelBound : ReaderLife.cancelBound)
        }
    }
}
