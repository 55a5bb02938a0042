import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation

/// The daemon's end, played from a script: for each message of a connection what to do next.
final class ScriptedDaemon: @unchecked Sendable {
    enum Step {
        case answer(DaemonMessage)
        case bytes([UInt8])
        case close
        /// Says nothing more, and keeps the connection until the peer closes it.
        case silence
    }

    /// Called on the daemon's thread with each message, before it is answered, and the process it came from.
    typealias Observer = @Sendable (ClientMessage, pid_t) -> Void

    // All that changes is guarded by `lock`.
    private let lock = NSLock()
    private var heard: [ClientMessage] = []
    private var stopped = false

    /// What was received, over all connections.
    var messages: [ClientMessage] { lock.withLock { heard } }

    static let granting: [Step] = [.answer(.done(nil)), .answer(.done(nil))]

    init(at path: String, _ steps: [Step] = granting, observer: @escaping Observer = { _, _ in }) throws {
        // Listening before anybody is started who may connect.
        let listener = try SeqpacketSocket.listening(at: path, mode: 0o666, backlog: 16)
        let descriptor = dup(listener.descriptor.raw)
        Thread.detachNewThread { [self] in
            let listener = SeqpacketSocket(FileDescriptor(owning: descriptor))
            while !lock.withLock({ stopped }) {
                guard (try? listener.waitReadable(milliseconds: 20)) == true,
                    let connection = try? listener.accept(), let peer = try? connection.peer()
                else { continue }
                try? serve(connection, steps, peer.pid, observer)
            }
        }
    }

    func stop() { lock.withLock { stopped = true } }

    private func serve(
        _ connection: borrowing SeqpacketSocket, _ steps: [Step], _ pid: pid_t, _ observer: Observer
    ) throws {
        for step in steps {
            guard let message = try receive(from: connection) else { return }
            lock.withLock { heard.append(message) }
            observer(message, pid)
            switch step {
            case .answer(let answer): _ = try connection.send(answer.encoded())
            case .bytes(let bytes): _ = try connection.send(bytes)
            case .close: return
            case .silence: break
            }
        }
        // Kept open: closing is a step of its own.
        _ = try receive(from: connection)
    }

    private func receive(from connection: borrowing SeqpacketSocket) throws -> ClientMessage? {
        guard try connection.waitReadable(milliseconds: 40_000),
            case .message(let bytes) = try connection.receive(limit: Limits.messageBytes)
        else { return nil }
        return try ClientMessage(decoding: bytes)
    }
}
