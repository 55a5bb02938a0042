import BioauthCore

/// Which reader serves whom, as the daemon has it.
extension DeskTrial {
    /// How a reader stands from now on. Who can go elsewhere needn't hear that it is lost; who comes to it finds it there.
    mutating func stands(_ standing: ReaderStanding, _ at: Int) {
        let isLost = if case .failing = standing { true } else { standing == .absent }
        if isLost { reroute() }
        changed(standing, at)
        if !isLost { reroute() }
    }

    private mutating func reroute() {
        guard readers.count > 1 else { return }
        var moves: [RequestID: ReaderID] = [:]
        for request in requests where request.ask.work == .identify {
            let id = request.ask.id
            let choice = choice(staying: arbiter.isPrompted(id) ? request.reader : nil)
            if choice.canServe, let best = choice.best?.id, best != request.reader { moves[id] = best }
        }
        if !moves.isEmpty { move(moves) }
    }

    func choice(staying: ReaderID? = nil) -> ReaderChoice {
        let able = readers.filter { $0.life.current != .absent }
        return ReaderChoice(
            among: able.map {
                ReaderCandidate(
                    id: $0.id, description: DeskTrial.description, isFailing: $0.isFailing, isEnrolled: true)
            }, isLidShut: false, preferred: [], staying: staying)
    }

    private static let description = ReaderDescription(
        driver: "played", deviceID: "0", name: "Played reader", scan: .press, enrollStages: 3, canIdentify: true)
}

/// What is kept of accounts, as the daemon keeps it: what is here outlasts the daemon.
struct PlayedAccounts: Hashable {
    private(set) var disk: [Account: AccountState] = [:]
    /// How far somebody has set the wall clock forwards.
    var clockSet: Int64 = 0
    /// Every so manieth mismatch is not written, to see that somebody notices; 0: each is.
    var losesEach = 0
    private var mismatches = 0
    private static let settings = Settings()

    private func moment(at now: Instant) -> Moment {
        let wall = 1_700_000_000 + now.nanoseconds / 1_000_000_000 + clockSet
        return Moment(boot: now, bootID: "boot", wall: wall)
    }

    func state(of account: Account) -> AccountState { disk[account] ?? AccountState() }

    func denial(_ account: Account, for serviceClass: ServiceClass, at now: Instant) -> Denial? {
        state(of: account).denial(PlayedAccounts.settings, for: serviceClass, now: moment(at: now))
    }

    mutating func mismatched(_ account: Account, at now: Instant) -> Denial? {
        var state = state(of: account)
        state.mismatched(PlayedAccounts.settings, now: moment(at: now))
        mismatches += 1
        if losesEach == 0 || !mismatches.isMultiple(of: losesEach) { disk[account] = state }
        return state.lockout.denial(PlayedAccounts.settings, now: moment(at: now))
    }

    mutating func matched(_ account: Account) {
        disk[account]?.matched()
    }

    mutating func passwordGiven(_ account: Account, at now: Instant) {
        disk[account, default: AccountState()].passwordGiven(at: moment(at: now))
    }
}
