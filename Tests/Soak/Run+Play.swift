import BioauthCore
import BioauthWire
import Foundation
import Month
import TestSupport

/// How each event is inflicted on the real daemon.
extension Run {
    /// A time for which a hang lasts for ever.
    private static let forEver = Duration.seconds(600)
    /// `FpDeviceError`: general, protocol error, too hot.
    private static let (general, protocolError, tooHot): (Int32, Int32, Int32) = (0, 5, 0x101)

    func play(_ event: Month.Event) throws {
        tell("\(event)")
        switch event {
        case .ask(let client, let person, let service, let time):
            try ask(client, Person.people[person], service, within: time)
        case .leave(let client): leave(client) { $0.leave() }
        case .kill(let client): leave(client) { $0.kill() }
        case .cancel(let client): cancel(client)
        case .freeze(let client): withClient(client) { $0.freeze() }
        case .thaw(let client): withClient(client) { $0.thaw() }
        case .touch(let reader, let finger, let stays): try touch(reader, finger, stays: stays)
        case .lift: lift()
        case .unplug(let reader): try unplug(reader)
        case .plug(let reader, _):
            machine.readers[reader].unblockOpening()
            machine.readers[reader].isPluggedIn = true
            try endDaemon(SIGTERM)
        case .sleep: try sleep()
        case .wake:
            try machine.logind?.prepareForSleep(false)
            lastTrouble = .now
        case .fault(let reader, let fault): try inflict(fault, on: reader)
        case .clockJump(let seconds): try machine.clock.jump(seconds: seconds)
        case .killDaemon: try endDaemon(SIGKILL)
        case .restartDaemon: try endDaemon(SIGTERM)
        case .passwordGiven(let person): try givePassword(Person.people[person])
        case .pass(let time): try listen(within: time)
        }
        try sync()
        try hangAtLast()
    }

    func cancel(_ number: Int) {
        if clients[number]?.kind == .host { return leave(number) { $0.cancel() } }
        withClient(number) { $0.cancel() }
    }

    private func leave(_ number: Int, _ go: (ClientProcess) -> Void) {
        withClient(number) {
            if !$0.hasEnded { ledger.left($0.service) }
            go($0)
        }
    }

    func givePassword(_ person: Person) throws {
        _ = try asking { try machine.daemon.givePassword(person.account) }
    }

    // MARK: Touches

    /// The readers that wait for a finger, and see it.
    private func armed() throws -> [Int] {
        try sync()
        let states = try asking(machine.readerStates)
        for at in machine.readers.indices where machine.readers[at].isHung && machine.readers[at].hangsInAction {
            // The action has been ended.
            if states[machine.readers[at].driver] != .scanning { hangIsOver(at) }
        }
        return machine.readers.indices.filter {
            let reader = machine.readers[$0]
            return reader.isPluggedIn && !reader.isHung && states[reader.driver] == .scanning
        }
    }

    /// Whatever finger rests on a reader goes.
    func lift() {
        for at in machine.readers.indices where machine.readers[at].hasFinger {
            _ = machine.readers[at].lift()
            machine.readers[at].hasFinger = false
            lastTrouble = .now
        }
    }

    /// A finger comes onto the reader that waits for one, or the one that it is meant for where both do.
    private func touch(_ meant: Int, _ finger: Month.Finger, stays: Bool) throws {
        let armed = try armed().filter { !machine.readers[$0].hasFinger }
        // Words would wait for the next who asks.
        let at =
            armed.contains(meant)
            ? meant : armed.first ?? machine.readers.firstIndex { $0.kind == .image && !$0.hasFinger }
        guard let at, machine.readers[at].isPluggedIn else { return tell("  no reader is there") }
        // One that waits for nobody may do so in a moment.
        let patience: Duration = armed.isEmpty ? .milliseconds(100) : .seconds(1)
        switch finger {
        case .badScan: try show(nil, at: at) { $0.badScan(within: patience) }
        case .stranger: try touch(at, Person.stranger, within: patience, stays: stays)
        case .person(let number):
            let person = Person.people[number]
            guard let enrolling = enrolling(person, at: at) else {
                try touch(at, person.finger, within: patience, stays: stays)
                return
            }
            try enroll(person, enrolling, at: at)
        }
    }

    /// The person's client that enrols a finger and was the last to be asked for one at the reader.
    private func enrolling(_ person: Person, at reader: Int) -> ClientProcess? {
        let name = machine.readers[reader].name
        return clients.values.first {
            $0.isEnrollment && $0.person == person && !$0.hasEnded && $0.heard.contains(.prompted(name))
        }
    }

    /// Whoever enrols a finger touches the reader as often as it is asked for, or gives up before.
    private func enroll(_ person: Person, _ client: ClientProcess, at reader: Int) throws {
        for _ in 0..<(1 + random.below(9)) where !client.hasEnded {
            let before = client.heard.count
            guard try touch(reader, person.secondFinger) else { return }
            try listen(within: .seconds(1)) { client.heard.count > before }
        }
    }

    /// - Returns: whether the reader took it.
    @discardableResult
    func touch(
        _ reader: Int, _ finger: Int, within time: Duration = .seconds(1), stays: Bool = false
    ) throws -> Bool {
        let impression = random.below(40)
        let isTaken = try show(finger, at: reader) {
            $0.touch(finger, impression: impression, within: time, stays: stays)
        }
        machine.readers[reader].hasFinger = isTaken && stays && machine.readers[reader].kind == .image
        return isTaken
    }

    @discardableResult
    private func show(
        _ finger: Int?, at reader: Int, _ gesture: (PlayedReader) -> Bool
    ) throws -> Bool {
        ledger.shows(finger)
        let isTaken = gesture(machine.readers[reader])
        tell(isTaken ? "  it was taken by the reader for \(machine.readers[reader].kind)" : "  nobody saw it")
        let daemon = daemons
        try sync()
        // With its daemon every touch is over.
        guard daemons == daemon else { return false }
        // One that was given up may have been taken nevertheless.
        ledger.shown(mayComeLate: isTaken && machine.readers[reader].kind == .words)
        return isTaken
    }

    // MARK: Trouble

    private func unplug(_ reader: Int) throws {
        let driver = machine.readers[reader].driver
        guard machine.readers[reader].unplug() else { return tell("  it is closed, and can't be") }
        machine.readers[reader].isPluggedIn = false
        machine.readers[reader].isHung = false
        let isNoticed = try listen(within: .seconds(5)) {
            try asking(machine.readerStates)[driver] == nil
        }
        if !isNoticed { ledger.violated("reader \(reader) is unplugged, and the daemon doesn't notice") }
    }

    /// The machine sleeps as soon as nobody delays it. No touch is taken until it wakes.
    private func sleep() throws {
        guard let logind = machine.logind else { return tell("  left out: only root can play logind") }
        try logind.prepareForSleep(true)
        let isReady = try listen(within: .seconds(5)) { try !logind.isDelayed() }
        // A hang that came as its action ended is the next call's, and closing may be that.
        if !isReady && !machine.hasHung { ledger.violated("the machine had to wait for 5 s before it could sleep") }
    }

    /// As touches do, what goes wrong in an action goes wrong where one runs.
    private func inflict(_ fault: Month.Fault, on meant: Int) throws {
        let armed = try armed()
        let at = armed.contains(meant) ? meant : armed.first
        switch fault {
        case .failsToOpen: try machine.readers[meant].blockOpening()
        case .mends:
            machine.readers[meant].unblockOpening()
            machine.readers[meant].isToHang = false
        case .hangs: return try hang(armed.first { machine.readers[$0].kind == .words })
        case .error: try fail(at, Run.general)
        case .protocolError: try fail(at, Run.protocolError)
        case .hot: try fail(at, Run.tooHot)
        // Taken for cool again when it works again.
        case .cool: return
        }
        lastTrouble = .now
    }

    private func fail(_ reader: Int?, _ code: Int32) throws {
        guard let reader else { return tell("  nothing runs at any reader") }
        // libfprint 1.94.5 loses its way, and ends the process in the end, where an image reader fails while it looks
        // into an image of an enrolment's.
        let isEnrolling = Person.people.contains { enrolling($0, at: reader) != nil }
        guard machine.readers[reader].kind == .words || !isEnrolling else { return tell("  somebody enrols a finger") }
        tell("  reader \(reader) \(machine.readers[reader].fail(code) ? "fails" : "isn't reached")")
    }

    /// What runs at the reader doesn't end, now or as soon as something runs; and the next call takes its time. One run in
    /// eight is patient: then it may not even let itself be cancelled, or hang in opening and closing until a bound has
    /// passed.
    private func hang(_ armed: Int?) throws {
        let isPatient = seed % 8 == 0
        guard let at = armed ?? machine.readers.firstIndex(where: { $0.kind == .words }),
            machine.readers[at].isPluggedIn, !machine.readers[at].isHung
        else { return tell("  it hangs already, or isn't there") }
        machine.readers[at].isToHang = armed == nil
        let isForEver = armed != nil || isPatient
        let isCancellable = !isPatient || happens(50)
        let time = isForEver ? Run.forEver : .milliseconds(1500)
        guard machine.readers[at].hang(time, cancellable: isCancellable) else {
            return tell("  it is closed, and can't be told yet")
        }
        if isForEver {
            // What was told of the reader before is no end of this.
            try sync()
            machine.readers[at].isHung = true
            machine.readers[at].hangsInAction = armed != nil
            machine.hasHung = true
        }
        lastTrouble = .now
        tell("  reader \(at) hangs for \(time)\(isCancellable ? "" : ", and can't be cancelled")")
    }

    /// Has a reader hang that was closed when it should have.
    private func hangAtLast() throws {
        guard machine.readers.contains(where: \.isToHang) else { return }
        if let at = try armed().first(where: { machine.readers[$0].isToHang }) { try hang(at) }
    }
}
