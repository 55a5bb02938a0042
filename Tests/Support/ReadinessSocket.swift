import Foundation

/// A socket like the service manager's, which a daemon tells how it stands (`sd_notify`).
final class ReadinessSocket {
    let path: String
    private let descriptor: Int32

    init(in directory: TemporaryDirectory) throws {
        path = directory.file("notify-\(UUID().uuidString.prefix(4))")
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // Whoever the daemon runs as.
        guard bound == 0, chmod(path, 0o666) == 0 else { throw POSIXError(.EIO) }
    }

    deinit { close(descriptor) }

    /// Waits for a message that has this line; false when none came in time.
    func wait(for line: String, milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, milliseconds) > 0 {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return false }
            if String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").contains(Substring(line)) {
                return true
            }
        }
        return false
    }
}
