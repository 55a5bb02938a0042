import Glibc

/// A file that one process at a time has (`flock`); let go when this goes, or the process ends.
public struct FileLock: ~Copyable {
    private let descriptor: FileDescriptor

    /// - Throws: EWOULDBLOCK when another process has it; what open says.
    public init(_ path: String) throws(SystemError) {
        descriptor = try FileLock.locked(path)
    }

    private static func locked(_ path: String) throws(SystemError) -> FileDescriptor {
        let raw = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard raw >= 0 else { throw .last("open \(path)") }
        let descriptor = FileDescriptor(owning: raw)
        _ = try retrying("lock \(path)") { flock(raw, LOCK_EX | LOCK_NB) }
        return descriptor
    }
}
