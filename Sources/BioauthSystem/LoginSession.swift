/// A login session as logind tells of it (`org.freedesktop.login1.Session`).
public struct LoginSession: Hashable, Sendable {
    public let id: String
    /// Its object on the bus.
    let path: String
    /// Whose it is.
    public let uid: UInt32
    public let userName: String
    /// `seat0`; empty: it has no seat.
    public let seat: String
    /// `tty`, `x11`, `wayland`, `mir`, `unspecified`.
    public let type: String
    /// `user`, `greeter`, `lock-screen`, `background`, …
    public let sessionClass: String
    /// The terminal it was opened on, without `/dev/`; may be empty.
    public let terminal: String
    /// The X display; may be empty.
    public let display: String
    /// `online`, `active`, `closing`.
    public let state: String
    public let isRemote: Bool
    /// In front at its seat. Sessions without a seat always are.
    public let isActive: Bool
    /// `LockedHint`: the desktop told that its screen is locked.
    public let isLocked: Bool
    /// `IdleHint`: nobody has been there for a while.
    public let isIdle: Bool

    /// Nil unless all is there that a touch is judged by.
    init?(path: String, _ properties: BusProperties) {
        guard let id = properties.text("Id"), let user = properties.variant("User"),
            let seat = properties.variant("Seat"),
            let uid = user.child(0).flatMap(\.number), let seatName = seat.child(0).flatMap(\.text),
            let isRemote = properties.flag("Remote"), let isActive = properties.flag("Active")
        else { return nil }
        self.id = id
        self.path = path
        self.uid = uid
        self.seat = seatName
        self.isRemote = isRemote
        self.isActive = isActive
        userName = properties.text("Name") ?? ""
        type = properties.text("Type") ?? ""
        sessionClass = properties.text("Class") ?? ""
        terminal = properties.text("TTY") ?? ""
        display = properties.text("Display") ?? ""
        state = properties.text("State") ?? ""
        // Older ones don't have it (before systemd 230): then nothing is known to be locked.
        isLocked = properties.flag("LockedHint") ?? false
        isIdle = properties.flag("IdleHint") ?? false
    }
}
