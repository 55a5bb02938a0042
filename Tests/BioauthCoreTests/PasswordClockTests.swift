import BioauthCore
import Testing

@Suite struct PasswordClockTests {
    var clock = SimulatedClock()
    var settings = Settings()
    var password = PasswordClock()

    @Test(arguments: ServiceClass.allCases)
    func `a password that was never given is a reason of its own, in every class`(serviceClass: ServiceClass) {
        #expect(password.age(now: clock.now) == .never)
        #expect(denial(serviceClass) == Denial(.passwordNeverGiven))
    }

    @Test(arguments: ServiceClass.allCases)
    mutating func `within one boot the password is good for 72 hours`(serviceClass: ServiceClass) {
        give()
        #expect(denial(serviceClass) == nil)
        clock.wait(.hours(72) - .nanoseconds(1))
        #expect(denial(serviceClass) == nil)
        clock.wait(.nanoseconds(1))
        #expect(denial(serviceClass) == Denial(.passwordTooOld))
        give()
        #expect(denial(serviceClass) == nil)
    }

    @Test(arguments: [.min, 0, 1_600_000_000, 2_000_000_000, .max] as [Int64])
    mutating func `within one boot the wall clock changes nothing`(wall: Int64) {
        give()
        clock.wait(.hours(5))
        clock.setWall(wall)
        #expect(password.age(now: clock.now) == .known(.hours(5)))
        #expect(denial(.login) == nil)
        clock.wait(.hours(67))
        #expect(denial(.app) == Denial(.passwordTooOld))
    }

    @Test mutating func `after a boot the login class wants the password once, and no other does`() {
        give()
        clock.reboot()
        for serviceClass in ServiceClass.allCases {
            #expect(denial(serviceClass) == (serviceClass == .login ? Denial(.passwordFirst) : nil))
        }
        give()
        #expect(denial(.login) == nil)
        clock.reboot()
        clock.reboot()
        #expect(denial(.login) == Denial(.passwordFirst))
    }

    @Test mutating func `across a reboot the wall clock counts where it shows more time`() {
        give()
        clock.reboot(off: .hours(71), up: .minutes(1))
        #expect(password.age(now: clock.now) == .known(.hours(71) + .minutes(1)))
        #expect(denial(.privilege) == nil)
        clock.wait(.minutes(59))
        #expect(denial(.privilege) == Denial(.passwordTooOld))
        #expect(denial(.login) == Denial(.passwordTooOld))
    }

    @Test mutating func `across a reboot the uptime counts where it shows more time`() {
        give()
        let then = clock.wall
        clock.reboot(up: .hours(71))
        clock.setWall(then + 60)
        #expect(password.age(now: clock.now) == .known(.hours(71)))
        #expect(denial(.lock) == nil)
        clock.wait(.hours(1))
        #expect(denial(.lock) == Denial(.passwordTooOld))
    }

    @Test mutating func `a wall clock that went backwards across a reboot means the password, in every class`() {
        give()
        let then = clock.wall
        clock.reboot()
        clock.setWall(then)
        #expect(password.age(now: clock.now) == .known(.seconds(5)))
        #expect(denial(.app) == nil)
        clock.setWall(then - 1)
        #expect(password.age(now: clock.now) == .clockWentBack)
        for serviceClass in ServiceClass.allCases { #expect(denial(serviceClass) == Denial(.clockWentBack)) }
    }

    @Test(arguments: [(Int64.min, Int64.max), (.max, .min), (0, .max), (.min, 0)])
    mutating func `wall clocks beyond all reason never make a password young`(then: Int64, now: Int64) {
        clock.setWall(then)
        give()
        clock.reboot(off: .zero, up: .zero)
        clock.setWall(now)
        for serviceClass in ServiceClass.allCases { #expect(denial(serviceClass) != nil) }
    }

    @Test mutating func `without an age in the settings no password is too old`() {
        settings.passwordMaximumAge = nil
        give()
        clock.wait(.hours(100_000))
        for serviceClass in ServiceClass.allCases { #expect(denial(serviceClass) == nil) }
        clock.reboot(off: .hours(100_000))
        #expect(denial(.privilege) == nil)
        #expect(denial(.login) == Denial(.passwordFirst))
    }

    @Test mutating func `without a password after the boot in the settings only the age counts`() {
        settings.passwordAfterBoot = false
        give()
        clock.reboot()
        #expect(denial(.login) == nil)
        clock.wait(.hours(72))
        #expect(denial(.login) == Denial(.passwordTooOld))
    }

    @Test mutating func `a shorter age in the settings holds at once`() {
        give()
        clock.wait(.hours(2))
        settings.passwordMaximumAge = .hours(3)
        #expect(denial(.app) == nil)
        settings.passwordMaximumAge = .hours(2)
        #expect(denial(.app) == Denial(.passwordTooOld))
    }

    private func denial(_ serviceClass: ServiceClass) -> Denial? {
        password.denial(settings, for: serviceClass, now: clock.now)
    }

    private mutating func give() {
        password.given(at: clock.now)
    }
}
