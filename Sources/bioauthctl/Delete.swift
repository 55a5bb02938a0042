import BioauthCore
import BioauthSystem
import BioauthWire
import Glibc

extension Subcommand {
    static var delete: Subcommand {
        Subcommand(
            name: "delete", summary: tr("Delete an enrolled finger, or all of them"),
            options: [
                .init("finger", .text("NAME"), help: tr("Which finger: right-index, left-thumb, …")),
                .init("all", .flag, help: tr("All of the account's fingers")),
                .init("yes", .flag, help: tr("Don't ask for confirmation")),
            ]
        ) { invocation throws(Failure) in
            let account = try invocation.account()
            let finger = try invocation.finger()
            guard (finger != nil) != invocation.options.has("all") else {
                throw Failure(usage: tr("Give either --finger or --all."))
            }
            try invocation.confirm(
                finger.map { tr("Delete the %1 of %2? [y/N] ").filled($0.words, account.name) }
                    ?? tr("Delete all fingers of %1? [y/N] ").filled(account.name))
            try invocation.withTicketIfNeeded(for: account) { ticket throws(Failure) in
                switch try invocation.ask(.delete(account, finger, ticket)) {
                case .done: return nil
                case .refused(let denial): return denial
                default: throw Failure(Denial(.protocolError))
                }
            }
            invocation.output.answer(
                finger.map { tr("Deleted: %1.").filled($0.words) }
                    ?? tr("All fingers of %1 are deleted.").filled(account.name),
                .object(["account": account.json, "deleted": .flag(true), "finger": .text(finger?.name)]))
            return .yes
        }
    }
}

extension Invocation {
    /// Whether there is a person at standard input who can be asked.
    var isOnTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// Asks on a terminal whether it is meant; elsewhere, and with `--yes`, it is.
    func confirm(_ question: String) throws(Failure) {
        guard !options.has("yes"), isOnTerminal, let terminal = Terminal() else { return }
        let answer = try terminal.ask(question).lowercased()
        // TRANSLATORS: what may be typed instead of "y" and "yes".
        guard ["y", "yes", tr("yes")].contains(answer) else {
            throw Failure(.personCancelled, what: tr("Nothing was deleted."))
        }
    }
}
