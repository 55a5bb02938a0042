import BioauthCore
import BioauthSystem
import BioauthWire

extension SwitchEntry {
    /// That it has been turned, and how to turn it back.
    func words(of account: Account) -> String {
        let words =
            switch (subject.kind, isOn) {
            case (.service, true): tr("%1 accepts the finger of %2 again.")
            case (.service, false):
                tr("%1 takes no finger of %2 any more. Turn it on again with: bioauthctl enable %1")
            case (.app, true): tr("The app %1 may ask %2 for a finger.")
            case (.app, false):
                tr("The app %1 may not ask %2 for a finger. Allow it with: bioauthctl enable --app %1")
            case (.appLock, true): tr("The app %1 locks itself until %2 has shown who they are.")
            case (.appLock, false): tr("The app %1 does not lock itself for %2 any more.")
            }
        return words.filled(subject.name.visible, account.name)
    }

    /// That it stood so before.
    var wordsOfOld: String {
        (isOn ? tr("It is on already: %1.") : tr("It is off already: %1.")).filled(subject.name.visible)
    }

    var fields: KeyValuePairs<String, JSON> {
        ["kind": .text(subject.kind.name), "name": .text(subject.name), "enabled": .flag(isOn)]
    }
}

extension [SwitchEntry] {
    /// The lines that tell of them.
    var words: [String] {
        func line(_ words: String, _ kind: Switch.Kind, _ isOn: Bool) -> String? {
            let names = filter { $0.subject.kind == kind && $0.isOn == isOn }.map(\.subject.name.visible)
            return names.isEmpty ? nil : words.filled(names.joined(separator: ", "))
        }
        return [
            line(tr("Turned off: %1"), .service, false),
            line(tr("Apps that may ask for a finger: %1"), .app, true),
            line(tr("Apps that may not: %1"), .app, false),
            line(tr("Apps that lock themselves: %1"), .appLock, true),
        ].compactMap(\.self)
    }
}

extension Switch {
    /// That it is off, because nothing else is possible.
    var wordsOfUnlisted: String {
        switch kind {
        case .service, .appLock:
            tr("%1 accepts no finger in any case: the configuration doesn't list it.").filled(name.visible)
        case .app:
            tr("The app %1 may not ask for a finger in any case: the configuration forbids it.").filled(name.visible)
        }
    }
}

extension Failure {
    /// What can't be turned on.
    init(unlisted subject: Switch) {
        self.init(
            .serviceDisabled, what: subject.wordsOfUnlisted,
            next: tr(
                "See [services] and [apps] in /etc/bioauthd/bioauthd.conf: bioauthd.conf(5) tells what may stand there."
            ))
    }
}

extension String {
    /// The name so that no character of it hides: what has no shape of its own, or turns the line around, is told by its
    /// number.
    var visible: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default:
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
