import BioauthCore
import Testing

@Suite struct AccountStateTests {
    var clock = SimulatedClock()
    var settings = Settings()
    var state = AccountState()

    @Test mutating func `of several reasons the one that lasts is told`() {
        // Everything at once: damaged, twenty mismatches, a delay, and a password that was never given.
        miss(20)
        state.damaged = true
        #expect(denial(.login) == Denial(.stateDamaged))
        state.damaged = false
        #expect(denial(.login) == Denial(.passwordNeeded))

        state = AccountState()
        miss(5)
        #expect(denial(.login) == Denial(.passwordNeverGiven))

        state.passwordGiven(at: clock.now)
        clock.reboot()
        miss(5)
        #expect(denial(.login) == Denial(.passwordFirst))
        #expect(denial(.privilege) == Denial(.lockedOut, endsIn: .seconds(30)))
        clock.wait(.hours(72))
        miss(5)
        #expect(denial(.privilege) == Denial(.passwordTooOld))
    }

    @Test(arguments: ServiceClass.allCases)
    mutating func `a state that can't be read costs the finger until the password, and nothing but it helps`(
        serviceClass: ServiceClass
    ) {
        state.passwordGiven(at: clock.now)
        state.damaged = true
        settings.passwordMaximumAge = nil
        settings.passwordAfterBoot = false
        #expect(denial(serviceClass) == Denial(.stateDamaged))
        state.cleared()
        state.matched()
        clock.reboot(off: .hours(1000))
        #expect(denial(serviceClass) == Denial(.stateDamaged))
        state.passwordGiven(at: clock.now)
        #expect(denial(serviceClass) == nil)
    }

    @Test mutating func `a password mends everything in every class`() {
        miss(23)
        state.damaged = true
        state.passwordGiven(at: clock.now)
        #expect(state == AccountState(password: PasswordClock(last: clock.now)))
        for serviceClass in ServiceClass.allCases { #expect(denial(serviceClass) == nil) }
    }

    @Test mutating func `a match and root's word clear the count and leave the password's clock alone`() {
        state.passwordGiven(at: clock.now)
        let given = state.password
        for clear in [{ $0.matched() }, { $0.cleared() }] as [(inout AccountState) -> Void] {
            miss(7)
            #expect(state.hasMismatches)
            clear(&state)
            #expect(!state.hasMismatches)
            #expect(state == AccountState(password: given))
        }
        state = AccountState()
        miss(20)
        state.cleared()
        #expect(denial(.app) == Denial(.passwordNeverGiven))
    }

    @Test mutating func `a password is wanted when it would change something`() {
        #expect(wanted)
        state.passwordGiven(at: clock.now)
        #expect(!wanted)
        miss()
        #expect(wanted)
        state.matched()
        #expect(!wanted)
        state.damaged = true
        #expect(wanted)
        state.damaged = false
        clock.wait(.hours(1) - .nanoseconds(1))
        #expect(!wanted)
        clock.wait(.nanoseconds(1))
        #expect(wanted)
        state.passwordGiven(at: clock.now)
        clock.reboot()
        #expect(wanted)
    }

    @Test mutating func `a password is wanted as soon as the last is too old, however short its age is set`() {
        settings.passwordMaximumAge = .minutes(10)
        state.passwordGiven(at: clock.now)
        clock.wait(.minutes(10) - .nanoseconds(1))
        #expect(denial(.app) == nil && !wanted)
        clock.wait(.nanoseconds(1))
        #expect(denial(.app) == Denial(.passwordTooOld) && wanted)
    }

    private func denial(_ serviceClass: ServiceClass) -> Denial? {
        state.denial(settings, for: serviceClass, now: clock.now)
    }

    private var wanted: Bool { state.wantsPassword(settings, now: clock.now) }

    private mutating func miss(_ count: Int = 1) {
        for _ in 0..<count { state.mismatched(settings, now: clock.now) }
    }
}
