import BioauthSystem
import BioauthWire
import Foundation
import TestSupport

/// A peer in the daemon's place that says what no daemon should, or goes when it shouldn't. It serves one connection
/// after the other, each by the same script.
final class ScriptedDaemon: Sendable {
    let directory = TemporaryDirectory()
    var path: String { directory.file("bioauthd.sock") }
    private let stopping: FileDescriptor

    /// Talks to one client; returning closes the connection.
    typealias Script = @Sendable (borrowing Peer) throws -> Void

    init(_ script: @escaping Script) throws {
        let socket = try SeqpacketSocket.listening(at: directory.file("bioauthd.sock"), mode: 0o666, backlog: 16)
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        stopping = FileDescriptor(owning: ends[1])
        let stopped = ends[0]
        ScriptedDaemon.serve(socket, until: stopped, script)
    }

    private static func serve(_ socket: consuming SeqpacketSocket, until stopped: Int32, _ script: @escaping Script) {
        let descriptor = dup(socket.descriptor.raw)
        Thread.detachNewThread {
            let listening = SeqpacketSocket(FileDescriptor(owning: descriptor))
            defer { close(stopped) }
            while true {
                var entries = [
                    pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: stopped, events: Int16(POLLIN), revents: 0),
                ]
                poll(&entries, 2, -1)
                if entries[1].revents != 0 { return }
                guard let accepted = try? listening.accept() else { continue }
                try? script(Peer(accepted))
            }
        }
    }

    /// The client at the other end.
    struct Peer: ~Copyable {
        private let socket: SeqpacketSocket

        init(_ socket: consuming SeqpacketSocket) { self.socket = socket }

        struct Gone: Error {}

        /// The next message; throws when the client has gone.
        func receive() throws -> ClientMessage { try ClientMessage(decoding: receiveBytes()) }

        func receiveBytes() throws -> [UInt8] {
            _ = try socket.waitReadable(milliseconds: 20_000)
            guard case .message(let bytes) = try socket.receive(limit: 8192) else { throw Gone() }
            return bytes
        }

        func send(_ message: DaemonMessage) throws { try send(message.encoded()) }

        func send(_ bytes: [UInt8]) throws { _ = try socket.send(bytes) }
    }
}
