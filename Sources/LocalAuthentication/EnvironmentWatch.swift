import BioauthClient
import BioauthCore
import BioauthWire
import Foundation

/// Looks again whenever the daemon tells that something has happened, and when a lockout is over; and for the daemon itself
/// while that is gone, less and less often.
final class EnvironmentWatch: Sendable {
    private let socketPath: String
    /// All of it happens on here, the program's part included.
    private let queue = DispatchQueue(label: "LocalAuthentication.environment")
    private let state = Locked(State())

    private struct State {
        /// False: there is nobody to be told any more.
        var told: (@Sendable (LAEnvironment.Facts?) -> Bool)?
        var connection: WatchedConnection?
        var failures = 0
        /// How often it was said when to look again: the last word counts.
        var looks = 0
    }

    private static let firstDelay = Duration.seconds(1)
    private static let longestDelay = Duration.seconds(60)
    /// How long a connection is watched before it is made anew.
    private static let watchTime = Duration.seconds(24 * 3600)

    init(_ socketPath: String) {
        self.socketPath = socketPath
    }

    /// How it stands now; nil: nobody answers.
    static func look(at socketPath: String) -> LAEnvironment.Facts? { examine(at: socketPath).map { .init($0) } }

    private static func examine(at socketPath: String) -> Examination? {
        Program.account.flatMap { try? Examination(of: $0, .deviceOwnerAuthentication, at: socketPath) }
    }

    /// Begins, and tells of all that comes after what it returns.
    func start(_ told: @escaping @Sendable (LAEnvironment.Facts?) -> Bool) -> LAEnvironment.Facts? {
        state.withLock { $0.told = told }
        connect()
        let now = EnvironmentWatch.look(at: socketPath)
        // What has happened before the watch began, and when it has to be looked at again.
        queue.async { [self] in look() }
        return now
    }

    /// Ends it. Somebody may just be being told.
    func stop() {
        let connection = state.withLock { state in
            defer { state = State(looks: state.looks + 1) }
            return state.connection
        }
        connection?.close()
    }

    private func connect() {
        guard let connection = try? WatchedConnection(DaemonConnection(path: socketPath)) else { return }
        let isWanted = state.withLock { state in
            guard state.told != nil else { return false }
            state.connection = connection
            return true
        }
        connection.watch(for: EnvironmentWatch.watchTime) { [weak self] in
            self?.hear(connection)
        } onTimeout: { [weak self] in
            self?.lost(connection)
        }
        guard isWanted, (try? connection.connection.send(.watch)) != nil else { return lost(connection) }
    }

    /// Whatever happened: it is looked at as a whole.
    private func hear(_ connection: WatchedConnection) {
        do {
            while true {
                _ = try connection.connection.receive(within: .zero)
                state.withLock { $0.failures = 0 }
            }
        } catch .timedOut {
            queue.async { [self] in look() }
        } catch {
            lost(connection)
        }
    }

    /// One that is taken and closed at once is a failure too: the next is made no sooner than after any other.
    private func lost(_ connection: WatchedConnection) {
        connection.close()
        state.withLock { state in
            if state.connection === connection { state.connection = nil }
            state.failures += 1
        }
        queue.async { [self] in look() }
    }

    private func lookAnew() {
        if state.withLock({ $0.connection == nil && $0.told != nil }) {
            connect()
            state.withLock { if $0.connection == nil { $0.failures += 1 } }
        }
        look()
    }

    private func look() {
        guard let told = state.withLock({ $0.told }) else { return }
        let examination = EnvironmentWatch.examine(at: socketPath)
        guard told(examination.map { .init($0) }) else { return stop() }
        if state.withLock({ $0.connection == nil }) { return lookAgain(after: delay) }
        lookAgain(after: examination?.denial?.endsIn)
    }

    private var delay: Duration {
        let doublings = state.withLock { min($0.failures, 7) } - 1
        return min(EnvironmentWatch.firstDelay * (1 << max(doublings, 0)), EnvironmentWatch.longestDelay)
    }

    /// Looks again after so long, unless it is asked for otherwise before; nil: not by itself.
    private func lookAgain(after time: Duration?) {
        let number = state.withLock { state in
            state.looks += 1
            return state.looks
        }
        guard let time else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(time.wireMilliseconds) + 1)) { [weak self] in
            if let self, state.withLock({ $0.looks == number }) { lookAnew() }
        }
    }
}
