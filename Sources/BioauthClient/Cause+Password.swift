import BioauthCore

extension Cause {
    /// Whether the password does what the finger couldn't, where it will do: not where somebody gave up, nobody is there or
    /// answers, or it isn't about the finger.
    public var leadsToPassword: Bool {
        switch self {
        case .mismatchesUsedUp, .personChosePassword, .preempted, .suspended, .contended, .queued, .resting, .noReader,
            .readerFailed, .readerUnplugged, .readerHot, .readerBusy, .readerOpening, .remoteSession, .lidClosed,
            .sessionInactive, .sessionLocked, .sessionUnknown, .backgroundProcess, .serviceDisabled, .notPermitted,
            .permissionUnasked, .notEnrolled, .printGone, .lockedOut, .passwordNeeded, .passwordFirst, .passwordTooOld,
            .passwordNeverGiven, .clockWentBack, .stateDamaged, .freshPasswordNeeded, .tooManyRequests:
            true
        case .personCancelled, .appWithdrew, .timedOut, .daemonStopping, .interactionForbidden, .nobodyToAsk,
            .unknownUser, .noPassword, .stateNotWritable, .protocolError, .noDaemon, .printExists, .duplicatePrint,
            .duplicateOfAnotherAccount, .readerFull, .duplicateOnReader, .noSuchPrint, .storageFailed,
            .enrollmentFailed, .readerCannotEnroll,
            .passwordWrong, .passwordDelayed, .passwordUnavailable, .tooManySwitches:
            false
        }
    }
}
