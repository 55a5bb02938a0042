import BioauthClient
import BioauthCore
import BioauthSystem

/// Why a subcommand ends without what was asked of it: what happened, what to do next, and how a program hears it.
struct Failure: Error {
    let explanation: Explanation
    let exit: ExitCode
    /// Its name in JSON: a cause's, or `usage`.
    let name: String
    /// Nil for a wrong command line.
    let cause: Cause?
    let endsIn: Duration?

    init(_ denial: Denial) {
        explanation = Explanation(denial)
        cause = denial.cause
        exit = ExitCode(denial.cause)
        name = denial.cause.name
        endsIn = denial.endsIn
    }

    init(_ cause: Cause, what: String, next: String? = nil) {
        explanation = Explanation(what, next)
        self.cause = cause
        exit = ExitCode(cause)
        name = cause.name
        endsIn = nil
    }

    init(usage what: String, next: String? = tr("See: bioauthctl --help")) {
        explanation = Explanation(what, next)
        cause = nil
        exit = .usage
        name = "usage"
        endsIn = nil
    }

    init(_ error: ConnectionError) {
        switch error {
        case .noDaemon(let error):
            self.init(
                .noDaemon, what: tr("bioauthd can't be reached: %1").filled(error.description),
                next: tr("Look at it with: systemctl status bioauthd.socket bioauthd.service"))
        case .daemonGone:
            self.init(
                .noDaemon, what: tr("bioauthd has closed the connection."),
                next: tr("See why with: journalctl -u bioauthd"))
        case .timedOut:
            self.init(
                .noDaemon, what: tr("bioauthd doesn't answer."),
                next: tr("See why with: journalctl -u bioauthd"))
        case .interrupted, .protocolError, .outOfTurn, .problem:
            self.init(Denial(error.cause))
        }
    }

    var json: JSON {
        .object(["error": .object(["cause": .text(name), "ends_in": .seconds(endsIn)])])
    }
}
