/// What a reader is doing, and what that comes to for others.
extension ReaderLife {
    enum State: Hashable, Sendable {
        case absent
        /// Gone while the machine slept or just after, and expected back until then; nil: it sleeps still.
        case away(until: Instant?)
        /// Closed; not opened again before `retry`.
        case closed(retry: Instant?)
        case opening(Call)
        /// Open and idle, since then.
        case idle(since: Instant)
        case scanning(Scan)
        /// Open, and on an errand that takes no finger.
        case errand(Call)
        case closing(Call)
        /// Given up.
        case lost
    }

    public var isOpening: Bool { if case .opening = state { true } else { false } }
    public var isScanning: Bool { if case .scanning = state { true } else { false } }
    public var isOpen: Bool {
        switch state {
        case .idle, .errand: true
        default: isScanning
        }
    }
    /// What the action that is ending is taken for: one that didn't do what it had to in its time has failed.
    public func outcome(_ fault: ReaderFault?) -> ReaderFault? {
        if case .scanning(let scan) = state, scan.isHung { fault == .unplugged ? fault : .hung } else { fault }
    }
    /// Whether what the running action shows counts. Who touches the reader once it isn't wanted any more means another's
    /// prompt: then it is nobody's, neither a match nor a mismatch.
    public var isTouchMeant: Bool { if case .scanning(let scan) = state { scan.isMeant } else { false } }
    /// It has gone as the machine slept, and may come back yet.
    public var isAway: Bool { if case .away = state { true } else { false } }
    /// Nothing runs at it, and it is not open.
    public var isAtRest: Bool { if case .closed = state { true } else { state == .absent || isAway } }
    /// Whether it may be open when the machine is about to sleep, so that the machine has to wait for it.
    public var delaysSleep: Bool { isAsleep ? !isAtRest : state != .absent }
}
