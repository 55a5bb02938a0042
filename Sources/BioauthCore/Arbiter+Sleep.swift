/// The machine's sleep. Whoever has a person before it or will have one again (a locker, a login, sudo) waits until it is
/// awake and is asked for afresh; an app's request and an enrolment end, as they do wherever they can't be taken up again.
extension Arbiter {
    /// The machine is about to sleep: nobody has the reader until it is awake. No touch that was awaited counts.
    public mutating func slept(at now: Instant) -> [Action] {
        isAsleep = true
        return settled(at: now)
    }

    /// It is awake, and somebody is there. Lockers and logins go on at once; the others cool first, so that a touch that
    /// unlocks the screen isn't theirs.
    public mutating func woke(at now: Instant) -> [Action] {
        guard isAsleep else { return [] }
        isAsleep = false
        for at in entries.indices {
            entries[at].wake(at: now)
            if entries[at].phase == .suspended && entries[at].ask.serviceClass.isForEntering {
                entries[at].queue(at: now)
            }
        }
        return activity(at: now)
    }

    /// Every request hears that it has to wait, or ends. Those that rest do so already.
    mutating func suspendAll(at now: Instant) {
        finish { $0.ask.serviceClass == .app ? Denial(.suspended) : nil }
        for at in entries.indices {
            entries[at].sleep(at: now)
            guard entries[at].phase != .suspended, entries[at].phase != .resting else { continue }
            if entries[at].wasPrompted { entries[at].pause(at: entries[at].asleepSince ?? now) }
            entries[at].phase = .suspended
            actions.append(.waiting(entries[at].ask.id, .suspended, place: nil, other: nil))
        }
    }
}

extension ServiceClass {
    /// Whether a person comes in by it.
    var isForEntering: Bool { self == .lock || self == .login }
}
