import BioauthCore
import BioauthSystem
import BioauthWire

/// One client: its socket, who it is, what it is in the middle of.
@MainActor final class Connection {
    let peer: Peer
    /// The request that runs on it, if one does.
    var request: RequestID?
    /// The password turn it was granted and has not reported yet.
    var turn: (account: Account, peerUID: UInt32)?
    /// It has asked what readers keep, and hasn't heard all of it yet.
    var isAskingStorage = false
    /// Since when it has asked for nothing.
    var idleSince: Instant

    private let socket: SeqpacketSocket
    private let onMessage: @MainActor (Connection, [UInt8]) -> Void
    private let onClosed: @MainActor (Connection) -> Void
    private var unread: [[UInt8]] = []
    private var incoming: EventSource?
    private var outgoing: EventSource?
    private(set) var isClosed = false

    init(
        _ socket: consuming SeqpacketSocket, peer: Peer, at now: Instant,
        onMessage: @escaping @MainActor (Connection, [UInt8]) -> Void,
        onClosed: @escaping @MainActor (Connection) -> Void
    ) {
        self.socket = socket
        self.peer = peer
        idleSince = now
        self.onMessage = onMessage
        self.onClosed = onClosed
        resume()
    }

    /// Takes no message until `resume`: what comes meanwhile waits, the end of the connection too.
    func pause() {
        incoming?.cancel()
        incoming = nil
    }

    func resume() {
        guard !isClosed, incoming == nil else { return }
        // A crowd of others doesn't keep root waiting, and no crowd the reader.
        incoming = EventLoop.watch(descriptor, for: .readable, urgency: peer.isRoot ? .root : .anybody) {
            [weak self] _ in self?.readable()
        }
    }

    /// What the other end is, to the kernel.
    var descriptor: Int32 { socket.descriptor.raw }

    /// Sends now what can be sent, and the rest when the client has read. One that doesn't read is let go.
    func send(_ message: DaemonMessage) {
        guard !isClosed else { return }
        guard unread.isEmpty else { return keep(message.encoded()) }
        let bytes = message.encoded()
        switch try? socket.send(bytes) {
        case .sent: break
        case .full: keep(bytes)
        case .closed, nil: close()
        }
    }

    private func keep(_ bytes: [UInt8]) {
        guard unread.count < Limits.unreadMessages else { return close() }
        unread.append(bytes)
        if outgoing == nil {
            outgoing = EventLoop.watch(descriptor, for: .writable, urgency: .anybody) { [weak self] _ in
                self?.writable()
            }
        }
    }

    /// Ends the connection. What has been sent can still be read by the other end.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        incoming?.cancel()
        outgoing?.cancel()
        incoming = nil
        outgoing = nil
        unread = []
        onClosed(self)
    }

    /// The last word, and the end.
    func refuse(_ problem: Problem) {
        send(.problem(problem))
        close()
    }

    private func readable() {
        do {
            switch try socket.receive(limit: Limits.messageBytes) {
            case .message(let bytes): onMessage(self, bytes)
            case .oversized: refuse(.oversized)
            case .closed: close()
            case .nothing: break
            }
        } catch {
            close()
        }
    }

    private func writable() {
        while let next = unread.first {
            switch try? socket.send(next) {
            case .sent: unread.removeFirst()
            case .full: return
            case .closed, nil: return close()
            }
        }
        outgoing?.cancel()
        outgoing = nil
    }
}
