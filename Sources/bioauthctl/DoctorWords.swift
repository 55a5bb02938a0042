import BioauthClient
import BioauthCore
import BioauthSystem
import Diagnosis

extension Finding {
    /// Its name in JSON: that of the case.
    private var name: String {
        let text = String(describing: self)
        return String(text.prefix { $0 != "(" })
    }

    var json: JSON {
        let words = words
        return .object([
            "finding": .text(name), "severity": .text(severity.name), "message": .text(words.what),
            "next": .text(words.next),
        ])
    }

    /// What was found, and what to do about it.
    var words: Explanation {
        switch self {
        case .daemonAnswers(let version): Explanation(tr("bioauthd %1 answers.").filled(version))
        case .daemonSilent(let cause): Explanation(cause)
        case .configurationWrong(let problem, let isServing):
            Explanation(
                isServing
                    ? tr("The configuration is wrong, and bioauthd goes by the one before: %1").filled(problem)
                    : tr("The configuration is wrong: %1").filled(problem),
                tr(
                    "Mend it, check it with bioauthctl check-config, then: sudo systemctl restart bioauthd.socket bioauthd"
                ))
        case .reader(let name, let driver, true):
            Explanation(tr("Reader: %1 (driver %2), part of this machine.").filled(name, driver))
        case .reader(let name, let driver, false):
            Explanation(tr("Reader: %1 (driver %2), plugged in.").filled(name, driver))
        case .noReader: Explanation(.noReader)
        case .readerFailing(let name):
            Explanation(
                tr("The reader %1 doesn't work.").filled(name),
                tr("It is tried again by itself. See why with: journalctl -u bioauthd"))
        case .noServiceManager:
            Explanation(tr("No systemd runs here: its units were not looked at."))
        case .unitMissing(let name):
            Explanation(
                tr("systemd doesn't know %1, or it is masked.").filled(name),
                tr("Look at it with: systemctl status %1").filled(name))
        case .unitDown(let name, let state):
            Explanation(
                tr("%1 is %2.").filled(name, state), tr("Start it with: sudo systemctl enable --now %1").filled(name))
        case .placeMissing(let path):
            Explanation(
                tr("%1 is not there, or is something else than it should be.").filled(path),
                tr(
                    "Make it anew: sudo systemd-tmpfiles --create bioauthd.conf; sudo systemctl restart bioauthd.socket bioauth-password.socket bioauthd"
                ))
        case .placeOpen(let path, let mode, let wanted):
            Explanation(
                tr("%1 has the permissions %2.").filled(path, octal(mode)),
                tr("Set them: sudo chmod %1 %2").filled(octal(wanted), path))
        case .placeForeign(let path, let owner):
            Explanation(
                tr("%1 belongs to user %2: whoever that is could let anybody in.").filled(path, String(owner)),
                tr("Give it back: sudo chown root:root %1").filled(path))
        case .fprintdRunning:
            Explanation(
                tr("fprintd is running. It and bioauthd can't both have the reader."),
                tr("Switch it off: sudo systemctl mask --now fprintd"))
        case .fprintdMayStart:
            Explanation(
                tr("fprintd is installed, and starts when a program asks for it; then it may have the reader."),
                tr("Switch it off: sudo systemctl mask --now fprintd"))
        case .clockUnset:
            Explanation(
                tr("The clock of this machine was never set, so how old a password is can't be told."),
                tr("Set it: sudo timedatectl set-ntp true"))
        case .pamUnreadable(let why):
            Explanation(tr("PAM's files can't be read: %1").filled(why), tr("Try it with sudo."))
        case .moduleMissing:
            Explanation(tr("The PAM module pam_bioauth.so is not installed."), tr("Install the package bioauthd."))
        case .wired(let services):
            Explanation(tr("PAM asks for a finger at: %1").filled(services.joined(separator: ", ")))
        case .notWired(let services):
            Explanation(
                tr("PAM asks for no finger at: %1").filled(services.joined(separator: ", ")),
                tr("To turn it on there: sudo bioauthctl setup"))
        case .serviceNotWired(let service):
            Explanation(
                tr("PAM doesn't ask for a finger at %1.").filled(service),
                tr("See what would turn it on: bioauthctl setup"))
        case .flawed(let services, let flaw, let named):
            Explanation(
                tr("PAM at %1: %2").filled(services.joined(separator: ", "), flaw.words),
                flaw == .noReport
                    ? tr("Add what is missing: %1").filled(
                        "sudo bioauthctl setup \(named ? services.map { "--service \($0) " }.joined() : "")--apply")
                    : tr("Take the lines out with bioauthctl setup --undo, then put them in with bioauthctl setup."))
        case .otherFinger(let service, let modules):
            Explanation(
                tr("PAM at %1 asks another program for a finger: %2").filled(
                    service, modules.joined(separator: ", ")), tr("Take these lines out."))
        case .authselectFinger(let services):
            Explanation(
                tr("authselect's feature with-fingerprint has fprintd ask for a finger as well at: %1").filled(
                    services.joined(separator: ", ")),
                tr("Turn it off: sudo authselect disable-feature with-fingerprint"))
        case .enrolled(let count):
            Explanation(
                tr("%1 finger is enrolled on this reader.", "%1 fingers are enrolled on this reader.", count)
                    .filled(String(count)))
        case .notEnrolled: Explanation(.notEnrolled)
        case .printDamaged(let finger, let driver):
            Explanation(
                tr("The print of the %1 (driver %2) is damaged and matches nothing.").filled(finger.words, driver),
                tr("Delete it and enroll anew: bioauthctl delete --finger %1").filled(finger.name))
        case .printGone(let finger, let driver):
            Explanation(
                tr("The reader (driver %2) no longer keeps the print of the %1.").filled(finger.words, driver),
                tr("Enroll anew: bioauthctl enroll --finger %1").filled(finger.name))
        case .orphanedPrints(let uids):
            Explanation(
                tr("There are prints of accounts that are gone: %1").filled(
                    uids.map(String.init).joined(separator: ", ")),
                tr("Nobody inherits them. Remove them with: sudo rm -r /var/lib/bioauthd/prints/NUMBER"))
        case .standing(let classes, let denial):
            Explanation(
                tr("For %1: %2").filled(
                    classes.map(\.words).joined(separator: ", "), Explanation(denial).oneLine))
        case .origin(let origin): origin.words
        case .lidShut: Explanation(tr("The lid is shut."))
        case .denied(let service, let denial):
            Explanation(
                tr("For %1 no finger is taken now: %2").filled(service, Explanation(denial).what),
                Explanation(denial).next)
        case .admitted(let service): Explanation(tr("For %1 a finger is taken now.").filled(service))
        }
    }
}

private func octal(_ mode: UInt32) -> String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}

extension Origin {
    fileprivate var words: Explanation {
        switch self {
        case .unmanaged: Explanation(tr("The daemon asks no session manager where requests come from."))
        case .untold:
            Explanation(
                tr("systemd-logind doesn't answer the daemon."), tr("Look at it with: systemctl status systemd-logind"))
        case .outside: Explanation(tr("This process belongs to no login session."))
        case .session(let session):
            Explanation(
                tr("Session %1: %2").filled(
                    session.id,
                    [
                        session.isRemote ? tr("remote") : tr("at this machine"),
                        session.isActive ? tr("in front") : tr("not in front"),
                        session.isLocked ? tr("locked") : tr("not locked"),
                    ].joined(separator: ", ")))
        }
    }
}
