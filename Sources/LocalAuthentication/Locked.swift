import Foundation

/// A value that one thread at a time may touch.
///
/// It is what the standard library's `Mutex` is, over a lock that Thread Sanitizer sees.
final class Locked<Value: ~Copyable>: @unchecked Sendable {
    private let lock = NSLock()
    // Touched only while the lock is held.
    private var value: Value

    init(_ value: consuming sending Value) {
        self.value = value
    }

    func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
