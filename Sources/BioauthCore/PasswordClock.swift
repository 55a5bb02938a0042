/// When the account's password was last given, and what follows from it.
///
/// A finger is convenience; the password is the proof it rests on. After a boot the login class wants one first,
/// and every service wants one when the last is too old.
public struct PasswordClock: Hashable, Sendable {
    /// The last time, by all three clocks; nil: never.
    public private(set) var last: Moment?

    public init(last: Moment? = nil) {
        self.last = last
    }

    public mutating func given(at now: Moment) {
        last = now
    }

    /// How long ago, and whether that can be said at all.
    public enum Age: Hashable, Sendable {
        case never
        case known(Duration)
        /// The wall clock reads earlier than it did then.
        case clockWentBack
    }

    /// Within one boot the boot-time clock tells. Across a reboot the larger of uptime and wall-clock difference does.
    public func age(now: Moment) -> Age {
        guard let last else { return .never }
        if last.bootID == now.bootID { return .known(max(now.boot - last.boot, .zero)) }
        let (elapsed, overflow) = now.wall.subtractingReportingOverflow(last.wall)
        guard !overflow, elapsed >= 0 else { return .clockWentBack }
        return .known(max(.seconds(elapsed), now.boot - Instant(nanoseconds: 0)))
    }

    /// What stands in the way of a finger now, if anything does.
    public func denial(_ settings: Settings, for serviceClass: ServiceClass, now: Moment) -> Denial? {
        switch age(now: now) {
        case .never:
            return Denial(.passwordNeverGiven)
        case .clockWentBack where settings.passwordMaximumAge != nil:
            return Denial(.clockWentBack)
        case .known(let age) where settings.passwordMaximumAge.map { age >= $0 } ?? false:
            return Denial(.passwordTooOld)
        case .clockWentBack, .known:
            let wanted = settings.passwordAfterBoot && serviceClass == .login && last?.bootID != now.bootID
            return wanted ? Denial(.passwordFirst) : nil
        }
    }
}
