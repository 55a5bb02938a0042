public import Foundation

extension LAError {
    /// The key of the cause in `userInfo`: a `String`, the `rawValue` of a `Cause`.
    public static let causeKey = "LAErrorCause"
    /// The key of the time after which the cause will be over: a `TimeInterval` in seconds, from when the error came.
    public static let endsInKey = "LAErrorEndsIn"

    /// Why, more exactly than the code tells. Nil in errors that the program made itself.
    public var cause: Cause? { (_nsError.userInfo[LAError.causeKey] as? String).map(Cause.init(rawValue:)) }

    /// In how many seconds from when the error came the cause will be over. Nil where nobody knows.
    public var endsIn: TimeInterval? { _nsError.userInfo[LAError.endsInKey] as? TimeInterval }

    /// Why there was no "yes". More may be added: whoever compares with these must be ready for others.
    public struct Cause: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Of `authenticationFailed`: the finger didn't match, in all the tries there were.
        public static let mismatchesUsedUp = Cause(rawValue: "mismatchesUsedUp")
        /// Of `authenticationFailed`: the password was wrong, in all the tries there were.
        public static let passwordWrong = Cause(rawValue: "passwordWrong")
        /// Of `userCancel`.
        public static let personCancelled = Cause(rawValue: "personCancelled")
        /// Of `userFallback`.
        public static let personChosePassword = Cause(rawValue: "personChosePassword")
        /// Of `appCancel`.
        public static let appWithdrew = Cause(rawValue: "appWithdrew")
        /// Of `invalidContext`.
        public static let contextInvalidated = Cause(rawValue: "contextInvalidated")

        // Of systemCancel.

        /// Nobody touched the reader in time.
        public static let timedOut = Cause(rawValue: "timedOut")
        /// A request that goes first took the reader.
        public static let preempted = Cause(rawValue: "preempted")
        /// The machine is going to sleep.
        public static let suspended = Cause(rawValue: "suspended")
        /// Several programs of one person ask for a touch at once, and neither may have it.
        public static let contended = Cause(rawValue: "contended")
        /// The service that has the reader is being stopped.
        public static let daemonStopping = Cause(rawValue: "daemonStopping")
        /// Another request has the reader.
        public static let queued = Cause(rawValue: "queued")
        /// The reader rests until somebody is there.
        public static let resting = Cause(rawValue: "resting")
        /// The same context is evaluating already.
        public static let evaluationRunning = Cause(rawValue: "evaluationRunning")

        // Of biometryNotAvailable.

        public static let noReader = Cause(rawValue: "noReader")
        public static let readerFailed = Cause(rawValue: "readerFailed")
        public static let readerUnplugged = Cause(rawValue: "readerUnplugged")
        public static let readerHot = Cause(rawValue: "readerHot")
        /// Another program has the reader.
        public static let readerBusy = Cause(rawValue: "readerBusy")
        public static let readerOpening = Cause(rawValue: "readerOpening")
        /// The person isn't at the machine.
        public static let remoteSession = Cause(rawValue: "remoteSession")
        public static let lidClosed = Cause(rawValue: "lidClosed")
        /// Another session is on the screen.
        public static let sessionInactive = Cause(rawValue: "sessionInactive")
        public static let sessionLocked = Cause(rawValue: "sessionLocked")
        /// The program belongs to no login session that is known.
        public static let sessionUnknown = Cause(rawValue: "sessionUnknown")
        /// It is in the background of its terminal.
        public static let backgroundProcess = Cause(rawValue: "backgroundProcess")
        /// The administrator hasn't listed this program among those that may ask.
        public static let serviceDisabled = Cause(rawValue: "serviceDisabled")
        /// The person doesn't want this program to ask for a finger.
        public static let notPermitted = Cause(rawValue: "notPermitted")
        /// The person has yet to be asked whether this program may ask for a finger.
        public static let permissionUnasked = Cause(rawValue: "permissionUnasked")
        /// As much is turned on and off for the account as is kept.
        public static let tooManySwitches = Cause(rawValue: "tooManySwitches")
        /// Too many passwords were wrong: none is taken for so many seconds as `endsIn` says.
        public static let passwordDelayed = Cause(rawValue: "passwordDelayed")
        /// The password can't be checked.
        public static let passwordUnavailable = Cause(rawValue: "passwordUnavailable")
        public static let unknownUser = Cause(rawValue: "unknownUser")
        /// Mismatches can't be counted, so no finger counts.
        public static let stateNotWritable = Cause(rawValue: "stateNotWritable")
        /// The two sides don't understand each other.
        public static let protocolError = Cause(rawValue: "protocolError")
        public static let tooManyRequests = Cause(rawValue: "tooManyRequests")
        /// Nobody answers: the service isn't installed or doesn't run.
        public static let noDaemon = Cause(rawValue: "noDaemon")

        // Of biometryNotEnrolled.

        public static let notEnrolled = Cause(rawValue: "notEnrolled")
        /// The reader kept the account's prints itself and has lost them.
        public static let printGone = Cause(rawValue: "printGone")
        /// Of `passcodeNotSet`.
        public static let noPassword = Cause(rawValue: "noPassword")

        // Of biometryLockout.

        /// For so many seconds as `endsIn` says.
        public static let lockedOut = Cause(rawValue: "lockedOut")
        /// Until the password is given.
        public static let passwordNeeded = Cause(rawValue: "passwordNeeded")
        /// The password has not been given since the machine was started.
        public static let passwordFirst = Cause(rawValue: "passwordFirst")
        public static let passwordTooOld = Cause(rawValue: "passwordTooOld")
        public static let passwordNeverGiven = Cause(rawValue: "passwordNeverGiven")
        /// The clock was set back, so that nobody knows how old the last password is.
        public static let clockWentBack = Cause(rawValue: "clockWentBack")
        /// What was kept of the account can't be read.
        public static let stateDamaged = Cause(rawValue: "stateDamaged")

        // Of notInteractive.

        /// The program forbade it: `interactionNotAllowed`.
        public static let interactionForbidden = Cause(rawValue: "interactionForbidden")
        /// There is nobody, or nothing to ask with.
        public static let nobodyToAsk = Cause(rawValue: "nobodyToAsk")
        /// The program gave no reason that could be shown.
        public static let reasonMissing = Cause(rawValue: "reasonMissing")
    }
}
