import BioauthCore
import Testing

/// Every short sequence of what can happen to the password's clock, against what really passed.
@Suite struct PasswordClockSweepTests {
    enum Event: CaseIterable {
        case password, waitAnHour, wait71Hours, reboot, offFor71Hours, wallSetBack, wallSetForward
    }

    struct History {
        var clock = SimulatedClock()
        var password = PasswordClock()
        let settings = Settings()
        var events: [Event] = []
        /// When the password was last given: what had really passed by then, and in which boot.
        var given: (truth: Duration, boots: Int, wall: Int64)?
        /// Whether the wall clock was set since.
        var isHonest = true

        mutating func happen(_ event: Event) {
            switch event {
            case .password:
                password.given(at: clock.now)
                given = (clock.truth, clock.boots, clock.wall)
                isHonest = true
            case .waitAnHour: clock.wait(.hours(1))
            case .wait71Hours: clock.wait(.hours(71))
            case .reboot: clock.reboot()
            case .offFor71Hours: clock.reboot(off: .hours(71), up: .minutes(1))
            case .wallSetBack:
                clock.setWall(clock.wall - 100 * 3600)
                isHonest = false
            case .wallSetForward:
                clock.setWall(clock.wall + 100 * 3600)
                isHonest = false
            }
            events.append(event)
        }

        var failure: String? {
            for serviceClass in ServiceClass.allCases {
                let denial = password.denial(settings, for: serviceClass, now: clock.now)
                guard let given else {
                    if denial != Denial(.passwordNeverGiven) { return "\(serviceClass) without any password" }
                    continue
                }
                let rebooted = clock.boots != given.boots
                let tooOld = clock.truth - given.truth >= .hours(72)
                if isHonest || !rebooted {
                    // Nobody can be deceived: what passed decides.
                    let wanted =
                        tooOld
                        ? Denial(.passwordTooOld)
                        : rebooted && serviceClass == .login
                            ? Denial(.passwordFirst) : nil
                    if denial != wanted { return "\(serviceClass): \(denial, default: "allowed")" }
                }
                if rebooted, serviceClass == .login, denial == nil { return "login after a boot" }
                if rebooted, clock.wall < given.wall, denial != Denial(.clockWentBack) {
                    return "\(serviceClass): \(denial, default: "allowed") although the wall clock went back"
                }
                // However the wall clock is set, a boot's own length is never forgotten.
                if rebooted, clock.uptime >= .hours(72), denial == nil { return "\(serviceClass) after 72 hours up" }
            }
            return nil
        }
    }

    @Test func `every short sequence of events keeps the rules of the password's age`() {
        var seen = 0
        func walk(_ history: History, _ left: Int) {
            seen += 1
            if let failure = history.failure { Issue.record("\(history.events): \(failure)") }
            guard left > 0 else { return }
            for event in Event.allCases {
                var next = history
                next.happen(event)
                walk(next, left - 1)
            }
        }
        walk(History(), 5)
        #expect(seen == 19_608)
    }
}
