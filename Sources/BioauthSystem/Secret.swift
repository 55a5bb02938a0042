import CLinux

/// Overwrites the bytes where they are (`explicit_bzero`). Nobody else may hold the array: its copy would stay.
public func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { memory in
        if let start = memory.baseAddress { clinux_wipe(start, memory.count) }
    }
}

/// A password while it is needed: memory that never moves and never grows, wiped when its owner goes.
public struct SecretBytes: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer
    /// How many bytes were given.
    public private(set) var count = 0

    /// Room for `capacity` bytes (at least 1).
    public init(capacity: Int) {
        memory = .allocate(byteCount: capacity, alignment: 1)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        clinux_wipe(memory.baseAddress!, memory.count)
        memory.deallocate()
    }

    /// Takes one more byte; false when there is no room for it.
    public mutating func append(_ byte: UInt8) -> Bool {
        guard count < memory.count else { return false }
        memory[count] = byte
        count += 1
        return true
    }

    /// Forgets the last character given, in UTF-8.
    public mutating func removeLastCharacter() {
        var isContinuation = true
        while count > 0 && isContinuation {
            count -= 1
            isContinuation = memory[count] & 0xC0 == 0x80
            memory[count] = 0
        }
    }

    /// Forgets what was given.
    public mutating func removeAll() {
        clinux_wipe(memory.baseAddress!, memory.count)
        count = 0
    }

    /// Lends the bytes as an array for one call, and wipes that too. The body must not keep it.
    public borrowing func withArray<R>(_ body: (borrowing [UInt8]) -> R) -> R {
        var array = [UInt8](memory[..<count])
        defer { wipe(&array) }
        return body(array)
    }
}
