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

        public init?(name: some StringProtocol) {
            guard let found = Kind.allCases.first(where: { $0.name == name }) else { return nil }
            self = found
        }

        /// How one stands that nobody touched; nil: neither on nor off.
        public var untouched: Bool? {
            switch self {
            case .service: true
            case .app: nil
            case .appLock: false
            }
        }
    }

    public init(_ kind: Kind, _ name: String) {
        self.kind = kind
        self.name = name
    }

    // Byte by byte, as names are compared on the wire: what looks the same is not the same.
    public static func == (a: Switch, b: Switch) -> Bool {
        a.kind == b.kind && a.name.utf8.elementsEqual(b.name.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        for byte in name.utf8 { hasher.combine(byte) }
    }
}

/// What a person has turned on and off. A switch that stands as if nobody had touched it takes no room.
public struct Switches: Hashable, Sendable {
    public private(set) var turned: [Switch: Bool] = [:]

    public init() {}

    /// How it stands; nil: the person has yet to say.
    public subscript(_ subject: Switch) -> Bool? { turned[subject] ?? subject.kind.untouched }

    /// Turns one. One that is there already can always be turned.
    ///
    /// - Parameter isProven: whether a touch or a password stands behind it. What doesn't have that leaves room for what
    ///   does.
    /// - Returns: false when no more are kept (`Limits`).
    public mutating func turn(_ subject: Switch, on isOn: Bool, isProven: Bool = true) -> Bool {
        let limit = isProven ? Limits.switches : Limits.unprovenSwitches
        if isOn == subject.kind.untouched {
            turned[subject] = nil
        } else {
            guard turned[subject] != nil || turned.count < limit else { return false }
            turned[subject] = isOn
        }
        return true
    }

    /// In the order of their kinds and names.
    public var sorted: [(subject: Switch, isOn: Bool)] {
        turned.map { ($0.key, $0.value) }.sorted { a, b in
            a.subject.kind == b.subject.kind
                ? a.subject.name.utf8.lexicographicallyPrecedes(b.subject.name.utf8)
                : a.subject.kind.rawValue < b.subject.kind.rawValue
        }
    }
}
