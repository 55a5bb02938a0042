import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire
import Diagnosis
import PAMStacks

extension Subcommand {
    static var doctor: Subcommand {
        Subcommand(
            name: "doctor", summary: tr("Find out whether a touch would work, and what to do if not"),
            options: [
                .init("service", .text("NAME"), help: tr("The service that a touch would be for")),
                .init("touch", .flag, help: tr("Ask for one touch, and tell how each step went")),
                .init("root", .text("DIR"), help: tr("The system below this directory, instead of this one")),
            ]
        ) { invocation throws(Failure) in
            let account = try invocation.account()
            let facts = invocation.gather(about: account)
            let diagnosis = Diagnosis(facts)
            if !invocation.output.json { invocation.output.show(diagnosis) }
            var trial: TouchTrial?
            if invocation.options.has("touch"), case .told = facts.daemon {
                trial = try invocation.tryTouch(of: account)
            }
            invocation.output.answer(
                diagnosis.conclusion(service: facts.service, account: account, trial),
                .object([
                    "account": account.json,
                    "service": .text(facts.service),
                    "touch_would_work": .flag(diagnosis.wouldWork),
                    "findings": .list(diagnosis.findings.map(\.json)),
                    "touch": trial?.json ?? .null,
                ]))
            if case .denied(let denial)? = trial?.verdict { return ExitCode(denial.cause) }
            return diagnosis.exit
        }
    }
}

extension Output {
    fileprivate func show(_ diagnosis: Diagnosis) {
        for finding in diagnosis.findings {
            let words = finding.words
            note("\(finding.severity.mark) \(words.what)" + (words.next.map { "\n    \($0)" } ?? ""))
        }
    }
}

extension Diagnosis {
    fileprivate func conclusion(service: String, account: Account, _ trial: TouchTrial?) -> String {
        if let trial { return trial.conclusion }
        return wouldWork
            ? tr("A touch would let %1 in at %2.").filled(account.name, service)
            : tr("A touch would not let %1 in at %2.").filled(account.name, service)
    }

    /// Whether that is an answer, or the lack of one.
    fileprivate var exit: ExitCode {
        if wouldWork { return .yes }
        for case .daemonSilent(let cause) in findings { return ExitCode(cause) }
        return findings.contains(.noReader) ? ExitCode(.noReader) : .no
    }
}

extension Finding.Severity {
    /// Its name in JSON.
    var name: String { String(describing: self) }

    /// What stands before it on a terminal.
    fileprivate var mark: String {
        switch self {
        case .fine: "+"
        case .note: "-"
        case .warning: "!"
        case .error: "!!"
        }
    }
}
