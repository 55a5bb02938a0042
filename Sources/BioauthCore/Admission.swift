/// What is known of the place a request comes from, besides what it says itself.
public struct Surroundings: Hashable, Sendable {
    /// The peer's process group; 0: not known.
    public var processGroup: Int32
    /// The real uid of the peer's process: who started it, where that runs as root for them. Nil: not known.
    public var realUID: UInt32?
    /// It stands in the background of its own terminal, or is gone already.
    public var isInBackground: Bool
    /// Which session it comes from.
    public var origin: Origin
    /// The lid is shut.
    public var isLidShut: Bool

    public init(
        processGroup: Int32, realUID: UInt32? = nil, isInBackground: Bool = false, origin: Origin = .unmanaged,
        isLidShut: Bool = false
    ) {
        self.processGroup = processGroup
        self.realUID = realUID
        self.isInBackground = isInBackground
        self.origin = origin
        self.isLidShut = isLidShut
    }
}

/// What a request for a touch is judged by.
public struct Admission: Hashable, Sendable {
    public var service: String
    /// The terminal or display that the host named.
    public var tty: String?
    public var remoteHost: String?
    public var interaction: Bool
    public var peer: Peer
    public var surroundings: Surroundings
    /// The reader that would serve it; `none`: there is no reader.
    public var reader: ReaderID
    /// Whether the reader is part of the machine, and so below its lid.
    public var isReaderBuiltIn: Bool
    /// Whether the reader can compare a touch with a print.
    public var canCompare: Bool
    /// Whether the account has a print of its own that the reader can use.
    public var isEnrolled: Bool
    /// Whether it had one that the reader no longer keeps.
    public var isPrintGone: Bool
    /// What who asks may ask for.
    public var entitlement: Entitlement
    /// Whether the person has just told the app that it may ask.
    public var isPermitted: Bool

    public init(
        service: String, tty: String?, remoteHost: String?, interaction: Bool, peer: Peer, surroundings: Surroundings,
        reader: ReaderID, isReaderBuiltIn: Bool, canCompare: Bool, isEnrolled: Bool, isPrintGone: Bool = false,
        entitlement: Entitlement, isPermitted: Bool = false
    ) {
        self.service = service
        self.tty = tty
        self.remoteHost = remoteHost
        self.interaction = interaction
        self.peer = peer
        self.surroundings = surroundings
        self.reader = reader
        self.isReaderBuiltIn = isReaderBuiltIn
        self.canCompare = canCompare
        self.isEnrolled = isEnrolled
        self.isPrintGone = isPrintGone
        self.entitlement = entitlement
        self.isPermitted = isPermitted
    }

    /// The class that the request gets; nil where it gets no finger.
    public var serviceClass: ServiceClass? { entitlement.serviceClass }

    /// Whether a match is the person's yes to an app that they had yet to be asked about.
    public var grants: Bool { entitlement == .unasked && isPermitted }

    /// Why the request ends before it begins; nil: it may go on to the reader. `standing` is the account's.
    ///
    /// What the person can't change by a touch goes first, so that a lockout isn't shown where no finger would be
    /// taken anyhow. Last comes what the person has yet to be asked: there is no use in that where no finger can be taken.
    public func denial(standing: Denial?) -> Denial? {
        if let denial = denialHoweverPermitted(standing: standing) { return denial }
        return entitlement == .unasked && !isPermitted ? Denial(.permissionUnasked) : nil
    }

    /// The same, as if the person had said yes to an app that they have yet to be asked about.
    public func denialHoweverPermitted(standing: Denial?) -> Denial? {
        if let cause = entitlement.cause { return Denial(cause) }
        guard let serviceClass else { return Denial(.serviceDisabled) }
        guard interaction else { return Denial(.interactionForbidden) }
        if let obstacle = obstacle(serviceClass) { return Denial(obstacle) }
        guard reader != .none, canCompare else { return Denial(.noReader) }
        guard isEnrolled else { return Denial(isPrintGone ? .printGone : .notEnrolled) }
        return standing
    }

    /// Why nobody can or may touch the reader for it where it comes from. This may change while it runs.
    public func obstacle(_ serviceClass: ServiceClass) -> Cause? {
        // Lockers name localhost as their host. For a login it may be the far end's word for itself.
        let isLocal = (remoteHost ?? "").isEmpty || (remoteHost == "localhost" && serviceClass != .login)
        guard isLocal else { return .remoteSession }
        switch surroundings.origin {
        case .unmanaged: break
        case .untold: return .sessionUnknown
        case .outside: guard serviceClass == .login, isAtConsole else { return .sessionUnknown }
        case .session(let session): guard !session.isRemote else { return .remoteSession }
        }
        if surroundings.isLidShut && isReaderBuiltIn { return .lidClosed }
        if let session = surroundings.session, !session.isActive { return .sessionInactive }
        switch serviceClass {
        case .login, .lock: return nil
        case .privilege where surroundings.isInBackground: return .backgroundProcess
        case .privilege, .app: return surroundings.session?.isLocked ?? false ? .sessionLocked : nil
        }
    }

    /// Whether the host named a terminal or display of this machine's own: that of `login`, or a greeter's.
    private var isAtConsole: Bool { tty.map { isConsole($0) || isLocalDisplay($0) } ?? false }
}

extension Surroundings {
    /// Why nobody may enrol a finger there now: the next to touch the reader might be somebody else. From elsewhere root
    /// may do it, for a person who is here.
    public func obstacleToEnrolling(isReaderBuiltIn: Bool) -> Cause? {
        if isLidShut && isReaderBuiltIn { return .lidClosed }
        guard let session else { return nil }
        return !session.isActive ? .sessionInactive : session.isLocked ? .sessionLocked : nil
    }

    public var session: Session? {
        guard case .session(let session) = origin else { return nil }
        return session
    }
}
