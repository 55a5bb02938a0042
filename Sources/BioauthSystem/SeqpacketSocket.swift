import CLinux
import Glibc

/// A Unix socket that keeps messages apart (`SOCK_SEQPACKET`), always non-blocking and closed on exec.
public struct SeqpacketSocket: ~Copyable, Sendable {
    public let descriptor: FileDescriptor

    public init(_ descriptor: consuming FileDescriptor) {
        self.descriptor = descriptor
    }

    /// A socket that listens at a path of the file system; one that was left there, and nobody listens at, is replaced.
    ///
    /// - Parameters:
    ///   - mode: the socket's permissions, whatever the umask is.
    ///   - backlog: connections that may wait to be accepted.
    /// - Throws: `SystemError` of socket, unlink, fchmod, bind, chmod or listen; EADDRINUSE when somebody listens there, or
    ///   something else than a socket lies there; ENAMETOOLONG for a path over 107 bytes.
    public static func listening(at path: String, mode: mode_t, backlog: Int32) throws(SystemError) -> SeqpacketSocket {
        let socket = try unconnected()
        var address = try address(of: path)
        try removeStale(path)
        // Linux gives the file the permissions of the socket: none for others until it is opened up once bound. The umask
        // is the whole process's, and its other threads make files, too.
        guard fchmod(socket.descriptor.raw, 0o600) == 0 else { throw .last("fchmod \(path)") }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket.descriptor.raw, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0 else { throw .last("bind \(path)") }
        guard chmod(path, mode) == 0 else { throw .last("chmod \(path)") }
        guard listen(socket.descriptor.raw, backlog) == 0 else { throw .last("listen \(path)") }
        return socket
    }

    /// Connects. It waits only where more want to than the one who listens has accepted yet.
    ///
    /// - Parameter seconds: how long it waits then.
    /// - Throws: ENOENT and ECONNREFUSED where nobody listens, EAGAIN where the backlog stays full.
    public static func connected(to path: String, patience seconds: Int = 0) throws(SystemError) -> SeqpacketSocket {
        let socket = try unconnected()
        let raw = socket.descriptor.raw
        var address = try address(of: path)
        func connect() throws(SystemError) {
            _ = try retrying("connect \(path)") {
                withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        Glibc.connect(raw, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                    }
                }
            }
        }
        do {
            try connect()
        } catch {
            guard error.number == EAGAIN, seconds > 0 else { throw error }
            // A place in the line can't be polled for; a blocking socket waits for one.
            var patience = timeval(tv_sec: seconds, tv_usec: 0)
            setsockopt(raw, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
            let flags = fcntl(raw, F_GETFL)
            _ = fcntl(raw, F_SETFL, flags & ~O_NONBLOCK)
            try connect()
            _ = fcntl(raw, F_SETFL, flags)
        }
        return socket
    }

    /// The next connection that waits, or nil when none does.
    ///
    /// - Throws: EMFILE and its like; a connection that was gone already counts as none.
    public func accept() throws(SystemError) -> SeqpacketSocket? {
        while true {
            let raw = clinux_accept(descriptor.raw)
            if raw >= 0 { return SeqpacketSocket(FileDescriptor(owning: raw)) }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EAGAIN: return nil
            default: throw .last("accept")
            }
        }
    }

    /// Who is at the other end: as it was when the connection was made, by the kernel's word.
    public func peer() throws(SystemError) -> (uid: uid_t, pid: pid_t) {
        var (pid, uid, gid) = (pid_t(), uid_t(), gid_t())
        guard clinux_peer_credentials(descriptor.raw, &pid, &uid, &gid) == 0 else { throw .last("SO_PEERCRED") }
        return (uid, pid)
    }

    public enum Received {
        /// One whole message.
        case message([UInt8])
        /// One that was longer than allowed; it is gone.
        case oversized
        /// The peer is gone.
        case closed
        /// Nothing is there now.
        case nothing
    }

    /// Takes the next message of at most `limit` bytes, without waiting.
    public func receive(limit: Int) throws(SystemError) -> Received {
        var length = 0
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            repeat {
                length = clinux_receive(descriptor.raw, buffer.baseAddress, limit)
                failure = errno
            } while length < 0 && failure == EINTR
            count = min(max(length, 0), limit)
        }
        if length > limit { return .oversized }
        if length > 0 { return .message(bytes) }
        if length == 0 || failure == ECONNRESET { return .closed }
        if failure == EAGAIN { return .nothing }
        throw SystemError("recv", errno: failure)
    }

    public enum Sent {
        case sent
        /// The peer reads too slowly: try again when the socket is writable.
        case full
        case closed
    }

    /// Sends one message, whole or not at all, without waiting.
    public func send(_ message: [UInt8]) throws(SystemError) -> Sent {
        while true {
            let count = message.withUnsafeBytes {
                Glibc.send(descriptor.raw, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            }
            if count >= 0 { return .sent }
            switch errno {
            case EINTR: continue
            case EAGAIN, ENOBUFS: return .full
            case EPIPE, ECONNRESET: return .closed
            default: throw .last("send")
            }
        }
    }

    /// Waits until the socket can be read, or has been closed; false when the deadline passed first.
    ///
    /// - Parameter milliseconds: at most so long; negative: for ever. A signal that interrupts doesn't prolong it.
    public func waitReadable(milliseconds: Int32) throws(SystemError) -> Bool {
        let end = milliseconds < 0 ? Int64.max : BootClock.now() + Int64(milliseconds) * 1_000_000
        while true {
            var entry = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
            let left = end == .max ? -1 : max(0, (end - BootClock.now() + 999_999) / 1_000_000)
            let ready = poll(&entry, 1, Int32(clamping: left))
            if ready > 0 { return true }
            if ready == 0 { return false }
            if errno != EINTR { throw .last("poll") }
        }
    }

    /// Removes a socket that nobody listens at. Anything else stays, and stands in the way of `bind`.
    private static func removeStale(_ path: String) throws(SystemError) {
        var info = stat()
        guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFSOCK else { return }
        do {
            _ = try connected(to: path)
        } catch  where error.number == ECONNREFUSED {
            guard unlink(path) == 0 else { throw .last("unlink \(path)") }
        } catch {
            return
        }
    }

    private static func unconnected() throws(SystemError) -> SeqpacketSocket {
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let raw = socket(AF_UNIX, type, 0)
        guard raw >= 0 else { throw .last("socket") }
        return SeqpacketSocket(FileDescriptor(owning: raw))
    }

    private static func address(of path: String) throws(SystemError) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard !bytes.isEmpty, bytes.count < room, !bytes.contains(0) else {
            throw SystemError("socket path \(path)", errno: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }
}
