/// Where a request comes from, as the machine's session manager has it.
public enum Origin: Hashable, Sendable {
    /// The machine has none: nothing is known, and what the process itself shows is all there is.
    case unmanaged
    /// It has one that doesn't answer.
    case untold
    /// From a process that belongs to no session: a system service.
    case outside
    case session(Session)
}

/// A login session, as far as a touch is concerned.
public struct Session: Hashable, Sendable {
    /// The session manager's name for it: `c2`.
    public let id: String
    /// Whoever sits in it sits elsewhere, or nobody knows where.
    public let isRemote: Bool
    /// It is the one in front at its seat.
    public let isActive: Bool
    /// Its screen is locked, as its desktop told.
    public let isLocked: Bool
    /// Nobody has done anything in it for a while, as its desktop told.
    public let isIdle: Bool

    public init(id: String, isRemote: Bool, isActive: Bool, isLocked: Bool, isIdle: Bool = false) {
        self.id = id
        self.isRemote = isRemote
        self.isActive = isActive
        self.isLocked = isLocked
        self.isIdle = isIdle
    }

    /// - Parameters:
    ///   - seat: empty where it has none. Without one it counts as remote (a desktop in a window of another machine), unless
    ///     it is that of a local console: containers and serial lines have no seat.
    ///   - isRemote: what the program that opened the session said of it.
    public init(
        id: String, seat: String, tty: String, isRemote: Bool, isActive: Bool, isLocked: Bool, isIdle: Bool
    ) {
        self.init(
            id: id, isRemote: isRemote || (seat.isEmpty && !isConsole(tty)), isActive: isActive, isLocked: isLocked,
            isIdle: isIdle)
    }
}

/// What the session manager knows of who is at the machine.
public struct Presence: Hashable, Sendable {
    /// By id.
    public var sessions: [String: Session]
    public var isLidShut: Bool

    public init(sessions: [String: Session] = [:], isLidShut: Bool = false) {
        self.sessions = sessions
        self.isLidShut = isLidShut
    }

    /// Whether somebody has come to the machine since: the lid was opened, or in a session here, which is in front, a key was
    /// pressed, or it came to the front. What is done in sessions elsewhere is nothing that a reader here has to wake for.
    public func hasSomebodyNew(since before: Presence) -> Bool {
        if before.isLidShut && !isLidShut { return true }
        return sessions.values.contains { session in
            guard let known = before.sessions[session.id], session.isActive, !session.isRemote else { return false }
            return !known.isActive || (known.isIdle && !session.isIdle)
        }
    }
}

/// Whether a terminal is one of the machine's own, with or without `/dev/`: `console`, `tty1`, `ttyS0`, `ttyAMA0`, `hvc0`.
/// Not what a program can make for itself, `pts/3` and the older `ttyp3`, and nothing that only looks like a name.
public func isConsole(_ terminal: String) -> Bool {
    var name = Array(terminal.utf8)[...]
    if name.starts(with: "/dev/".utf8) { name = name.dropFirst(5) }
    if name.elementsEqual("console".utf8) { return true }
    let digits = name.reversed().prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count
    let kind = name.dropLast(digits)
    guard digits > 0 else { return false }
    if ["hvc", "xvc"].contains(where: { kind.elementsEqual($0.utf8) }) { return true }
    return kind.starts(with: "tty".utf8) && kind.dropFirst(3).allSatisfy { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
}

/// Whether a display is one of this machine's: `:0`, `:1.0`; not `host:10`, as ssh forwards them.
public func isLocalDisplay(_ display: String) -> Bool {
    let parts = display.utf8.dropFirst().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return display.utf8.first == UInt8(ascii: ":") && (1...2).contains(parts.count)
        && parts.allSatisfy { part in
            !part.isEmpty && part.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        }
}
