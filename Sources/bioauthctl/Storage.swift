import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire

extension Subcommand {
    static var storage: Subcommand {
        Subcommand(
            name: "storage",
            summary: tr("List the prints that readers keep themselves, and clear what nobody here has"),
            takesAccount: false,
            options: [
                .init("reader", .text("NAME"), help: tr("Which reader: its driver, bus path or name")),
                .init("clear", .flag, help: tr("Delete from the reader what no account here has")),
                .init("yes", .flag, help: tr("Don't ask for confirmation")),
            ]
        ) { invocation throws(Failure) in
            _ = try invocation.chosenReader(for: try invocation.account())
            var prints = try invocation.storage()
            let leftovers = prints.filter { $0.standing == .leftover }
            if invocation.options.has("clear") && !leftovers.isEmpty {
                try invocation.confirm(
                    leftovers.listing + "\n"
                        + tr("Another system on this machine may use them. Delete them from the reader? [y/N] "))
                // What was shown, and nothing that has come since.
                prints = try invocation.storage(clearing: leftovers.map(\.id))
            }
            invocation.output.answer(
                prints.isEmpty ? tr("No reader keeps any print.") : prints.listing,
                .object(["prints": .list(prints.map(\.json))]))
            switch (invocation.options.has("clear"), leftovers.isEmpty) {
            case (true, true): invocation.output.note(tr("There is nothing to clear."))
            case (false, false):
                invocation.output.note(tr("Clear what nobody here has with: sudo bioauthctl storage --clear"))
            default: break
            }
            return .yes
        }
    }
}

extension Invocation {
    /// What the readers keep, or the one that was named.
    fileprivate func storage(clearing doomed: [PrintID] = []) throws(Failure) -> [KeptPrint] {
        let connection = try connect()
        let signals = CaughtSignals(CaughtSignals.ending)
        let reader = options.text("reader")
        var prints: [KeptPrint] = []
        let denial = try told { () throws(ConnectionError) -> Denial? in
            // More than a message holds are left for the next time.
            try connection.send(.storage(reader: reader, clearing: Array(doomed.prefix(Limits.clearedPrints))))
            while true {
                // It may have to be opened first, or a touch to end.
                switch try connection.receive(within: .seconds(60), interruptedBy: signals.descriptor) {
                case .keptPrint(let print): prints.append(print)
                case .done: return nil
                case .refused(let denial): return denial
                default: throw .outOfTurn
                }
            }
        }
        guard let denial else { return prints }
        guard denial.cause != .noReader else {
            throw Failure(
                .noReader, what: tr("No reader that keeps prints itself is plugged in."),
                next: tr("See which readers are with: bioauthctl readers"))
        }
        // What was told, and done, before.
        if !prints.isEmpty && !output.json { output.note(prints.listing) }
        throw Failure(denial)
    }
}

extension [KeptPrint] {
    /// Each reader with its prints below it.
    fileprivate var listing: String {
        var lines: [String] = []
        var last: String?
        for print in self {
            let reader = print.readerWords
            if reader != last { lines.append(reader) }
            last = reader
            lines.append(print.words)
        }
        return lines.joined(separator: "\n")
    }
}

extension KeptPrint {
    fileprivate var readerWords: String {
        "\(reader.isEmpty ? driver : reader) (\([driver, busPath].filter { !$0.isEmpty }.joined(separator: ", ")))"
    }

    fileprivate var words: String {
        let owner = [accountName?.visible, finger?.name, enrolled].compactMap(\.self).joined(separator: "  ")
        return "  " + (owner.isEmpty ? tr("doesn't say whose it is") : owner) + ": " + standingWords
    }

    private var standingWords: String {
        switch standing {
        case .known: tr("enrolled")
        case .leftover where isDeleted: tr("deleted from the reader")
        case .leftover: tr("nobody here has it")
        case .gone: tr("no longer on the reader: enroll anew")
        }
    }

    fileprivate var json: JSON {
        .object([
            "reader": .text(reader), "driver": .text(driver), "bus_path": .text(busPath),
            "standing": .text(standing.name), "account": .text(accountName), "finger": .text(finger?.name),
            "enrolled": .text(enrolled), "deleted": .flag(isDeleted),
        ])
    }
}
