import Foundation

/// Waits for something that nothing tells of, looking every few milliseconds; false when it didn't come in time.
public func eventually(within time: Duration = .seconds(10), _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = ContinuousClock.now + time
    while try !condition() {
        guard ContinuousClock.now < deadline else { return false }
        _ = poll(nil, 0, 5)
    }
    return true
}
