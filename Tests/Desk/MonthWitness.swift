import BioauthCore
import Month

/// One who sees what clients ask, what fingers do and what is told, and knows what must never be. Of how it is seen to it
/// knows nothing.
struct MonthWitness {
    /// A request as its client sees it.
    struct Client {
        enum View: Equatable {
            case untold, prompted
            case waiting(Cause)
        }

        let ask: Ask
        var view = View.untold
        var wasPrompted = false
        /// How long it has waited with the machine awake: in all, and as far as its time ran.
        var waited: Duration = .zero
        var used: Duration = .zero
        /// Its time doesn't run until it is prompted afresh.
        var isPaused = false

        var isPrivilege: Bool { ask.serviceClass == .privilege }
    }

    /// A finger on a reader, from when it comes until it goes.
    struct Touch {
        let whose: Month.Finger
        /// The action that has captured it.
        var job: Job?
        /// The request that it was meant for when it was captured, if that asked for it.
        var meant: RequestID?
        /// It may be taken for nobody's.
        var isOverlaid = false
        /// Whom it was compared for last.
        var served: RequestID?
        /// When an action ended with the finger still there: a second later it is as good as another.
        var ended: Instant?
    }

    /// What stands against an account's finger.
    struct Account {
        /// The mismatches since the last match or password.
        var mismatches: [Instant] = []
        var password: Instant

        func isLocked(at now: Instant) -> Bool {
            let count = mismatches.count
            if count >= 20 || now - password >= .seconds(72 * 3600) { return true }
            return count >= 5 && now - mismatches[count / 5 * 5 - 1] < .seconds(30)
        }
    }

    private(set) var complaints: [String] = []
    /// How often something worth seeing was seen.
    private(set) var seen: [Sight: Int] = [:]
    private var clients: [RequestID: Client] = [:]
    private var accounts: [BioauthCore.Account: Account] = [:]
    private var touches: [Int: Touch] = [:]
    /// The touch that is being compared, and what for.
    private var comparing: (touch: Int, job: Job, result: Identification, isCharged: Bool)?
    /// What the readers are to be armed for.
    private var wanted: [ReaderID: Job] = [:]
    private var isAsleep = false
    private var now = Instant(nanoseconds: 0) + .seconds(1000)

    enum Sight: CaseIterable {
        case allowed, mismatched, refusedLocked, contended, suspended, timedOut, enrolled, startedAnew, waitedForReader
    }

    mutating func complain(_ what: String) { complaints.append(what) }

    func isLive(_ id: RequestID) -> Bool { clients[id] != nil }

    func isPrompted(_ id: RequestID) -> Bool { clients[id]?.view == .prompted }

    // MARK: What happens

    private mutating func come(to now: Instant) {
        let time = now - self.now
        self.now = now
        guard !isAsleep, time > .zero else { return }
        for id in clients.keys {
            clients[id]!.waited += time
            if !clients[id]!.isPaused { clients[id]!.used += time }
        }
    }

    mutating func asked(_ ask: Ask, at now: Instant) {
        come(to: now)
        clients[ask.id] = Client(ask: ask)
    }

    /// It was refused before it came to a reader.
    mutating func refused(_ id: RequestID, _ denial: Denial, at now: Instant) {
        guard let client = clients.removeValue(forKey: id) else { return complain("refuses \(id.number) twice") }
        if denial.code == .biometryLockout {
            see(.refusedLocked)
            if !isLocked(client.ask.account) { complain("refuses \(id.number): \(denial.cause)") }
        }
    }

    mutating func left(_ id: RequestID) { clients[id] = nil }

    mutating func passwordGiven(_ account: BioauthCore.Account, at now: Instant) {
        accounts[account] = Account(password: now)
    }

    mutating func slept(at now: Instant) {
        come(to: now)
        isAsleep = true
    }

    mutating func woke(at now: Instant) {
        come(to: now)
        isAsleep = false
    }

    // MARK: Touches

    mutating func touched(_ touch: Int, _ whose: Month.Finger) { touches[touch] = Touch(whose: whose) }

    /// A running action has captured the touch, that is, what it shows is known and has yet to be compared.
    mutating func captured(_ touch: Int, by job: Job) {
        touches[touch]!.job = job
        touches[touch]!.meant = isPrompted(job.owner) && !isAsleep ? job.owner : nil
    }

    /// Another finger has come before what the touch shows was told. Where the reader isn't wanted any more for the one, or the
    /// action is being ended, who is told can't know which of them that is of, and may take it for nobody's.
    mutating func overlaid(_ touch: Int, at reader: ReaderID, isOver: Bool) {
        if isOver || wanted[reader] != touches[touch]!.job { touches[touch]!.isOverlaid = true }
    }

    mutating func compares(_ touch: Int, _ job: Job, _ result: Identification, at now: Instant) {
        if touches[touch]!.job != job { complain("compares a touch for another than captured it") }
        let isOld = touches[touch]!.ended.map { now - $0 >= .seconds(1) } ?? false
        if let served = touches[touch]!.served, !isOld {
            complain("lets one touch serve \(served.number) and \(job.owner.number)")
        }
        if case .retry = result {} else { touches[touch]!.served = job.owner }
        comparing = (touch, job, result, false)
    }

    mutating func actionEnded(_ touch: Int, at now: Instant) { touches[touch]!.ended = now }

    // MARK: What is told

    mutating func heard(_ told: [DeskTrial.Told], _ kept: PlayedAccounts?, at now: Instant) {
        come(to: now)
        for told in told {
            switch told {
            case .action(let action): take(action)
            case .enrolled(let id):
                see(.enrolled)
                guard let client = clients.removeValue(forKey: id), client.ask.work != .identify else {
                    complain("enrols for \(id.number)")
                    continue
                }
            case .startedAnew:
                see(.startedAnew)
                // Every connection has gone. The new daemon knows of no touch from before it.
                clients = [:]
                wanted = [:]
                for touch in touches.keys { touches[touch]!.served = nil }
                comparing = nil
            }
        }
        if let comparing, comparing.result == .noMatch, comparing.job.kind == .identify, !comparing.isCharged,
            let touch = touches[comparing.touch], touch.meant != nil, !touch.isOverlaid
        {
            complain("forgets a mismatch of \(comparing.job.account.name)")
        }
        comparing = nil
        judgeCounts(kept)
        judgeWaiting()
    }

    private mutating func take(_ action: Arbiter.Action) {
        switch action {
        case .want(let job, let reader): wanted[reader] = job
        case .prompt(let id, _, _):
            guard let client = hears(id, "prompts") else { return }
            if isAsleep { complain("prompts \(id.number) in the sleep") }
            if client.ask.work == .identify && isLocked(client.ask.account) {
                complain("prompts \(id.number), whose account is locked")
            }
            if isContended(client) { complain("prompts \(id.number), which is contended") }
            clients[id]!.view = .prompted
            clients[id]!.wasPrompted = true
            clients[id]!.isPaused = false
        case .waiting(let id, let cause, _, _):
            guard let client = hears(id, "lets wait") else { return }
            let isHandedOver = cause == .suspended || cause == .queued && client.ask.serviceClass == .lock
            if cause == .contended || isHandedOver && client.wasPrompted { clients[id]!.isPaused = true }
            clients[id]!.view = .waiting(cause)
            switch cause {
            case .contended: see(.contended)
            case .suspended: see(.suspended)
            case .readerFailed, .readerHot, .readerOpening: see(.waitedForReader)
            default: break
            }
        case .retry(let id, _), .enrolling(let id, _, _), .duplicate(let id, _):
            _ = hears(id, "\(action)")
        case .mismatch(let id, _):
            guard hears(id, "tells of a mismatch") != nil else { return }
            if comparing?.job.owner != id || comparing?.isCharged != true {
                complain("tells \(id.number) of no mismatch")
            }
        case .charge(let account, let id):
            see(.mismatched)
            guard let compared = comparing, compared.result == .noMatch, compared.job.owner == id,
                compared.job.account == account, !compared.isCharged, touches[compared.touch]!.meant == id
            else { return complain("charges \(account.name) for no touch") }
            comparing!.isCharged = true
            accounts[account]!.mismatches.append(now)
        case .finish(let id, let verdict):
            guard let client = hears(id, "ends") else { return }
            clients[id] = nil
            if case .denied(let denial) = verdict {
                if denial.cause == .timedOut { see(.timedOut) }
                return
            }
            see(.allowed)
            judgeAllow(client)
            accounts[client.ask.account]!.mismatches = []
        }
    }

    /// Nobody hears anything after they have left, or after their answer.
    private mutating func hears(_ id: RequestID, _ what: String) -> Client? {
        if clients[id] == nil { complain("\(what) \(id.number), which has ended") }
        return clients[id]
    }

    private mutating func see(_ sight: Sight) { seen[sight, default: 0] += 1 }

    // MARK: What must be

    private mutating func judgeAllow(_ client: Client) {
        let id = client.ask.id
        guard let comparing, let touch = touches[comparing.touch], comparing.job.owner == id,
            client.ask.work == .identify
        else { return complain("lets \(id.number) in by no touch") }
        if case .person(let person) = touch.whose, MonthTrial.account(person) == client.ask.account {
        } else {
            complain("lets \(id.number) in by the touch of \(touch.whose)")
        }
        if touch.meant != id { complain("lets \(id.number) in by a touch that it didn't ask for") }
        if isAsleep { complain("lets \(id.number) in in the sleep") }
        if isLocked(client.ask.account) { complain("lets \(id.number) in, whose account is locked") }
        if isContended(client) { complain("lets \(id.number) in, which is contended") }
    }

    private func isLocked(_ account: BioauthCore.Account) -> Bool { accounts[account]!.isLocked(at: now) }

    /// Another program asks for the same privilege of the same person.
    private func isContended(_ client: Client) -> Bool {
        guard client.isPrivilege else { return false }
        return clients.values.contains {
            $0.isPrivilege && $0.ask.account == client.ask.account && $0.ask.processGroup != client.ask.processGroup
        }
    }

    /// Every mismatch is kept, and none that wasn't.
    private mutating func judgeCounts(_ kept: PlayedAccounts?) {
        for (account, known) in accounts {
            let count = kept?.state(of: account).lockout.mismatches
            if count != known.mismatches.count {
                complain(
                    "keeps \(count, default: "no") mismatches of \(account.name) instead of \(known.mismatches.count)")
            }
        }
    }

    private mutating func judgeWaiting() {
        for (id, client) in clients where client.used > client.ask.timeout || client.waited > Arbiter.longest {
            complain("has forgotten \(id.number)")
        }
    }

    /// So late nobody waits any more.
    mutating func judgeEnd() {
        for id in clients.keys { complain("never answers \(id.number)") }
    }
}
