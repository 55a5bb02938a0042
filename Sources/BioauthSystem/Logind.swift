import CGLib
import CSystemd
import Glibc

/// What systemd-logind knows, kept as it knows it: the sessions, the lid, and whether the machine is about to sleep.
///
/// Signals tell that something has changed; what it is now is asked for. Logind may go and come back, and so may the bus:
/// a restart of either takes less than `patience`, and until then what was known last is what is known.
@MainActor public final class Logind {
    public enum Standing: Hashable, Sendable {
        /// Asked, or gone a moment ago.
        case awaited
        case answers
        case silent
    }

    public private(set) var standing = Standing.awaited
    /// By id. Empty while it is silent.
    public private(set) var sessions: [String: LoginSession] = [:]
    public private(set) var isLidClosed = false
    /// From before the sleep until after it.
    public private(set) var isPreparingForSleep = false {
        didSet {
            guard isPreparingForSleep != oldValue else { return }
            onSleep?(isPreparingForSleep)
            inhibitSleep()
        }
    }

    /// Called when the machine is about to sleep, and with false when it is awake again.
    public var onSleep: (@MainActor (Bool) -> Void)?
    /// Called when the machine would not wait although it is to.
    public var onInhibitorRefused: (@MainActor () -> Void)?
    /// Called after each change of the sessions, the lid and its own standing.
    public var onChange: (@MainActor () -> Void)?

    /// Whether changes matter right now. A logind that doesn't tell of the lid (before systemd 256) is asked for it all the
    /// while then.
    public var isWatched = false {
        didSet { if isWatched != oldValue { watchLid() } }
    }

    /// Whether the machine has to wait before it sleeps, for up to a few seconds, until this is taken back.
    public var delaysSleep = false {
        didSet { if delaysSleep != oldValue { inhibitSleep() } }
    }

    private let bus = SystemBus()
    private let inhibitor: SleepInhibitor
    /// Logind's own name on the bus; nil: it isn't there.
    private var owner: String?
    private var lidIsSilent = false
    private var patience: EventSource?
    private var lidWatch: EventSource?
    private var waiting: [@MainActor () -> Void] = []
    private var waitingForLid: [@MainActor () -> Void] = []
    /// Sessions that are being asked for, and of these the ones that have changed again.
    private var loading: [String: Bool] = [:]

    private static let name = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let session = "org.freedesktop.login1.Session"
    private static let get = "org.freedesktop.DBus.Properties.Get"
    private static let getAll = "org.freedesktop.DBus.Properties.GetAll"

    /// How long logind may be gone, or not have come yet.
    private static let patienceMilliseconds: UInt32 = 2000
    private static let lidMilliseconds: UInt32 = 1000

    /// Whether this machine was booted by systemd (`sd_booted`), so that there is a logind to ask. Who was started by systemd
    /// need not see the directory that shows it.
    nonisolated public static var isExpected: Bool { sd_booted() > 0 || getenv("INVOCATION_ID") != nil }

    public init() {
        inhibitor = SleepInhibitor(bus, of: Logind.name, at: Logind.path)
    }

    public func start() {
        bus.onConnected = { [weak self] in self?.connected() }
        bus.onLost = { [weak self] in self?.ownerChanged(nil) }
        bus.start()
        expectIt()
    }

    /// Calls back as soon as what is known is what holds now, at once where nothing has to be asked for: within about a
    /// second, or `patience` after logind went. Whether it then answers is for `standing` to tell.
    ///
    /// - Parameter session: the id of a session that matters.
    public func whenCurrent(session: String?, _ done: @escaping @MainActor () -> Void) {
        switch standing {
        case .awaited: waiting.append { [weak self] in self?.whenCurrent(session: session, done) }
        case .silent: done()
        case .answers:
            if let session, sessions[session] == nil {
                // It may be so new that its signal is still on its way.
                return find(session) { [weak self] in self?.whenLidIsKnown(done) }
            }
            whenLidIsKnown(done)
        }
    }

    // MARK: Coming and going

    private func connected() {
        bus.subscribe(
            to: "org.freedesktop.DBus.NameOwnerChanged", of: "org.freedesktop.DBus", first: Logind.name
        ) { [weak self] _, _, arguments in self?.ownerChanged(arguments.child(2)?.text) }
        subscribe(to: "\(Logind.manager).SessionNew") { logind, _, arguments in
            if let path = arguments.child(1)?.text { logind.load(session: path) }
        }
        subscribe(to: "\(Logind.manager).SessionRemoved") { logind, _, arguments in
            if let id = arguments.child(0)?.text, logind.sessions.removeValue(forKey: id) != nil { logind.onChange?() }
        }
        subscribe(to: "\(Logind.manager).PrepareForSleep") { logind, _, arguments in
            if let isBefore = arguments.child(0)?.flag { logind.isPreparingForSleep = isBefore }
        }
        let changed = "org.freedesktop.DBus.Properties.PropertiesChanged"
        subscribe(to: changed, first: Logind.session) { logind, path, _ in logind.load(session: path) }
        subscribe(to: changed, first: Logind.manager) { logind, _, _ in logind.loadLid {} }
        // Behind the subscriptions: no change goes unseen between this answer and the first signal.
        let bus = "org.freedesktop.DBus"
        self.bus.call(bus, "/org/freedesktop/DBus", "\(bus).GetNameOwner", [Logind.name]) { [weak self] answer in
            self?.ownerChanged(answer?.child(0)?.text)
        }
    }

    private func subscribe(
        to signal: String, first: String? = nil, _ handler: @escaping @MainActor (Logind, String, BusValue) -> Void
    ) {
        bus.subscribe(to: signal, of: Logind.name, first: first) { [weak self] sender, path, arguments in
            guard let self, sender == owner else { return }
            handler(self, path, arguments)
        }
    }

    private func ownerChanged(_ new: String?) {
        let new = new.flatMap { $0.isEmpty ? nil : $0 }
        guard new != owner else { return }
        owner = new
        loading = [:]
        inhibitor.forget()
        if new != nil { load() } else if standing == .answers { expectIt() }
    }

    private func expectIt() {
        standing = .awaited
        patience = EventLoop.after(milliseconds: Logind.patienceMilliseconds) { [weak self] in
            guard let self, standing == .awaited else { return }
            sessions = [:]
            isLidClosed = false
            isPreparingForSleep = false
            stand(.silent)
        }
    }

    private func stand(_ new: Standing) {
        standing = new
        patience?.cancel()
        watchLid()
        onChange?()
        let waited = waiting
        waiting = []
        for done in waited { done() }
    }

    // MARK: Asking

    /// Asks one question of the logind that is there now. No answer is heard of one that has gone since.
    private func ask(
        _ path: String, _ method: String, _ arguments: [String] = [],
        _ done: @escaping @MainActor (Logind, BusValue?) -> Void
    ) {
        let asked = owner
        bus.call(Logind.name, path, method, arguments) { [weak self] answer in
            guard let self, owner == asked else { return }
            done(self, answer)
        }
    }

    /// Everything, from a logind that has just come.
    private func load() {
        ask(Logind.path, "org.freedesktop.DBus.Introspectable.Introspect") { logind, answer in
            logind.lidIsSilent = answer?.child(0)?.text.map(tellsNothingOfLid) ?? true
        }
        loadLid {}
        ask(Logind.path, Logind.get, [Logind.manager, "PreparingForSleep"]) { logind, answer in
            logind.isPreparingForSleep = answer?.child(0)?.inner?.flag ?? false
            logind.inhibitSleep()
        }
        ask(Logind.path, "\(Logind.manager).ListSessions") { logind, answer in
            guard let list = answer?.child(0) else { return logind.tryAgain() }
            let known = list.children.compactMap { entry in
                entry.child(0)?.text.flatMap { id in entry.child(4)?.text.map { (id: id, path: $0) } }
            }
            logind.sessions = logind.sessions.filter { old in known.contains { $0.id == old.key } }
            var left = known.count
            if left == 0 { logind.stand(.answers) }
            for session in known {
                logind.ask(session.path, Logind.getAll, [Logind.session]) { logind, answer in
                    logind.keep(answer, of: session.path)
                    left -= 1
                    if left == 0 { logind.stand(.answers) }
                }
            }
        }
    }

    /// It is there and doesn't answer, so what is known of it is worth nothing.
    private func tryAgain() {
        let asked = owner
        _ = EventLoop.after(milliseconds: Logind.patienceMilliseconds) { [weak self] in
            guard let self, owner == asked, asked != nil else { return }
            load()
        }
    }

    /// What is now known of a session. No answer: nothing, for it may be anything.
    private func keep(_ answer: BusValue?, of path: String) {
        if let session = LoginSession(path: path, BusProperties(answer?.child(0))) {
            sessions[session.id] = session
        } else {
            sessions = sessions.filter { $0.value.path != path }
        }
    }

    /// Asks for one session, and once more if it changed again meanwhile.
    private func load(session path: String) {
        guard loading[path] == nil else { return loading[path] = true }
        loading[path] = false
        ask(path, Logind.getAll, [Logind.session]) { logind, answer in
            let hasChanged = logind.loading.removeValue(forKey: path) ?? false
            logind.keep(answer, of: path)
            if hasChanged { logind.load(session: path) }
            if logind.standing == .answers { logind.onChange?() }
        }
    }

    private func find(_ id: String, _ done: @escaping @MainActor () -> Void) {
        bus.call(Logind.name, Logind.path, "\(Logind.manager).GetSession", [id]) { [weak self] answer in
            guard let self, let path = answer?.child(0)?.text else { return done() }
            bus.call(Logind.name, path, Logind.getAll, [Logind.session]) { [weak self] answer in
                self?.keep(answer, of: path)
                done()
            }
        }
    }

    // MARK: Sleep

    /// Has the machine wait before it sleeps, or no longer. Once it has begun logind lets nobody begin to delay it.
    private func inhibitSleep() {
        guard delaysSleep else { return inhibitor.drop() }
        guard let owner, !isPreparingForSleep else { return }
        inhibitor.take(from: owner) { [weak self] in
            guard let self, !isPreparingForSleep else { return }
            onInhibitorRefused?()
        }
    }

    // MARK: The lid

    private func whenLidIsKnown(_ done: @escaping @MainActor () -> Void) {
        if lidIsSilent { loadLid(done) } else { done() }
    }

    /// Asks for the lid: once for all who want to know at the same time.
    private func loadLid(_ done: @escaping @MainActor () -> Void) {
        waitingForLid.append(done)
        if waitingForLid.count == 1 { askForLid() }
    }

    private func askForLid() {
        let asked = owner
        bus.call(Logind.name, Logind.path, Logind.get, [Logind.manager, "LidClosed"]) { [weak self] answer in
            guard let self else { return }
            // Another logind has come since, and may know better.
            guard owner == asked || owner == nil else { return askForLid() }
            if let isClosed = answer?.child(0)?.inner?.flag, isClosed != isLidClosed {
                isLidClosed = isClosed
                if standing == .answers { onChange?() }
            }
            let waited = waitingForLid
            waitingForLid = []
            for done in waited { done() }
        }
    }

    private func watchLid() {
        lidWatch?.cancel()
        lidWatch = nil
        guard isWatched, lidIsSilent, standing == .answers else { return }
        lidWatch = EventLoop.after(milliseconds: Logind.lidMilliseconds) { [weak self] in
            self?.loadLid { self?.watchLid() }
        }
    }
}

/// Whether the manager's description of itself says that no signal tells of the lid's changes.
private func tellsNothingOfLid(_ description: String) -> Bool {
    guard let node = g_dbus_node_info_new_for_xml(description, nil) else { return true }
    defer { g_dbus_node_info_unref(node) }
    guard let interface = g_dbus_node_info_lookup_interface(node, "org.freedesktop.login1.Manager"),
        let lid = g_dbus_interface_info_lookup_property(interface, "LidClosed"),
        let emits = g_dbus_annotation_info_lookup(
            lid.pointee.annotations, "org.freedesktop.DBus.Property.EmitsChangedSignal")
    else { return false }
    return String(cString: emits) == "false"
}
