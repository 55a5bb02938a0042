import CGLib
import CLinux
import Glibc

/// Has the loop give back what isn't needed for now, free heap and mapped code, once it has nothing else to do. GLib calls
/// that itself: Swift would map its code again on the way out.
public func releaseUnneededMemory() {
    g_idle_add(clinux_release_memory, nil)
}

/// Random bytes of the kernel's (`getrandom`); nil when there are none to be had.
public func randomBytes(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let result = bytes.withUnsafeMutableBytes { clinux_random($0.baseAddress, $0.count) }
    return result == 0 ? bytes : nil
}

/// Raises the soft limit of open files to the hard one, as every connection takes a descriptor.
public func raiseOpenFileLimit() {
    _ = clinux_raise_open_files()
}

/// Writes one line to standard error.
public func sayOnStandardError(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    bytes.withUnsafeBytes { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
