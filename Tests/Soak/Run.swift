import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import Month
import SyntheticFingers
import TestSupport

/// One seed's events, inflicted on a real daemon.
final class Run {
    let seed: UInt64
    let events: [Month.Event]
    let machine: Machine
    var ledger = Ledger()
    var random: SplitMix64
    private(set) var clients: [Int: ClientProcess] = [:]
    private var watch: DaemonConnection
    private var answers = 0
    private var daemonIsGone = false
    /// When the last trouble was over as far as it was made from here, or the daemon came to know of a hang.
    var lastTrouble = ContinuousClock.now
    private(set) var daemons = 1
    /// What happened and was heard, in order.
    private(set) var story: [String] = []
    private let began = ContinuousClock.now

    /// How long a bound of the reader's may take to end a hang: an opening's, and the longest for a call to be cancelled.
    static let hangBound = ReaderLife.openingBound + ReaderLife.unprovenCancelBound
    /// Everything that is awaited comes long before, or never.
    static let patience = Duration.seconds(30)

    /// Why the play can't go on.
    struct Stuck: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    init(seed: UInt64) throws {
        self.seed = seed
        random = SplitMix64(seed, 1)
        events = Array(
            Month(
                seed: seed, people: Person.people.count, readers: PlayedReader.Kind.allCases.count, events: 120,
                longestPass: .milliseconds(700)))
        var services: [String: String] = [:]
        for case .ask(let client, _, let service, _) in events where service != .enrollment {
            services[Run.name(service, client)] = service == .sudo ? "privilege" : service.rawValue
        }
        for person in Person.trying { services[Run.name(trying: person)] = "login" }
        machine = try Machine(services: services)
        watch = try machine.daemon.connect()
        try beginWatch()
    }

    deinit { for client in clients.values { client.kill() } }

    private static func name(_ service: Month.Service, _ client: Int) -> String { "\(service.rawValue)-\(client)" }
    static func name(trying person: Person) -> String { "try-\(person.number)" }

    func tell(_ what: String) {
        let time = (ContinuousClock.now - began) / .seconds(1)
        story.append(String(format: "%7.3f  ", time) + what)
    }

    /// Whether an event comes about that happens so many times in a hundred.
    func happens(_ percent: Int) -> Bool { random.below(100) < percent }

    // MARK: Hearing

    private func beginWatch() throws {
        daemonIsGone = false
        watch = try machine.daemon.connect()
        try watch.send(.watch)
        try sync()
        tell("a daemon serves, process \(machine.daemon.program.pid)")
    }

    /// Takes in what there is to hear.
    private func listen() {
        while !daemonIsGone {
            do {
                switch try watch.receive(within: .zero) {
                case .event(let event): heard(event)
                case .status: answers += 1
                case let message: ledger.violated("who watches heard \(message)")
                }
            } catch ConnectionError.timedOut {
                break
            } catch {
                daemonIsGone = true
            }
        }
        for client in clients.values {
            for heard in client.news() {
                tell("  \(client.service) heard: \(heard.line)")
                ledger.heard(heard, by: client.service)
            }
        }
    }

    private func heard(_ event: WatchEvent) {
        let about = [event.service, event.account?.name, event.reader, event.cause.map { "\($0)" }].compactMap(\.self)
        tell("  watched: \(event.kind.name) \(about.joined(separator: ", "))")
        ledger.heard(event)
        guard let name = event.reader else { return }
        switch event.kind {
        case .readerFailed, .readerReady:
            // A hang that the daemon knows of is over with the next answer of the reader's.
            for at in machine.readers.indices where machine.readers[at].isHung && name == machine.readers[at].name {
                hangIsOver(at)
            }
        default: break
        }
    }

    func hangIsOver(_ reader: Int) {
        machine.readers[reader].isHung = false
        lastTrouble = .now
    }

    /// Goes on hearing until something is so, or for a time.
    @discardableResult
    func listen(within time: Duration = Run.patience, until isSo: () throws -> Bool = { false }) throws -> Bool {
        let deadline = ContinuousClock.now + time
        while true {
            listen()
            if try isSo() { return true }
            if daemonIsGone { try replaceEndedDaemon() }
            if Interruption.hasCome { throw Stuck("it was interrupted") }
            guard ContinuousClock.now < deadline else { return false }
            var entry = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&entry, 1, 5)
        }
    }

    /// Hears everything that the daemon has told by now.
    func sync() throws {
        listen()
        guard !daemonIsGone else { return try replaceEndedDaemon() }
        let awaited = answers + 1
        let daemon = daemons
        do { try watch.send(.status(Person.people[0].account)) } catch { return try replaceEndedDaemon() }
        guard try listen(until: { answers >= awaited || daemons != daemon }) else {
            throw Stuck("the daemon doesn't answer")
        }
    }

    /// What the daemon answers to a question on a connection of its own; where it has ended meanwhile, another's answer.
    func asking<Answer>(_ question: () throws -> Answer) throws -> Answer {
        do { return try question() } catch let error as ConnectionError {
            let daemon = daemons
            guard try listen(within: .seconds(1), until: { daemons != daemon }) else { throw error }
            return try question()
        }
    }

    // MARK: Daemons

    /// The daemon has ended by itself. It may do so where a reader answers to nothing any more, and as a service manager
    /// would, another is started.
    private func replaceEndedDaemon() throws {
        let status = try machine.daemon.program.wait()
        tell("the daemon ended by itself, status \(status)")
        if !hasGivenUp(status) { ledger.violated("the daemon ended by itself, status \(status)") }
        try startAnother(isKilled: false)
    }

    /// Whether a daemon that ended like this had a reader that hung, and said so.
    func hasGivenUp(_ status: Int32) -> Bool {
        status == 1 && machine.hasHung && machine.daemon.log.contains("Reader no longer answers")
    }

    /// Nothing more can be played.
    func breakOff(_ error: any Error) {
        ledger.violated("the play broke off: \(error)")
        let hasEnded = eventually(within: .seconds(1)) {
            listen()
            return daemonIsGone
        }
        if hasEnded, let status = try? machine.daemon.program.wait() {
            ledger.violated("the daemon had ended by itself, status \(status)")
        }
    }

    func endDaemon(_ signal: Int32) throws {
        listen()
        let status = try machine.daemon.stop(signal)
        if signal == SIGTERM && status != 0 && !hasGivenUp(status) {
            ledger.violated("the daemon ended with status \(status) when told to end")
        }
        while !daemonIsGone { listen() }
        try startAnother(isKilled: signal == SIGKILL)
    }

    private func startAnother(isKilled: Bool) throws {
        ledger.daemonEnded(isKilled: isKilled)
        try machine.startDaemon()
        daemons += 1
        try beginWatch()
        for person in Person.all {
            let status = try machine.daemon.status(of: person.account)
            ledger.kept(status.mismatches, of: person)
        }
        lastTrouble = .now
    }

    // MARK: Clients

    func ask(_ number: Int, _ person: Person, _ service: Month.Service, within time: Duration) throws {
        // Who runs this has an account that PAM knows.
        let isHost = service == .sudo && person.account == DaemonUnderTest.account && number % 2 == 0
        let kind: Client.Kind =
            service == .enrollment ? .enrolling(.leftIndex) : isHost && PAMHost.isBuilt ? .host : .asking
        // So much shorter that a run's end needn't be waited for.
        let time = max(.seconds(1), time / 8)
        let client = Client(
            kind, person.account, Run.name(service, number), within: time, at: machine.daemon.socketPath)
        if kind == .host { try client.writeStack() }
        try start(number, client, person)
    }

    func start(_ number: Int, _ client: Client, _ person: Person) throws {
        let process = try ClientProcess(client, person)
        guard eventually(within: Run.patience, { process.isReady }) else { throw Stuck("a client doesn't start") }
        try machine.seat(process.pid)
        ledger.asked(client.service, person, isEnrollment: process.isEnrollment)
        clients[number] = process
        process.go()
    }

    func withClient(_ number: Int, _ body: (ClientProcess) -> Void) {
        if let client = clients[number] { body(client) }
    }
}
