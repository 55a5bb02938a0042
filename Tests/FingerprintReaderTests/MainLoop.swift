import CGLib
import XCTest

/// Runs a test's body on the main actor. XCTest calls tests on the main thread, with nothing beside them in the
/// process, which is what libfprint and the count of descriptors want; it doesn't find tests of the main actor here.
func onMainActor(_ body: @MainActor () throws -> Void) rethrows {
    try MainActor.assumeIsolated(body)
}

/// Turns GLib's default main context until the condition holds; throws where it doesn't in time.
@MainActor func turn(
    upTo seconds: Double = 10, file: StaticString = #filePath, line: UInt = #line, until condition: () -> Bool
) throws {
    let deadline = g_get_monotonic_time() + gint64(seconds * 1_000_000)
    // Wakes the loop for conditions that no source of its own brings about.
    let tick = g_timeout_add(1, { _ in 1 }, nil)
    defer { g_source_remove(tick) }
    while !condition() {
        _ = try XCTUnwrap(
            g_get_monotonic_time() < deadline ? () : nil, "nothing happened in time", file: file, line: line)
        g_main_context_iteration(nil, 1)
    }
}

/// Turns the context until nothing is due any more, for what must not happen.
@MainActor func settle() {
    while g_main_context_iteration(nil, 0) != 0 {}
}

/// Milliseconds that a body takes.
@MainActor func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = g_get_monotonic_time()
    try body()
    return Double(g_get_monotonic_time() - start) / 1000
}

/// What a callback told, in order.
@MainActor final class Told<Value> {
    private(set) var values: [Value] = []

    func append(_ value: Value) {
        values.append(value)
    }

    func forget() {
        values = []
    }

    /// Waits for the first, and for it to stay the only one.
    func one(file: StaticString = #filePath, line: UInt = #line) throws -> Value {
        try turn(file: file, line: line) { !values.isEmpty }
        settle()
        XCTAssertEqual(values.count, 1, "told more than once", file: file, line: line)
        return values[0]
    }
}
