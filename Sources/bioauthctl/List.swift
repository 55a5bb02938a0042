import BioauthCore
import BioauthSystem
import BioauthWire

extension Subcommand {
    static var list: Subcommand {
        Subcommand(name: "list", summary: tr("List an account's enrolled fingers")) { invocation throws(Failure) in
            let account = try invocation.account()
            let prints = try invocation.prints(of: account)
            invocation.output.answer(
                prints.isEmpty
                    ? tr("%1 has no finger enrolled.").filled(account.name)
                    : prints.map(\.words).joined(separator: "\n"),
                .object(["account": account.json, "prints": .list(prints.map(\.json))]))
            return prints.isEmpty ? .no : .yes
        }
    }
}

extension Invocation {
    func prints(of account: Account) throws(Failure) -> [PrintEntry] {
        guard case .prints(let entries) = try ask(.list(account)) else { throw Failure(Denial(.protocolError)) }
        return entries.sorted {
            ($0.finger.rawValue, $0.driver, $0.device) < ($1.finger.rawValue, $1.driver, $1.device)
        }
    }
}

extension PrintEntry {
    /// The finger by the name that options take; the day; the reader it belongs to.
    fileprivate var words: String {
        let name = finger.name + String(repeating: " ", count: max(0, 12 - finger.name.count))
        let day = enrolled ?? "----------"
        let line = "\(name)  \(day)  \(driver)\(device.isEmpty ? "" : " \(device)")"
        if damaged { return line + "  " + tr("damaged, matches nothing: delete it and enroll anew") }
        return gone ? line + "  " + tr("no longer on the reader: enroll anew") : line
    }

    fileprivate var json: JSON {
        .object([
            "finger": .text(finger.name), "driver": .text(driver), "device": .text(device),
            "enrolled": .text(enrolled), "damaged": .flag(damaged), "gone": .flag(gone),
        ])
    }
}
