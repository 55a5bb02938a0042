/// Touches that unlocked a screen, for apps that would do with such a one instead of a touch of their own.
///
/// Of each person the last counts, and only where it is sure that nobody else has come to the machine since: not after the
/// screen was locked again or somebody asked for it to be unlocked, the session left the front, the lid was shut or the
/// machine slept; nor after a finger that didn't match, or a change of the person's prints.
public struct ScreenUnlocks: Sendable {
    private struct Unlock {
        let name: String
        let finger: Finger
        let place: Surroundings
        let at: Instant
        let slept: Duration
        /// The screen was seen unlocked since. Before that its being locked is the end of the old lock, not a new one.
        var isOpen: Bool
    }

    private var unlocks: [UInt32: Unlock] = [:]

    /// What two readings of how long the machine has slept may differ by although it hasn't.
    private static let tolerance: Duration = .milliseconds(50)

    public init() {}

    /// A touch has unlocked the person's screen.
    ///
    /// - Parameters:
    ///   - place: where the locker is, as it is now.
    ///   - slept: how long the machine has been suspended since it was booted.
    public mutating func unlocked(
        _ account: Account, by finger: Finger, at place: Surroundings, slept: Duration, now: Instant
    ) {
        unlocks = unlocks.filter { now - $0.value.at <= Limits.reuse }
        unlocks[account.uid] = Unlock(
            name: account.name, finger: finger, place: place, at: now, slept: slept,
            isOpen: !(place.session?.isLocked ?? false))
    }

    /// It counts no more.
    public mutating func forget(_ account: Account) { unlocks[account.uid] = nil }

    /// What was told of places may no longer hold.
    public mutating func follow(_ current: (Surroundings) -> Surroundings) {
        unlocks = unlocks.compactMapValues { unlock in
            let place = current(unlock.place)
            guard place.isSame(as: unlock.place), place.session?.isActive ?? true,
                !place.isLidShut || unlock.place.isLidShut
            else { return nil }
            let isLocked = place.session?.isLocked ?? false
            guard !isLocked || !unlock.isOpen else { return nil }
            var unlock = unlock
            if !isLocked { unlock.isOpen = true }
            return unlock
        }
    }

    /// The finger that unlocked the person's screen, if that does for a request.
    ///
    /// - Parameters:
    ///   - place: where the request comes from.
    ///   - age: how long ago it may have been, 0...300 s; 0: it doesn't do.
    public func finger(
        of account: Account, at place: Surroundings, within age: Duration, slept: Duration, now: Instant
    ) -> Finger? {
        guard age > .zero, let unlock = unlocks[account.uid], unlock.name == account.name,
            place.isSame(as: unlock.place), (.zero...min(age, Limits.reuse)).contains(now - unlock.at),
            slept - unlock.slept < ScreenUnlocks.tolerance
        else { return nil }
        return unlock.finger
    }
}

extension Surroundings {
    /// Whether both are in one session, or neither is because the machine knows no sessions.
    fileprivate func isSame(as other: Surroundings) -> Bool {
        switch (origin, other.origin) {
        case (.unmanaged, .unmanaged): true
        case (.session(let one), .session(let two)): one.id == two.id
        default: false
        }
    }
}
