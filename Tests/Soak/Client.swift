import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import TestSupport

/// One program that asks for a touch or an enrolment: a process of its own, so that it can be stopped and killed at any
/// moment. It connects when it gets `SIGUSR2`, takes its request back when it gets `SIGUSR1`, and says each message that
/// it hears in a line.
struct Client {
    enum Kind: Hashable {
        case asking
        case enrolling(Finger)
        /// A program like sudo, with the real module.
        case host

        init?(_ name: String) {
            switch name {
            case "asking": self = .asking
            case "host": self = .host
            default:
                guard let finger = Finger(name: name) else { return nil }
                self = .enrolling(finger)
            }
        }

        var name: String {
            switch self {
            case .asking: "asking"
            case .enrolling(let finger): finger.name
            case .host: "host"
            }
        }
    }

    let kind: Kind
    let account: Account
    let service: String
    /// How long it waits for the finger.
    let time: Duration
    let socketPath: String

    var arguments: [String] {
        [
            Invocation.client, kind.name, "\(account.uid)", account.name, service, "\(time.wireMilliseconds)",
            socketPath,
        ]
    }

    init(_ kind: Kind, _ account: Account, _ service: String, within time: Duration, at socketPath: String) {
        self.kind = kind
        self.account = account
        self.service = service
        self.time = time
        self.socketPath = socketPath
    }

    /// From its arguments, without the first.
    init?(_ arguments: [String]) {
        guard arguments.count == 6, let kind = Kind(arguments[0]), let uid = UInt32(arguments[1]),
            let milliseconds = Int(arguments[4])
        else { return nil }
        self.init(
            kind, Account(uid: uid, name: arguments[2]), arguments[3], within: .milliseconds(milliseconds),
            at: arguments[5])
    }

    func run() {
        var go = sigset_t()
        sigemptyset(&go)
        sigaddset(&go, SIGUSR2)
        sigprocmask(SIG_BLOCK, &go, nil)
        guard pipe(&cancelPipe) == 0 else { return say(.gone("no pipe")) }
        for end in cancelPipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        signal(SIGUSR1) { _ in _ = write(cancelPipe[1], "c", 1) }
        say(.ready)
        var number: Int32 = 0
        sigwait(&go, &number)
        sigprocmask(SIG_UNBLOCK, &go, nil)
        if kind == .host { return becomeHost() }
        do { try ask() } catch { say(.gone("\(error)")) }
    }

    // MARK: A host of PAM

    /// Where the stacks of hosts stand, beside the socket.
    private var stacks: String { (socketPath as NSString).deletingLastPathComponent + "/pam.d" }

    /// Writes the stack that its host will go through: an empty answer asks for the finger.
    func writeStack() throws {
        let seconds = max(1, time.wireMilliseconds / 1000)
        let line =
            "auth required \(Built.module) socket=\(socketPath) password=first max-tries=10 timeout=\(seconds)\n"
        try FileManager.default.createDirectory(atPath: stacks, withIntermediateDirectories: true)
        try line.write(toFile: "\(stacks)/\(service)", atomically: false, encoding: .utf8)
    }

    private func becomeHost() {
        let words = [
            Built.host, "--confdir", stacks, "--service", service, "--user", account.name, "--answer", "",
        ]
        var arguments = words.map { strdup($0) } + [nil]
        execv(Built.host, &arguments)
        say(.gone("no host"))
    }

    // MARK: A client of the daemon's

    private func ask() throws(ConnectionError) {
        let connection = try DaemonConnection(path: socketPath)
        // Nobody but the client ends an enrolment that no finger comes to.
        var patience: Duration?
        if case .enrolling(let finger) = kind {
            patience = time
            try connection.send(.enroll(account, finger, nil))
        } else {
            let request = Authenticate(
                account: account, service: service, timeout: time, tries: Limits.tries.upperBound, fingerOnly: false)
            try connection.send(.authenticate(request))
        }
        while true {
            do throws(ConnectionError) {
                let message = try connection.receive(within: patience, interruptedBy: cancelPipe[0])
                say(Heard(message))
                if Heard(message).isEnd { return try listenOn(connection) }
            } catch {
                switch error {
                case .interrupted:
                    var byte: UInt8 = 0
                    _ = read(cancelPipe[0], &byte, 1)
                case .timedOut: patience = nil
                default: throw error
                }
                try connection.send(.cancel(.person))
            }
        }
    }

    /// There must be nothing more to hear: the answer to a question shows it.
    private func listenOn(_ connection: borrowing DaemonConnection) throws(ConnectionError) {
        do throws(ConnectionError) {
            try connection.send(.status(account))
            let message = try connection.receive(within: .seconds(20))
            if case .status = message { return }
            say(Heard(message))
        } catch {
            // The daemon has ended since, as it may.
            guard error == .timedOut else { return }
            throw error
        }
    }

    private func say(_ heard: Heard) {
        let line = heard.line + "\n"
        _ = write(STDOUT_FILENO, line, line.utf8.count)
    }
}

/// Both ends; the handler writes into the second. Set before there is a handler.
nonisolated(unsafe) private var cancelPipe: [Int32] = [-1, -1]

/// What a client hears, as it says it.
enum Heard: Hashable {
    case ready
    /// Asked for a touch, at that reader.
    case prompted(String)
    case allowed
    case denied(String)
    /// Of an enrolment: so many touches of so many.
    case enrolling(Int, of: Int)
    case enrolled
    case refused(String)
    /// The connection's end instead of an answer.
    case gone(String)
    case other(String)

    init(_ message: DaemonMessage) {
        self =
            switch message {
            case .prompt(let prompt): .prompted(prompt.reader)
            case .verdict(.allowed): .allowed
            case .verdict(.denied(let denial)): .denied("\(denial.cause)")
            case .enrolling(let stage, let stages, _): .enrolling(stage, of: stages)
            case .done: .enrolled
            case .refused(let denial): .refused("\(denial.cause)")
            case .waiting(let wait): .other("waits, \(wait.cause)")
            case .mismatch(let left): .other("mismatch, \(left) left")
            case .retry(let reason): .other("again, \(reason)")
            default: .other("\(message)".prefix { $0 != "\n" }.description)
            }
    }

    /// From what a transaction of PAM comes to.
    init(result: String) { self = result == "PAM_SUCCESS" ? .allowed : .denied(result) }

    /// Whether it is the one answer to what was asked.
    var isAnswer: Bool {
        switch self {
        case .allowed, .denied, .enrolled, .refused: true
        case .ready, .prompted, .enrolling, .gone, .other: false
        }
    }

    /// Whether nothing comes after it.
    var isEnd: Bool { if case .gone = self { true } else { isAnswer } }

    var line: String {
        switch self {
        case .ready: "ready"
        case .prompted(let reader): "prompted \(reader)"
        case .allowed: "allowed"
        case .denied(let cause): "denied \(cause)"
        case .enrolling(let stage, let stages): "enrolling \(stage) \(stages)"
        case .enrolled: "enrolled"
        case .refused(let cause): "refused \(cause)"
        case .gone(let why): "gone \(why)"
        case .other(let what): what
        }
    }

    init(line: some StringProtocol) {
        if let told = PAMHost.lines(String(line)).first {
            self = told.event != "result" ? .other(told.text ?? told.event) : Heard(result: told.name ?? "")
            return
        }
        let word = String(line.prefix { $0 != " " })
        let rest = String(line.dropFirst(word.count + 1))
        let numbers = rest.split(separator: " ").compactMap { Int($0) }
        self =
            switch word {
            case "ready": .ready
            case "prompted": .prompted(rest)
            case "allowed": .allowed
            case "denied": .denied(rest)
            case "enrolling" where numbers.count == 2: .enrolling(numbers[0], of: numbers[1])
            case "enrolled": .enrolled
            case "refused": .refused(rest)
            case "gone": .gone(rest)
            default: .other(String(line))
            }
    }
}
