/// How a denial reads to a program: Apple's `LAError.Code`, same names, same raw values.
public enum DenialCode: Int32, CaseIterable, Sendable {
    case authenticationFailed = -1
    case userCancel = -2
    case userFallback = -3
    case systemCancel = -4
    case passcodeNotSet = -5
    case biometryNotAvailable = -6
    case biometryNotEnrolled = -7
    case biometryLockout = -8
    case appCancel = -9
    case notInteractive = -1004

    /// The cause to assume where only the code is understood.
    public var standIn: Cause {
        switch self {
        case .authenticationFailed: .mismatchesUsedUp
        case .userCancel: .personCancelled
        case .userFallback: .personChosePassword
        case .systemCancel: .preempted
        case .passcodeNotSet: .noPassword
        case .biometryNotAvailable: .readerFailed
        case .biometryNotEnrolled: .notEnrolled
        case .biometryLockout: .passwordNeeded
        case .appCancel: .appWithdrew
        case .notInteractive: .nobodyToAsk
        }
    }
}

/// Why something was denied, refused or has to wait. The numbers travel on the wire and are never reused.
public enum Cause: UInt16, CaseIterable, Sendable {
    // A person or a program ended it.
    case mismatchesUsedUp = 1
    case personCancelled = 2
    case personChosePassword = 3
    case appWithdrew = 4

    // The system ended it, or makes it wait.
    case timedOut = 5
    case preempted = 6
    case suspended = 7
    case contended = 8
    case daemonStopping = 9
    case queued = 10
    case resting = 11

    // The reader.
    case noReader = 12
    case readerFailed = 13
    case readerUnplugged = 14
    case readerHot = 15
    case readerOpening = 16

    // The place it was asked from.
    case remoteSession = 17
    case lidClosed = 18
    case sessionInactive = 19
    case sessionLocked = 20
    case backgroundProcess = 21
    case serviceDisabled = 22
    case notPermitted = 23
    case interactionForbidden = 24
    case nobodyToAsk = 25

    // The account.
    case unknownUser = 26
    case notEnrolled = 27
    case noPassword = 28

    // Lockout and the password-first clock.
    case lockedOut = 29
    case passwordNeeded = 30
    case passwordFirst = 31
    case passwordTooOld = 32
    case passwordNeverGiven = 33
    case clockWentBack = 34
    case stateDamaged = 35
    case stateNotWritable = 36

    // The connection.
    case protocolError = 37
    case tooManyRequests = 38
    case noDaemon = 39

    // Enrolling, deleting and the password's own process.
    case printExists = 40
    case duplicatePrint = 41
    case duplicateOfAnotherAccount = 42
    case noSuchPrint = 43
    case storageFailed = 44
    case enrollmentFailed = 45
    case readerCannotEnroll = 46
    case freshPasswordNeeded = 47
    case passwordWrong = 48
    case passwordDelayed = 49
    case passwordUnavailable = 50

    // The place again: it comes from no login session, or the session manager doesn't answer.
    case sessionUnknown = 51

    // Switches: the person has yet to be asked whether this app may ask for a finger; as many are kept as may be.
    case permissionUnasked = 52
    case tooManySwitches = 53

    // The reader again: another program has it.
    case readerBusy = 54

    // A reader that keeps prints itself: it has lost the account's, has no room for another, or keeps this finger's from
    // elsewhere.
    case printGone = 55
    case readerFull = 56
    case duplicateOnReader = 57

    /// The code that goes with this cause.
    public var code: DenialCode {
        switch self {
        case .mismatchesUsedUp, .passwordWrong: .authenticationFailed
        case .personCancelled: .userCancel
        case .personChosePassword: .userFallback
        case .appWithdrew: .appCancel
        case .timedOut, .preempted, .suspended, .contended, .daemonStopping, .queued, .resting: .systemCancel
        case .noPassword: .passcodeNotSet
        case .noReader, .readerFailed, .readerUnplugged, .readerHot, .readerBusy, .readerOpening, .remoteSession,
            .lidClosed,
            .sessionInactive, .sessionLocked, .backgroundProcess, .serviceDisabled, .notPermitted, .unknownUser,
            .stateNotWritable, .protocolError, .tooManyRequests, .noDaemon, .printExists, .duplicatePrint,
            .duplicateOfAnotherAccount, .noSuchPrint, .storageFailed, .enrollmentFailed, .readerCannotEnroll,
            .freshPasswordNeeded, .permissionUnasked, .tooManySwitches, .passwordDelayed, .passwordUnavailable,
            .sessionUnknown, .readerFull, .duplicateOnReader:
            .biometryNotAvailable
        case .notEnrolled, .printGone: .biometryNotEnrolled
        case .lockedOut, .passwordNeeded, .passwordFirst, .passwordTooOld, .passwordNeverGiven, .clockWentBack,
            .stateDamaged:
            .biometryLockout
        case .interactionForbidden, .nobodyToAsk: .notInteractive
        }
    }
}

/// A "no" to the finger, with its cause and, where that is known, how long it will last.
public struct Denial: Hashable, Sendable {
    public let cause: Cause
    public let endsIn: Duration?
    /// True when a lockout began during this very request (PAM hosts hear `PAM_MAXTRIES` then).
    public let lockoutBegan: Bool

    public init(_ cause: Cause, endsIn: Duration? = nil, lockoutBegan: Bool = false) {
        self.cause = cause
        self.endsIn = endsIn
        self.lockoutBegan = lockoutBegan
    }

    /// What somebody hears of it who asks for an account that isn't theirs, as with `su`: nothing of how that stood before.
    public func told(toAnother: Bool) -> Denial {
        let tellsOfAccount = cause == .printGone || code == .biometryLockout && !lockoutBegan
        return toAnother && tellsOfAccount ? Denial(.notEnrolled) : self
    }

    public var code: DenialCode { cause.code }
}

/// How a request for a touch ended.
public enum Verdict: Hashable, Sendable {
    /// One of the account's own prints matched.
    case allowed(Finger)
    case denied(Denial)
}
