import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire

extension Invocation {
    /// Carries out what changes an account's prints, and first without a ticket: the daemon knows who needs one.
    /// If it wants one, the person is asked for the password, and it is carried out again.
    ///
    /// - Parameter body: sends it, and tells the refusal, if it was refused.
    func withTicketIfNeeded(for account: Account, _ body: (Ticket?) throws(Failure) -> Denial?) throws(Failure) {
        guard var denial = try body(nil) else { return }
        if denial.cause == .freshPasswordNeeded {
            guard let again = try body(try ticket(for: account)) else { return }
            denial = again
        }
        throw Failure(denial)
    }

    /// A ticket for the account's password, asked for on the terminal, three times at most.
    func ticket(for account: Account) throws(Failure) -> Ticket {
        guard let terminal = Terminal() else { throw Failure(Denial(.freshPasswordNeeded)) }
        var triesLeft = 3
        while true {
            let password = try terminal.ask(
                tr("Password of %1: ").filled(account.name), hidden: true, limit: Limits.passwordBytes)
            guard password.count > 0 else { throw Failure(.passwordWrong, what: tr("No password was given.")) }
            switch try verdict(on: password, of: account) {
            case .right(let ticket?): return ticket
            case .wrong where triesLeft > 1: terminal.show(tr("That is not the password. Try again.") + "\n")
            case .wrong: throw Failure(Denial(.passwordWrong))
            case .notSet: throw Failure(Denial(.noPassword))
            case .delayed(let time): throw Failure(Denial(.passwordDelayed, endsIn: time))
            case .right(nil), .unavailable: throw Failure(Denial(.passwordUnavailable))
            }
            triesLeft -= 1
        }
    }

    private func verdict(on password: borrowing SecretBytes, of account: Account) throws(Failure) -> PasswordVerdict {
        let signals = CaughtSignals(CaughtSignals.ending)
        do {
            let connection = try PasswordConnection(path: PasswordConnection.path(besideDaemonAt: socketPath))
            return try connection.verdict(
                on: password, of: account, wantsTicket: true, interruptedBy: signals.descriptor)
        } catch .interrupted {
            throw Failure(Denial(.personCancelled))
        } catch {
            throw Failure(Denial(.passwordUnavailable))
        }
    }
}
