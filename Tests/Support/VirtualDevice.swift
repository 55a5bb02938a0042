import Foundation

/// libfprint's virtual device whose fingers are words: takes one text command a connection, `SCAN right`.
public struct VirtualDevice: Sendable {
    private let path: String

    /// - Parameter path: what `FP_VIRTUAL_DEVICE`, or `FP_VIRTUAL_DEVICE_STORAGE`, names.
    public init(path: String) {
        self.path = path
    }

    /// Gives a command, and waits until the device has taken it.
    public func tell(_ command: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let outcome = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard outcome == 0 else { throw POSIXError(.ECONNREFUSED) }
        guard send(descriptor, command, command.utf8.count, Int32(MSG_NOSIGNAL)) == command.utf8.count else {
            throw POSIXError(.EPIPE)
        }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 10_000) == 1 else { throw POSIXError(.ETIMEDOUT) }
    }
}
