/// The person at libfprint's virtual image reader (`virtual_image`): puts fingers on it, lifts them, pulls its plug.
///
/// Each gesture waits until the reader wants a finger, because only then does the driver read what it is sent, and
/// returns when the reader has taken it. So a gesture must not come from the thread that drives the reader. What the
/// reader is still busy with when the next finger comes is up to the caller: a touch during the comparison of the last
/// one is lost, as on other readers.
public struct VirtualReader: Sendable {
    /// The Unix socket that `FP_VIRTUAL_IMAGE` names; it is there once the reader was opened.
    public let socketPath: String
    /// How long a gesture waits for the reader.
    public let patience: Duration

    public init(socketPath: String, patience: Duration = .seconds(10)) {
        self.socketPath = socketPath
        self.patience = patience
    }

    /// Touches the reader, and lifts the finger again or, without `lifting`, leaves it there until `finger(on: false)`.
    public func touch(_ image: FingerImage, lifting: Bool = true) throws(VirtualReaderError) {
        let picture = Message.bytes(Int32(image.width), Int32(image.height)) + image.pixels
        try deliver(lifting ? picture : Message.automaticFinger(false) + Message.finger(true) + picture)
    }

    /// Lets the reader feel a finger come or go, and see nothing.
    public func finger(on isOn: Bool) throws(VirtualReaderError) {
        try deliver(Message.finger(isOn))
    }

    /// Touches the reader for a scan that doesn't count.
    ///
    /// - Parameter code: why, an `FpDeviceRetry`.
    public func retry(_ code: Int32) throws(VirtualReaderError) {
        try deliver(Message.finger(true) + Message.retry(code), then: Message.finger(false))
    }

    /// Has the reader fail.
    ///
    /// - Parameter code: how, an `FpDeviceError`.
    public func error(_ code: Int32) throws(VirtualReaderError) {
        try deliver(Message.error(code))
    }

    /// Pulls the reader out. It doesn't come back in this process.
    public func unplug() throws(VirtualReaderError) {
        try deliver(Message.unplug)
    }

    /// - Parameters:
    ///   - gesture: what the reader has to take whole.
    ///   - rest: what follows, of which it may close before it takes it.
    private func deliver(_ gesture: [UInt8], then rest: [UInt8] = []) throws(VirtualReaderError) {
        let deadline = ContinuousClock.now + patience
        while true {
            do throws(VirtualReaderConnection.Failure) {
                let connection = try VirtualReaderConnection(to: socketPath)
                // Taken only by a reader that wants a finger; left behind after the deadline, it does no harm, as the
                // gesture would.
                try connection.put(Message.automaticFinger(true), before: deadline)
                try connection.put(gesture, before: deadline)
                connection.end(with: rest, before: deadline)
                return
            } catch {
                switch error {
                case .closed where ContinuousClock.now < deadline: VirtualReaderConnection.pause()
                case .closed, .late: throw .notReached
                case .refused(let error): throw error
                }
            }
        }
    }
}

/// Why a gesture didn't reach the reader.
public enum VirtualReaderError: Error, Hashable, Sendable {
    /// It took nothing in time: closed, or not waiting for a finger, or busy with somebody else's.
    case notReached
    /// The path of the socket is longer than such paths may be (107 bytes), or holds a null byte.
    case unusablePath
    /// The operating system refused (`errno`).
    case refused(Int32)
}

/// What the driver understands: two 32-bit numbers in the machine's order, and after a size the pixels.
private enum Message {
    static let unplug = bytes(-5, 0)

    static func retry(_ code: Int32) -> [UInt8] { bytes(-1, code) }
    static func error(_ code: Int32) -> [UInt8] { bytes(-2, code) }
    /// Whether an image stands for a finger that comes and goes; it does on each new connection.
    static func automaticFinger(_ isOn: Bool) -> [UInt8] { bytes(-3, isOn ? 1 : 0) }
    static func finger(_ isOn: Bool) -> [UInt8] { bytes(-4, isOn ? 1 : 0) }

    static func bytes(_ first: Int32, _ second: Int32) -> [UInt8] {
        [first, second].flatMap { number in
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
    }
}
