import BioauthCore
import Month
import SyntheticFingers

/// A month as it is played to the daemon's decisions alone: to the arbiter, the readers' lives and what is kept of
/// accounts. The time that the devices take for their answers is drawn from the seed, too.
struct MonthTrial {
    /// What the trial itself does wrong, to see that the witness notices.
    enum Flaw: CaseIterable {
        /// A mismatch is not written, now and then.
        case losesWrite
        /// A touch is compared twice.
        case tellsTwice
        /// A finger that nobody has enrolled matches.
        case mistakesStranger
        /// The daemon doesn't hear that a client left.
        case forgetsLeaving
        /// What is wrong with a reader is never mended.
        case neverMends
        /// Nobody is woken when something is due.
        case oversleeps
    }

    private(set) var desk: DeskTrial
    private(set) var witness = MonthWitness()
    private(set) var devices: [PlayedDevice]
    private var random: SplitMix64
    private let flaw: Flaw?
    /// Hears in words what follows from the events.
    private let tell: ((String) -> Void)?
    private var lastTouch = 0

    static let people = 3
    static let drivers: [DeskReader.Driver] = [
        .init(tellsFingers: true, waitsForLift: true), .init(tellsFingers: true, waitsForLift: false),
        .init(tellsFingers: false, waitsForLift: false),
        .init(tellsFingers: true, waitsForLift: false, keepsPrints: true),
        .init(tellsFingers: false, waitsForLift: false, keepsPrints: true),
    ]

    init(seed: UInt64, readers: Int, flaw: Flaw? = nil, tell: ((String) -> Void)? = nil) {
        self.flaw = flaw
        self.tell = tell
        random = SplitMix64(seed, 1)
        let drivers = (0..<readers).map { MonthTrial.drivers[(Int(seed % 5) + $0) % MonthTrial.drivers.count] }
        desk = DeskTrial(drivers)
        devices = drivers.map { _ in PlayedDevice() }
        var accounts = PlayedAccounts()
        accounts.losesEach = flaw == .losesWrite ? 3 : 0
        desk.accounts = accounts
        desk.told = []
        for person in 0...MonthTrial.people { givePassword(person) }
    }

    static func account(_ person: Int) -> Account { Account(uid: UInt32(1001 + person), name: "person\(person)") }

    /// What is wrong so far.
    var complaints: [String] { desk.complaints + witness.complaints }

    // MARK: Events

    mutating func play(_ event: Month.Event) {
        switch event {
        case .ask(let client, let person, let service, let time): ask(client, person, service, time)
        case .leave(let client), .kill(let client):
            witness.left(id(client))
            if flaw != .forgetsLeaving, desk.live.contains(id(client)) { desk.leave(id(client)) }
        case .cancel(let client):
            if desk.live.contains(id(client)) { desk.end(id(client), Denial(.personCancelled)) }
        // The daemon waits for nobody who doesn't read.
        case .freeze, .thaw: break
        case .touch(let reader, let finger, let stays): touch(reader, finger, stays: stays)
        case .lift(let reader): lift(reader)
        case .unplug(let reader):
            devices[reader] = PlayedDevice()
            desk.unplug(reader)
        case .plug(let reader, _): desk.plugIn(reader)
        case .sleep:
            witness.slept(at: desk.now)
            desk.sleep()
        case .wake:
            witness.woke(at: desk.now)
            desk.wake()
        case .fault(let reader, let fault): happen(fault, reader)
        case .clockJump(let seconds): desk.accounts?.clockSet += Int64(seconds)
        case .killDaemon:
            // At once, or in the middle of what it does next.
            if random.below(2) == 0 { desk.startAnew() } else { desk.stepsToLive = random.below(4) }
        case .restartDaemon:
            desk.stop()
            desk.startAnew()
        case .passwordGiven(let person): givePassword(person)
        case .pass(let time): return pass(time)
        }
        pass(.zero)
    }

    private func id(_ client: Int) -> RequestID { RequestID(number: UInt64(client)) }

    private mutating func givePassword(_ person: Int) {
        let account = MonthTrial.account(person)
        desk.accounts?.passwordGiven(account, at: desk.now)
        witness.passwordGiven(account, at: desk.now)
    }

    private mutating func ask(_ client: Int, _ person: Int, _ service: Month.Service, _ time: Duration) {
        let (serviceClass, isRoot): (ServiceClass, Bool) =
            switch service {
            case .sudo: (.privilege, true)
            case .login: (.login, true)
            // One runs as root, the next as its user.
            case .lock: (.lock, client.isMultiple(of: 2))
            case .app, .enrollment: (.app, false)
            }
        let isEnrollment = service == .enrollment
        let account = MonthTrial.account(person)
        let best = desk.choice().best?.id
        let ask = Ask(
            id: id(client), account: account,
            asker: Asker(service: service.rawValue, tty: nil, pid: Int32(client)), serviceClass: serviceClass,
            isRoot: isRoot, processGroup: Int32(client), work: isEnrollment ? .enroll(.leftThumb) : .identify,
            reader: best ?? .none, timeout: isEnrollment ? Arbiter.longest : time, tries: isEnrollment ? 10 : 3,
            fingerOnly: isEnrollment || client.isMultiple(of: 3))
        witness.asked(ask, at: desk.now)
        let standing = isEnrollment ? nil : desk.accounts?.denial(account, for: serviceClass, at: desk.now)
        if let denial = best == nil ? Denial(.noReader) : standing {
            witness.refused(ask.id, denial, at: desk.now)
        } else {
            desk.ask(ask)
        }
    }

    // MARK: Fingers and devices

    private mutating func touch(_ reader: Int, _ finger: Month.Finger, stays: Bool) {
        if devices[reader].finger != nil { lift(reader) }
        let station = desk.readers[reader]
        if station.driver.tellsFingers, let capture = devices[reader].call?.capture {
            witness.overlaid(capture.touch, at: station.id, isOver: station.scan?.isCancelled ?? true)
        }
        lastTouch += 1
        devices[reader].finger = PlayedDevice.Finger(
            number: lastTouch, whose: finger,
            lifts: stays ? nil : desk.now + .milliseconds(80 + random.below(320)))
        witness.touched(lastTouch, finger)
        desk.touchDown(reader)
    }

    private mutating func lift(_ reader: Int) {
        guard devices[reader].finger != nil else { return }
        devices[reader].finger = nil
        desk.touchUp(reader)
    }

    private mutating func happen(_ fault: Month.Fault, _ reader: Int) {
        switch fault {
        case .failsToOpen: devices[reader].failsToOpen = true
        case .hangs: devices[reader].hang = random.below(2) == 0 ? .untilCancelled : .forGood
        case .mends:
            if flaw == .neverMends { return }
            devices[reader].failsToOpen = false
            devices[reader].hang = nil
        case .error, .protocolError: fail(reader, .failed(fault.rawValue))
        case .hot: desk.heated(true, at: reader)
        case .cool: if flaw != .neverMends { desk.heated(false, at: reader) }
        }
    }

    /// What runs at the device ends badly.
    private mutating func fail(_ reader: Int, _ fault: ReaderFault) {
        switch desk.readers[reader].device {
        case .opening: desk.opened(fault, at: reader)
        case .scanning: complete(reader, fault)
        case .errand: desk.errandDone(fault, at: reader)
        case .unplugged, .closed, .open, .closing: return
        }
        devices[reader].call = nil
    }

    /// The device does what it is due to.
    private mutating func answer(_ reader: Int) {
        let now = desk.now
        if let lifts = devices[reader].finger?.lifts, lifts <= now { return lift(reader) }
        guard let call = devices[reader].call else { return }
        if let capture = call.capture, capture.due <= now { return show(reader, capture) }
        devices[reader].call = nil
        switch desk.readers[reader].device {
        case .opening(let isCancelled):
            let fault: ReaderFault? = devices[reader].failsToOpen ? .failed("no answer") : nil
            desk.opened(fault ?? (isCancelled && random.below(2) == 0 ? .cancelled : nil), at: reader)
        case .closing: desk.closed(reader)
        case .errand(let isCancelled): desk.errandDone(isCancelled ? .cancelled : nil, at: reader)
        case .scanning(let scan):
            complete(reader, scan.isCancelled ? (desk.readers[reader].isHot ? .hot : .cancelled) : nil)
        case .unplugged, .closed, .open: break
        }
    }

    private mutating func complete(_ reader: Int, _ fault: ReaderFault?) {
        if let finger = devices[reader].finger { witness.actionEnded(finger.number, at: desk.now) }
        desk.completed(fault, at: reader)
    }

    /// The device tells what the touch that it has captured shows.
    private mutating func show(_ reader: Int, _ capture: PlayedDevice.Capture) {
        devices[reader].call?.capture = nil
        guard let job = desk.readers[reader].scan?.job else { return }
        if case .enroll = job.kind {
            let isGood = capture.whose != .badScan
            devices[reader].call?.stage += isGood ? 1 : 0
            let stage = devices[reader].call?.stage ?? 0
            if stage == PlayedDevice.stages { devices[reader].call?.isAnswered = true }
            return desk.progressed(stage, of: PlayedDevice.stages, retry: isGood ? nil : .general, at: reader)
        }
        devices[reader].call?.isAnswered = true
        let result = result(of: capture.whose, job)
        witness.compares(capture.touch, job, result, at: desk.now)
        desk.compared(result, at: reader)
        guard flaw == .tellsTwice else { return }
        look()
        witness.compares(capture.touch, job, result, at: desk.now)
        desk.compared(result, at: reader)
    }

    private func result(of finger: Month.Finger, _ job: Job) -> Identification {
        switch (finger, job.kind) {
        case (.badScan, _): .retry(.general)
        case (.stranger, _): flaw == .mistakesStranger ? .matched(index: 0) : .noMatch
        case (.person(let person), .identify):
            MonthTrial.account(person) == job.account ? .matched(index: 0) : .noMatch
        case (.person, _): .matched(index: 0)
        }
    }

    // MARK: The end

    /// Whatever has been, and once nothing is wrong any more: five seconds later a request is prompted at once, armed soon,
    /// and answered by its touch, and nobody waits for ever.
    mutating func end() {
        if desk.stepsToLive != nil { desk.startAnew() }
        for at in devices.indices { devices[at].calmDown(at: desk.now) }
        pass(.seconds(5))
        var others = self
        others.pass(Arbiter.longest)
        others.witness.judgeEnd()
        guard others.complaints.isEmpty else { return self = others }
        for id in desk.live {
            witness.left(id)
            desk.leave(id)
            look()
        }
        let last = id(.max >> 32)
        ask(.max >> 32, MonthTrial.people, .sudo, .seconds(30))
        look()
        guard witness.isPrompted(last) else { return witness.complain("can't use a reader 5 s after the last fault") }
        pass(.seconds(2))
        let armed = desk.readers.firstIndex { $0.scan?.job.owner == last && !$0.scan!.isCancelled }
        guard let armed else { return witness.complain("arms no reader 7 s after the last fault") }
        touch(armed, .person(MonthTrial.people), stays: false)
        pass(.seconds(1))
        if witness.isLive(last) { witness.complain("doesn't take the right finger 7 s after the last fault") }
    }

    // MARK: Time

    /// Everything that falls due on the way happens then.
    private mutating func pass(_ time: Duration) {
        let end = desk.now + time
        look()
        while true {
            let due = flaw == .oversleeps ? nil : desk.nextDeadline
            let answers = devices.indices.compactMap { at in devices[at].due.map { (at: at, due: $0) } }
                .min { $0.due < $1.due }
            if let answers, answers.due <= end, due.map({ answers.due < $0 }) ?? true {
                desk.wait(until: answers.due)
                answer(answers.at)
            } else if let due, due <= end {
                desk.pass(due - desk.now)
            } else {
                break
            }
            look()
            // A deadline that has passed already would be ticked for ever.
            if !desk.complaints.isEmpty { return }
        }
        desk.wait(until: end)
        look()
    }

    /// Tells what follows from the events, and when.
    private func say(_ what: @autoclosure () -> String) {
        let since = Instant(nanoseconds: 0) + .seconds(1000)
        tell?("    \(desk.now - since): \(what().replacing("BioauthCore.", with: ""))")
    }

    /// Sees what came of it, and what the devices have to do from now on.
    private mutating func look() {
        let told = desk.told ?? []
        desk.told = []
        for told in told { say("\(told)") }
        if told.contains(.startedAnew) { for at in devices.indices { devices[at].call = nil } }
        witness.heard(told, desk.accounts, at: desk.now)
        for at in devices.indices {
            let before = devices[at].call?.kind
            defer {
                if devices[at].call?.kind != before { say("reader \(at) is \(desk.readers[at].device)") }
            }
            if let touch = devices[at].follow(desk.readers[at], at: desk.now, &random) {
                witness.captured(touch.touch, by: touch.job)
            }
        }
    }
}
