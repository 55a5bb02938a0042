import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire

/// One touch that was asked for, step by step.
struct TouchTrial {
    struct Step {
        let name: String
        let words: String
        /// Since it was asked for.
        let after: Duration
    }

    fileprivate(set) var steps: [Step] = []
    fileprivate(set) var verdict = Verdict.denied(Denial(.protocolError))

    var json: JSON {
        .object([
            "allowed": .flag(isAllowed),
            "steps": .list(steps.map { .object(["step": .text($0.name), "after": .seconds($0.after)]) }),
            "denial": denial.map { .object($0.fields) } ?? .null,
        ])
    }

    var conclusion: String {
        denial.map { Explanation($0).text } ?? tr("The touch was recognised.")
    }

    private var isAllowed: Bool { denial == nil }

    private var denial: Denial? {
        if case .denied(let denial) = verdict { denial } else { nil }
    }
}

extension Invocation {
    /// Asks for a touch as a program of the person's own does, and shows each step with its time.
    func tryTouch(of account: Account) throws(Failure) -> TouchTrial {
        let connection = try connect()
        let signals = CaughtSignals(CaughtSignals.ending)
        var trial = TouchTrial()
        let start = BootClock.now()
        func step(_ name: String, _ words: String) {
            let after = Duration.nanoseconds(BootClock.now() - start)
            trial.steps.append(.init(name: name, words: words, after: after))
            output.note(tr("%1 ms: %2").filled(String(after.wireMilliseconds), words))
        }
        return try told { () throws(ConnectionError) in
            try connection.send(.authenticate(Authenticate(account: account, service: "bioauthctl", tries: 1)))
            step("asked", tr("asked for a touch"))
            while true {
                switch try connection.receiveOrCancel(signals) {
                case .prompt(let prompt): step("prompted", prompt.words)
                case .retry(let reason): step("retried", reason.words)
                case .mismatch: step("mismatched", tr("No match."))
                case .waiting(let wait): step("waiting", wait.words)
                case .verdict(let verdict):
                    switch verdict {
                    case .allowed(let finger): step("matched", tr("Recognised: %1.").filled(finger.words))
                    case .denied(let denial): step("denied", Explanation(denial).what)
                    }
                    trial.verdict = verdict
                    return trial
                default: throw .outOfTurn
                }
            }
        }
    }
}
