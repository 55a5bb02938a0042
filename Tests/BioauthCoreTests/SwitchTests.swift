import BioauthCore
import Testing

@Suite final class SwitchTests {
    private var switches = Switches()
    private var settings = Settings()

    @Test func `untouched, a service is on, an app's lock is off, and an app is neither`() {
        #expect(switches[Switch(.service, "sudo")] == true)
        #expect(switches[Switch(.appLock, "notes")] == false)
        #expect(switches[Switch(.app, "notes")] == nil)
        #expect(switches.turned.isEmpty)
    }

    @Test(arguments: Switch.Kind.allCases)
    func `what is turned stands so until it is turned again`(kind: Switch.Kind) {
        let subject = Switch(kind, "name")
        for isOn in [true, false, true, true, false, false] {
            #expect(turn(subject, on: isOn))
            #expect(switches[subject] == isOn)
            #expect(switches[Switch(kind, "nam")] == kind.untouched)
        }
    }

    @Test func `what stands as if untouched takes no room`() {
        for (subject, isOn) in [(Switch(.service, "sudo"), false), (Switch(.appLock, "notes"), true)] {
            #expect(turn(subject, on: isOn))
            #expect(switches.turned == [subject: isOn])
            #expect(turn(subject, on: !isOn))
            #expect(switches.turned.isEmpty)
        }
    }

    @Test func `so many are kept and no more, but each of them can be turned again`() {
        for number in 0..<Limits.switches { #expect(turn(Switch(.app, "\(number)"), on: true)) }
        let one = Switch(.app, "one more")
        for isOn in [true, false] {
            #expect(!turn(one, on: isOn))
            #expect(one.denial(on: isOn, switches, settings) == Denial(.tooManySwitches))
        }
        #expect(switches.turned.count == Limits.switches)
        let kept = Switch(.app, "17")
        #expect(kept.denial(on: false, switches, settings) == nil)
        #expect(turn(kept, on: false) && switches[kept] == false)
        #expect(turn(kept, on: true, isProven: false) && switches[kept] == true)
        // What needs no room always fits.
        #expect(turn(Switch(.service, "sudo"), on: true))
        #expect(!turn(Switch(.service, "sudo"), on: false))
    }

    @Test func `what has no proof leaves room for what has`() {
        for number in 0..<Limits.unprovenSwitches {
            #expect(turn(Switch(.app, "\(number)"), on: false, isProven: false))
        }
        #expect(!turn(Switch(.app, "one more"), on: false, isProven: false))
        #expect(turn(Switch(.app, "one more"), on: false))
    }

    @Test func `what the administrator keeps off can't be turned on, and everything can be turned off`() {
        settings.services["notes"] = .app
        settings.servicesOff = ["banned"]
        let cases: [(Switch, Cause?)] = [
            (Switch(.service, "sudo"), nil), (Switch(.service, "sshd"), .serviceDisabled),
            (Switch(.service, "banned"), .serviceDisabled), (Switch(.app, "chat"), nil), (Switch(.app, "sudo"), nil),
            (Switch(.app, "banned"), .serviceDisabled), (Switch(.appLock, "banned"), nil),
        ]
        for (subject, cause) in cases {
            #expect(subject.denial(on: true, switches, settings)?.cause == cause, "\(subject)")
            #expect(subject.denial(on: false, switches, settings) == nil, "\(subject)")
        }
        var listedAlone = settings
        listedAlone.appsAskPerson = false
        #expect(Switch(.app, "chat").denial(on: true, switches, listedAlone) == Denial(.serviceDisabled))
        #expect(Switch(.app, "notes").denial(on: true, switches, listedAlone) == nil)
    }

    @Test(arguments: Switch.Kind.allCases)
    func `the password's own service has no switch`(kind: Switch.Kind) {
        for isOn in [true, false] {
            let subject = Switch(kind, Settings.passwordService)
            #expect(subject.denial(on: isOn, switches, settings) == Denial(.serviceDisabled))
        }
    }

    @Test func `a person's no to an app's first question takes no proof, and nothing else does without`() {
        func isRefusal(
            _ subject: Switch, on isOn: Bool = false, by service: String = "chat", isApp: Bool = true,
            _ entitlement: Entitlement = .unasked
        ) -> Bool {
            subject.isRefusal(on: isOn, by: service, isApp: isApp, entitlement)
        }
        let own = Switch(.app, "chat")
        #expect(isRefusal(own))
        #expect(!isRefusal(own, on: true))
        #expect(!isRefusal(own, isApp: false))
        #expect(!isRefusal(own, by: "notes"))
        #expect(!isRefusal(Switch(.appLock, "chat")))
        #expect(!isRefusal(Switch(.service, "chat")))
        for entitlement in [Entitlement.granted(.app), .refused, .unlisted, .turnedOff(.app)] {
            #expect(!isRefusal(own, entitlement))
        }
    }

    @Test func `they are told in the order of their kinds and names`() {
        let inOrder = [
            Switch(.service, "su"), Switch(.service, "sudo"), Switch(.app, "Z"), Switch(.app, "a"),
            Switch(.appLock, "a"),
        ]
        for subject in inOrder.shuffled() { _ = turn(subject, on: subject.kind != .service) }
        #expect(switches.sorted.map(\.subject) == inOrder)
    }

    private func turn(_ subject: Switch, on isOn: Bool, isProven: Bool = true) -> Bool {
        switches.turn(subject, on: isOn, isProven: isProven)
    }
}
