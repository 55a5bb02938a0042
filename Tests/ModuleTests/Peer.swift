import Foundation
import Glibc
import Synchronization

/// A process at the other end of the module's socket that says whatever the test wants, sense or nonsense.
final class Peer: Sendable {
    private let listening: Int32
    private let accepted = Mutex(0)
    private let requests = Mutex<[[UInt8]]>([])
    private let finished = DispatchSemaphore(value: 0)
    private let stopping = Mutex(false)
    private let open = Mutex(0)

    /// Listens at `path`; each connection gets a thread that runs `script` and then closes it.
    init(at path: String, backlog: Int32 = 64, script: (@Sendable (Connection) -> Void)?) throws {
        listening = try Peer.listen(path, backlog)
        guard let script else {
            finished.signal()
            return
        }
        Thread.detachNewThread { [self] in
            accept(script)
            finished.signal()
        }
    }

    /// Whether all connections that there were have been closed by the module.
    var isIdle: Bool { open.withLock { $0 } == 0 && connections > 0 }

    /// How many connections were accepted.
    var connections: Int { accepted.withLock { $0 } }

    /// What the module sent first on each connection.
    var received: [Request] { requests.withLock { $0 }.compactMap(Request.init) }

    func stop() {
        guard
            stopping.withLock({ stopped in
                defer { stopped = true }
                return !stopped
            })
        else { return }
        shutdown(listening, Int32(SHUT_RDWR))
        finished.wait()
        Glibc.close(listening)
    }

    private func accept(_ script: @escaping @Sendable (Connection) -> Void) {
        let running = DispatchGroup()
        while true {
            let fd = Glibc.accept(listening, nil, nil)
            guard fd >= 0 else { break }
            open.withLock { $0 += 1 }
            accepted.withLock { $0 += 1 }
            running.enter()
            Thread.detachNewThread { [self] in
                let connection = Connection(fd: fd)
                if let first = connection.receive() { requests.withLock { $0.append(first) } }
                script(connection)
                Glibc.close(fd)
                open.withLock { $0 -= 1 }
                running.leave()
            }
        }
        running.wait()
    }

    static func address(_ path: String) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return address
    }

    static func socket() -> Int32 { Glibc.socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0) }

    private static func listen(_ path: String, _ backlog: Int32) throws -> Int32 {
        let fd = socket()
        var address = address(path)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(fd, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard fd >= 0, bound == 0, Glibc.listen(fd, backlog) == 0 else {
            throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
        return fd
    }
}

/// One accepted connection.
struct Connection: Sendable {
    let fd: Int32

    func send(_ bytes: [UInt8]) { _ = Glibc.send(fd, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    /// Sends until the module has gone. How many messages it took.
    func flood(_ bytes: [UInt8]) {
        while Glibc.send(fd, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0 {}
    }

    /// The next datagram; nil when the module has closed, or says nothing for 30 seconds.
    func receive() -> [UInt8]? {
        var polled = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, 30_000) > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = recv(fd, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }

    /// Waits until the module closes.
    func untilClosed() { while receive() != nil {} }

    /// Sends the bytes with a descriptor of /dev/null in their company.
    func sendWithDescriptor(_ bytes: [UInt8]) {
        let null = open("/dev/null", O_RDONLY)
        defer { close(null) }
        var control = [UInt8](repeating: 0, count: 24)
        control.withUnsafeMutableBytes {
            $0.storeBytes(of: 20, toByteOffset: 0, as: Int.self)
            $0.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: Int32.self)
            $0.storeBytes(of: Int32(SCM_RIGHTS), toByteOffset: 12, as: Int32.self)
            $0.storeBytes(of: null, toByteOffset: 16, as: Int32.self)
        }
        var bytes = bytes
        bytes.withUnsafeMutableBytes { data in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: data.baseAddress, iov_len: data.count)
                withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    _ = sendmsg(fd, &message, Int32(MSG_NOSIGNAL))
                }
            }
        }
    }
}
