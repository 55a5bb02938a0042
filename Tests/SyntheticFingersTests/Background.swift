import CGLib
import Foundation
import Synchronization
import Testing

/// Work on a thread of its own, as what people do to a reader is not done by the thread that drives it.
final class Background<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    init(_ body: @escaping @Sendable () throws -> Value) {
        Thread.detachNewThread {
            let result = Result(catching: body)
            self.result.withLock { $0 = result }
        }
    }

    var isOver: Bool { result.withLock { $0 != nil } }

    /// What the work came to, while the main loop turns.
    @MainActor func value() throws -> Value {
        try turn { isOver }
        return try result.withLock { try $0!.get() }
    }
}

struct NothingHappened: Error {}

/// Turns GLib's default main context until the condition holds; throws where it doesn't in time.
@MainActor func turn(upTo limit: Duration = .seconds(20), until condition: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + limit
    // Wakes the loop for what another thread brings about.
    let tick = g_timeout_add(1, { _ in 1 }, nil)
    defer { g_source_remove(tick) }
    while try !condition() {
        guard ContinuousClock.now < deadline else { throw NothingHappened() }
        g_main_context_iteration(nil, 1)
    }
}
