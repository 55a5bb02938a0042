import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

@Suite("Apps that ask for themselves", .enabled(if: isRoot, "needs root, to be somebody else"))
struct AppPermissionTests {
    private static let allowed = DaemonMessage.verdict(.allowed(.rightIndex))
    private static let finger = Switching.finger

    @Test("Asked about once: the first use waits for the person's yes, a match proves it, and it is remembered")
    func yes() throws {
        let switching = try Switching()
        #expect(try switching.said(switching.asking("chat")) == [.denied(.permissionUnasked)])
        let before = try switching.examination("chat")
        #expect(before.isUnasked && before.denial == nil && before.serviceClass == .app)
        #expect(
            try switching.end(switching.asking("chat", isPermitted: true), touches: [9, Self.finger]) == Self.allowed)
        // Before the verdict, not after it.
        #expect(try switching.list() == [SwitchEntry(Switch(.app, "chat"), isOn: true)])
        #expect(try !switching.examination("chat").isUnasked)
        #expect(try switching.end(switching.asking("chat"), touches: [Self.finger]) == Self.allowed)
        #expect(eventually { switching.daemon.log.contains("app turned on: chat of nobody") })
    }

    @Test("A yes without a match is not remembered: nobody's finger, somebody else's, a cancel, a lost connection")
    func unproven() throws {
        let switching = try Switching()
        let asking = switching.asking("chat", isPermitted: true)
        #expect(try switching.end(asking, touches: [9, 1, 8]) == .denied(.mismatchesUsedUp))
        let connection = try switching.daemon.connect(as: stranger)
        try connection.send(asking)
        try connection.receive(until: \.isPrompt)
        try connection.expect(.denied(.personCancelled), to: .cancel(.person))
        try connection.send(asking)
        try connection.receive(until: \.isPrompt)
        do { _ = consume connection }
        #expect(eventually { (try? switching.daemon.status().waiting) == 0 })
        #expect(try switching.list().isEmpty)
        #expect(try switching.said(switching.asking("chat")) == [.denied(.permissionUnasked)])
    }

    @Test("A no is remembered without a touch, and holds whatever the app says, until a touch or a password turns it")
    func no() throws {
        let switching = try Switching()
        let refusal = switching.change(.app, "chat", on: false, by: "chat", isApp: true)
        #expect(try switching.said(refusal) == [.done(nil)])
        for isPermitted in [false, true] {
            #expect(try switching.said(switching.asking("chat", isPermitted: isPermitted)) == [.denied(.notPermitted)])
            let on = switching.change(.app, "chat", on: true, by: "chat", isApp: true, isPermitted: isPermitted)
            #expect(try switching.said(on) == [.refused(.notPermitted)])
        }
        let examination = try switching.examination("chat")
        #expect(examination.denial == Denial(.notPermitted) && !examination.isUnasked)
        #expect(try switching.said(refusal) == [.done(nil)])

        #expect(try switching.end(switching.change(.app, "chat", on: true), touches: [Self.finger]) == .done(nil))
        #expect(try switching.end(switching.asking("chat"), touches: [Self.finger]) == Self.allowed)
        // What was allowed once takes a touch to be taken away.
        let off = try switching.said(refusal, touches: [Self.finger])
        #expect(off.contains { $0.isPrompt } && off.last == .done(nil))
        #expect(try switching.said(switching.asking("chat")) == [.denied(.notPermitted)])
    }

    @Test("Nothing else is turned without proof: no other app's switch, no other kind, and nothing turned on")
    func noOther() throws {
        let switching = try Switching()
        try switching.turn(.app, "other", on: true)
        for message in [
            switching.change(.app, "other", on: false, by: "chat", isApp: true, isPermitted: true),
            switching.change(.app, "third", on: false, by: "chat", isApp: true, isPermitted: true),
            switching.change(.app, "chat", on: true, by: "chat", isApp: true, isPermitted: true),
            switching.change(.appLock, "chat", on: true, by: "chat", isApp: true, isPermitted: true),
            switching.change(.service, "sudo", on: false, by: "chat", isApp: true, isPermitted: true),
            switching.change(.app, "bioauthctl", on: false),
        ] {
            let connection = try switching.daemon.connect(as: stranger)
            try connection.send(message)
            try connection.receive(until: \.isPrompt)
            try connection.expect(.refused(.personCancelled), to: .cancel(.person))
        }
        // And where the person has yet to be asked, nothing at all.
        let unasked = switching.change(.appLock, "chat", on: true, by: "chat", isApp: true)
        #expect(try switching.said(unasked) == [.refused(.permissionUnasked)])
        #expect(try switching.list().map(\.subject) == [Switch(.app, "other")])
    }

    @Test("One touch may prove the first yes and turn the app's own lock")
    func lock() throws {
        let switching = try Switching()
        let message = switching.change(.appLock, "chat", on: true, by: "chat", isApp: true, isPermitted: true)
        #expect(try switching.end(message, touches: [Self.finger]) == .done(nil))
        #expect(
            try switching.list() == [
                SwitchEntry(Switch(.app, "chat"), isOn: true), SwitchEntry(Switch(.appLock, "chat"), isOn: true),
            ])
    }

    @Test("An app gets nothing from a service of its name, and a host of PAM nothing from an app of its")
    func names() throws {
        let switching = try Switching()
        for name in ["sudo", "login", "i3lock"] {
            #expect(try switching.said(switching.asking(name)) == [.denied(.permissionUnasked)])
            #expect(
                try switching.said(switching.asking(name, of: DaemonUnderTest.account), as: 0) == [
                    .denied(.permissionUnasked)
                ])
        }
        try switching.turn(.app, "sshd", on: true)
        #expect(try switching.said(switching.asking("sshd", isApp: false)) == [.denied(.serviceDisabled)])
        #expect(try switching.end(switching.asking("sshd"), touches: [Self.finger]) == Self.allowed)
        // It only looks like the other.
        try switching.turn(.app, "caf\u{E9}", on: true)
        #expect(try switching.said(switching.asking("cafe\u{301}")) == [.denied(.permissionUnasked)])
    }

    @Test("What the administrator lists as an app isn't asked about, and what they name as off neither")
    func listed() throws {
        let switching = try Switching(configuration: "[services]\nnotes = app\nbanned = off\n")
        #expect(try switching.end(switching.asking("notes"), touches: [Self.finger]) == Self.allowed)
        #expect(try switching.list().isEmpty)
        #expect(try switching.said(switching.asking("banned", isPermitted: true)) == [.denied(.serviceDisabled)])
        #expect(try !switching.examination("banned").isUnasked)
    }

    @Test("What else stands in the way is told first, and the examination tells it beside")
    func obstacles() throws {
        let switching = try Switching()
        let other = Account(uid: 1001, name: "somebody")
        #expect(try switching.said(switching.asking("chat", of: other), as: other.uid) == [.denied(.notEnrolled)])
        let examination = try switching.examination("chat", of: other)
        #expect(examination.isUnasked && examination.denial == Denial(.notEnrolled))
    }

    @Test("Where the yes can't be kept the person is let in all the same, and asked again the next time")
    func full() throws {
        let switching = try Switching()
        for number in 0..<Limits.switches { try switching.turn(.app, "\(number)", on: true) }
        #expect(try switching.end(switching.asking("chat", isPermitted: true), touches: [Self.finger]) == Self.allowed)
        #expect(try switching.said(switching.asking("chat")) == [.denied(.permissionUnasked)])
    }
}
