import Glibc

/// What `/proc/PID/stat` says of a process and its terminal.
public struct ProcessFacts: Hashable, Sendable {
    public let processGroup: Int32
    /// The device number of its controlling terminal; 0: it has none.
    public let terminal: Int32
    /// The terminal's foreground process group; -1: it has no terminal.
    public let foregroundGroup: Int32

    /// Nil when the process is gone or can't be looked at.
    public init?(pid: Int32) {
        guard let bytes = try? SmallFile.read("/proc/\(pid)/stat", limit: 4096) else { return nil }
        self.init(stat: String(decoding: bytes, as: UTF8.self))
    }

    /// Parses the line; the command's name in parentheses may hold anything, parentheses included.
    init?(stat: String) {
        guard let close = stat.lastIndex(of: ")") else { return nil }
        // After the name: state, ppid, pgrp, session, tty_nr, tpgid (proc(5)).
        let fields = stat[stat.index(after: close)...].split(separator: " ")
        guard fields.count > 5, let group = Int32(fields[2]), let terminal = Int32(fields[4]),
            let foreground = Int32(fields[5])
        else { return nil }
        processGroup = group
        self.terminal = terminal
        foregroundGroup = foreground
    }

    /// Whether it stands in the background of a terminal of its own.
    public var isInBackground: Bool { terminal != 0 && foregroundGroup != processGroup }
}
