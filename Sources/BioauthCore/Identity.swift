/// An account: its number and the canonical name that goes with it.
///
/// Both are kept and compared together, so that a number that was given to somebody else inherits nothing.
public struct Account: Hashable, Sendable {
    public let uid: UInt32
    public let name: String

    public init(uid: UInt32, name: String) {
        self.uid = uid
        self.name = name
    }

    // Byte by byte, as the system compares names: String's own == takes two spellings of one accent for the same.
    public static func == (a: Account, b: Account) -> Bool {
        a.uid == b.uid && a.name.utf8.elementsEqual(b.name.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(uid)
        for byte in name.utf8 { hasher.combine(byte) }
    }
}

/// One of a person's ten fingers, with libfprint's numbers (`FpFinger`, 1...10).
public enum Finger: UInt8, CaseIterable, Sendable {
    case leftThumb = 1
    case leftIndex, leftMiddle, leftRing, leftLittle
    case rightThumb, rightIndex, rightMiddle, rightRing, rightLittle

    /// The finger's name in files, options and JSON: `right-index`.
    public var name: String {
        switch self {
        case .leftThumb: "left-thumb"
        case .leftIndex: "left-index"
        case .leftMiddle: "left-middle"
        case .leftRing: "left-ring"
        case .leftLittle: "left-little"
        case .rightThumb: "right-thumb"
        case .rightIndex: "right-index"
        case .rightMiddle: "right-middle"
        case .rightRing: "right-ring"
        case .rightLittle: "right-little"
        }
    }

    /// The finger of that name, or nil.
    public init?(name: String) {
        guard let finger = Finger.allCases.first(where: { $0.name == name }) else { return nil }
        self = finger
    }
}

/// Who is at the other end of a connection, by the kernel's word alone.
public struct Peer: Hashable, Sendable {
    public let uid: UInt32
    public let pid: Int32
    /// True for uid 0, and in private mode for the daemon's own uid.
    public let isRoot: Bool

    public init(uid: UInt32, pid: Int32, isRoot: Bool) {
        self.uid = uid
        self.pid = pid
        self.isRoot = isRoot
    }

    /// A root peer may ask for any account, any other only for its own.
    public func mayAsk(for account: Account) -> Bool {
        isRoot || uid == account.uid
    }
}
