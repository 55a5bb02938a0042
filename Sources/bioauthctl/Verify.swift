import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire
import Glibc

extension Subcommand {
    static var verify: Subcommand {
        Subcommand(name: "verify", summary: tr("Try whether a finger is recognised")) { invocation throws(Failure) in
            let account = try invocation.account()
            let verdict = try invocation.verify(
                Authenticate(
                    account: account, service: "bioauthctl", tty: ttyname(STDIN_FILENO).map { String(cString: $0) }))
            switch verdict {
            case .allowed(let finger):
                invocation.output.answer(
                    tr("Recognised: %1.").filled(finger.words),
                    .object(["account": account.json, "allowed": .flag(true), "finger": .text(finger.name)]))
                return .yes
            case .denied(let denial):
                invocation.output.answer(
                    Explanation(denial).text,
                    .object([
                        "account": account.json, "allowed": .flag(false), "denial": .object(denial.fields),
                    ]))
                return ExitCode(denial.cause)
            }
        }
    }
}

extension Invocation {
    /// Asks for a touch and shows what happens until there is a verdict. ^C cancels, and the daemon's answer tells. ^Z takes
    /// the question back, and with `fg` it is asked afresh.
    fileprivate func verify(_ request: Authenticate) throws(Failure) -> Verdict {
        let signals = CaughtSignals(CaughtSignals.ending + [SIGTSTP])
        while true {
            if let verdict = try told({ () throws(ConnectionError) in try verify(request, signals) }) { return verdict }
            signals.stop(by: SIGTSTP)
        }
    }

    /// Nil: the person has stopped the program.
    private func verify(
        _ request: Authenticate, _ signals: borrowing CaughtSignals
    ) throws(ConnectionError) -> Verdict? {
        let connection = try DaemonConnection(path: socketPath)
        try connection.send(.authenticate(request))
        while true {
            switch try connection.receiveOrStop(signals) {
            case nil: return nil
            case .verdict(let verdict): return verdict
            case let message?: output.note(try message.wordsOfTouch())
            }
        }
    }
}

extension DaemonConnection {
    /// The daemon ends a request by itself before that.
    private static let patience = Limits.requestTime.upperBound + .seconds(10)

    /// The next message of a request that lasts. A signal cancels it; what then comes is still received, for the
    /// request may have ended otherwise at the same time. A second signal ends the wait.
    func receiveOrCancel(_ signals: borrowing CaughtSignals) throws(ConnectionError) -> DaemonMessage {
        do {
            return try receive(within: DaemonConnection.patience, interruptedBy: signals.descriptor)
        } catch .interrupted {
            _ = signals.next()
            return try cancelled(signals)
        }
    }

    /// The same where ^Z is caught; nil: the person wants the program to stop.
    func receiveOrStop(_ signals: borrowing CaughtSignals) throws(ConnectionError) -> DaemonMessage? {
        do {
            return try receive(within: DaemonConnection.patience, interruptedBy: signals.descriptor)
        } catch .interrupted {
            return signals.next() == SIGTSTP ? nil : try cancelled(signals)
        }
    }

    private func cancelled(_ signals: borrowing CaughtSignals) throws(ConnectionError) -> DaemonMessage {
        try send(.cancel(.person))
        return try receive(within: .seconds(2), interruptedBy: signals.descriptor)
    }
}

extension DaemonMessage {
    /// What a person is told while a touch is waited for.
    func wordsOfTouch() throws(ConnectionError) -> String {
        switch self {
        case .prompt(let prompt): return prompt.words
        case .retry(let reason): return reason.words
        case .mismatch(let left):
            return tr("No match: %1 try left.", "No match: %1 tries left.", left).filled(String(left))
        case .waiting(let wait): return wait.words
        default: throw .outOfTurn
        }
    }
}
