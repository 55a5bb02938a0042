import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire

extension Subcommand {
    static var readers: Subcommand {
        Subcommand(name: "readers", summary: tr("List the readers, and which of them serves an account")) {
            invocation throws(Failure) in
            let account = try invocation.account()
            let readers = try invocation.readers(for: account)
            invocation.output.answer(
                readers.isEmpty
                    ? tr("No fingerprint reader is plugged in.")
                    : readers.map { $0.words(for: account) }.joined(separator: "\n"),
                .object(["account": account.json, "readers": .list(readers.map(\.json))]))
            return readers.isEmpty ? ExitCode(.noReader) : .yes
        }
    }
}

extension Invocation {
    func readers(for account: Account) throws(Failure) -> [ReaderEntry] {
        guard case .readers(let entries) = try ask(.readers(account)) else { throw Failure(Denial(.protocolError)) }
        return entries
    }
}

extension ReaderEntry {
    /// Whether somebody may mean this reader by that.
    func isCalled(_ text: String) -> Bool { !text.isEmpty && [driver, busPath, name].contains(text) }

    fileprivate func words(for account: Account) -> String {
        let place = busPath.isEmpty ? driver : "\(driver), \(busPath)"
        let kind = isBuiltIn ? tr("built in") : tr("external")
        return [
            "\(name.isEmpty ? driver : name) (\(place))",
            "  " + tr("%1; %2; prints of %3: %4").filled(kind, state.words, account.name, String(prints)),
            "  " + (serves ? servesWords : idleWords).filled(account.name),
        ].joined(separator: "\n")
    }

    private var servesWords: String {
        switch criterion {
        case nil: tr("serves %1: there is no other")
        case .comparing: tr("serves %1: the others can't compare a touch with a print")
        case .prints: tr("serves %1: the prints are on this one")
        case .lid: tr("serves %1: the lid is shut, and this one isn't below it")
        case .working: tr("serves %1: the others don't work at present")
        case .preference: tr("serves %1: preferred to the others")
        case .order: tr("serves %1: came before the others")
        }
    }

    private var idleWords: String {
        switch criterion {
        case nil: tr("doesn't serve %1")
        case .comparing: tr("doesn't serve %1: it can't compare a touch with a print")
        case .prints: tr("doesn't serve %1: no print of %1 is on it")
        case .lid: tr("doesn't serve %1: the lid is shut")
        case .working: tr("doesn't serve %1: it doesn't work at present")
        case .preference: tr("doesn't serve %1: another is preferred")
        case .order: tr("doesn't serve %1: another came first")
        }
    }

    fileprivate var json: JSON {
        .object([
            "name": .text(name), "driver": .text(driver), "device": .text(device), "bus_path": .text(busPath),
            "built_in": .flag(isBuiltIn), "state": .text(state.name), "prints": .number(Int64(prints)),
            "serves": .flag(serves), "reason": .text(criterion?.name),
        ])
    }
}

extension ReaderChoice.Criterion {
    /// The criterion's name in JSON.
    fileprivate var name: String {
        switch self {
        case .comparing: "comparing"
        case .prints: "prints"
        case .lid: "lid"
        case .working: "working"
        case .preference: "preference"
        case .order: "order"
        }
    }
}
