import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire
import Glibc

extension Subcommand {
    static var enable: Subcommand {
        turning("enable", on: true, summary: tr("Let a service or an app take a finger of the account's"))
    }

    static var disable: Subcommand {
        turning("disable", on: false, summary: tr("Let a service or an app take no finger of the account's"))
    }

    private static func turning(_ name: String, on isOn: Bool, summary: String) -> Subcommand {
        Subcommand(
            name: name, summary: summary, arguments: "NAME",
            options: [
                .init("app", .flag, help: tr("NAME is a program that asks for itself, not a service of PAM")),
                .init("app-lock", .flag, help: tr("Turn the app's own lock instead")),
            ]
        ) { invocation throws(Failure) in
            let subject = try invocation.subject()
            return try invocation.turn(subject, on: isOn, of: try invocation.account())
        }
    }
}

extension Invocation {
    func switches(of account: Account) throws(Failure) -> [SwitchEntry] {
        guard case .switches(let entries) = try ask(.switches(account)) else { throw Failure(Denial(.protocolError)) }
        return entries
    }

    /// The switch that the command line names.
    fileprivate func subject() throws(Failure) -> Switch {
        guard let name = options.arguments.first, !name.isEmpty else {
            throw Failure(usage: tr("The name of a service or an app is missing."))
        }
        guard name.asLabel.utf8.elementsEqual(name.utf8) else {
            throw Failure(usage: tr("That is too long, or holds a character that can't be used."))
        }
        switch (options.has("app"), options.has("app-lock")) {
        case (false, false): return Switch(.service, name)
        case (true, false): return Switch(.app, name)
        case (false, true): return Switch(.appLock, name)
        case (true, true): throw Failure(usage: tr("Give either --app or --app-lock."))
        }
    }

    fileprivate func turn(_ subject: Switch, on isOn: Bool, of account: Account) throws(Failure) -> ExitCode {
        let before = try switches(of: account).first { $0.subject == subject }?.isOn ?? subject.kind.untouched
        let after = SwitchEntry(subject, isOn: isOn)
        if try !isTaken(subject, of: account) {
            if isOn { throw Failure(unlisted: subject) }
            answer(after, of: account, isChanged: false, subject.wordsOfUnlisted)
            return .yes
        }
        var change = SwitchChange(account: account, service: "bioauthctl", subject: subject, isOn: isOn)
        var denial = try touch(change)
        if let why = denial, why.cause.leadsToPassword, isOnTerminal {
            if why.cause != .personChosePassword { output.note(Explanation(why).what) }
            change.ticket = try ticket(for: account)
            denial = try touch(change)
        }
        if let denial { throw Failure(denial) }
        answer(
            after, of: account, isChanged: before != isOn, before != isOn ? after.words(of: account) : after.wordsOfOld)
        return .yes
    }

    /// Whether the configuration lets it take a finger at all.
    private func isTaken(_ subject: Switch, of account: Account) throws(Failure) -> Bool {
        if subject.kind == .appLock { return true }
        let question = ClientMessage.examine(account, service: subject.name, tty: nil, isApp: subject.kind == .app)
        guard case .examination(let examination) = try ask(question) else { throw Failure(Denial(.protocolError)) }
        return examination.serviceClass != nil
    }

    private func answer(_ entry: SwitchEntry, of account: Account, isChanged: Bool, _ words: String) {
        output.answer(
            words,
            .object([
                "account": account.json, "kind": .text(entry.subject.kind.name), "name": .text(entry.subject.name),
                "enabled": .flag(entry.isOn), "changed": .flag(isChanged),
            ]))
    }

    /// Has the switch turned: by the touch that the daemon asks for, if it needs one. On a terminal Enter chooses the
    /// password instead. ^Z takes the question back, and with `fg` it is asked afresh.
    private func touch(_ change: SwitchChange) throws(Failure) -> Denial? {
        let signals = CaughtSignals(CaughtSignals.ending + [SIGTSTP])
        while true {
            let end = try touch(change, signals)
            guard end == .stopped else { return end.denial }
            signals.stop(by: SIGTSTP)
        }
    }

    private enum TouchEnd: Equatable {
        case done
        case refused(Denial)
        /// By the person, with ^Z.
        case stopped

        var denial: Denial? { if case .refused(let denial) = self { denial } else { nil } }
    }

    private func touch(_ change: SwitchChange, _ signals: borrowing CaughtSignals) throws(Failure) -> TouchEnd {
        let connection = try connect()
        try told { () throws(ConnectionError) in try connection.send(.setSwitch(change)) }
        if isOnTerminal, let terminal = Terminal(), terminal.isInFront {
            return try touch(connection, terminal, signals)
        }
        return try told { () throws(ConnectionError) in
            while true {
                switch try connection.receiveOrStop(signals) {
                case nil: return .stopped
                case .done: return .done
                case .refused(let denial): return .refused(denial)
                case let message?: output.note(try message.wordsOfTouch())
                }
            }
        }
    }

    private func touch(
        _ connection: borrowing DaemonConnection, _ terminal: borrowing Terminal, _ signals: borrowing CaughtSignals
    ) throws(Failure) -> TouchEnd {
        var silence: Terminal.Silence?
        // The daemon ends a request by itself before that.
        var patience = Limits.requestTime.upperBound + .seconds(10)
        var end: CancelReason?
        while true {
            switch terminal.wait(or: connection.descriptor, signals, within: patience) {
            case .other:
                switch try told({ () throws(ConnectionError) in try connection.receive(within: patience) }) {
                case .done: return .done
                case .refused(let denial): return .refused(denial)
                case let message:
                    // Silent before anything is seen, and not where nobody is asked.
                    if silence == nil { silence = terminal.silence() }
                    var words = try told { () throws(ConnectionError) in try message.wordsOfTouch() }
                    if case .prompt = message { words += " " + tr("Or press Enter to give the password.") }
                    output.note(words)
                }
                continue
            case .signal(SIGTSTP):
                return .stopped
            case .enter:
                guard silence != nil, end == nil else { continue }
                end = .password
            case .end, .signal:
                // The second time ends the wait for what the daemon says to the first.
                guard end == nil else { return .refused(Denial(.personCancelled)) }
                end = .person
            case .timedOut:
                throw Failure(ConnectionError.timedOut)
            }
            if let end { try told { () throws(ConnectionError) in try connection.send(.cancel(end)) } }
            patience = .seconds(2)
        }
    }
}
