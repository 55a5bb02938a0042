import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

@Suite("Turning switches", .enabled(if: isRoot, "needs root, to be somebody else")) struct SwitchTests {
    private static let allowed = DaemonMessage.verdict(.allowed(.rightIndex))
    private static let finger = Switching.finger

    // MARK: Who may

    @Test("Root turns any account's switch at once, and nobody has to be asked")
    func root() throws {
        let switching = try Switching()
        for (kind, name, isOn) in [
            (Switch.Kind.service, "sudo", false), (.app, "chat", true), (.appLock, "chat", true),
        ] {
            let message = switching.change(kind, name, on: isOn)
            #expect(try switching.said(message, as: 0) == [.done(nil)])
        }
        #expect(
            try switching.list() == [
                SwitchEntry(Switch(.service, "sudo"), isOn: false), SwitchEntry(Switch(.app, "chat"), isOn: true),
                SwitchEntry(Switch(.appLock, "chat"), isOn: true),
            ])
        #expect(try switching.list(of: DaemonUnderTest.account).isEmpty)
        #expect(eventually { switching.daemon.log.contains("service turned off: sudo of nobody") })
    }

    @Test("A peer that isn't root may neither turn nor see another account's switches, and is let go when it tries")
    func somebodyElse() throws {
        let switching = try Switching()
        let root = DaemonUnderTest.account
        let ticket = try switching.daemon.givePassword(root, wantsTicket: true)
        for message in [
            switching.change(.service, "sudo", on: false, ticket: ticket, of: root), .switches(root),
            switching.change(.app, "chat", on: false, by: "chat", isApp: true, of: root),
        ] {
            try switching.daemon.expect(.problem(.notPermitted), to: message, as: stranger)
        }
        #expect(try switching.list(of: root).isEmpty)
    }

    @Test(
        "A program that runs as root for somebody else has a touch to show, or a ticket, and no bytes that look like one"
    )
    func setUID() throws {
        let switching = try Switching()
        let guessed = Ticket(bytes: Array(1...16))
        let client = """
            import socket, sys; s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.connect(sys.argv[1])
            s.send(bytes.fromhex(sys.argv[2])); print(s.recv(4096).hex(), end="")
            """
        for (ticket, answered) in [(guessed, DaemonMessage.refused(Denial(.freshPasswordNeeded))), (nil, nil)] {
            let message = switching.change(.service, "sudo", on: false, ticket: ticket).encoded()
            let (status, hex) = try RunningProgram.run(
                "/usr/bin/setpriv",
                ["--ruid=\(stranger)", "/usr/bin/python3", "-c", client, switching.daemon.socketPath]
                    + [message.map { String(format: "%02x", $0) }.joined()])
            try #require(status == 0, "\(hex)")
            let bytes = stride(from: 0, to: hex.count - 1, by: 2).compactMap {
                UInt8(hex.dropFirst($0).prefix(2), radix: 16)
            }
            let answer = try DaemonMessage(decoding: bytes)
            // Without a ticket it is asked for the touch.
            #expect(answered.map { answer == $0 } ?? (answer != .done(nil)))
            #expect(try switching.list().isEmpty)
        }
    }

    @Test("A person turns one with a touch of their own finger: nobody else's will do, and each other's counts")
    func touch() throws {
        let switching = try Switching()
        let message = switching.change(.service, "sudo", on: false)
        let said = try switching.said(message, touches: [9, 1, Self.finger])
        #expect(said.count(where: \.isPrompt) == 1)
        #expect(said.contains(.mismatch(triesLeft: 2)) && said.contains(.mismatch(triesLeft: 1)))
        #expect(said.last == .done(nil))
        #expect(try switching.list() == [SwitchEntry(Switch(.service, "sudo"), isOn: false)])
        #expect(try switching.daemon.status(of: Switching.account).mismatches == 0)

        #expect(
            try switching.end(switching.change(.service, "sudo", on: true), touches: [9, 9, 9])
                == .refused(.mismatchesUsedUp))
        #expect(try switching.daemon.status(of: Switching.account).mismatches == 3)
        #expect(try switching.list() == [SwitchEntry(Switch(.service, "sudo"), isOn: false)])
        #expect(try switching.end(switching.change(.service, "sudo", on: true), touches: [Self.finger]) == .done(nil))
        #expect(try switching.list().isEmpty)
    }

    @Test("A person turns one with their password's ticket: the account's own, and once")
    func ticket() throws {
        let switching = try Switching()
        let daemon = switching.daemon
        let ticket = try #require(try daemon.givePassword(Switching.account, wantsTicket: true))
        let ofOther = try #require(try daemon.givePassword(DaemonUnderTest.account, wantsTicket: true))
        let wrong = try #require(Ticket(bytes: [UInt8](repeating: 0, count: Ticket.count)))
        for bad in [ofOther, wrong] {
            let message = switching.change(.service, "sudo", on: false, ticket: bad)
            #expect(try switching.said(message) == [.refused(.freshPasswordNeeded)])
        }
        // What is so already, or can't be, doesn't cost it.
        #expect(try switching.said(switching.change(.service, "sudo", on: true, ticket: ticket)) == [.done(nil)])
        #expect(
            try switching.said(switching.change(.service, "sshd", on: true, ticket: ticket))
                == [.refused(.serviceDisabled)])
        #expect(try switching.said(switching.change(.service, "sudo", on: false, ticket: ticket)) == [.done(nil)])
        #expect(
            try switching.said(switching.change(.service, "su", on: false, ticket: ticket))
                == [.refused(.freshPasswordNeeded)])
        #expect(try switching.list().map(\.subject) == [Switch(.service, "sudo")])
    }

    @Test("Where the finger can't be used the refusal tells why, and nothing has changed")
    func refused() throws {
        let switching = try Switching(configuration: "[services]\nbioauthctl = off\n")
        let daemon = switching.daemon
        let message = switching.change(.service, "sudo", on: false, by: "sudo")
        let unknown = Account(uid: 1001, name: "somebody")
        #expect(
            try switching.said(switching.change(.service, "sudo", on: false, by: "sudo", of: unknown), as: 1001)
                == [.refused(.notEnrolled)])
        #expect(try switching.said(switching.change(.service, "sudo", on: false)) == [.refused(.serviceDisabled)])
        #expect(
            try switching.said(switching.change(.service, "su", on: false, by: Settings.passwordService))
                == [.refused(.serviceDisabled)])
        for _ in 0..<5 { _ = try switching.end(switching.asking("sudo", isApp: false, tries: 1), touches: [9]) }
        guard case .refused(let denial)? = try switching.end(message) else { throw DaemonUnderTest.Unexpected() }
        #expect(denial.cause == .lockedOut)
        try daemon.givePassword(Switching.account)
        try Data("?".utf8).write(to: URL(filePath: daemon.state(of: Switching.account)))
        for uid in [0, stranger] {
            #expect(try switching.said(message, as: uid) == [.refused(.stateDamaged)])
        }
        #expect(try switching.list().isEmpty)
    }

    @Test("Whatever class its service has, it is asked for as an app's, and a login or sudo goes first")
    func asApp() throws {
        let switching = try Switching()
        let watching = try switching.daemon.connect(as: stranger)
        try watching.send(.watch)
        try watching.expect(.switches([]), to: .switches(Switching.account))
        for service in ["bioauthctl", "i3lock", "login"] {
            let asking = try switching.daemon.connect(as: stranger)
            try asking.send(switching.change(.appLock, "notes", on: true, by: service))
            try asking.receive(until: \.isPrompt)
            let asked = try watching.receive {
                if case .event(let event) = $0 { event.kind == .asked } else { false }
            }
            guard case .event(let event) = asked else { throw DaemonUnderTest.Unexpected() }
            #expect(event.serviceClass == .app && event.service == service)
            #expect(try switching.daemon.verdict(touches: [1]) == .allowed(.rightIndex))
            #expect(try asking.receive(within: .seconds(10)) == .refused(.preempted))
        }
    }

    @Test("It can be cancelled like any request, and ends with its connection")
    func cancelled() throws {
        let switching = try Switching()
        let message = switching.change(.service, "sudo", on: false)
        let connection = try switching.daemon.connect(as: stranger)
        for reason in CancelReason.allCases {
            try connection.send(message)
            try connection.receive(until: \.isPrompt)
            try connection.expect(.refused(reason.cause), to: .cancel(reason))
        }
        try connection.send(message)
        try connection.receive(until: \.isPrompt)
        try connection.send(message)
        try connection.expect(.problem(.tooMany))

        let closed = try switching.daemon.connect(as: stranger)
        try closed.send(message)
        try closed.receive(until: \.isPrompt)
        do { _ = consume closed }
        #expect(eventually { (try? switching.daemon.status().waiting) == 0 })
        #expect(try switching.list().isEmpty)
    }

    @Test("What is so already is done at once, and told nobody")
    func already() throws {
        let switching = try Switching()
        try switching.turn(.app, "chat", on: true)
        for message in [
            switching.change(.service, "sudo", on: true), switching.change(.appLock, "chat", on: false),
            switching.change(.app, "chat", on: true),
        ] {
            #expect(try switching.said(message) == [.done(nil)])
        }
        #expect(!switching.daemon.log.contains("sudo of nobody"))
    }

    @Test("Who watches hears of a change, and of a refusal with its cause; another account's watcher doesn't")
    func watched() throws {
        let switching = try Switching()
        let other = try switching.daemon.connect(as: 1001)
        try other.send(.watch)
        try other.send(.switches(Account(uid: 1001, name: "somebody")))
        try other.receive { $0 == .switches([]) }
        try switching.daemon.waitFor(.switchedOff) { try switching.turn(.service, "sudo", on: false) }
        try switching.daemon.waitFor(.switchedOn) { try switching.turn(.service, "sudo", on: true) }
        try switching.daemon.waitFor(.refused, cause: .serviceDisabled) {
            _ = try switching.end(switching.change(.service, "sshd", on: true))
        }
        try other.send(.switches(Account(uid: 1001, name: "somebody")))
        #expect(try other.receive(within: .seconds(10)) == .switches([]))
    }

    // MARK: What it means

    @Test("A service that its person turned off gets no finger of theirs, and everybody else's as before")
    func service() throws {
        let switching = try Switching()
        try switching.turn(.service, "sudo", on: false)
        let ask = switching.asking("sudo", isApp: false)
        for uid in [0, stranger] { #expect(try switching.said(ask, as: uid) == [.denied(.serviceDisabled)]) }
        let examination = try switching.examination("sudo", isApp: false)
        #expect(examination.denial == Denial(.serviceDisabled) && examination.serviceClass == .app)
        #expect(try switching.daemon.verdict(touches: [1]) == .allowed(.rightIndex))
        #expect(
            try switching.daemon.verdict(Switching.account, service: "su", touches: [Self.finger])
                == .allowed(.rightIndex))
        try switching.turn(.service, "sudo", on: true)
        #expect(try switching.end(ask, touches: [Self.finger], as: 0) == Self.allowed)
    }

    @Test("Nothing that the configuration keeps off can be turned on, by root either")
    func keptOff() throws {
        let switching = try Switching(configuration: "[apps]\nask-person = false\n[services]\nsu = off\n")
        for (kind, name) in [
            (Switch.Kind.service, "su"), (.service, "sshd"), (.service, "bioauth-password"), (.app, "su"),
            (.app, "chat"), (.app, "bioauth-password"), (.appLock, "bioauth-password"),
        ] {
            for uid in [0, stranger] {
                #expect(
                    try switching.said(switching.change(kind, name, on: true), as: uid)
                        == [.refused(.serviceDisabled)])
            }
        }
        #expect(try switching.said(switching.asking("chat")) == [.denied(.serviceDisabled)])
        #expect(try switching.said(switching.asking("chat", isPermitted: true)) == [.denied(.serviceDisabled)])
    }

    @Test("A request that runs for what is turned off ends, and others go on")
    func running() throws {
        let switching = try Switching()
        try switching.turn(.app, "chat", on: true)
        let app = try switching.daemon.connect(as: stranger)
        try app.send(switching.asking("chat"))
        try app.receive(until: \.isPrompt)
        try switching.turn(.service, "chat", on: false)
        try switching.turn(.app, "chat", on: false, of: DaemonUnderTest.account)
        try switching.turn(.app, "chat", on: false)
        #expect(try app.receive(within: .seconds(10)) == .denied(.notPermitted))

        let host = try switching.daemon.connect()
        try host.send(switching.asking("sudo", isApp: false))
        try host.receive(until: \.isPrompt)
        try switching.turn(.service, "sudo", on: false)
        #expect(try host.receive(within: .seconds(10)) == .denied(.serviceDisabled))

        // Also one that is itself about to turn a switch.
        let turning = try switching.daemon.connect(as: stranger)
        try turning.send(switching.change(.appLock, "chat", on: true))
        try turning.receive(until: \.isPrompt)
        try switching.turn(.service, "bioauthctl", on: false)
        #expect(try turning.receive(within: .seconds(10)) == .refused(.serviceDisabled))
        // Its switch off is no obstacle to root, or to a ticket.
        let ticket = try switching.daemon.givePassword(Switching.account, wantsTicket: true)
        #expect(try switching.said(switching.change(.service, "bioauthctl", on: true, ticket: ticket)) == [.done(nil)])
    }
}
