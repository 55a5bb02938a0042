import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire
import Glibc
import TestSupport
import Testing

extension DaemonConnection {
    /// Reads on until there is a message of that kind.
    @discardableResult
    func receive(until isAwaited: (DaemonMessage) -> Bool) throws -> DaemonMessage {
        while true {
            let message = try receive(within: .seconds(20))
            if isAwaited(message) { return message }
        }
    }

    /// Reads on to the connection's end, which has to come about like this.
    func expect(_ end: ConnectionError, sourceLocation: SourceLocation = #_sourceLocation) throws {
        do {
            while true { _ = try receive(within: .seconds(20)) }
        } catch {
            #expect(error == end, sourceLocation: sourceLocation)
        }
    }

    /// Sends a message, and expects this answer.
    func expect(
        _ answer: DaemonMessage, to message: ClientMessage, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try send(message)
        let got = try receive(within: .seconds(20))
        #expect(got == answer, sourceLocation: sourceLocation)
    }
}

extension DaemonConnection {
    /// What comes next, after whatever is said of the reader's opening.
    func next() throws -> DaemonMessage {
        try receive {
            guard case .waiting(let wait) = $0 else { return true }
            return wait.cause != .readerOpening
        }
    }
}

extension DaemonMessage {
    /// Whether it asks for a touch.
    var isPrompt: Bool { if case .prompt = self { true } else { false } }

    /// The same, for the first time or again.
    func isPrompt(again: Bool) -> Bool { if case .prompt(let prompt) = self { prompt.again == again } else { false } }
}

extension DaemonUnderTest {
    /// Asks for a touch of the account's that the tests run as, and leaves the connection open.
    func request(_ service: String = "sudo", tty: String? = nil, agent: Int32? = nil) throws -> DaemonConnection {
        let connection = try connect()
        try connection.send(
            .authenticate(
                Authenticate(
                    account: DaemonUnderTest.account, service: service, tty: tty, timeout: .seconds(60),
                    agentPID: agent)))
        return connection
    }

    /// A request that has been prompted for.
    func prompted(_ service: String = "sudo") throws -> DaemonConnection {
        let connection = try request(service)
        #expect(try connection.next().isPrompt(again: false))
        return connection
    }

    /// Sends a message on a connection of its own, which has to end like this.
    func expect(
        _ end: ConnectionError, to message: ClientMessage, as uid: UInt32 = DaemonUnderTest.account.uid,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let connection = try connect(as: uid)
        try connection.send(message)
        try connection.expect(end, sourceLocation: sourceLocation)
    }

    /// Puts another configuration in its file's place, and waits until it has been read.
    func reload(_ configuration: String?) throws {
        if let configuration { try directory.write(configuration, to: "bioauthd.conf") }
        program.send(SIGHUP)
        #expect(waitForState("RELOADING=1"))
        #expect(waitForState("READY=1"))
    }
}

/// A client that sends what bytes it likes.
struct RawClient: ~Copyable {
    let socket: SeqpacketSocket

    init(_ daemon: DaemonUnderTest) throws {
        socket = try SeqpacketSocket.connected(to: daemon.socketPath)
    }

    /// The next message, or nil when the daemon has closed.
    func answer() throws -> DaemonMessage? {
        while true {
            switch try socket.receive(limit: Limits.messageBytes) {
            case .message(let bytes): return try DaemonMessage(decoding: bytes)
            case .closed: return nil
            case .oversized: throw DaemonUnderTest.Unexpected()
            case .nothing:
                guard try socket.waitReadable(milliseconds: 20_000) else { throw DaemonUnderTest.Unexpected() }
            }
        }
    }

    /// Whether the daemon has closed; nothing is read.
    var isLetGo: Bool {
        var entry = pollfd(fd: socket.descriptor.raw, events: 0, revents: 0)
        return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLHUP) != 0
    }
}
