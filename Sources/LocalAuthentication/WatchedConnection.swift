import BioauthClient
import Foundation

/// A connection that is watched on one queue, which all share: no evaluation has a thread of its own.
final class WatchedConnection: Sendable {
    let connection: DaemonConnection
    // Both are made, set up and activated before anybody else has this; cancelling is for any thread.
    private nonisolated(unsafe) let readable: any DispatchSourceRead
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    /// Nothing of the program's runs on it, and nothing that blocks.
    static let queue = DispatchQueue(label: "LocalAuthentication.connections")

    init(_ connection: consuming DaemonConnection) {
        self.connection = connection
        readable = DispatchSource.makeReadSource(
            fileDescriptor: self.connection.descriptor, queue: WatchedConnection.queue)
        timer = DispatchSource.makeTimerSource(queue: WatchedConnection.queue)
    }

    /// Calls one of the two when something can be received, or the time is over. To be called once and right away: what was
    /// never active must not be let go.
    func watch(
        for time: Duration, onReadable: @escaping @Sendable () -> Void, onTimeout: @escaping @Sendable () -> Void
    ) {
        readable.setEventHandler(handler: onReadable)
        // The descriptor has to stay open for as long as it is watched: this holds the connection until then.
        readable.setCancelHandler { [self] in withExtendedLifetime(self) {} }
        timer.schedule(deadline: .now() + .milliseconds(Int(time.wireMilliseconds)))
        timer.setEventHandler(handler: onTimeout)
        readable.activate()
        timer.activate()
    }

    /// Watches no more. The connection is closed a moment later, when nobody else has it.
    func close() {
        readable.cancel()
        timer.cancel()
    }
}
