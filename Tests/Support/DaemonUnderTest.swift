import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation
import SyntheticFingers

/// The real daemon in private mode, on libfprint's virtual image reader, in a directory of its own.
public final class DaemonUnderTest {
    public let directory: TemporaryDirectory
    public let program: RunningProgram
    public let socketPath: String
    public let readerPath: String
    public var stateDirectory: String { directory.file("state") }
    public var log: String { program.text }
    private let readiness: ReadinessSocket

    /// Starts it, and waits until it says that it is ready.
    ///
    /// - Parameters:
    ///   - directory: another daemon's, to go on with the state that one left.
    ///   - configuration: the text of its configuration file; nil: none.
    ///   - hasReader: whether a reader is plugged in.
    ///   - wrapper: a program that executes it, with its own arguments before the daemon's.
    public init(
        in directory: TemporaryDirectory = TemporaryDirectory(), configuration: String? = nil, hasReader: Bool = true,
        arguments: [String] = [], environment: [String: String] = [:], under wrapper: [String] = []
    ) throws {
        self.directory = directory
        socketPath = directory.file("bioauthd.sock")
        readerPath = directory.file("reader")
        readiness = try ReadinessSocket(in: directory)
        var all = ["--private", "--debug", "--state-dir", directory.file("state"), "--socket", socketPath] + arguments
        if let configuration {
            all += ["--config", try directory.write(configuration, to: "bioauthd.conf")]
        }
        var variables = ["NOTIFY_SOCKET": readiness.path, "FP_DRIVERS_WHITELIST": "virtual_image"]
        if hasReader { variables["FP_VIRTUAL_IMAGE"] = readerPath }
        let command = wrapper + [Built.program("bioauthd")] + all
        program = try RunningProgram(
            command[0], Array(command.dropFirst()), environment: variables.merging(environment) { $1 })
        guard readiness.wait(for: "READY=1", milliseconds: 20_000) else {
            program.send(SIGKILL)
            throw NotReady(log: program.text)
        }
    }

    public struct NotReady: Error { public let log: String }

    /// Waits for something that it tells the service manager: `STOPPING=1`.
    public func waitForState(_ state: String) -> Bool { readiness.wait(for: state, milliseconds: 10_000) }

    /// Ends it with a signal and gives its exit status.
    @discardableResult
    public func stop(_ signal: Int32 = SIGTERM) throws -> Int32 {
        program.send(signal)
        return try program.wait()
    }

    deinit { program.send(SIGKILL) }

    // MARK: Talking to it

    /// The account that the tests run as, which is root to a daemon in private mode.
    public static let account = Account(uid: getuid(), name: String(cString: getpwuid(getuid()).pointee.pw_name))

    public func connect() throws -> DaemonConnection { try DaemonConnection(path: socketPath) }

    /// Connects as another user.
    public func connect(as uid: uid_t) throws -> DaemonConnection { try asUser(uid) { try connect() } }

    /// Sends one message on a connection of its own, and gives the answer.
    public func ask(_ message: ClientMessage, as uid: uid_t = geteuid()) throws -> DaemonMessage {
        let connection = try connect(as: uid)
        try connection.send(message)
        return try connection.receive(within: .seconds(10))
    }

    public func status(of account: Account = DaemonUnderTest.account) throws -> StatusReport {
        guard case .status(let report) = try ask(.status(account)) else { throw Unexpected() }
        return report
    }

    public struct Unexpected: Error {
        public let message: DaemonMessage?
        public init(_ message: DaemonMessage? = nil) { self.message = message }
    }

    /// Reports a right password of the account, as `bioauth-password` does.
    ///
    /// - Returns: a ticket, if one is wanted.
    @discardableResult
    public func givePassword(_ account: Account = DaemonUnderTest.account, wantsTicket: Bool = false) throws -> Ticket?
    {
        let connection = try connect()
        try connection.send(.passwordTurn(account, peerUID: account.uid))
        guard case .done = try connection.receive(within: .seconds(10)) else { throw Unexpected() }
        try connection.send(.passwordResult(right: true, wantsTicket: wantsTicket))
        let answer = try connection.receive(within: .seconds(10))
        guard case .done(let ticket) = answer else { throw Unexpected(answer) }
        return ticket
    }

    /// Does something, and waits until the daemon tells that this has happened, so many times.
    public func waitFor(
        _ kind: WatchEvent.Kind, cause: Cause? = nil, times: Int = 1, after: () throws -> Void
    ) throws {
        let watch = try connect()
        try watch.send(.watch)
        // The answer to anything shows that the watch has begun.
        try watch.send(.status(DaemonUnderTest.account))
        while case .event = try watch.receive(within: .seconds(10)) {}
        try after()
        var left = times
        while left > 0 {
            if case .event(let event) = try watch.receive(within: .seconds(10)), event.kind == kind,
                cause == nil || event.cause == cause
            {
                left -= 1
            }
        }
    }

    // MARK: The person at the reader

    public var person: VirtualReader { VirtualReader(socketPath: readerPath) }

    /// Touches the reader with an impression of a synthetic finger.
    public func touch(_ finger: Int, _ impression: Int = 20) throws {
        try person.touch(SyntheticFinger(number: finger).impression(impression))
    }

    /// Enrols a synthetic finger, with a touch whenever the daemon waits for one.
    ///
    /// - Returns: the last message: `done`, or `refused`.
    @discardableResult
    public func enroll(
        _ account: Account = DaemonUnderTest.account, _ finger: Finger = .rightIndex, synthetic: Int,
        ticket: Ticket? = nil, as uid: uid_t = geteuid()
    ) throws -> DaemonMessage {
        let connection = try connect(as: uid)
        try connection.send(.enroll(account, finger, ticket))
        var impression = 0
        while true {
            let message = try connection.receive(within: .seconds(20))
            switch message {
            case .done, .refused:
                return message
            case .enrolling(let stage, let stages, _) where stage < stages:
                try touch(synthetic, impression)
                impression += 1
            default:
                break
            }
        }
    }

    /// Asks for a touch, and shows these fingers one after the other, each when the daemon waits for one.
    ///
    /// - Returns: everything it said, the verdict last.
    public func authenticate(
        _ request: Authenticate = Authenticate(account: DaemonUnderTest.account, service: "sudo"), touches: [Int] = []
    ) throws -> [DaemonMessage] {
        let connection = try connect()
        try connection.send(.authenticate(request))
        var said: [DaemonMessage] = []
        var left = touches[...]
        while true {
            let message = try connection.receive(within: .seconds(30))
            said.append(message)
            switch message {
            case .verdict: return said
            case .prompt, .mismatch, .retry: if let finger = left.popFirst() { try touch(finger) }
            default: break
            }
        }
    }
}
