import BioauthCore
import Testing

/// Every short sequence of what can happen to an account, against the design's words. What is expected is told from
/// the whole history each time: it keeps no count and no delay, and so can't go wrong the way the state might.
@Suite struct AccountStateSweepTests {
    enum Event: CaseIterable {
        case mismatch, match, password, clear, waitOneSecond, wait31Seconds, reboot

        /// What takes the mismatches before it out of the count.
        var clears: Bool { self == .match || self == .password || self == .clear }
    }

    struct History {
        var clock = SimulatedClock()
        var state = AccountState()
        var settings: Settings
        /// What happened, when, and how often the machine had been started by then.
        var events: [(event: Event, boots: Int, uptime: Duration)] = []

        mutating func happen(_ event: Event) {
            switch event {
            case .mismatch: state.mismatched(settings, now: clock.now)
            case .match: state.matched()
            case .password: state.passwordGiven(at: clock.now)
            case .clear: state.cleared()
            case .waitOneSecond: clock.wait(.seconds(1))
            case .wait31Seconds: clock.wait(.seconds(31))
            case .reboot: clock.reboot(off: .seconds(3), up: .seconds(2))
            }
            events.append((event, clock.boots, clock.uptime))
        }

        /// The mismatches that nothing has answered yet, the oldest first.
        var unanswered: [(event: Event, boots: Int, uptime: Duration)] {
            let answer = events.lastIndex { $0.event.clears }
            return events[(answer.map { $0 + 1 } ?? 0)...].filter { $0.event == .mismatch }
        }

        /// How long no finger is taken from now on, by what the design says of delays.
        var rest: Duration {
            let mismatches = unanswered
            let each = settings.mismatchesPerDelay
            guard mismatches.count >= each else { return .zero }
            let began = mismatches[mismatches.count / each * each - 1]
            let passed = began.boots == clock.boots ? clock.uptime - began.uptime : clock.uptime
            return max(settings.lockoutDelay - passed, .zero)
        }

        var failure: String? {
            let lockout = state.lockout.denial(settings, now: clock.now)
            let expected: Denial? =
                unanswered.count >= settings.mismatchesUntilPassword
                ? Denial(.passwordNeeded) : rest > .zero ? Denial(.lockedOut, endsIn: rest) : nil
            if lockout != expected {
                return "\(lockout, default: "allowed") instead of \(expected, default: "allowed")"
            }
            if state.hasMismatches != !unanswered.isEmpty { return "the count is \(state.lockout.mismatches)" }

            let everGiven = events.contains { $0.event == .password }
            let givenSinceBoot = events.contains { $0.event == .password && $0.boots == clock.boots }
            for serviceClass in ServiceClass.allCases {
                let denial = state.denial(settings, for: serviceClass, now: clock.now)
                if unanswered.count >= settings.mismatchesUntilPassword || rest > .zero || !everGiven, denial == nil {
                    return "\(serviceClass) is let in"
                }
                if serviceClass == .login, !givenSinceBoot, denial == nil { return "login before the password" }
                if denial != nil, events.last?.event == .password { return "\(serviceClass) denied after the password" }
                if denial?.code == .biometryLockout, !state.wantsPassword(settings, now: clock.now) {
                    return "\(denial!.cause) although no password is wanted"
                }
                if everGiven, givenSinceBoot || serviceClass != .login, denial != expected {
                    return "\(serviceClass) gets \(denial, default: "allowed")"
                }
            }
            return nil
        }
    }

    @Test func `every short sequence of events keeps the rules, with delays after two and the password after four`() {
        var settings = Settings()
        settings.mismatchesPerDelay = 2
        settings.mismatchesUntilPassword = 4
        sweep(from: History(settings: settings), length: 6)
    }

    @Test(arguments: [3, 8, 13, 18])
    func `every short sequence of events keeps the rules, near each of the shipped limits`(mismatches: Int) {
        var history = History(settings: Settings())
        history.happen(.password)
        for _ in 0..<mismatches { history.happen(.mismatch) }
        history.happen(.wait31Seconds)
        sweep(from: history, length: 4)
    }

    /// The wall clock is set anew after each event: nothing about the lockout may change.
    @Test(arguments: [.min, 0, 1 << 40] as [Int64])
    func `no sequence of events is any different with a wall clock that somebody sets`(wall: Int64) {
        var settings = Settings()
        settings.mismatchesPerDelay = 1
        settings.mismatchesUntilPassword = 3
        var compared = 0
        func walk(_ honest: History, _ set: History, _ length: Int) {
            #expect(
                honest.state.lockout.denial(settings, now: honest.clock.now)
                    == set.state.lockout.denial(settings, now: set.clock.now))
            compared += 1
            guard length > 0 else { return }
            for event in Event.allCases {
                var (one, other) = (honest, set)
                one.happen(event)
                other.happen(event)
                other.clock.setWall(wall)
                walk(one, other, length - 1)
            }
        }
        walk(History(settings: settings), History(settings: settings), 4)
        #expect(compared == 2801)
    }

    private func sweep(from start: History, length: Int) {
        var seen = 0
        func walk(_ history: History, _ left: Int) {
            seen += 1
            if let failure = history.failure { Issue.record("\(history.events.map(\.event)): \(failure)") }
            guard left > 0 else { return }
            for event in Event.allCases {
                var next = history
                next.happen(event)
                walk(next, left - 1)
            }
        }
        walk(start, length)
        // 1 + 7 + 49 + …
        let count = Event.allCases.count
        #expect(seen == (0...length).reduce(0) { sum, n in sum + (0..<n).reduce(1) { power, _ in power * count } })
    }
}
