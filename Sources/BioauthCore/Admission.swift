/// What is known of the place a request comes from, besides what it says itself.
public struct Surroundings: Hashable, Sendable {
    /// The peer's process group; 0: not known.
    public var processGroup: Int32
    /// The real uid of the peer's process: who started it, where that runs as root for them. Nil: not known.
    public var realUID: UInt32?
    /// It stands in the background of its own terminal, or is gone already.
    public var isInBackground: Bool
    /// Its session is on another machine, or has no seat here.
    public var isRemote: Bool
    /// Its session isn't the one in front.
    public var isInactive: Bool
    /// Its session's screen is locked.
    public var isLocked: Bool
    /// The lid is shut, and the reader is below it.
    public var isLidShut: Bool

    public init(
        processGroup: Int32, realUID: UInt32? = nil, isInBackground: Bool = false, isRemote: Bool = false,
        isInactive: Bool = false,
        isLocked: Bool = false, isLidShut: Bool = false
    ) {
        self.processGroup = processGroup
        self.realUID = realUID
        self.isInBackground = isInBackground
        self.isRemote = isRemote
        self.isInactive = isInactive
        self.isLocked = isLocked
        self.isLidShut = isLidShut
    }
}

/// What a request for a touch is judged by.
public struct Admission: Hashable, Sendable {
    public var service: String
    public var remoteHost: String?
    public var interaction: Bool
    public var peer: Peer
    public var surroundings: Surroundings
    public var hasReader: Bool
    public var canIdentify: Bool
    /// Whether the account has a print of its own that the reader can use.
    public var isEnrolled: Bool

    public init(
        service: String, remoteHost: String?, interaction: Bool, peer: Peer, surroundings: Surroundings,
        hasReader: Bool, canIdentify: Bool, isEnrolled: Bool
    ) {
        self.service = service
        self.remoteHost = remoteHost
        self.interaction = interaction
        self.peer = peer
        self.surroundings = surroundings
        self.hasReader = hasReader
        self.canIdentify = canIdentify
        self.isEnrolled = isEnrolled
    }

    /// The class that the request gets: the list's, if the peer may claim it; nil where the service gets no finger.
    ///
    /// Login and privilege are root's word alone, anybody else's is an app's. A locker may run as its user.
    public static func serviceClass(of service: String, for peer: Peer, _ settings: Settings) -> ServiceClass? {
        guard service != Settings.passwordService, let listed = settings.services[service] else { return nil }
        switch listed {
        case .login, .privilege: return peer.isRoot ? listed : .app
        case .lock, .app: return listed
        }
    }

    /// Why the request ends before it begins; nil: it may go on to the reader. `standing` is the account's.
    ///
    /// What the person can't change by a touch goes first, so that a lockout isn't shown where no finger would be
    /// taken anyhow.
    public func denial(_ serviceClass: ServiceClass?, standing: Denial?) -> Denial? {
        guard let serviceClass else { return Denial(.serviceDisabled) }
        guard interaction else { return Denial(.interactionForbidden) }
        // Lockers name localhost as their host. For a login it may be the far end's word for itself.
        let isLocal = (remoteHost ?? "").isEmpty || (remoteHost == "localhost" && serviceClass != .login)
        guard isLocal, !surroundings.isRemote else { return Denial(.remoteSession) }
        if surroundings.isLidShut { return Denial(.lidClosed) }
        if surroundings.isInactive { return Denial(.sessionInactive) }
        switch serviceClass {
        case .login, .lock: break
        case .privilege where surroundings.isInBackground: return Denial(.backgroundProcess)
        case .privilege, .app: if surroundings.isLocked { return Denial(.sessionLocked) }
        }
        guard hasReader, canIdentify else { return Denial(.noReader) }
        guard isEnrolled else { return Denial(.notEnrolled) }
        return standing
    }
}
