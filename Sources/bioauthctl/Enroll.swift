import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire

extension Subcommand {
    static var enroll: Subcommand {
        Subcommand(
            name: "enroll", summary: tr("Enroll a finger"),
            options: [
                .init("finger", .text("NAME"), help: tr("Which finger: right-index, left-thumb, …")),
                .init("reader", .text("NAME"), help: tr("Which reader: its driver, bus path or name")),
            ]
        ) { invocation throws(Failure) in
            let account = try invocation.account()
            let reader = try invocation.chosenReader(for: account)
            let finger = try invocation.chosenFinger(of: account, on: reader)
            let name = invocation.options.text("reader")
            try invocation.withTicketIfNeeded(for: account) { ticket throws(Failure) in
                try invocation.enroll(account, finger, ticket, reader: name)
            }
            invocation.output.answer(
                tr("Enrolled: %1. Try it with: bioauthctl verify").filled(finger.words),
                .object(["account": account.json, "enrolled": .flag(true), "finger": .text(finger.name)]))
            return .yes
        }
    }
}

extension Invocation {
    /// The reader that was named, if one was.
    func chosenReader(for account: Account) throws(Failure) -> ReaderEntry? {
        guard let name = options.text("reader") else { return nil }
        guard !name.isEmpty else { throw Failure(usage: tr("The name of a reader is missing.")) }
        guard let reader = try readers(for: account).first(where: { $0.isCalled(name) }) else {
            throw Failure(
                .noReader, what: tr("No reader called %1 is plugged in.").filled(name.asLabel),
                next: tr("See which are with: bioauthctl readers"))
        }
        return reader
    }

    /// The finger that was named, or the first that has no print yet; on a terminal the person may name another.
    fileprivate func chosenFinger(of account: Account, on reader: ReaderEntry?) throws(Failure) -> Finger {
        if let named = try finger() { return named }
        let known = try prints(of: account).filter { print in
            reader.map { $0.driver == print.driver && $0.device == print.device } ?? true
        }
        let taken = Set(known.map(\.finger))
        guard let first = Finger.suggested.first(where: { !taken.contains($0) }) else {
            throw Failure(
                .printExists, what: tr("All ten fingers are enrolled already."),
                next: tr("Delete one first with: bioauthctl delete --finger NAME"))
        }
        guard !output.json, isOnTerminal, let terminal = Terminal() else { return first }
        while true {
            let answer = try terminal.ask(tr("Which finger? [%1] ").filled(first.name))
            if answer.isEmpty { return first }
            if let finger = Finger(name: answer) { return finger }
            terminal.show(Finger.choices + "\n")
        }
    }

    fileprivate func enroll(
        _ account: Account, _ finger: Finger, _ ticket: Ticket?, reader: String?
    ) throws(Failure) -> Denial? {
        let connection = try connect()
        let signals = CaughtSignals(CaughtSignals.ending)
        var progress = EnrollmentProgress(finger, of: account, output)
        defer { progress.end() }
        return try told { () throws(ConnectionError) in
            try connection.send(.enroll(account, finger, ticket, reader: reader))
            while true {
                switch try connection.receiveOrCancel(signals) {
                case .done: return nil
                case .refused(let denial): return denial
                case let message: guard progress.show(message) else { throw .outOfTurn }
                }
            }
        }
    }
}

/// What the person sees of an enrolment.
private struct EnrollmentProgress {
    private let finger: Finger
    private let account: Account
    private let output: Output
    private var line: ProgressLine
    private var isBegun = false
    private var scan = ScanType.press
    private var last = (stage: 0, stages: 0)

    init(_ finger: Finger, of account: Account, _ output: Output) {
        self.finger = finger
        self.account = account
        self.output = output
        line = ProgressLine(output)
    }

    /// False when the message has no place in an enrolment.
    mutating func show(_ message: DaemonMessage) -> Bool {
        begin()
        switch message {
        case .prompt(let prompt):
            scan = prompt.scan
            line.show(last.stages == 0 ? prompt.words : instruction)
        case .enrolling(let stage, let stages, let retry):
            last = (stage, stages)
            line.show(retry.map { "\(count) \($0.words)" } ?? instruction)
        case .retry(let reason):
            line.show("\(count) \(reason.words)")
        case .waiting(let wait):
            line.show(wait.words)
        default:
            return false
        }
        return true
    }

    mutating func end() {
        line.end()
    }

    /// Nothing is shown of an enrolment that is refused at once.
    private mutating func begin() {
        if !isBegun { output.note(tr("Enrolling the %1 of %2.").filled(finger.words, account.name)) }
        isBegun = true
    }

    private var count: String {
        tr("Stage %1 of %2:").filled(String(last.stage), String(last.stages))
    }

    private var instruction: String {
        let words =
            switch scan {
            case _ where last.stage >= last.stages: tr("complete")
            case .press: last.stage == 0 ? tr("touch the reader") : tr("lift the finger and touch again")
            case .swipe: last.stage == 0 ? tr("swipe over the reader") : tr("swipe again")
            }
        return "\(count) \(words)"
    }
}
