import Glibc

/// What `/proc/PID/stat` says of a process and its terminal.
public struct ProcessFacts: Hashable, Sendable {
    public let processGroup: Int32
    /// The device number of its controlling terminal; 0: it has none.
    public let terminal: Int32
    /// The terminal's foreground process group; -1: it has no terminal.
    public let foregroundGroup: Int32
    /// When it was started, in clock ticks since boot.
    public let started: UInt64

    /// The real uid of a process (`/proc/PID/status`), which stays its starter's in a set-uid program. Nil when the process
    /// is gone or can't be looked at.
    public static func realUID(pid: Int32) -> UInt32? {
        guard let bytes = try? SmallFile.read("/proc/\(pid)/status", limit: 16384) else { return nil }
        // The name in the first line has its newlines escaped: no other line begins so.
        for line in bytes.split(separator: UInt8(ascii: "\n")) where line.starts(with: "Uid:\t".utf8) {
            let fields = line.split(separator: UInt8(ascii: "\t"))
            return fields.count > 1 ? UInt32(String(decoding: fields[1], as: UTF8.self)) : nil
        }
        return nil
    }

    /// Nil when the process is gone or can't be looked at.
    public init?(pid: Int32) {
        guard let bytes = try? SmallFile.read("/proc/\(pid)/stat", limit: 4096) else { return nil }
        self.init(stat: bytes)
    }

    /// Parses the line, byte by byte: the command's name in parentheses is its caller's choice and may hold anything,
    /// parentheses and what joins with them into one character included.
    init?(stat: [UInt8]) {
        guard let close = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        // After the name: state, ppid, pgrp, session, tty_nr, tpgid, and far behind them starttime (proc(5)).
        let fields = stat[(close + 1)...].split(separator: UInt8(ascii: " "))
        func number(_ at: Int) -> Int32? { Int32(String(decoding: fields[at], as: UTF8.self)) }
        guard fields.count > 19, let group = number(2), let terminal = number(4), let foreground = number(5),
            let started = UInt64(String(decoding: fields[19], as: UTF8.self))
        else { return nil }
        processGroup = group
        self.terminal = terminal
        foregroundGroup = foreground
        self.started = started
    }

    /// Whether it stands in the background of a terminal of its own.
    public var isInBackground: Bool { terminal != 0 && foregroundGroup != processGroup }
}
