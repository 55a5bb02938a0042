import BioauthCore
import BioauthSystem
import BioauthWire
import Glibc

/// One connection to the daemon. Calls block, each with a deadline. Closing it, by letting it go, cancels what runs on it.
public struct DaemonConnection: ~Copyable, Sendable {
    public static let defaultPath = Release.socket

    private let socket: SeqpacketSocket

    /// Connects. It waits only where others come faster than the daemon accepts them, and a second at most.
    ///
    /// - Throws: `noDaemon`.
    public init(path: String = DaemonConnection.defaultPath) throws(ConnectionError) {
        do {
            socket = try SeqpacketSocket.connected(to: path, patience: 1)
        } catch {
            throw .noDaemon(error)
        }
    }

    /// What the daemon says to one message, on a connection of its own.
    ///
    /// - Throws: everything but `interrupted`.
    public static func answer(
        to message: ClientMessage, at path: String, within time: Duration
    ) throws(ConnectionError) -> DaemonMessage {
        let connection = try DaemonConnection(path: path)
        try connection.send(message)
        return try connection.receive(within: time)
    }

    /// For watching whether something can be received. Nothing else may be done with it, and it must be watched no more
    /// when the connection goes.
    public var descriptor: Int32 { socket.descriptor.raw }

    /// Sends one message.
    ///
    /// - Throws: `daemonGone`; `timedOut` when the daemon doesn't read for five seconds.
    public func send(_ message: ClientMessage) throws(ConnectionError) {
        try send(encoded: message.encoded())
    }

    func send(encoded message: borrowing [UInt8]) throws(ConnectionError) {
        let deadline = Deadline(after: .seconds(5))
        while true {
            switch try systemCall({ () throws(SystemError) in try socket.send(copy message) }) {
            case .sent: return
            case .closed:
                // It may have said why before it closed: that is there to be received.
                _ = try receive(within: .zero)
                throw .daemonGone
            case .full: try wait(for: POLLOUT, until: deadline, interruptedBy: nil)
            }
        }
    }

    /// The next message. Messages of a type this build doesn't know are passed over.
    ///
    /// - Parameters:
    ///   - time: how long to wait at most; nil: for ever.
    ///   - interrupt: a descriptor that ends the wait when it becomes readable; nothing is read from it.
    /// - Throws: everything but `noDaemon`. The daemon's `problem` is thrown as `problem`.
    public func receive(
        within time: Duration?, interruptedBy interrupt: Int32? = nil
    ) throws(ConnectionError) -> DaemonMessage {
        let deadline = time.map { Deadline(after: $0) }
        var isReset = false
        while true {
            switch try systemCall({ () throws(SystemError) in try socket.receive(limit: Limits.messageBytes) }) {
            case .message(let bytes):
                guard let message = try DaemonConnection.decode(bytes) else { continue }
                if case .problem(let problem) = message { throw .problem(problem) }
                return message
            case .oversized: throw .protocolError(.oversized)
            case .closed:
                // A close that left something of ours unread is told first, as a reset; the last word comes after it.
                if isReset { throw .daemonGone }
                isReset = true
            case .nothing: try wait(for: POLLIN, until: deadline, interruptedBy: interrupt)
            }
        }
    }

    private static func decode(_ bytes: [UInt8]) throws(ConnectionError) -> DaemonMessage? {
        do {
            return try DaemonMessage(decoding: bytes)
        } catch .unknownType {
            return nil
        } catch {
            throw .protocolError(error)
        }
    }

    private func wait(
        for events: Int32, until deadline: Deadline?, interruptedBy interrupt: Int32?
    ) throws(ConnectionError) {
        while true {
            // A negative descriptor is one that poll passes over.
            var entries = [
                pollfd(fd: socket.descriptor.raw, events: Int16(events), revents: 0),
                pollfd(fd: interrupt ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&entries, nfds_t(entries.count), deadline?.milliseconds ?? -1)
            if ready == 0 { throw .timedOut }
            if ready > 0 {
                if entries[0].revents != 0 { return }
                throw .interrupted
            }
            if errno != EINTR { throw .daemonGone }
        }
    }

    /// A socket that fails otherwise than by closing is of no more use than one that is closed.
    private func systemCall<R>(_ body: () throws(SystemError) -> R) throws(ConnectionError) -> R {
        do { return try body() } catch { throw .daemonGone }
    }
}

/// A moment on the boot-time clock after which nobody waits any more.
struct Deadline {
    private let nanoseconds: Int64

    init(after time: Duration) {
        nanoseconds = (Instant(nanoseconds: BootClock.now()) + time).nanoseconds
    }

    /// What is left, for poll: rounded up, never negative.
    var milliseconds: Int32 {
        Int32(clamping: (Instant(nanoseconds: nanoseconds) - Instant(nanoseconds: BootClock.now())).wireMilliseconds)
    }
}
