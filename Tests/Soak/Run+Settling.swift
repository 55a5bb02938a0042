import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import Month
import TestSupport

/// What must hold once all trouble is over.
extension Run {
    /// How soon after the last trouble a reader must serve.
    ///
    /// A touch counts as served when the reader has taken it for somebody who asked afresh. Trouble lasts until it was
    /// mended from here, or a daemon has been started, or, where a call hangs, until the action is seen to have ended, or
    /// the daemon has told that the reader failed or is ready again, which the bounds of its calls make it do.
    private static let recovery = Duration.seconds(5)

    /// Plays everything, and looks whether what must hold does.
    func play() throws {
        let descriptors = try atRest()
        for event in events { try play(event) }
        try settle()
        ledger.checkAnswers()
        try checkAccounts()
        var grown = try atRest()
        // Connections that have been let go from here are closed when the daemon's loop comes round.
        try listen {
            grown = try machine.descriptors().filter { $0.value > descriptors[$0.key] ?? 0 }
            return grown.isEmpty
        }
        if !grown.isEmpty { ledger.violated("descriptors are left open: \(grown), and at first: \(descriptors)") }
        try checkEnd()
    }

    private func settle() throws {
        lift()
        // The month forgets those who have lost their daemon.
        for client in clients.values { client.thaw() }
        // Whoever comes in goes first: these people have left. Of the others half wait for as long as they wanted to.
        for number in clients.keys.sorted() where clients[number]?.isEntering ?? false || happens(50) { cancel(number) }
        for at in machine.readers.indices where machine.readers[at].isPluggedIn { try tryOut(at) }
        let allHaveEnded = try listen {
            clients.values.allSatisfy { $0.hasEnded || ledger.requests[$0.service]?.stays == false }
        }
        if !allHaveEnded { tell("not everybody has heard an answer") }
        // What has ended leaves the line when the daemon's loop comes round.
        let isEmpty = try listen { try asking { try machine.daemon.status(of: Person.people[0].account) }.waiting == 0 }
        if !isEmpty { ledger.violated("requests are left of clients that all have ended or gone") }
    }

    /// Asks afresh for somebody who is enrolled at this reader alone, and shows the finger.
    private func tryOut(_ at: Int) throws {
        let person = Person.trying[at]
        let number = -1 - at
        let client = Client(
            .asking, person.account, Run.name(trying: person), within: .seconds(100), at: machine.daemon.socketPath)
        try start(number, client, person)
        let asked = ContinuousClock.now
        guard let process = clients[number] else { return }
        let driver = machine.readers[at].driver
        var taken: ContinuousClock.Instant?
        let daemon = daemons
        let isAllowed = try listen(within: Run.hangBound + Run.patience) {
            if daemons != daemon { return true }
            guard case .prompted? = process.heard.last(where: { $0.isPrompt || $0.isEnd }) else {
                return process.hasEnded
            }
            guard try asking(machine.readerStates)[driver] == .scanning else { return process.hasEnded }
            let before = process.heard.count
            if try touch(at, person.finger) { taken = taken ?? .now }
            let isHeard = try listen(within: .seconds(2)) { process.heard.count > before }
            // A reader that says nothing of a touch might as well not have been touched: the person gives up.
            if !isHeard && machine.readers[at].isHung { process.cancel() }
            return process.hasEnded
        }
        // It answered to nothing any more, and another daemon serves: to that one it is new.
        if daemons != daemon { return try tryOut(at) }
        if machine.readers[at].isHung, process.heard.last != .allowed {
            try sync()
            hangIsOver(at)
            return try tryOut(at)
        }
        guard isAllowed, process.heard.last == .allowed else {
            return ledger.violated("reader \(at) doesn't serve: \(process.heard.map(\.line))")
        }
        let time = (taken ?? .now) - max(lastTrouble, asked)
        if time > Run.recovery { ledger.violated("reader \(at) served \(time) after the last trouble") }
    }

    private func checkAccounts() throws {
        try sync()
        for person in Person.all {
            let status = try asking { try machine.daemon.status(of: person.account) }
            ledger.ends(mismatches: status.mismatches, of: person)
            if status.damagedPrints > 0 { ledger.violated("\(person.account.name) has damaged prints") }
        }
    }

    /// What the daemon has open when nobody is there and its readers are closed.
    private func atRest() throws -> [String: Int] {
        let isAtRest = try listen {
            let states = try asking(machine.readerStates)
            // The machine is to wait for what is plugged in.
            return try states.values.allSatisfy { $0 == .closed }
                && machine.logind?.isDelayed() ?? !states.isEmpty == !states.isEmpty
        }
        if !isAtRest { ledger.violated("it doesn't come to rest: \(try asking(machine.readerStates))") }
        return try machine.descriptors()
    }

    private func checkEnd() throws {
        let status = try machine.daemon.stop()
        if status != 0 { ledger.violated("the daemon ended with status \(status) when told to end") }
    }
}

extension Heard {
    fileprivate var isPrompt: Bool { if case .prompted = self { true } else { false } }
}
