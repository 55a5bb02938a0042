import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import SyntheticFingers
import TestSupport
import Testing

@Suite("What is kept of switches") struct SwitchStateTests {
    private static let account = DaemonUnderTest.account

    private func turn(
        _ daemon: DaemonUnderTest, _ kind: Switch.Kind, _ name: String, on isOn: Bool, of account: Account = account
    ) throws -> DaemonMessage {
        try daemon.ask(
            .setSwitch(
                SwitchChange(account: account, service: "bioauthctl", subject: Switch(kind, name), isOn: isOn)))
    }

    private func list(_ daemon: DaemonUnderTest, _ account: Account = account) throws -> [SwitchEntry] {
        guard case .switches(let entries) = try daemon.ask(.switches(account)) else {
            throw DaemonUnderTest.Unexpected()
        }
        return entries
    }

    @Test("Switches, under whatever names, outlive the daemon, however it ended", arguments: [SIGTERM, SIGKILL])
    func restart(_ signal: Int32) throws {
        var daemon = try DaemonUnderTest.enrolled()
        let names = [
            "a", " a", "a ", "a b", "a=b", "[lockout]", "mismatches=9", "#a", "a;b", "\\n", "\\", "off on off",
            "\u{202E}oduS", "\u{C0AC}\u{C9C4}", "e\u{301}", "\u{E9}", "../../etc", "%s", "\u{1F600}", "\u{2028}",
            String(repeating: "\\", count: 256),
        ]
        for name in names { #expect(try turn(daemon, .app, name, on: name.utf8.count % 2 == 0) == .done(nil)) }
        let kept = try list(daemon)
        #expect(Set(kept.map(\.subject)) == Set(names.map { Switch(.app, $0) }))
        try daemon.stop(signal)
        daemon = try DaemonUnderTest(in: daemon.directory)
        #expect(try list(daemon) == kept)
        #expect(kept.allSatisfy { $0.isOn == ($0.subject.name.utf8.count % 2 == 0) })
        // Nothing else of the account has changed for it.
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
        #expect(try daemon.status().mismatches == 0)
    }

    @Test("So many are kept of an account, of the longest names too, and as many are told as one message takes")
    func limit() throws {
        var daemon = try DaemonUnderTest.enrolled()
        func name(_ number: Int) -> String { "\(100 + number)" + String(repeating: "\\", count: 253) }
        for number in 0..<Limits.switches {
            #expect(try turn(daemon, .app, name(number), on: false) == .done(nil))
        }
        #expect(try turn(daemon, .app, "one more", on: true) == .refused(.tooManySwitches))
        #expect(try turn(daemon, .service, "sudo", on: false) == .refused(.tooManySwitches))
        #expect(try turn(daemon, .app, name(7), on: true) == .done(nil))
        // Another account has its own.
        #expect(try turn(daemon, .app, "chat", on: true, of: Account(uid: 4242, name: "other")) == .done(nil))
        try daemon.stop()
        daemon = try DaemonUnderTest(in: daemon.directory)
        let told = try list(daemon)
        #expect((10..<Limits.switches).contains(told.count))
        #expect(told == (0..<told.count).map { SwitchEntry(Switch(.app, name($0)), isOn: $0 == 7) })
        #expect(try turn(daemon, .app, name(63), on: true) == .done(nil))
        #expect(try turn(daemon, .app, "one more", on: true) == .refused(.tooManySwitches))
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
    }

    @Test(
        "Noes that nothing proves take half the room, so that a program that piles them up leaves its person the rest",
        .enabled(if: isRoot, "needs root, to be somebody else"))
    func unproven() throws {
        let switching = try Switching()
        for number in 0..<Limits.unprovenSwitches {
            let refusal = switching.change(.app, "\(number)", on: false, by: "\(number)", isApp: true)
            #expect(try switching.said(refusal) == [.done(nil)])
        }
        let refusal = switching.change(.app, "chat", on: false, by: "chat", isApp: true)
        #expect(try switching.said(refusal) == [.refused(.tooManySwitches)])
        #expect(
            try switching.end(switching.change(.service, "sudo", on: false), touches: [Switching.finger])
                == .done(nil))
    }

    @Test("The account that has a number now inherits nothing of the one that had it")
    func recycled() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let before = Account(uid: 4242, name: "before")
        #expect(try turn(daemon, .service, "sudo", on: false, of: before) == .done(nil))
        #expect(try turn(daemon, .app, "chat", on: true, of: before) == .done(nil))
        let now = Account(uid: 4242, name: "now")
        #expect(try list(daemon, now).isEmpty)
        #expect(try turn(daemon, .appLock, "notes", on: true, of: now) == .done(nil))
        #expect(try list(daemon, now) == [SwitchEntry(Switch(.appLock, "notes"), isOn: true)])
        #expect(try list(daemon, before).isEmpty)
    }

    @Test("A damaged state takes no switch until the password, and has none after it")
    func damaged() throws {
        let daemon = try DaemonUnderTest.enrolled()
        #expect(try turn(daemon, .service, "sudo", on: false) == .done(nil))
        let whole = try Data(contentsOf: URL(filePath: daemon.state()))
        try whole.dropLast(70).write(to: URL(filePath: daemon.state()))
        #expect(try daemon.denial(service: "su") == .stateDamaged)
        #expect(try list(daemon).isEmpty)
        for isOn in [true, false] { #expect(try turn(daemon, .service, "sudo", on: isOn) == .refused(.stateDamaged)) }
        #expect(try turn(daemon, .appLock, "notes", on: true) == .refused(.stateDamaged))
        try daemon.givePassword()
        #expect(try list(daemon).isEmpty)
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
    }

    @Test("A mismatch that is still owed isn't forgotten for a switch")
    func owed() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let kept = daemon.state() + ".kept"
        let connection = try daemon.connect()
        try connection.send(.authenticate(Authenticate(account: Self.account, service: "sudo")))
        try connection.receive(until: \.isPrompt)
        #expect(rename(daemon.state(), kept) == 0)
        #expect(symlink("nowhere", daemon.state()) == 0)
        try daemon.touch(9)
        try connection.receive { if case .verdict = $0 { true } else { false } }
        #expect(try turn(daemon, .service, "su", on: false) == .refused(.stateDamaged))
        #expect(rename(kept, daemon.state()) == 0)
        #expect(try turn(daemon, .service, "su", on: false) == .done(nil))
        #expect(try daemon.status().mismatches == 1)
    }

    @Test("Mismatches, matches, passwords and root's word leave the switches alone")
    func others() throws {
        let daemon = try DaemonUnderTest.enrolled()
        #expect(try turn(daemon, .service, "su", on: false) == .done(nil))
        let kept = try list(daemon)
        #expect(try daemon.verdict(touches: [2, 3, 1]) == .allowed(.rightIndex))
        try daemon.givePassword()
        #expect(try daemon.ask(.unlock(Self.account)) == .done(nil))
        #expect(try list(daemon) == kept && kept.count == 1)
    }

    @Test("Killed at twenty moments of a change, it has turned what anybody was told is turned")
    func killed() throws {
        var random = SplitMix64(21)
        var daemon = try DaemonUnderTest()
        var told = 0
        for round in 0..<20 {
            let connection = try daemon.connect()
            // So many changes, one after the other, until it is gone.
            var (asked, heard) = (told, told)
            let last = told + random.below(40)
            let name = { (number: Int) in Switch(.app, "\(number % 8)") }
            func change(_ number: Int) -> ClientMessage {
                .setSwitch(
                    SwitchChange(
                        account: Self.account, service: "bioauthctl", subject: name(number),
                        isOn: number / 8 % 2 == 0))
            }
            while asked < last {
                try connection.send(change(asked))
                asked += 1
                if try connection.receive(within: .seconds(10)) == .done(nil) { heard = asked }
            }
            // One more is under way, or not yet.
            try connection.send(change(asked))
            asked += 1
            try daemon.stop(SIGKILL)
            if (try? connection.receive(within: .seconds(10))) == .done(nil) { heard = asked }
            daemon = try DaemonUnderTest(in: daemon.directory)
            let standing = Dictionary(uniqueKeysWithValues: try list(daemon).map { ($0.subject, $0.isOn) })
            let possible = (heard...asked).map { count in
                var turned: [Switch: Bool] = [:]
                for number in 0..<count { turned[name(number)] = number / 8 % 2 == 0 }
                return turned
            }
            #expect(possible.contains(standing), "round \(round)")
            told = try #require(possible.lastIndex(of: standing)) + heard
        }
        #expect(told > 40)
    }
}
