import BioauthCore

/// One who hears all that the arbiter is told and says, knows the rules, and nothing of how they are kept.
///
/// It judges by what clients were told: whoever was last told to wait for a reason waits for that reason.
struct ArbiterWitness: Hashable {
    enum Event: Hashable {
        case asked(Ask)
        case gone(RequestID)
        case ended(RequestID, Denial)
        case identified(Job, Identification)
        case charged(Account, RequestID, Denial?)
        case reader(ReaderID, ReaderStanding)
        case moved([RequestID: ReaderID])
        case activity
        case slept
        case woke
        case away(Set<RequestID>)
        case enrolled(RequestID)
        case tick
    }

    /// A request as its client sees it.
    struct Client: Hashable {
        enum View: Hashable {
            case untold
            case prompted
            case waiting(Cause)
        }

        let ask: Ask
        /// When it asked, were it not for the machine's sleep since.
        var asked: Instant
        /// The reader that serves it.
        var reader: ReaderID
        var view = View.untold
        var place: Int?
        var triesLeft: Int
        var wasPrompted = false
        var timeUsed: Duration = .zero
        var isPaused = false
        /// Nobody can be where it was asked from.
        var isAway = false
        /// Why it must wait by the rules, and since when it need not.
        var obstacle: Cause?
        var obstacleWent: Instant?
        var contendedSince: Instant?
        var inLineSince: Instant
        var armedSince: Instant?
        /// The job that a match may answer it for.
        var job: Job?

        /// Asked for a touch, or told how the reader stands.
        var isAtTurn: Bool {
            switch view {
            case .prompted, .waiting(.readerOpening), .waiting(.readerFailed), .waiting(.readerHot),
                .waiting(.readerBusy):
                true
            case .untold, .waiting: false
            }
        }

        var isResting: Bool { view == .waiting(.resting) }
        /// Told to wait for what is over by now.
        var isCooling: Bool { obstacle == nil && (view == .waiting(.suspended) || view == .waiting(.contended)) }
        var isInLine: Bool { obstacle == nil && !isResting }
        var isUserLocker: Bool { ask.serviceClass == .lock && !ask.isRoot }
        var isRootLock: Bool { ask.serviceClass == .login || ask.serviceClass == .lock && ask.isRoot }
        var isPrivilege: Bool { ask.serviceClass == .privilege }

        /// Lock and login before privilege and enrolments, those before users' lockers, those before apps.
        var rank: Int { isRootLock ? 4 : isUserLocker ? 2 : ask.serviceClass == .app && ask.work == .identify ? 1 : 3 }

        func outranks(_ other: Client) -> Bool {
            rank > other.rank && !(isUserLocker && ask.account.uid != other.ask.account.uid)
        }
    }

    private(set) var clients: [Client] = []
    private(set) var wanted: [ReaderID: Job] = [:]
    private(set) var readers: [ReaderID: ReaderStanding] = [:]
    private(set) var asleepSince: Instant?
    private var now: Instant
    private var charges: [RequestID] = []
    /// What is wrong, in words.
    private(set) var complaints: [String] = []

    init(at now: Instant) {
        self.now = now
    }

    /// What happened, what the arbiter made of it, and when it wants to be woken.
    mutating func saw(_ event: Event, _ actions: [Arbiter.Action], due: Instant?, at now: Instant) {
        for at in clients.indices where !clients[at].isPaused && asleepSince == nil {
            clients[at].timeUsed += now - self.now
        }
        self.now = now
        let holders = wanted
        take(event)
        for action in actions { take(action, event) }
        answer(event, actions)
        findObstacles()
        judgeWaiting()
        for reader in readers.keys.sorted() { judgeTurn(at: reader, since: holders[reader]) }
        if due != nextDue { complain("wants to be woken at \(due as Any) instead of \(nextDue as Any)") }
    }

    private mutating func complain(_ what: String) {
        complaints.append(what)
    }

    private func index(_ id: RequestID) -> Int? { clients.firstIndex { $0.ask.id == id } }

    // MARK: What happens

    private mutating func take(_ event: Event) {
        switch event {
        case .asked(let ask):
            clients.append(Client(ask: ask, asked: now, reader: ask.reader, triesLeft: ask.tries, inLineSince: now))
        case .gone(let id), .enrolled(let id):
            clients.removeAll { $0.ask.id == id }
        case .reader(let reader, let standing):
            readers[reader] = standing == .absent ? nil : standing
        case .moved(let moves):
            for at in clients.indices {
                guard let reader = moves[clients[at].ask.id], reader != clients[at].reader else { continue }
                clients[at].reader = reader
                // What it was told of the other reader, or of its line, holds no more; nor does a touch from there.
                clients[at].job = nil
                clients[at].armedSince = nil
                if clients[at].isAtTurn || clients[at].view == .waiting(.queued) { clients[at].view = .untold }
                clients[at].inLineSince = now
            }
        case .charged(_, let id, nil):
            if let at = index(id) { clients[at].triesLeft -= 1 }
        case .activity:
            for at in clients.indices where clients[at].armedSince != nil { clients[at].armedSince = now }
        case .away(let ids):
            for at in clients.indices { clients[at].isAway = ids.contains(clients[at].ask.id) }
        case .slept:
            asleepSince = asleepSince ?? now
            // Whatever was touched before it counts for nobody.
            for at in clients.indices { clients[at].job = nil }
        case .woke:
            if let asleepSince {
                for at in clients.indices {
                    clients[at].asked = clients[at].asked + (now - max(asleepSince, clients[at].asked))
                }
            }
            asleepSince = nil
        case .ended, .identified, .charged, .tick:
            break
        }
    }

    private mutating func take(_ action: Arbiter.Action, _ event: Event) {
        switch action {
        case .want(let job, let reader):
            if job == wanted[reader] { complain("wants \(job as Any) twice") }
            wanted[reader] = job
            if let job, let at = index(job.owner) {
                if clients[at].reader != reader { complain("wants \(job) at another's reader") }
                if clients[at].armedSince == nil { clients[at].armedSince = now }
                clients[at].job = job
            }
        case .prompt(let id, let triesLeft, let again):
            guard let at = index(id) else { return complain("prompts \(id.number), which has ended") }
            let client = clients[at]
            if readers[client.reader] != .good { complain("prompts while the reader isn't good") }
            if asleepSince != nil { complain("prompts while the machine sleeps") }
            if event == .woke && client.isPrivilege && client.view == .waiting(.suspended) {
                complain("prompts \(id.number) as the machine wakes")
            }
            if again != client.wasPrompted { complain("prompts \(id.number) again: \(again)") }
            if triesLeft != client.triesLeft { complain("tells a wrong number of tries left") }
            if let went = client.obstacleWent, client.isCooling, now - went < .seconds(2) {
                complain("prompts \(id.number) too early")
            }
            see(at, .prompted)
            clients[at].wasPrompted = true
            clients[at].isPaused = false
        case .waiting(let id, let cause, let place, _):
            guard let at = index(id) else { return complain("lets \(id.number) wait, which has ended") }
            if clients[at].view == .waiting(cause) && clients[at].place == place && !clients[at].isCooling {
                complain("says \(cause) twice")
            }
            if cause == .queued && clients[at].isAtTurn {
                if !clients[at].isUserLocker { complain("puts \(id.number) back in line") }
                clients[at].inLineSince = now
            }
            let isInterrupted = cause == .suspended || cause == .queued && clients[at].isAtTurn
            if cause == .contended || isInterrupted && clients[at].wasPrompted { clients[at].isPaused = true }
            see(at, .waiting(cause))
            clients[at].place = place
            if cause == .contended { clients[at].job = nil }
        case .retry(let id, _):
            guard let at = index(id), clients[at].view == .prompted, case .identified(let job, .retry) = event,
                job.owner == id
            else { return complain("asks \(id.number) for another touch") }
        case .mismatch(let id, let triesLeft):
            guard let at = index(id), case .charged(_, id, nil) = event, clients[at].triesLeft == triesLeft,
                triesLeft > 0
            else { return complain("tells \(id.number) of a mismatch") }
        case .charge(let account, let id):
            guard case .identified(let job, .noMatch) = event, job.kind == .identify, job.account == account,
                job.owner == id
            else { return complain("charges \(id.number)") }
            charges.append(id)
        case .finish(let id, let verdict):
            guard let at = index(id) else { return complain("ends \(id.number) again") }
            if !isRight(verdict, for: clients[at], event) { complain("ends \(id.number) with \(verdict)") }
            clients.remove(at: at)
        case .duplicate(let id, _):
            guard index(id) != nil, case .identified(let job, .matched) = event, job.owner == id,
                case .findDuplicate = job.kind
            else { return complain("finds a duplicate for \(id.number)") }
        case .enrolling(let id, _, _):
            complain("tells \(id.number) of an enrolment that makes no progress")
        }
    }

    private mutating func see(_ at: Int, _ view: Client.View) {
        switch clients[at].view {
        case .waiting(.suspended), .waiting(.contended), .waiting(.resting): clients[at].inLineSince = now
        case .untold, .prompted, .waiting: break
        }
        clients[at].contendedSince = view == .waiting(.contended) ? now : nil
        clients[at].view = view
        clients[at].place = nil
    }

    private func isRight(_ verdict: Verdict, for client: Client, _ event: Event) -> Bool {
        guard case .denied(let denial) = verdict else {
            guard case .identified(let job, .matched) = event else { return false }
            return job.kind == .identify && client.job == job && client.wasPrompted
        }
        if case .ended(client.ask.id, denial) = event { return true }
        if case .charged(client.ask.account, _, let why?) = event, why.cause == denial.cause {
            return client.ask.work == .identify && denial.lockoutBegan == (why.code == .biometryLockout)
        }
        switch denial.cause {
        case .timedOut: return dues(client).contains { $0.cause == .timedOut && $0.at <= now }
        case .contended, .readerFailed, .readerHot:
            return dues(client).contains { $0.cause == denial.cause && $0.at <= now }
        case .preempted:
            let isOutranked = clients.contains { $0.reader == client.reader && $0.outranks(client) && !$0.isResting }
            return isOutranked && (client.rank == 1 || client.ask.work != .identify)
        case .mismatchesUsedUp: return client.triesLeft == 0
        case .suspended: return asleepSince != nil && client.ask.serviceClass == .app
        case .readerUnplugged: return readers[client.reader] == nil
        default: return false
        }
    }

    /// Events that must have an answer.
    private mutating func answer(_ event: Event, _ actions: [Arbiter.Action]) {
        guard case .identified(let job, let result) = event else { return }
        switch (job.kind, result) {
        case (.identify, .noMatch):
            if actions.count(where: { $0 == .charge(job.account, job.owner) }) != 1 { complain("charges nobody") }
        case (.identify, .matched):
            let isOwed = clients.contains { $0.ask.id == job.owner && $0.job == job && $0.wasPrompted }
            if isOwed { complain("keeps a match from its owner") }
        default: break
        }
    }

    // MARK: What must be

    private func obstacle(_ client: Client) -> Cause? {
        if client.isResting { return nil }
        if asleepSince != nil { return .suspended }
        let ask = client.ask
        if client.isPrivilege && ask.work == .identify {
            let isContended = clients.contains { rival in
                rival.isPrivilege && rival.ask.work == .identify && rival.ask.account.uid == ask.account.uid
                    && rival.ask.processGroup != ask.processGroup
            }
            if isContended { return .contended }
        }
        let isSuspended = clients.contains { lock in
            guard !lock.isResting else { return false }
            let isForAll = lock.isRootLock && lock.reader == client.reader
            let isOwn = (lock.isRootLock || lock.isUserLocker) && lock.ask.account.uid == ask.account.uid
            return client.isPrivilege && (isForAll || isOwn)
        }
        return isSuspended ? .suspended : nil
    }

    private mutating func findObstacles() {
        for at in clients.indices {
            let obstacle = obstacle(clients[at])
            if obstacle != nil { clients[at].obstacleWent = nil }
            if obstacle == nil && clients[at].obstacle != nil { clients[at].obstacleWent = now }
            clients[at].obstacle = obstacle
            if clients[at].ask.id != wanted[clients[at].reader]?.owner { clients[at].armedSince = nil }
        }
        if asleepSince == nil && clients.contains(where: { readers[$0.reader] == nil }) {
            complain("lets requests wait for a reader that isn't there")
        }
    }

    private mutating func judgeWaiting() {
        for client in clients {
            let id = client.ask.id.number
            if let obstacle = client.obstacle, client.view != .waiting(obstacle) {
                complain("says \(client.view) to \(id), which is \(obstacle)")
            }
            if client.view == .untold && !client.isCooling { complain("says nothing to \(id)") }
            for due in dues(client) where due.at <= now { complain("has forgotten \(id): \(due.cause) is due") }
            if asleepSince != nil && client.ask.serviceClass == .app { complain("puts \(id) aside, which can't be") }
            if client.isRootLock || client.isUserLocker, client.isCooling { complain("lets \(id) cool") }
            if client.isResting && client.ask.serviceClass != .lock && !client.isAway { complain("lets \(id) rest") }
            if client.isAway && !client.isResting { complain("says \(client.view) to \(id), where nobody can be") }
        }
    }

    /// The order in which they go at a reader: by rank, then as they came.
    private func line(at reader: ReaderID) -> [Client] {
        clients.filter { $0.reader == reader && $0.obstacle != .contended && !$0.isResting }.enumerated()
            .sorted { ($1.element.rank, $0.offset) < ($0.element.rank, $1.offset) }.map(\.element)
    }

    private mutating func judgeTurn(at reader: ReaderID, since before: Job?) {
        let line = line(at: reader)
        let candidates = line.filter(\.isInLine)
        let holder = candidates.first { $0.ask.id == before?.owner && !$0.isCooling }
        let keeps = holder.map { holder in !candidates.contains { $0.outranks(holder) } } ?? false
        let next = keeps ? holder : candidates.first
        let owner = next.flatMap { $0.isCooling ? nil : $0 }
        if wanted[reader]?.owner != owner?.ask.id {
            complain("wants \(wanted[reader] as Any), not \(owner?.ask as Any)")
        }

        var place = 0
        for client in line where client.ask.id != next?.ask.id {
            place += 1
            guard client.isInLine && !client.isCooling else { continue }
            if client.view != .waiting(.queued) || client.place != place {
                complain("says \(client.view) at \(client.place as Any) to \(client.ask.id.number) at \(place)")
            }
        }
        guard let owner else { return }
        let view: Client.View
        switch readers[reader] {
        case .good: view = .prompted
        case .failing(let cause, _): view = .waiting(cause)
        case .unproven, .absent, nil: view = .waiting(.readerOpening)
        }
        if owner.view != view { complain("says \(owner.view) to \(owner.ask.id.number), whose turn it is") }
    }

    // MARK: What is due

    private func dues(_ client: Client) -> [(at: Instant, cause: Cause)] {
        if asleepSince != nil { return [] }
        let ask = client.ask
        var dues: [(at: Instant, cause: Cause)] = [(client.asked + .seconds(300), .timedOut)]
        if !client.isPaused { dues.append((now + (ask.timeout - client.timeUsed), .timedOut)) }
        if client.obstacle == .contended || client.view == .waiting(.contended) && client.obstacleWent == nil {
            dues.append((client.contendedSince! + .seconds(5), .contended))
        }
        if client.isCooling, let went = client.obstacleWent { dues.append((went + .seconds(2), .suspended)) }
        if ask.fingerOnly, client.isInLine, !client.isCooling,
            case .failing(let cause, let since) = readers[client.reader]
        {
            dues.append((max(since, client.inLineSince) + .seconds(2), cause))
        }
        if ask.serviceClass == .lock, let armed = client.armedSince { dues.append((armed + .seconds(60), .resting)) }
        return dues
    }

    private var nextDue: Instant? { clients.flatMap { dues($0).map(\.at) }.min() }
}
