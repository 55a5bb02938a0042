import BioauthCore
import BioauthSystem

/// Where a peer stands: its process, its session, the lid. And whether the machine is about to sleep.
@MainActor public protocol SurroundingsSource: AnyObject {
    /// Called when what was told of anybody may no longer hold.
    var onChange: (@MainActor () -> Void)? { get set }
    /// Called when somebody is there: a key was pressed in a session here, one came to the front, the lid was opened.
    var onActivity: (@MainActor () -> Void)? { get set }
    /// Called when the machine is about to sleep, and with false when it is awake again.
    var onSleep: (@MainActor (Bool) -> Void)? { get set }
    /// Whether requests run, so that changes matter.
    var isWatched: Bool { get set }
    /// Whether the machine is to wait before it sleeps. It does for a few seconds, if it can be told at all.
    var delaysSleep: Bool { get set }
    /// The lid is shut, as far as anybody says so.
    var isLidShut: Bool { get }

    func start()

    /// Tells what is known of the peer at the other end of the descriptor: at once, or as soon as that is up to date.
    ///
    /// - Parameter agent: the process that a root peer asks for, where that didn't start it.
    func surroundings(
        of peer: Peer, descriptor: Int32, agent: Int32?, _ done: @escaping @MainActor (Surroundings) -> Void)

    /// The same, as they are now: the session and the lid may have changed. A process is looked at only once.
    func now(_ surroundings: Surroundings) -> Surroundings
}

/// What `/proc` and systemd-logind say of a peer. A peer that is gone, or can't be looked at, counts as in the background.
@MainActor public final class PeerSurroundings: SurroundingsSource {
    public var onChange: (@MainActor () -> Void)?
    public var onActivity: (@MainActor () -> Void)?
    public var onSleep: (@MainActor (Bool) -> Void)?

    private let logind: Logind?
    private let log: Log
    private var standing: Logind.Standing?
    private var presence = Presence()

    /// - Parameter logind: not started yet; nil where there is none to ask.
    public init(logind: Logind?, log: Log) {
        self.logind = logind
        self.log = log
    }

    public var isWatched: Bool {
        get { logind?.isWatched ?? false }
        set { logind?.isWatched = newValue }
    }

    public var delaysSleep: Bool {
        get { logind?.delaysSleep ?? false }
        set { logind?.delaysSleep = newValue }
    }

    public var isLidShut: Bool { logind?.isLidClosed ?? false }

    public func start() {
        guard let logind else {
            return log.write(
                .notice, "Sessions, the lid and sleep are not looked at: there is no systemd-logind to ask")
        }
        logind.onChange = { [weak self] in self?.changed() }
        logind.onSleep = { [weak self] in self?.onSleep?($0) }
        logind.onInhibitorRefused = { [weak self] in
            self?.log.write(
                .warning,
                "systemd-logind doesn't let the reader be closed before the machine sleeps: it may be too late")
        }
        logind.start()
    }

    public func surroundings(
        of peer: Peer, descriptor: Int32, agent: Int32?, _ done: @escaping @MainActor (Surroundings) -> Void
    ) {
        guard let logind else { return done(surroundings(of: peer, agent: agent, origin: .unmanaged)) }
        let session = agent.map(ProcessSession.id(of:)) ?? ProcessSession.id(ofPeer: descriptor, pid: peer.pid)
        logind.whenCurrent(session: session) { [weak self] in
            guard let self else { return }
            done(surroundings(of: peer, agent: agent, origin: origin(session)))
        }
    }

    private func surroundings(of peer: Peer, agent: Int32?, origin: Origin) -> Surroundings {
        guard let facts = ProcessFacts(pid: peer.pid), let asking = agent.map(ProcessFacts.init(pid:)) ?? facts,
            // The host was started for the agent: a process that came after it has only got the number of one that went.
            asking.started <= facts.started
        else { return Surroundings(processGroup: 0, isInBackground: true, origin: origin, isLidShut: isLidShut) }
        return Surroundings(
            processGroup: asking.processGroup, realUID: ProcessFacts.realUID(pid: agent ?? peer.pid),
            isInBackground: asking.isInBackground, origin: origin, isLidShut: isLidShut)
    }

    public func now(_ surroundings: Surroundings) -> Surroundings {
        guard let logind else { return surroundings }
        var now = surroundings
        if let session = surroundings.session { now.origin = origin(session.id) }
        if logind.standing == .silent { now.origin = .untold }
        now.isLidShut = logind.isLidClosed
        return now
    }

    private func origin(_ session: String?) -> Origin {
        guard let logind, logind.standing != .silent else { return logind == nil ? .unmanaged : .untold }
        guard let known = session.flatMap({ logind.sessions[$0] }) else { return .outside }
        return .session(known.place)
    }

    private func changed() {
        guard let logind else { return }
        let isNew = logind.standing != standing
        if isNew { tell(logind.standing) }
        standing = logind.standing
        let before = presence
        presence = Presence(sessions: logind.sessions.mapValues(\.place), isLidShut: logind.isLidClosed)
        // Of what else logind knows nothing hangs on any.
        guard isNew || presence != before else { return }
        onChange?()
        guard presence.hasSomebodyNew(since: before) else { return }
        log.write(.debug, "Somebody is at the machine")
        onActivity?()
    }

    private func tell(_ standing: Logind.Standing) {
        switch standing {
        case .awaited: break
        case .answers: log.write(.info, "systemd-logind answers")
        case .silent: log.write(.warning, "systemd-logind doesn't answer: no finger is taken until it does")
        }
    }
}

extension LoginSession {
    /// What matters of it for a touch.
    var place: Session {
        Session(
            id: id, seat: seat, tty: seat.isEmpty ? Terminal.name(terminal) : terminal, isRemote: isRemote,
            isActive: isActive, isLocked: isLocked, isIdle: isIdle)
    }
}
