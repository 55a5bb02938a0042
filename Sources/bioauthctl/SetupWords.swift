import BioauthSystem
import Diagnosis
import PAMSetup
import PAMStacks

extension Output {
    /// What is to be done, exactly.
    func show(_ proposal: Proposal) {
        guard !json else { return }
        if let arguments = proposal.tool {
            note(tr("By %1:").filled(Proposal.words(ofTool: arguments)))
        }
        for change in proposal.toolChanges + proposal.changes {
            if let base = change.basedOn {
                note(tr("%1 begins with what is in %2, and counts instead of it:").filled(change.path, base.path))
            }
            Output.write(change.diff, to: noteDescriptor)
        }
    }

    /// - Parameter command: what would do it.
    func sum(up proposal: Proposal, isApplied: Bool, isRefused: Bool, undoes: Bool, command: String) {
        for refusal in proposal.refusals { note("\(refusal.name): \(refusal.reason.words(of: refusal.name))") }
        let fingers = proposal.authselectFingers.sorted()
        if !fingers.isEmpty { note(Finding.authselectFinger(fingers).words.text) }
        answer(
            proposal.conclusion(isApplied: isApplied, isRefused: isRefused, undoes: undoes, command: command),
            .object([
                "applied": .flag(isApplied),
                "tool": .text(proposal.tool.map(Proposal.words)),
                "changes": .list((proposal.toolChanges + proposal.changes).map(\.json)),
                "settled": .list(proposal.settled.map(JSON.text)),
                "authselect_fingers": .list(fingers.map(JSON.text)),
                "refused": .list(
                    proposal.refusals.map { refusal in
                        .object([
                            "service": .text(refusal.name), "reason": .text(refusal.reason.name),
                            "message": .text(refusal.reason.words(of: refusal.name)),
                        ])
                    }),
            ]))
    }
}

extension Proposal {
    static func words(ofTool arguments: [String]) -> String {
        (["pam-auth-update"] + arguments).joined(separator: " ")
    }

    fileprivate func conclusion(isApplied: Bool, isRefused: Bool, undoes: Bool, command: String) -> String {
        var lines: [String] = []
        if !settled.isEmpty && !undoes {
            let services = settled.joined(separator: ", ")
            lines.append(
                isEmpty
                    ? tr("As they should be already: %1").filled(services)
                    : tr("Nothing more has to be done for: %1").filled(services))
        }
        if isApplied && undoes {
            lines.append(tr("To turn it on again: sudo bioauthctl setup --apply"))
        } else if isApplied {
            lines.append(tr("Keep a root shell open until you have tried it."))
            lines.append(tr("To undo it: sudo bioauthctl setup --undo --apply"))
        } else if !isEmpty && (undoes || !isRefused) {
            lines.append(tr("Nothing has been changed. To do it: %1").filled(command))
        } else if !refusals.isEmpty {
            lines.append(tr("Nothing has been changed."))
        } else if undoes {
            lines.append(tr("There is no line to take out."))
        } else {
            lines.append(settled.isEmpty ? tr("There is no service to change.") : tr("There is nothing to do."))
        }
        return lines.joined(separator: "\n")
    }
}

extension FileChange {
    var wordsWhenDone: String {
        if after == nil { return tr("Removed: %1").filled(path) }
        return isRestored ? tr("As it was before: %1").filled(path) : tr("Changed: %1").filled(path)
    }

    fileprivate var json: JSON {
        .object(["file": .text(path), "service": .text(name), "restored": .flag(isRestored), "diff": .text(diff)])
    }
}

extension Refusal.Reason {
    /// Its name in JSON.
    fileprivate var name: String {
        switch self {
        case .noModule: "noModule"
        case .notListed: "notListed"
        case .senseless: "senseless"
        case .noFile: "noFile"
        case .link: "link"
        case .vendorsFile: "vendorsFile"
        case .hasOwnLines: "hasOwnLines"
        case .included: "included"
        case .toolDeclined: "toolDeclined"
        case .objection(.unreadable): "unreadable"
        case .objection(.noPassword): "noPassword"
        case .objection(.noLines): "noLines"
        case .objection(.flawed): "flawed"
        case .objection(.noPlace): "noPlace"
        case .objection(.changes): "changesOthers"
        case .objection(.askedTwice): "askedTwice"
        }
    }

    /// A sentence that goes on after the name of the service or file that was refused.
    fileprivate func words(of service: String) -> String {
        switch self {
        case .noModule: tr("the PAM module is not installed.")
        case .notListed:
            tr("bioauthd takes no finger for it. Services are listed in [services] in /etc/bioauthd/bioauthd.conf.")
        case .senseless: tr("a finger makes no sense there.")
        case .noFile: tr("PAM has no file of that name.")
        case .link(let target): tr("it is a link to %1, which whoever made it should change.").filled(target)
        case .vendorsFile(let path): tr("the lines are in %1, a package's own file.").filled(path)
        case .hasOwnLines:
            tr(
                "it has lines of its own, and would ask for a finger twice. Take them out first: sudo bioauthctl setup --undo --service %1 --apply"
            ).filled(service)
        case .included(let file):
            tr(
                "the lines are in %1, which it includes. For it alone switch the finger off in /etc/bioauthd/bioauthd.conf: %2=off in [services], then systemctl reload bioauthd."
            ).filled(file, service)
        case .toolDeclined(let said):
            tr(
                "pam-auth-update would not do it: %1\nOne service alone has its lines in its own file: bioauthctl setup --service NAME"
            ).filled(said)
        case .objection(.unreadable): tr("PAM itself can't read its file, or one that it includes.")
        case .objection(.noPassword): tr("no password is asked for there: a finger would be the only way in.")
        case .objection(.noLines): tr("its file has no line for this, so PAM goes by the file other.")
        case .objection(.flawed(let flaws)):
            flaws.map(\.words).sorted().joined(separator: " ")
        case .objection(.noPlace):
            tr(
                "no line can be put where a right password passes it: the line that checks the password ends it all. Write the lines by hand, as pam_bioauth(8) tells."
            )
        case .objection(.changes(let service)):
            tr("it would change what %1 does, whose lines jump over these.").filled(service)
        case .objection(.askedTwice(let service)):
            tr("%1, which includes it, would ask for a finger twice.").filled(service)
        }
    }
}

extension Wiring.Flaw {
    /// A sentence.
    var words: String {
        switch self {
        case .broken: tr("PAM itself can't read it.")
        case .tooComplex: tr("It is too complicated to be judged.")
        case .noPassword: tr("No password gets anybody in.")
        case .fingerBarsPassword: tr("Where no finger comes, no password gets anybody in.")
        case .fingerDoesNotLetIn: tr("A finger that matches does not let in.")
        case .fingerTwice: tr("The finger is asked for more than once.")
        case .noReport: tr("A finger is asked for, and there is no report line: the finger will lock, and stay locked.")
        case .reportMissed: tr("The report line is not reached after each right password.")
        }
    }
}
