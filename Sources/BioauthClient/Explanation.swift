import BioauthCore
import BioauthSystem

/// What happened, and what to do next, in words for a person.
public struct Explanation: Sendable {
    public let what: String
    public let next: String?

    public init(_ what: String, _ next: String? = nil) {
        self.what = what
        self.next = next
    }

    /// What a denial means, with the time left where it is known.
    public init(_ denial: Denial) {
        self.init(denial.cause)
        if let endsIn = denial.endsIn {
            self.init(what, tr("Time left: %1.").filled(endsIn.wordsOfTimeLeft) + (next.map { " " + $0 } ?? ""))
        }
    }

    /// Both, one after the other.
    public var oneLine: String { next.map { "\(what) \($0)" } ?? what }

    /// Both, one below the other.
    public var text: String { next.map { "\(what)\n\($0)" } ?? what }
}

extension Cause {
    /// The name for programs, in JSON and elsewhere: that of the case.
    public var name: String { String(describing: self) }
}

extension Explanation {
    public init(_ cause: Cause) {
        switch cause {
        case .mismatchesUsedUp:
            self.init(tr("The finger did not match."), tr("Try again, or use the password."))
        case .personCancelled:
            self.init(tr("Cancelled."))
        case .personChosePassword:
            self.init(tr("The password was chosen instead of the finger."))
        case .appWithdrew:
            self.init(tr("The program that asked has withdrawn its request."))
        case .timedOut:
            self.init(tr("Nobody touched the reader in time."), tr("Try again."))
        case .preempted:
            self.init(tr("A request that goes first took the reader."), tr("Try again when that is done."))
        case .suspended:
            self.init(tr("The computer is going to sleep."), tr("Try again when it is awake."))
        case .contended:
            self.init(
                tr("Two programs of this account ask for a touch at once, so neither gets it."),
                tr("End one of them and try again."))
        case .daemonStopping:
            self.init(tr("bioauthd is stopping."), tr("Look at it with: systemctl status bioauthd"))
        case .queued:
            self.init(tr("Another request has the reader."), tr("Wait until that is done."))
        case .resting:
            self.init(tr("The reader rests until somebody is there."), tr("Press a key, then touch it."))
        case .noReader:
            self.init(
                tr("No fingerprint reader was found."),
                tr("Plug one in. Which ones work: https://fprint.freedesktop.org/supported-devices.html"))
        case .readerFailed:
            self.init(
                tr("The fingerprint reader doesn't work."),
                tr("It is tried again by itself. See why with: journalctl -u bioauthd"))
        case .readerUnplugged:
            self.init(tr("The fingerprint reader was unplugged."), tr("Plug it in again."))
        case .readerHot:
            self.init(tr("The fingerprint reader is too hot."), tr("Wait until it has cooled down."))
        case .readerBusy:
            self.init(
                tr("Another program has the fingerprint reader."),
                tr("End it: often it is fprintd, which stops with: systemctl stop fprintd"))
        case .readerOpening:
            self.init(tr("The fingerprint reader is being opened."), tr("Wait a moment."))
        case .remoteSession:
            self.init(
                tr("A finger counts only at the machine itself, not in a remote session."), tr("Use the password."))
        case .sessionUnknown:
            self.init(
                tr("The program that asks belongs to no login session that is known."),
                tr("See which there are with: loginctl"))
        case .lidClosed:
            self.init(tr("The lid is closed."), tr("Open it, or use the password."))
        case .sessionInactive:
            self.init(tr("This session isn't the one on the screen."), tr("Switch to it, or use the password."))
        case .sessionLocked:
            self.init(tr("The session is locked."), tr("Unlock it first."))
        case .backgroundProcess:
            self.init(tr("The program that asks is in the background of its terminal."), tr("Bring it back with: fg"))
        case .serviceDisabled:
            self.init(
                tr("This service may not ask for a finger."),
                tr(
                    "It isn't listed in /etc/bioauthd/bioauthd.conf, or turned off for this account: see bioauthctl status."
                ))
        case .notPermitted:
            self.init(
                tr("That isn't permitted."),
                tr(
                    "What is about another account takes root. An app that was refused is allowed with: bioauthctl enable --app NAME"
                ))
        case .permissionUnasked:
            self.init(tr("Nobody has been asked yet whether this program may use the finger."), tr("Try again."))
        case .tooManySwitches:
            self.init(
                tr("So much is turned on and off for this account already that no more is kept."),
                tr("See what with: bioauthctl status"))
        case .interactionForbidden:
            self.init(tr("A touch is needed, but nobody may be asked for it."), tr("Use the password."))
        case .nobodyToAsk:
            self.init(tr("A touch is needed, but there is nobody to ask for it."), tr("Use the password."))
        case .unknownUser:
            self.init(tr("There is no such account."), tr("Look for it with: getent passwd NAME"))
        case .notEnrolled:
            self.init(
                tr("The account has no print that this reader knows."), tr("Enroll one with: bioauthctl enroll"))
        case .noPassword:
            self.init(tr("The account has no password."), tr("Set one with: passwd"))
        case .lockedOut:
            self.init(tr("Too many touches didn't match: the finger is locked."), tr("Wait, or use the password."))
        case .passwordNeeded:
            self.init(
                tr("Too many touches didn't match: the finger is locked until the password is given."),
                Explanation.givePassword)
        case .passwordFirst:
            self.init(tr("Since the system started the password has not been given."), Explanation.givePassword)
        case .passwordTooOld:
            self.init(tr("The password was last given too long ago."), Explanation.givePassword)
        case .passwordNeverGiven:
            self.init(tr("The password has never been given."), Explanation.givePassword)
        case .clockWentBack:
            self.init(
                tr("The clock was set back, so the age of the last password is unknown."), Explanation.givePassword)
        case .stateDamaged:
            self.init(tr("What was kept about the account can't be read."), Explanation.givePassword)
        case .stateNotWritable:
            self.init(tr("A mismatch could not be written down, so no finger counts."), Explanation.makeRoom)
        case .protocolError:
            self.init(
                tr("bioauthd and this program don't understand each other."),
                tr("After an update, restart it with: sudo systemctl restart bioauthd"))
        case .tooManyRequests:
            self.init(tr("Too many requests are running."), tr("Wait until others have ended."))
        case .noDaemon:
            self.init(
                tr("bioauthd is not running."),
                tr("Look at it with: systemctl status bioauthd.socket bioauthd.service"))
        case .printExists:
            self.init(
                tr("A print of this finger is enrolled already."),
                tr("Choose another finger, or delete that print first with: bioauthctl delete --finger NAME"))
        case .duplicatePrint:
            self.init(
                tr("This finger is enrolled already, under another name."),
                tr("Choose another finger. What there is: bioauthctl list"))
        case .duplicateOfAnotherAccount:
            self.init(tr("Another account has enrolled this finger."), tr("Choose another finger."))
        case .noSuchPrint:
            self.init(tr("There is no such print."), tr("What there is: bioauthctl list"))
        case .storageFailed:
            self.init(tr("The print could not be written or removed."), Explanation.makeRoom)
        case .enrollmentFailed:
            self.init(
                tr("The reader could not make a print of these touches."),
                tr("Wipe the reader and the finger, and try again."))
        case .readerCannotEnroll:
            self.init(tr("This reader can't enroll fingers."), tr("Use another reader."))
        case .printGone:
            self.init(
                tr("The reader no longer keeps the account's prints."), tr("Enroll again with: bioauthctl enroll"))
        case .readerFull:
            self.init(
                tr("The reader has no room for another print."),
                tr("An administrator sees what it keeps, and can make room, with: sudo bioauthctl storage"))
        case .duplicateOnReader:
            self.init(
                tr("The reader keeps this finger already, from elsewhere: no account here has it."),
                tr("An administrator can clear such prints with: sudo bioauthctl storage --clear"))
        case .freshPasswordNeeded:
            self.init(tr("The account's password has to be given first."), tr("Try again on a terminal."))
        case .passwordWrong:
            self.init(tr("The password is wrong."), tr("Try again."))
        case .passwordDelayed:
            self.init(tr("Too many passwords were wrong."), tr("Wait, then try again."))
        case .passwordUnavailable:
            self.init(
                tr("The password can't be checked."), tr("Look at it with: systemctl status bioauth-password.socket"))
        }
    }

    private static var givePassword: String {
        tr("Give the password once, for example to sudo or at the login screen.")
    }
    private static var makeRoom: String { tr("Make room in /var/lib/bioauthd. See why with: journalctl -u bioauthd") }
}
