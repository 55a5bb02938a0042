import Foundation

/// Whether a text is anywhere in a process's writable memory.
public func memory(of pid: pid_t, holds text: String) throws -> Bool {
    let file = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    defer { close(file) }
    let wanted = Data(text.utf8)
    for line in try String(contentsOfFile: "/proc/\(pid)/maps", encoding: .utf8).split(separator: "\n") {
        let fields = line.split(separator: " ")
        let bounds = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
        guard fields[1].hasPrefix("rw"), bounds.count == 2 else { continue }
        var region = Data(count: Int(bounds[1] - bounds[0]))
        let count = region.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, off_t(bounds[0])) }
        if count > 0, region[..<count].range(of: wanted) != nil { return true }
    }
    return false
}
