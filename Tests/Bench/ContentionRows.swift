import BioauthCore
import BioauthWire
import Foundation
import TestSupport

/// What people wait for each other: over the whole stack, from one host of PAM to another.
func contentionRows(_ rig: Rig) throws -> [Row] {
    let desk = try Desk()
    let under5 = Row.Goal.under(5, "ms")
    var rows: [Row] = []
    func add(_ name: String, _ times: [Double], goal: Row.Goal? = nil, peer: Double? = nil) {
        rows.append(Row(name, "ms", times.median, peer: peer, goal: goal, note: times.spread))
    }

    var armed: [Double] = []
    var touched: [Double] = []
    var stopped: [Double] = []
    var resumed: [Double] = []
    for _ in 0..<rig.rounds {
        armed.append(try desk.preempt { _ in }.prompted)
        touched.append(try desk.preempt { _ in try desk.device.tell("FINGER 1") }.prompted)
        stopped.append(try desk.preempt { kill($0.host.pid, SIGSTOP) }.prompted)
    }
    for _ in 0..<min(rig.rounds, 10) { resumed.append(try desk.preempt(resuming: true) { _ in }.resumed) }
    add("a login called → its prompt, a sudo armed", armed, goal: under5)
    add("a login called → its prompt, a finger for the sudo on the reader", touched, goal: under5)
    add("a login called → its prompt, the sudo stopped by SIGSTOP", stopped, goal: under5)
    add("the login killed → the sudo's prompt, beyond the two seconds", resumed, goal: under5)

    let killed = try (0..<rig.rounds).map { _ in try desk.kill() }
    let peers = try rig.fprintd().map { fprintd in try (0..<rig.rounds).map { _ in try fprintd.kill() } }
    add(
        "a client killed → the next one's prompt (peer: may claim)", killed,
        goal: .and(under5, .ratio(1, "no later than the peer")), peer: peers?.median)

    let turns = try (0..<max(1, rig.rounds / 20)).flatMap { _ in try desk.serveAll() }
    add("one's verdict → the next one's prompt, \(desk.people.count) people in line", turns, goal: under5)
    let givenUp = try (0..<min(rig.rounds, 5)).map { _ in try giveUp() }
    add("a reader given up → pam_authenticate returned", givenUp, goal: .under(50, "ms"))
    return rows
}

/// A daemon on a reader whose fingers are words, and accounts of this system with a finger there, each named by the
/// account.
private final class Desk {
    let daemon: DaemonUnderTest
    let device: VirtualDevice
    let people: [Account]

    init(of count: Int = 20) throws {
        (daemon, device) = try DaemonUnderTest.onWords(configuration: "[reader]\nkeep-warm-seconds=3600\n")
        people = Array(Desk.accounts().prefix(count))
        for person in people {
            try daemon.enroll(person, word: person.name, at: device)
            try daemon.givePassword(person)
        }
    }

    private static func accounts() -> [Account] {
        setpwent()
        defer { endpwent() }
        var accounts: [UInt32: Account] = [:]
        while let entry = getpwent() {
            let uid = entry.pointee.pw_uid
            accounts[uid] = accounts[uid] ?? Account(uid: uid, name: String(cString: entry.pointee.pw_name))
        }
        return accounts.values.sorted { $0.uid < $1.uid }
    }

    func start(_ person: Account, _ service: String = "sudo", password: String = "later") throws -> Sitter {
        let host = try PAMHost(
            service: service,
            stack: "auth required MODULE socket=\(daemon.socketPath) password=\(password) timeout=300",
            in: daemon.directory)
        return try Sitter(host.arguments(user: person.name, answers: [""]))
    }

    /// A person who has been asked for a touch.
    private func prompted(_ person: Account, _ service: String = "sudo") throws -> Sitter {
        let sitter = try start(person, service)
        _ = try sitter.prompt()
        return sitter
    }

    private func rest(armed: Bool = false) throws {
        try waitUntil("the reader to rest") {
            let status = try daemon.status()
            return armed ? status.readerState == .scanning : status.readerState == .ready && status.waiting == 0
        }
    }

    /// Milliseconds from a login's call to its prompt; and from its end to the prompt of the sudo that it put aside,
    /// less what that waits by rule.
    ///
    /// - Parameter before: does something to the sudo, which is armed.
    func preempt(resuming: Bool = false, after before: (Sitter) throws -> Void) throws -> (
        prompted: Double, resumed: Double
    ) {
        try rest()
        let sudo = try prompted(people[0])
        try rest(armed: true)
        try before(sudo)
        let login = try start(people[1], "login")
        let called = try login.line("call").at
        let prompted = (try login.prompt() - called).milliseconds
        var resumed = 0.0
        if resuming {
            let end = monotonicNow()
            login.host.end()
            resumed = (try sudo.prompt() - end).milliseconds - Arbiter.cooling.milliseconds
        }
        sudo.host.end()
        login.host.end()
        // Whose finger it was that was left there, nobody learns.
        try device.tell("FINGER 0")
        return (prompted, resumed)
    }

    /// Milliseconds from a client's death to the prompt of the next, which waits.
    func kill() throws -> Double {
        try rest()
        let first = try prompted(people[0])
        try rest(armed: true)
        let next = try start(people[1])
        try waitUntil("the next to wait") { try daemon.status().waiting == 2 }
        let end = monotonicNow()
        first.host.end()
        let prompted = (try next.prompt() - end).milliseconds
        next.host.end()
        return prompted
    }

    /// Everybody at once: milliseconds from each verdict to the next prompt.
    func serveAll() throws -> [Double] {
        try rest()
        var sitters: [Sitter] = []
        for person in people {
            sitters.append(try start(person))
            try waitUntil("\(person.name) to wait") { try daemon.status().waiting == sitters.count }
        }
        var times: [Double] = []
        var verdict: Int64?
        for (sitter, person) in zip(sitters, people) {
            let prompt = try sitter.prompt()
            if let verdict { times.append((prompt - verdict).milliseconds) }
            try device.tell("SCAN \(person.name)")
            let result = try sitter.line("result")
            guard result.name == "PAM_SUCCESS" else { throw Trouble("\(person.name): \(result)") }
            verdict = result.at
        }
        return times
    }
}

/// Milliseconds from when a reader that hangs is given up, by rule, to the return of a module that waits for it.
private func giveUp() throws -> Double {
    let desk = try Desk(of: 2)
    let leaving = try desk.start(desk.people[0])
    _ = try leaving.prompt()
    try desk.device.tell("SET_CANCELLATION_ENABLED 0")
    try desk.device.tell("SLEEP 600000")
    let waiting = try desk.start(desk.people[1], "login", password: "first")
    _ = try waiting.prompt()
    // Nobody wants the action any more: it is cancelled.
    let cancelled = monotonicNow()
    leaving.host.end()
    let result = try waiting.line("result")
    try desk.daemon.program.wait()
    return (result.at - cancelled).milliseconds - ReaderLife.cancelBound.milliseconds
}

/// A person in front of a host of PAM.
private final class Sitter {
    let host: Child
    private var lines: [PAMHost.Line] = []

    init(_ arguments: [String]) throws {
        host = try Child(Built.host, arguments, environment: ["PATH": "/usr/bin:/bin"])
    }

    /// The next line of an event, past what goes before it.
    func line(_ event: String, where isMeant: (PAMHost.Line) -> Bool = { _ in true }) throws -> PAMHost.Line {
        while true {
            while !lines.isEmpty {
                let line = lines.removeFirst()
                if line.event == event && isMeant(line) { return line }
            }
            var entry = pollfd(fd: host.output, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 20_000) > 0, let text = try host.lines() else { throw Trouble("no \(event)") }
            lines = PAMHost.lines(text.joined(separator: "\n"))
        }
    }

    /// When it was next asked for a touch.
    func prompt() throws -> Int64 { try line("info") { $0.text?.hasPrefix("Swipe your") ?? false }.at }
}

extension Fprintd {
    /// Milliseconds from the death of a client that was asked for a touch until another may claim the reader.
    fileprivate func kill() throws -> Double {
        try rest()
        let sitter = try Child(
            Built.host, ["--confdir", stacks, "--service", "sudo", "--user", Account.own.name],
            environment: environment)
        while try !(sitter.lines() ?? []).contains(where: { $0.contains("\"info\"") }) {}
        let end = monotonicNow()
        sitter.end()
        try rest()
        return (monotonicNow() - end).milliseconds
    }
}

extension Duration {
    fileprivate var milliseconds: Double { self / .milliseconds(1) }
}
