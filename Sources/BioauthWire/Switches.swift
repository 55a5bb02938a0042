import BioauthCore

/// A switch to be turned. Who asks is root, has a ticket, or gets a touch of the account's to give; it ends with
/// `done`, once that is kept, or with `refused`.
public struct SwitchChange: Hashable, Sendable {
    public var account: Account
    /// Who asks: the PAM service or the app.
    public var service: String
    /// Who asks is an app that asks for itself.
    public var isApp: Bool
    /// The person has just told the app that it may ask for a finger.
    public var isPermitted: Bool
    public var subject: Switch
    public var isOn: Bool
    /// The password's proof instead of a touch.
    public var ticket: Ticket?

    public init(
        account: Account, service: String, isApp: Bool = false, isPermitted: Bool = false, subject: Switch, isOn: Bool,
        ticket: Ticket? = nil
    ) {
        self.account = account
        self.service = service
        self.isApp = isApp
        self.isPermitted = isPermitted
        self.subject = subject
        self.isOn = isOn
        self.ticket = ticket
    }
}

/// How a switch stands.
public struct SwitchEntry: Hashable, Sendable {
    public var subject: Switch
    public var isOn: Bool

    public init(_ subject: Switch, isOn: Bool) {
        self.subject = subject
        self.isOn = isOn
    }
}

extension SwitchChange {
    func put(in writer: inout MessageWriter) {
        writer.put(.service, service)
        if isApp { writer.put(.app, true) }
        if isPermitted { writer.put(.permitted, true) }
        writer.put(SwitchEntry(subject, isOn: isOn))
        if let ticket { writer.put(.ticket, bytes: ticket.bytes) }
    }

    init(_ reader: MessageReader) throws(WireError) {
        let entry = try reader.switchEntry()
        self.init(
            account: try reader.account(), service: try reader.text(.service, limit: Limits.labelBytes),
            isApp: try reader.optionalFlag(.app), isPermitted: try reader.optionalFlag(.permitted),
            subject: entry.subject, isOn: entry.isOn, ticket: try reader.ticket())
    }
}

extension MessageWriter {
    mutating func put(_ entry: SwitchEntry) {
        put(.switchKind, entry.subject.kind.rawValue)
        put(.switchName, entry.subject.name)
        put(.enabled, entry.isOn)
    }
}

extension MessageReader {
    func switchEntry() throws(WireError) -> SwitchEntry {
        SwitchEntry(
            Switch(try value(.switchKind), try text(.switchName, limit: Limits.labelBytes)),
            isOn: try flag(.enabled))
    }
}
