import BioauthCore
import Testing

/// Who may ask for a finger at all: the administrator's list and the person's switches.
@Suite struct EntitlementTests {
    private static let root = Peer(uid: 0, pid: 2, isRoot: true)
    private static let person = Peer(uid: 1000, pid: 2, isRoot: false)

    private static let settings: Settings = {
        var settings = Settings()
        settings.services["notes"] = .app
        settings.services["caf\u{E9}"] = .app
        settings.servicesOff = ["banned"]
        return settings
    }()

    private static func switches(_ turned: [(Switch, Bool)]) -> Switches {
        var switches = Switches()
        for (subject, isOn) in turned { _ = switches.turn(subject, on: isOn) }
        return switches
    }

    private func entitlement(
        _ service: String, isApp: Bool = false, _ peer: Peer = person, _ turned: [(Switch, Bool)] = [],
        _ settings: Settings = settings
    ) -> Entitlement {
        Entitlement(of: service, isApp: isApp, peer: peer, Self.switches(turned), settings)
    }

    @Test(
        arguments: [
            ("sudo", root, .granted(.privilege)), ("sudo", person, .granted(.app)), ("login", root, .granted(.login)),
            ("login", person, .granted(.app)), ("i3lock", root, .granted(.lock)), ("i3lock", person, .granted(.lock)),
            ("notes", root, .granted(.app)), ("notes", person, .granted(.app)), ("sshd", root, .unlisted),
            ("banned", root, .unlisted), ("bioauth-password", root, .unlisted), ("sudo ", root, .unlisted),
            ("SUDO", root, .unlisted), ("", root, .unlisted),
        ] as [(String, Peer, Entitlement)])
    func `a host of PAM gets what the list gives it, and nothing where it isn't listed`(
        service: String, peer: Peer, expected: Entitlement
    ) {
        #expect(entitlement(service, peer) == expected)
        // Switches of the other kinds, and of other names, are not its own.
        let others: [(Switch, Bool)] = [
            (Switch(.app, service), false), (Switch(.appLock, service), true), (Switch(.service, service + "x"), false),
        ]
        #expect(entitlement(service, peer, others) == expected)
    }

    @Test func `a listed service that the person turned off gets no finger, and keeps its class for who asks why`() {
        let off = entitlement("sudo", Self.root, [(Switch(.service, "sudo"), false)])
        #expect(off == .turnedOff(.privilege))
        #expect(off.cause == .serviceDisabled && off.serviceClass == .privilege)
        #expect(entitlement("sudo", Self.person, [(Switch(.service, "sudo"), false)]) == .turnedOff(.app))
        #expect(entitlement("su", Self.root, [(Switch(.service, "sudo"), false)]) == .granted(.privilege))
        #expect(
            entitlement("sudo", Self.root, [(Switch(.service, "sudo"), false), (Switch(.service, "sudo"), true)])
                == .granted(.privilege))
    }

    @Test func `no switch gives a finger to what the administrator doesn't list, or named as off`() {
        for name in ["sshd", "banned", "bioauth-password"] {
            let on: [(Switch, Bool)] = [
                (Switch(.service, name), true), (Switch(.app, name), true), (Switch(.appLock, name), true),
            ]
            #expect(entitlement(name, Self.root, on) == .unlisted)
        }
        for name in ["banned", "bioauth-password"] {
            #expect(entitlement(name, isApp: true, Self.root, [(Switch(.app, name), true)]) == .unlisted)
        }
    }

    @Test(arguments: [nil, true, false])
    func `an app that isn't listed gets what its person said, whoever asks`(said: Bool?) {
        let turned = said.map { [(Switch(.app, "chat"), $0)] } ?? []
        let expected: Entitlement =
            switch said {
            case nil: .unasked
            case true?: .granted(.app)
            case false?: .refused
            }
        for peer in [Self.root, Self.person] {
            #expect(entitlement("chat", isApp: true, peer, turned) == expected)
            #expect(entitlement("chat", peer, turned) == .unlisted)
        }
        #expect(expected.cause == (said == false ? .notPermitted : nil))
    }

    @Test func `an app of a listed service's name borrows neither its class nor its being listed`() {
        for name in ["sudo", "login", "i3lock"] {
            for peer in [Self.root, Self.person] {
                #expect(entitlement(name, isApp: true, peer) == .unasked)
                #expect(entitlement(name, isApp: true, peer, [(Switch(.app, name), true)]) == .granted(.app))
                #expect(entitlement(name, isApp: true, peer, [(Switch(.app, name), false)]) == .refused)
                // Nor does what the person said of the service hold for it.
                #expect(entitlement(name, isApp: true, peer, [(Switch(.service, name), false)]) == .unasked)
            }
        }
    }

    @Test func `an app that the administrator lists isn't asked about, and the person's no holds all the same`() {
        #expect(entitlement("notes", isApp: true) == .granted(.app))
        #expect(
            entitlement("notes", isApp: true, Self.person, [(Switch(.service, "notes"), false)]) == .turnedOff(.app))
        #expect(entitlement("notes", isApp: true, Self.person, [(Switch(.app, "notes"), false)]) == .refused)
    }

    @Test func `where apps don't ask, the list alone counts`() {
        var settings = Self.settings
        settings.appsAskPerson = false
        for turned in [[], [(Switch(.app, "chat"), true)]] {
            #expect(entitlement("chat", isApp: true, Self.person, turned, settings) == .unlisted)
        }
        #expect(entitlement("sudo", isApp: true, Self.person, [], settings) == .unlisted)
        #expect(entitlement("notes", isApp: true, Self.person, [], settings) == .granted(.app))
    }

    @Test func `a name that only looks like another is another`() {
        #expect(entitlement("caf\u{E9}") == .granted(.app))
        #expect(entitlement("cafe\u{301}") == .unlisted)
        #expect(entitlement("cafe\u{301}", isApp: true, Self.person, [(Switch(.app, "caf\u{E9}"), true)]) == .unasked)
        #expect(Switch(.app, "caf\u{E9}") != Switch(.app, "cafe\u{301}"))
    }

    // MARK: Requests

    private func admission(_ entitlement: Entitlement, isPermitted: Bool = false, isEnrolled: Bool = true) -> Admission
    {
        Admission(
            service: "chat", tty: nil, remoteHost: nil, interaction: true, peer: Self.person,
            surroundings: Surroundings(processGroup: 2), reader: .first, isReaderBuiltIn: true, canCompare: true,
            isEnrolled: isEnrolled, entitlement: entitlement, isPermitted: isPermitted)
    }

    @Test func `a person has to be asked about an app before they are asked for their finger`() {
        let unasked = admission(.unasked)
        #expect(unasked.denial(standing: nil) == Denial(.permissionUnasked))
        #expect(unasked.denialHoweverPermitted(standing: nil) == nil)
        #expect(!unasked.grants)
        let permitted = admission(.unasked, isPermitted: true)
        #expect(permitted.denial(standing: nil) == nil)
        #expect(permitted.grants && permitted.serviceClass == .app)
    }

    @Test func `what else stands in the way is told before the person is asked`() {
        #expect(admission(.unasked, isEnrolled: false).denial(standing: nil) == Denial(.notEnrolled))
        #expect(admission(.unasked).denial(standing: Denial(.lockedOut)) == Denial(.lockedOut))
    }

    @Test func `an app that says it was permitted gains nothing where the answer was given before`() {
        #expect(admission(.refused, isPermitted: true).denial(standing: nil) == Denial(.notPermitted))
        #expect(admission(.unlisted, isPermitted: true).denial(standing: nil) == Denial(.serviceDisabled))
        #expect(admission(.turnedOff(.app), isPermitted: true).denial(standing: nil) == Denial(.serviceDisabled))
        for entitlement in [Entitlement.granted(.app), .refused, .unlisted, .turnedOff(.app)] {
            #expect(!admission(entitlement, isPermitted: true).grants)
        }
    }
}
