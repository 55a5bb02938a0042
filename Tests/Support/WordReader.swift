import Foundation

/// The person at one of libfprint's virtual readers that take words for fingers (`virtual_device`).
public struct WordReader: Sendable {
    /// The Unix socket that the driver listens on while it is open.
    public let socketPath: String

    public init(socketPath: String) {
        self.socketPath = socketPath
    }

    public struct NotReached: Error {}

    public func touch(_ finger: String) throws { try tell("SCAN \(finger)") }

    /// A finger comes, or goes, and has shown nothing yet.
    public func finger(isPresent: Bool) throws { try tell("FINGER \(isPresent ? 1 : 0)") }

    /// Has the reader keep a print that nobody enrolled here, or lose one (`virtual_device_storage`).
    public func insert(_ finger: String) throws { try tell("INSERT \(finger)") }
    public func remove(_ finger: String) throws { try tell("REMOVE \(finger)") }

    /// Has what runs at the reader fail with that error of libfprint's (`FpDeviceError`).
    public func fail(_ error: Int) throws { try tell("ERROR \(error)") }

    /// Pulls the reader out. It doesn't come back in this process.
    public func unplug() throws { try tell("UNPLUG") }

    /// Gives one command, as soon as the reader is open, and waits until it has been taken.
    private func tell(_ command: String) throws {
        guard try eventually(within: .seconds(20), { try deliver(command) }) else { throw NotReached() }
    }

    private func deliver(_ command: String) throws -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw NotReached() }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socketPath.utf8.prefix($0.count - 1)) }
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else { return false }
        guard send(descriptor, command, command.utf8.count, Int32(MSG_NOSIGNAL)) == command.utf8.count else {
            return false
        }
        // The driver closes once it has read the command.
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, 0) == 0
    }
}
