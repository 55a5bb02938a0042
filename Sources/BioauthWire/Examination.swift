import BioauthCore

/// What would become of a request for a touch, and what the daemon sees of the place it would come from.
public struct Examination: Hashable, Sendable {
    /// The class that the service would get from this peer; nil: it isn't listed.
    public var serviceClass: ServiceClass?
    /// Why the request would end before it begins; nil: the person would be prompted.
    public var denial: Denial?
    public var origin: Origin
    public var isLidShut: Bool
    /// Whether the reader is part of the machine, and so below its lid; false when there is none.
    public var isReaderBuiltIn: Bool
    /// Nil: the daemon is older than the question.
    public var readerState: ReaderState?
    /// The app is one that the person has yet to be asked about.
    public var isUnasked: Bool
    /// 32 bytes that change with each enrolment and deletion of the account's, and tell nothing of its prints; nil: it has
    /// none.
    public var domainState: [UInt8]?
    /// Whether the account has a password; nil: not asked, or not known.
    public var isPasswordSet: Bool?

    static let domainStateBytes = 32

    public init(
        serviceClass: ServiceClass?, denial: Denial?, origin: Origin, isLidShut: Bool, isReaderBuiltIn: Bool,
        readerState: ReaderState? = nil, isUnasked: Bool = false, domainState: [UInt8]? = nil,
        isPasswordSet: Bool? = nil
    ) {
        self.serviceClass = serviceClass
        self.denial = denial
        self.origin = origin
        self.isLidShut = isLidShut
        self.isReaderBuiltIn = isReaderBuiltIn
        self.readerState = readerState
        self.isUnasked = isUnasked
        self.domainState = domainState
        self.isPasswordSet = isPasswordSet
    }
}

/// What kind of place it is, as it travels.
private enum OriginKind: UInt8 {
    case unmanaged = 0
    case untold = 1
    case outside = 2
    case session = 3
}

extension MessageWriter {
    mutating func put(_ examination: Examination) {
        if let serviceClass = examination.serviceClass { put(.serviceClass, serviceClass.rawValue) }
        if let denial = examination.denial { put(denial) }
        switch examination.origin {
        case .unmanaged: put(.origin, OriginKind.unmanaged.rawValue)
        case .untold: put(.origin, OriginKind.untold.rawValue)
        case .outside: put(.origin, OriginKind.outside.rawValue)
        case .session(let session):
            put(.origin, OriginKind.session.rawValue)
            if !session.id.isEmpty { put(.session, session.id) }
            putIfSet(.remote, session.isRemote)
            putIfSet(.active, session.isActive)
            putIfSet(.locked, session.isLocked)
        }
        putIfSet(.lidShut, examination.isLidShut)
        putIfSet(.builtIn, examination.isReaderBuiltIn)
        if let state = examination.readerState { put(.readerState, state.rawValue) }
        putIfSet(.unasked, examination.isUnasked)
        if let state = examination.domainState { put(.domainState, bytes: state) }
        if let isSet = examination.isPasswordSet { put(.passwordSet, isSet) }
    }

    private mutating func putIfSet(_ tag: FieldTag, _ flag: Bool) {
        if flag { put(tag, true) }
    }
}

extension MessageReader {
    func examination() throws(WireError) -> Examination {
        // Half a denial is an error, not the absence of one.
        let (code, cause) = (try range(.code), try range(.cause))
        return Examination(
            serviceClass: try optionalValue(.serviceClass), denial: code == nil && cause == nil ? nil : try denial(),
            origin: try origin(), isLidShut: try optionalFlag(.lidShut), isReaderBuiltIn: try optionalFlag(.builtIn),
            readerState: try optionalValue(.readerState), isUnasked: try optionalFlag(.unasked),
            domainState: try bytes(.domainState, count: Examination.domainStateBytes),
            isPasswordSet: try range(.passwordSet) == nil ? nil : flag(.passwordSet))
    }

    private func origin() throws(WireError) -> Origin {
        switch try value(.origin, as: OriginKind.self) {
        case .unmanaged: return .unmanaged
        case .untold: return .untold
        case .outside: return .outside
        case .session:
            return .session(
                Session(
                    id: try optionalText(.session, limit: Limits.labelBytes) ?? "",
                    isRemote: try optionalFlag(.remote), isActive: try optionalFlag(.active),
                    isLocked: try optionalFlag(.locked)))
        }
    }
}
