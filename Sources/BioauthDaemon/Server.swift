import BioauthCore
import BioauthSystem
import BioauthWire

/// The socket, and everybody who is connected to it. Here are the limits on how many may be.
@MainActor final class Server {
    private let socket: SeqpacketSocket
    private let rootUIDs: Set<UInt32>
    private let onRefused: @MainActor (Peer) -> Void
    private let log: Log
    private let onMessage: @MainActor (Connection, [UInt8]) -> Void
    private let onClosed: @MainActor (Connection) -> Void

    private var accepting: EventSource?
    private var sweeping: EventSource?
    private(set) var connections: [ObjectIdentifier: Connection] = [:]
    /// Those that want to hear of what happens: few, so that telling them doesn't cost a walk over all.
    private(set) var watchers: [ObjectIdentifier: Connection] = [:]
    private var ofUser: [UInt32: Int] = [:]
    private var notRoot = 0

    /// Connections accepted in one go before others get their turn.
    private static let acceptedAtOnce = 32
    /// How long to wait before accepting again when descriptors have run out.
    private static let pauseMilliseconds: UInt32 = 100

    /// - Parameters:
    ///   - rootUIDs: the users whose word counts as root's.
    ///   - onRefused: hears of peers for whom there was no room.
    init(
        _ socket: consuming SeqpacketSocket, rootUIDs: Set<UInt32>, onRefused: @escaping @MainActor (Peer) -> Void,
        log: Log,
        onMessage: @escaping @MainActor (Connection, [UInt8]) -> Void,
        onClosed: @escaping @MainActor (Connection) -> Void
    ) {
        self.socket = socket
        self.rootUIDs = rootUIDs
        self.onRefused = onRefused
        self.log = log
        self.onMessage = onMessage
        self.onClosed = onClosed
    }

    func start() {
        accepting = EventLoop.watch(socket.descriptor.raw, for: .readable, urgency: .anybody) {
            [weak self] _ in self?.accept()
        }
    }

    /// Accepts nobody any more, and tells everybody who is connected.
    func stop() {
        accepting?.cancel()
        sweeping?.cancel()
        for connection in connections.values { connection.refuse(.stopping) }
    }

    private func accept() {
        do {
            for _ in 0..<Server.acceptedAtOnce {
                guard let accepted = try socket.accept() else { return }
                admit(accepted)
            }
        } catch {
            log.write(.warning, "A connection could not be accepted: \(error)")
            accepting?.cancel()
            accepting = EventLoop.after(milliseconds: Server.pauseMilliseconds) { [weak self] in self?.start() }
        }
    }

    private func admit(_ accepted: consuming SeqpacketSocket) {
        guard let (uid, pid) = try? accepted.peer() else { return }
        let peer = Peer(uid: uid, pid: pid, isRoot: rootUIDs.contains(uid))
        let connection = Connection(
            accepted, peer: peer, at: BootClock.instant, onMessage: onMessage,
            onClosed: { [weak self] in self?.forget($0) })
        guard hasRoom(for: peer) else {
            onRefused(peer)
            return connection.refuse(.tooMany)
        }
        connections[ObjectIdentifier(connection)] = connection
        if !peer.isRoot {
            notRoot += 1
            ofUser[uid, default: 0] += 1
        }
        if sweeping == nil { sweepLater() }
    }

    func watch(_ connection: Connection) {
        guard !connection.isClosed else { return }
        watchers[ObjectIdentifier(connection)] = connection
    }

    private func hasRoom(for peer: Peer) -> Bool {
        guard connections.count < Limits.connections else { return false }
        return peer.isRoot
            || (notRoot < Limits.connections - Limits.connectionsForRoot
                && ofUser[peer.uid, default: 0] < Limits.connectionsPerUser)
    }

    private func forget(_ connection: Connection) {
        let id = ObjectIdentifier(connection)
        guard connections.removeValue(forKey: id) != nil else { return }
        watchers[id] = nil
        if !connection.peer.isRoot {
            notRoot -= 1
            let left = ofUser[connection.peer.uid, default: 1] - 1
            ofUser[connection.peer.uid] = left == 0 ? nil : left
        }
        onClosed(connection)
    }

    /// Lets those go that ask for nothing. One timer for all, and none while nobody is connected: the last gives back
    /// the memory that they took.
    private func sweepLater() {
        let milliseconds = Limits.idleConnection.wireMilliseconds / 4
        sweeping = EventLoop.after(milliseconds: milliseconds) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        sweeping = nil
        let now = BootClock.instant
        for (id, connection) in connections
        where connection.request == nil && watchers[id] == nil && connection.turn == nil
            && !connection.isAskingStorage && now - connection.idleSince >= Limits.idleConnection
        {
            connection.refuse(.idle)
        }
        if connections.isEmpty { releaseUnneededMemory() } else { sweepLater() }
    }
}

extension BootClock {
    static var instant: Instant { Instant(nanoseconds: now()) }
}
