import Glibc

/// A connection to the virtual reader's socket.
///
/// The driver never sends a byte, so whether it took something shows only in what the kernel still holds for it. It
/// drops its client for the next one, perhaps with an image that it has just read: clients take turns, by a lock on
/// the socket's directory.
final class VirtualReaderConnection {
    enum Failure: Error {
        /// There is no reader behind the socket, or it closed the connection, or it is another client's turn. May be
        /// otherwise soon.
        case closed
        /// The deadline passed.
        case late
        /// Trying again would not help.
        case refused(VirtualReaderError)
    }

    /// The socket's directory, locked for as long as it is open.
    private var turn: Int32 = -1
    private var socket: Int32 = -1

    init(to path: String) throws(Failure) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        guard !name.isEmpty, name.count < MemoryLayout.size(ofValue: address.sun_path), !name.contains(0) else {
            throw .refused(.unusablePath)
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }

        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        turn = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard turn >= 0, flock(turn, LOCK_EX | LOCK_NB) == 0 else { throw Self.failure() }

        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        socket = Glibc.socket(AF_UNIX, Int32(type), 0)
        guard socket >= 0 else { throw Self.failure() }
        let connected = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else { throw Self.failure() }
    }

    deinit {
        for descriptor in [socket, turn] where descriptor >= 0 { close(descriptor) }
    }

    /// Sends all of the bytes and waits until the reader has taken them, whatever it does then.
    func put(_ bytes: [UInt8], before deadline: ContinuousClock.Instant) throws(Failure) {
        try send(bytes, before: deadline)
        while try unread > 0 { try wait(before: deadline) }
        // A reader that closes drops what it hasn't read, but not without leaving an error.
        guard try pendingError == 0 else { throw .closed }
    }

    /// Sends the last bytes and waits until the reader closes, so that it is free for the next client.
    func end(with bytes: [UInt8], before deadline: ContinuousClock.Instant) {
        do throws(Failure) {
            try send(bytes, before: deadline)
            shutdown(socket, Int32(SHUT_WR))
            while try !wait(before: deadline) {}
        } catch {
            // Either way the reader has what it was to take.
        }
    }

    /// Between two tries where nothing tells that the next would go better.
    static func pause() {
        _ = poll(nil, 0, 2)
    }

    private func send(_ bytes: [UInt8], before deadline: ContinuousClock.Instant) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if sent >= 0 {
                rest = rest.dropFirst(sent)
            } else if errno == EAGAIN {
                try wait(for: POLLOUT, before: deadline)
            } else if errno != EINTR {
                throw Self.failure()
            }
        }
    }

    /// What the kernel still holds because the reader hasn't read it (`SIOCOUTQ`), in bytes of its memory.
    private var unread: Int32 {
        get throws(Failure) {
            var count: Int32 = 0
            guard unsafe ioctl(socket, UInt(TIOCOUTQ), &count) == 0 else { throw Self.failure() }
            return count
        }
    }

    /// The error that happened to the connection since the last look (`SO_ERROR`), or 0.
    private var pendingError: Int32 {
        get throws(Failure) {
            var value: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            guard unsafe getsockopt(socket, SOL_SOCKET, SO_ERROR, &value, &size) == 0 else {
                throw Self.failure()
            }
            return value
        }
    }

    /// Waits for the event or for the reader to close, a millisecond at the most; tells whether it closed.
    @discardableResult
    private func wait(for event: Int32 = 0, before deadline: ContinuousClock.Instant) throws(Failure) -> Bool {
        guard ContinuousClock.now < deadline else { throw .late }
        var polled = pollfd(fd: socket, events: Int16(event), revents: 0)
        guard unsafe poll(&polled, 1, 1) >= 0 || errno == EINTR else { throw Self.failure() }
        return Int32(polled.revents) & POLLHUP != 0
    }

    /// What `errno` means here.
    private static func failure() -> Failure {
        switch errno {
        // Not opened yet; closed; others wait to be let in; another client's turn; closed meanwhile.
        case ENOENT, ECONNREFUSED, EAGAIN, EPIPE, ECONNRESET, EINTR: .closed
        case let code: .refused(.refused(code))
        }
    }
}
