import BioauthCore
import BioauthSystem
import BioauthWire
import Glibc

/// The daemon. A request's story: `Server` accepts a connection, `received` decodes what it says and hands it on,
/// `authenticate` (Daemon+Touch) lets policy judge it, the arbiter gives it the reader in its turn, `ReaderStation`
/// arms the reader and brings back what the touch showed, and the arbiter's `finish` tells the verdict.
@MainActor public final class Daemon {
    let log: Log
    let accounts: AccountStore
    let prints: PrintStore
    let readers: any ReaderSource
    let surroundings: any SurroundingsSource
    let passwords: PasswordPresence
    private let configurationPath: String?
    private var server: Server?
    private var signals: [EventSource] = []

    var settings: Settings
    var arbiter = Arbiter()
    var requests: [RequestID: Request] = [:]
    var tickets = Tickets()
    var screenUnlocks = ScreenUnlocks()
    var turns = PasswordTurns()
    /// Enrolments of users that aren't root: each compares a finger with everybody's.
    var enrollments = PasswordTurns()

    /// Prints that readers have lost, as far as that has been told.
    var lostPrints: Set<StoredPrint> = []
    /// The readers that are plugged in, in the order they came, and the places of those that may come back after a sleep.
    var stations: [ReaderStation] = []

    /// Users whose word is root's: root, and in private mode the daemon's own.
    private(set) var rootUIDs: Set<UInt32> = [0]
    var isLidShut = false
    /// Since when the machine sleeps, or is about to.
    var asleepSince: Instant?
    var logBudget = LogBudget()

    private var lastRequest: UInt64 = 0
    private var lastReader: UInt64 = 0
    /// Requests whose clients have gone since the loop last came round.
    private var departed: Set<RequestID> = []
    private var timer: BootTimer?
    private var timerDue: Instant?
    private var pending: [Step] = []
    private var isActing = false
    private var isStopping = false
    private var hasGivenUp = false

    /// How long a stop waits for the readers to be closed.
    private static let stopMilliseconds: UInt32 = 2000
    /// How long a reader that is lost stays so for the sake of touches at others.
    private static let lostMilliseconds: UInt32 = 60_000

    /// - Parameters:
    ///   - configuration: the file to read now and at each reload; nil: the defaults.
    ///   - passwordSocket: where `bioauth-password` listens.
    ///   - readers: not started yet.
    /// - Throws: `SystemError` when the state directory can't be made.
    public init(
        settings: Settings, configuration: String?, stateDirectory: String, passwordSocket: String,
        readers: any ReaderSource, surroundings: any SurroundingsSource, log: Log
    ) throws(SystemError) {
        self.settings = settings
        configurationPath = configuration
        self.readers = readers
        self.surroundings = surroundings
        self.log = log
        passwords = PasswordPresence(socketPath: passwordSocket)
        accounts = try AccountStore(stateDirectory: stateDirectory, log: log)
        prints = try PrintStore(stateDirectory: stateDirectory) { readers.describe($0) }
        timer = try BootTimer { [weak self] in self?.tick() }
    }

    /// Serves until a signal ends it: SIGTERM or SIGINT; or until a reader no longer answers. SIGHUP reads the
    /// configuration again.
    ///
    /// - Parameter rootUIDs: the users whose word counts as root's.
    /// - Returns: whether it was a signal. If not, the process has to end before a new one can use the reader, and
    ///   nothing that belongs to the reader may be freed first.
    public func run(on socket: consuming SeqpacketSocket, rootUIDs: Set<UInt32>) -> Bool {
        self.rootUIDs = rootUIDs
        let server = Server(
            socket, rootUIDs: rootUIDs, onRefused: { [weak self] in self?.note($0, "Too many connections") }, log: log,
            onMessage: { [weak self] in self?.received($1, from: $0) }, onClosed: { [weak self] in self?.left($0) })
        self.server = server
        signals = [
            EventLoop.onSignal(SIGTERM) { [weak self] in self?.stop() },
            EventLoop.onSignal(SIGINT) { [weak self] in self?.stop() },
            EventLoop.onSignal(SIGHUP) { [weak self] in self?.reload() },
        ]
        startReaders()
        startSurroundings()
        server.start()
        ServiceManager.notify("READY=1")
        feedWatchdog()
        log.write(.info, "bioauthd \(Release.version) serves")
        EventLoop.run()
        return !hasGivenUp
    }

    /// Says that the loop turns, twice as often as the service manager must hear it: where it doesn't, the daemon is
    /// started anew.
    private func feedWatchdog() {
        guard let interval = ServiceManager.watchdogMilliseconds else { return }
        ServiceManager.notify("WATCHDOG=1")
        _ = EventLoop.after(milliseconds: interval / 2) { [weak self] in self?.feedWatchdog() }
    }

    private func reload() {
        // A reader kept warm again would delay the stop.
        guard !isStopping else { return }
        ServiceManager.notify("RELOADING=1")
        defer { ServiceManager.notify("READY=1") }
        do {
            if let configurationPath {
                // One that was named must be there, now as at the start.
                let mustExist = configurationPath != Configuration.systemFile
                settings = try Configuration.load(configurationPath, mustExist: mustExist)
            }
        } catch {
            for problem in error.problems { log.write(.error, "\(problem)") }
            return log.write(.error, "The configuration has errors: the one before stays in force")
        }
        configureReaders()
        tell(WatchEvent(kind: .reloaded, time: wallMilliseconds))
        log.write(.notice, "The configuration was read again")
        endForbidden()
        reroute()
    }

    private func stop() {
        guard !isStopping else { return }
        isStopping = true
        ServiceManager.notify("STOPPING=1")
        act(arbiter.endAll(Denial(.daemonStopping), at: now))
        server?.stop()
        configureReaders()
        _ = EventLoop.after(milliseconds: Daemon.stopMilliseconds) { EventLoop.quit() }
        settle()
    }

    /// A reader holds this process up, and only the process's end frees it. Who waits for that one and can go to no other
    /// is told; once nobody is asked for a touch at another, or a minute has passed, the service manager starts another
    /// process.
    func giveUp(_ station: ReaderStation) {
        guard !isStopping else { return }
        if !hasGivenUp {
            _ = EventLoop.after(milliseconds: Daemon.lostMilliseconds) { [weak self] in
                if let self, !isStopping { leave() }
            }
        }
        hasGivenUp = true
        for (id, request) in requests where request.reader == station.id {
            act(arbiter.ended(id, Denial(.readerFailed), at: now))
        }
    }

    private func leave() {
        isStopping = true
        // Whoever brought this about may be in the middle of it.
        _ = EventLoop.after(milliseconds: 0) { [weak self] in
            guard let self else { return }
            act(arbiter.endAll(Denial(.readerFailed), at: now))
            server?.stop()
            ServiceManager.notify("STOPPING=1\nSTATUS=The reader no longer answers")
            EventLoop.quit()
        }
    }

    /// How long readers stay open after their last use.
    var readerKeptWarm: Duration { isStopping ? .zero : settings.readerKeptWarm }

    private func configureReaders() {
        for station in stations { station.take { $0.configured(keptWarm: readerKeptWarm, at: $1) } }
    }

    // MARK: Messages

    private func received(_ bytes: [UInt8], from connection: Connection) {
        let message: ClientMessage
        do {
            message = try ClientMessage(decoding: bytes)
        } catch {
            switch error {
            case .unknownType: return connection.send(.problem(.unknownMessage))
            case .unsupportedVersion: return connection.refuse(.unsupportedVersion)
            case .oversized: return connection.refuse(.oversized)
            case .truncated, .missing, .repeated, .invalid: return connection.refuse(.malformed)
            }
        }
        connection.idleSince = now
        if let account = message.account, !connection.peer.mayAsk(for: account) {
            note(connection.peer, "A peer asked for somebody else", account)
            return connection.refuse(.notPermitted)
        }
        switch message {
        case .cancel(let reason): cancel(reason, connection)
        case .watch: server?.watch(connection)
        case .authenticate, .enroll:
            guard connection.request == nil else { return connection.refuse(.tooMany) }
            if case .authenticate(let request) = message {
                // Whom a process asks for is root's word alone, as its service is.
                let agent = connection.peer.isRoot ? request.agentPID : nil
                locate(connection, agent: agent) { $0.authenticate(request, connection, at: $1) }
            }
            if case .enroll(let account, let finger, let ticket, let reader) = message {
                locate(connection) { $0.enroll(account, finger, ticket, reader: reader, connection, at: $1) }
            }
        case .examine(let account, let service, let tty, let isApp, let policy):
            // Some of it may have to be asked for first: what runs on the connection must be heard meanwhile.
            guard connection.request == nil else { return connection.refuse(.tooMany) }
            let asked = Authenticate(account: account, service: service, tty: tty, policy: policy, isApp: isApp)
            whenPasswordIsKnown(asked, connection) { daemon, isSet in
                daemon.locate(connection) { $0.examine(asked, connection, isPasswordSet: isSet, at: $1) }
            }
        case .passwordUseful(let account, let service): passwordUseful(account, service, connection)
        case .status(let account): connection.send(.status(status(of: account)))
        case .storage(let name, let prints): storage(of: name, clearing: Set(prints), connection)
        case .readers(let account): connection.send(.readers(readers(of: account)))
        case .list(let account): connection.send(.prints(list(account)))
        case .delete(let account, let finger, let ticket): delete(account, finger, ticket, connection)
        case .unlock(let account): unlock(account, connection)
        case .passwordTurn(let account, let peerUID): passwordTurn(account, peerUID, connection)
        case .passwordResult(let right, let wantsTicket): passwordResult(right, wantsTicket, connection)
        case .setSwitch(let change):
            guard connection.request == nil else { return connection.refuse(.tooMany) }
            locate(connection) { $0.setSwitch(change, connection, at: $1) }
        case .switches(let account): connection.send(.switches(switches(of: account)))
        case .password, .passwordSet:
            // A password never comes here. Whoever sent one spoke to the wrong socket.
            connection.refuse(.notPermitted)
        }
    }

    private func left(_ connection: Connection) {
        guard let id = connection.request else { return }
        connection.request = nil
        if let request = requests.removeValue(forKey: id) {
            audit(request, .denied(Denial(.appWithdrew)), "The client is gone")
        }
        if departed.isEmpty { _ = EventLoop.after(milliseconds: 0) { [weak self] in self?.forgetDeparted() } }
        departed.insert(id)
    }

    /// Those who left together are forgotten together: a thousand cost what one does.
    func forgetDeparted() {
        guard !departed.isEmpty else { return }
        let ids = departed
        departed = []
        act(arbiter.gone(ids, at: now))
    }

    // MARK: Time

    var now: Instant { BootClock.instant }

    var moment: Moment {
        Moment(boot: now, bootID: bootID, wall: WallClock.now() / 1_000_000_000)
    }

    /// A boot whose identity can't be had is like no other: passwords of earlier boots don't count as of this one.
    private let bootID = (try? BootClock.bootID()) ?? "unknown-\(randomBytes(16).map(sha256) ?? "\(WallClock.now())")"

    /// Since when no other system can have run on the machine.
    var machineRun: PrintStore.MachineRun { PrintStore.MachineRun(bootID: bootID, slept: BootClock.slept()) }

    var wallMilliseconds: UInt64 { UInt64(max(0, WallClock.now() / 1_000_000)) }

    // MARK: Acting

    func nextRequestID() -> RequestID {
        lastRequest += 1
        return RequestID(number: lastRequest)
    }

    func nextReaderID() -> ReaderID {
        lastReader += 1
        return ReaderID(number: lastReader)
    }

    /// Something that the arbiter or a reader's life decided.
    private enum Step {
        case arbiter(Arbiter.Action)
        case life(ReaderLife.Action, ReaderStation)
    }

    /// An event of the requests', and what follows from it.
    func take(_ event: (inout Arbiter, Instant) -> [Arbiter.Action]) { act(event(&arbiter, now)) }

    func act(_ actions: [Arbiter.Action]) { act(actions.map(Step.arbiter)) }

    func act(_ actions: [ReaderLife.Action], at station: ReaderStation) { act(actions.map { .life($0, station) }) }

    /// Carries out what was decided, in the order it was: what follows from a step goes behind those that are there.
    /// Each so hears of the others what they knew when they decided.
    private func act(_ steps: [Step]) {
        pending += steps
        guard !isActing else { return }
        isActing = true
        var at = 0
        while at < pending.count {
            switch pending[at] {
            case .arbiter(let action): perform(action)
            case .life(let action, let station): station.perform(action)
            }
            at += 1
        }
        pending.removeAll()
        isActing = false
        settle()
    }

    /// Sets the timer for whatever is due next, and ends a stop once the readers are closed.
    private func settle() {
        surroundings.isWatched = arbiter.count > 0
        surroundings.delaysSleep = stations.contains(where: \.life.delaysSleep)
        if isStopping && stations.allSatisfy(\.life.isAtRest) { return EventLoop.quit() }
        if hasGivenUp && !isStopping && !requests.keys.contains(where: arbiter.isPrompted) { leave() }
        let due = ([arbiter.nextDeadline] + stations.map(\.life.nextDeadline)).compactMap(\.self).min()
        guard due != timerDue else { return }
        timerDue = due
        timer?.set(due?.nanoseconds)
    }

    private func tick() {
        timerDue = nil
        for station in stations { station.take { $0.tick(at: $1) } }
        act(arbiter.tick(at: now))
    }

    /// Tells those who watch, as far as it is their business.
    func tell(_ event: WatchEvent) {
        guard let server else { return }
        for connection in server.watchers.values {
            if event.account.map(connection.peer.mayAsk(for:)) ?? true { connection.send(.event(event)) }
        }
    }
}
