import Glibc

/// A call of the operating system that failed, with its `errno`.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    public let call: String
    public let number: Int32

    public init(_ call: String, errno number: Int32) {
        self.call = call
        self.number = number
    }

    /// The failure of the call that was just made.
    static func last(_ call: String) -> SystemError { SystemError(call, errno: errno) }

    public var description: String { "\(call): \(String(cString: strerror(number)))" }
}

/// Calls again for as long as a signal interrupts.
func retrying<N: SignedInteger>(_ call: String, _ body: () -> N) throws(SystemError) -> N {
    while true {
        let result = body()
        if result >= 0 { return result }
        if errno != EINTR { throw .last(call) }
    }
}

/// An open descriptor, closed when its owner goes.
public struct FileDescriptor: ~Copyable, Sendable {
    public let raw: Int32

    /// Takes the descriptor over.
    public init(owning raw: Int32) {
        self.raw = raw
    }

    deinit {
        close(raw)
    }
}

extension SystemError {
    /// There is no such file or directory.
    public var isMissing: Bool { number == ENOENT }
    /// The path leads to nothing that could be read: to nowhere, in a circle, or to a directory.
    public var isNoFile: Bool { [ENOENT, ENOTDIR, ELOOP, EISDIR].contains(number) }
    /// Somebody else has it.
    public var isBusy: Bool { number == EWOULDBLOCK }
    /// It isn't allowed.
    public var isForbidden: Bool { number == EACCES || number == EPERM }
}
