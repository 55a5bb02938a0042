import BioauthCore

/// What a print that a reader keeps is called, so that the same is meant on both sides.
public struct PrintID: Hashable, Sendable {
    public static let count = 8
    public let bytes: [UInt8]

    /// Nil unless there are 8 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == PrintID.count else { return nil }
        self.bytes = bytes
    }
}

/// A print that a reader keeps itself, or that it should, as `storage` shows it.
public struct KeptPrint: Hashable, Sendable {
    public var reader: String
    public var driver: String
    /// Where the reader is plugged in on USB: `1-2.3`. Empty: not on USB.
    public var busPath: String
    public var id: PrintID
    public var standing: Standing
    /// The account's name, finger and day (`2026-03-31`) that the print says; nil where it says none.
    public var accountName: String?
    public var finger: Finger?
    public var enrolled: String?
    /// It has just been deleted from the reader.
    public var isDeleted: Bool

    public enum Standing: UInt8, CaseIterable, Sendable {
        /// An account of this machine has it.
        case known = 1
        /// Nobody here has it: another system has made it, or what lay here of it is gone. It takes up room and matches
        /// nothing.
        case leftover = 2
        /// An account of this machine has it, and the reader doesn't any more.
        case gone = 3

        /// The name in JSON.
        public var name: String {
            switch self {
            case .known: "known"
            case .leftover: "leftover"
            case .gone: "gone"
            }
        }
    }

    public init(
        reader: String, driver: String, busPath: String = "", id: PrintID, standing: Standing,
        accountName: String? = nil,
        finger: Finger? = nil, enrolled: String? = nil, isDeleted: Bool = false
    ) {
        self.reader = reader
        self.driver = driver
        self.busPath = busPath
        self.id = id
        self.standing = standing
        self.accountName = accountName
        self.finger = finger
        self.enrolled = enrolled
        self.isDeleted = isDeleted
    }
}

extension MessageWriter {
    mutating func put(_ print: KeptPrint) {
        if !print.reader.isEmpty { put(.reader, print.reader) }
        put(.driver, print.driver)
        if !print.busPath.isEmpty { put(.busPath, print.busPath) }
        put(.printID, bytes: print.id.bytes)
        put(.keptAs, print.standing.rawValue)
        if let name = print.accountName { put(.name, name) }
        if let finger = print.finger { put(.finger, finger.rawValue) }
        if let enrolled = print.enrolled { put(.enrolled, enrolled) }
        if print.isDeleted { put(.deleted, true) }
    }
}

extension MessageReader {
    /// As many as there are in the field; none where it is missing.
    func printIDs(_ tag: FieldTag) throws(WireError) -> [PrintID] {
        guard let bytes = try bytes(tag, manyOf: PrintID.count, limit: Limits.clearedPrints) else { return [] }
        return stride(from: 0, to: bytes.count, by: PrintID.count).compactMap {
            PrintID(bytes: Array(bytes[$0..<$0 + PrintID.count]))
        }
    }

    func keptPrint() throws(WireError) -> KeptPrint {
        guard let id = try bytes(.printID, count: PrintID.count).flatMap(PrintID.init) else { throw .missing(.printID) }
        return KeptPrint(
            reader: try optionalText(.reader, limit: Limits.labelBytes) ?? "",
            driver: try text(.driver, limit: Limits.labelBytes),
            busPath: try optionalText(.busPath, limit: Limits.labelBytes) ?? "", id: id, standing: try value(.keptAs),
            accountName: try optionalText(.name, limit: Limits.nameBytes), finger: try optionalValue(.finger),
            enrolled: try optionalText(.enrolled, limit: Limits.labelBytes), isDeleted: try optionalFlag(.deleted))
    }
}
