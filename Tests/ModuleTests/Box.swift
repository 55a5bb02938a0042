import Synchronization

/// A value that a test and the threads of its peer share.
final class Box<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) { mutex = Mutex(value) }

    var value: Value { mutex.withLock { $0 } }
    func change(_ body: @Sendable (inout Value) -> Void) { mutex.withLock { body(&$0) } }
    func append<Element: Sendable>(_ element: Element) where Value == [Element] {
        mutex.withLock { $0.append(element) }
    }
}
