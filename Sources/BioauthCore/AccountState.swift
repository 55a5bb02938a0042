/// What the daemon keeps of one account from one request to the next.
public struct AccountState: Hashable, Sendable {
    public var lockout: Lockout
    public var password: PasswordClock
    public var switches: Switches
    /// What the account's domain state is made of besides the names of its prints: random, and renewed before each change of
    /// them. Nil: it has had none yet.
    public var domainSecret: [UInt8]?
    /// Why the finger waits for the password whatever the rest says: the kept state could not be read.
    public var damaged: Bool

    /// Bytes of `domainSecret`.
    public static let domainSecretBytes = 32

    public init(
        lockout: Lockout = Lockout(), password: PasswordClock = PasswordClock(), switches: Switches = Switches(),
        domainSecret: [UInt8]? = nil,
        damaged: Bool = false
    ) {
        self.lockout = lockout
        self.password = password
        self.switches = switches
        self.domainSecret = domainSecret
        self.damaged = damaged
    }

    /// What stands in the way of a finger now, if anything does. The lasting reason goes first.
    public func denial(_ settings: Settings, for serviceClass: ServiceClass, now: Moment) -> Denial? {
        if damaged { return Denial(.stateDamaged) }
        let locked = lockout.denial(settings, now: now)
        if let locked, locked.cause == .passwordNeeded { return locked }
        return password.denial(settings, for: serviceClass, now: now) ?? locked
    }

    public mutating func mismatched(_ settings: Settings, now: Moment) {
        lockout.mismatch(settings, now: now)
    }

    /// Whether a match changes anything that has to be kept.
    public var hasMismatches: Bool { lockout.mismatches > 0 }

    public mutating func matched() {
        lockout.clear()
    }

    /// The account's password was given and was right: whatever was wrong is over.
    public mutating func passwordGiven(at now: Moment) {
        lockout.clear()
        password.given(at: now)
        damaged = false
    }

    /// Root cleared the lockout by hand. The password-first clock stays as it is, and damage stays damage.
    public mutating func cleared() {
        lockout.clear()
    }

    /// How old the last password may get before another is worth reporting although nothing waits for it.
    public static let passwordReportedAgain: Duration = .seconds(3600)

    /// Whether a password given now would change anything: a lockout cleared, damage mended, the clock renewed.
    public func wantsPassword(_ settings: Settings, now: Moment) -> Bool {
        if damaged || hasMismatches { return true }
        guard let last = password.last, last.bootID == now.bootID else { return true }
        let again = AccountState.passwordReportedAgain
        return now.boot - last.boot >= min(again, settings.passwordMaximumAge ?? again)
    }
}
