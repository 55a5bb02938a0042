import BioauthCore

/// A reader that is plugged in, as `readers` shows it to an account.
public struct ReaderEntry: Hashable, Sendable {
    public var name: String
    public var driver: String
    /// libfprint's identity of the device. Empty: it has none.
    public var device: String
    /// Where it is plugged in on USB: `1-2.3`. Empty: not on USB.
    public var busPath: String
    public var isBuiltIn: Bool
    public var state: ReaderState
    /// Prints that the account has there.
    public var prints: Int
    /// Whether a request of the account's would be served here now.
    public var serves: Bool
    /// What decides that; nil: there is nothing to decide.
    public var criterion: ReaderChoice.Criterion?

    public init(
        name: String, driver: String, device: String, busPath: String, isBuiltIn: Bool, state: ReaderState, prints: Int,
        serves: Bool, criterion: ReaderChoice.Criterion?
    ) {
        self.name = name
        self.driver = driver
        self.device = device
        self.busPath = busPath
        self.isBuiltIn = isBuiltIn
        self.state = state
        self.prints = prints
        self.serves = serves
        self.criterion = criterion
    }
}

extension MessageWriter {
    mutating func put(_ entry: ReaderEntry) {
        if !entry.name.isEmpty { put(.reader, entry.name) }
        put(.driver, entry.driver)
        if !entry.device.isEmpty { put(.device, entry.device) }
        if !entry.busPath.isEmpty { put(.busPath, entry.busPath) }
        if entry.isBuiltIn { put(.builtIn, true) }
        put(.readerState, entry.state.rawValue)
        put(.prints, UInt16(clamping: entry.prints))
        if entry.serves { put(.serves, true) }
        if let criterion = entry.criterion { put(.criterion, criterion.rawValue) }
    }
}

extension MessageReader {
    func readerEntry() throws(WireError) -> ReaderEntry {
        ReaderEntry(
            name: try optionalText(.reader, limit: Limits.labelBytes) ?? "",
            driver: try text(.driver, limit: Limits.labelBytes),
            device: try optionalText(.device, limit: Limits.labelBytes) ?? "",
            busPath: try optionalText(.busPath, limit: Limits.labelBytes) ?? "",
            isBuiltIn: try optionalFlag(.builtIn), state: try value(.readerState),
            prints: Int(try number(.prints, as: UInt16.self)), serves: try optionalFlag(.serves),
            criterion: try optional(.criterion, as: UInt8.self).flatMap(ReaderChoice.Criterion.init))
    }
}
