import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire

extension Subcommand {
    static var status: Subcommand {
        Subcommand(name: "status", summary: tr("Show the reader, and where an account stands")) {
            invocation throws(Failure) in
            let account = try invocation.account()
            guard case .status(let report) = try invocation.ask(.status(account)) else {
                throw Failure(Denial(.protocolError))
            }
            let switches = try invocation.switches(of: account)
            invocation.output.answer(
                (report.words(for: account) + switches.words).joined(separator: "\n"),
                report.json(for: account, switches))
            return report.readerState == .none ? ExitCode(.noReader) : .yes
        }
    }
}

extension StatusReport {
    fileprivate func words(for account: Account) -> [String] {
        var lines = [
            tr("Account: %1 (%2)").filled(account.name, String(account.uid)),
            tr("Daemon: bioauthd %1").filled(daemonVersion),
        ]
        var reader = [self.reader, driver.map { "(\($0))" }].compactMap { $0 }.joined(separator: " ")
        reader += (reader.isEmpty ? "" : ", ") + readerState.words
        lines.append(tr("Reader: %1").filled(reader))
        if waiting > 0 { lines.append(tr("Requests at the reader: %1").filled(String(waiting))) }
        lines.append(tr("Prints on this reader: %1").filled(String(prints)))
        if damagedPrints > 0 {
            lines.append(tr("Damaged prints: %1 (see: bioauthctl list)").filled(String(damagedPrints)))
        }
        if gonePrints > 0 {
            lines.append(tr("Prints that the reader has lost: %1 (see: bioauthctl list)").filled(String(gonePrints)))
        }
        lines.append(tr("Mismatches in a row: %1").filled(String(mismatches)))
        lines.append(tr("Password: %1").filled(passwordWords))
        return lines + standingWords
    }

    /// A line for each class of services; one for all where they stand alike.
    private var standingWords: [String] {
        let words = standings.map { $0.denial.map { Explanation($0).oneLine } ?? tr("a finger is accepted.") }
        if let first = words.first, words.allSatisfy({ $0 == first }) {
            return [tr("For services that are on: %1").filled(first)]
        }
        return zip(standings, words).map { tr("For %1: %2").filled($0.serviceClass.words, $1) }
    }

    private var passwordWords: String {
        passwordAge.map { tr("given %1 ago").filled($0.wordsOfAge) } ?? tr("never given, or unknown when")
    }

    fileprivate func json(for account: Account, _ switches: [SwitchEntry]) -> JSON {
        .object([
            "account": account.json,
            "daemon_version": .text(daemonVersion),
            "reader": .object([
                "state": .text(readerState.name), "name": .text(reader), "driver": .text(driver),
                "requests": .number(Int64(waiting)),
            ]),
            "prints": .number(Int64(prints)),
            "damaged_prints": .number(Int64(damagedPrints)),
            "gone_prints": .number(Int64(gonePrints)),
            "mismatches": .number(Int64(mismatches)),
            "password_age": .seconds(passwordAge),
            "standings": .list(
                standings.map { standing in
                    .object([
                        "class": .text(standing.serviceClass.name),
                        "denial": standing.denial.map { .object($0.fields) } ?? .null,
                    ])
                }),
            "switches": .list(switches.map { .object($0.fields) }),
        ])
    }
}

extension Denial {
    /// The fields that tell a denial, wherever one is told.
    var fields: KeyValuePairs<String, JSON> {
        ["code": .number(Int64(code.rawValue)), "cause": .text(cause.name), "ends_in": .seconds(endsIn)]
    }
}
