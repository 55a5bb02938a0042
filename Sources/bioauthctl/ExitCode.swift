import BioauthCore
import BioauthSystem

/// How the program ends: the one table of it, shown by `--help`, told in the manual, and the same for every subcommand.
enum ExitCode: Int32, CaseIterable {
    case yes = 0
    case no = 1
    case usage = 2
    case cannotTell = 3

    var meaning: String {
        switch self {
        case .yes: tr("yes, or done")
        case .no: tr("no, or refused")
        case .usage: tr("the command line is wrong")
        case .cannotTell: tr("cannot tell: no daemon, no reader")
        }
    }

    /// How a request that was denied for this cause ends: whether that is an answer, or the lack of one.
    init(_ cause: Cause) {
        switch cause {
        case .noReader, .readerFailed, .readerUnplugged, .readerHot, .readerBusy, .readerOpening, .daemonStopping,
            .protocolError,
            .tooManyRequests, .noDaemon, .passwordUnavailable:
            self = .cannotTell
        case .mismatchesUsedUp, .personCancelled, .personChosePassword, .appWithdrew, .timedOut, .preempted,
            .suspended, .contended, .queued, .resting, .remoteSession, .lidClosed, .sessionInactive, .sessionLocked,
            .backgroundProcess, .serviceDisabled, .notPermitted, .interactionForbidden, .nobodyToAsk, .unknownUser,
            .notEnrolled, .printGone, .noPassword, .lockedOut, .passwordNeeded, .passwordFirst, .passwordTooOld,
            .passwordNeverGiven, .clockWentBack, .stateDamaged, .stateNotWritable, .printExists, .duplicatePrint,
            .duplicateOfAnotherAccount, .readerFull, .duplicateOnReader, .noSuchPrint, .storageFailed,
            .enrollmentFailed, .readerCannotEnroll,
            .freshPasswordNeeded, .passwordWrong, .passwordDelayed, .sessionUnknown, .permissionUnasked,
            .tooManySwitches:
            self = .no
        }
    }
}
