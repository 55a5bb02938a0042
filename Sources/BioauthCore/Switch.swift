/// Something that a person has turned on or off for their account, under a name. What they never touched is nowhere.
public struct Switch: Hashable, Sendable {
    public let kind: Kind
    /// The PAM service or the app, 1...256 bytes (`Limits.labelBytes`).
    public let name: String

    public enum Kind: UInt8, CaseIterable, Sendable {
        /// Whether a service that the configuration lists takes the person's finger. Untouched: it does.
        case service = 1
        /// Whether a program that the configuration doesn't list may ask for it. Untouched: the person is asked first.
        case app = 2
        /// Whether a program is to lock itself until the person has shown who they are. Kept for it; untouched: it is not.
        case appLock = 3

        /// The kind's name in JSON and the journal.
        public var name: String {
            switch self {
            case .service: "service"
            case .app: "app"
            case .appLock: "app-lock"
            }
        }
    }

    public init(_ kind: Kind, _ name: String) {
        self.kind = kind
        self.name = name
    }
}
