import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

/// `enable` and `disable`: the real daemon, the real `bioauth-password`, a finger on a virtual reader.
@Suite("Switches", .enabled(if: getuid() == 0, "it takes root to have another account ask")) struct SwitchTests {
    private static let nobody = Account(uid: stranger, name: "nobody")
    private static let secret = "correct horse"

    let daemon: DaemonUnderTest
    let service: PasswordSocket
    let root: Command
    let command: Command

    init() throws {
        daemon = try DaemonUnderTest(configuration: "[services]\nbanned = off\n")
        service = try PasswordSocket(beside: daemon, passwords: ["nobody": SwitchTests.secret])
        root = Command(socketPath: daemon.socketPath)
        command = try Command.byNobody(socketPath: daemon.socketPath, in: daemon.directory)
    }

    /// Synthetic finger 1 is nobody's, and their password was given.
    private func enroll() throws {
        #expect(try daemon.enroll(SwitchTests.nobody, synthetic: 1) == .done(nil))
        try daemon.givePassword(SwitchTests.nobody)
    }

    private func switches() throws -> [SwitchEntry] {
        guard case .switches(let entries) = try daemon.ask(.switches(SwitchTests.nobody)) else {
            throw DaemonUnderTest.Unexpected()
        }
        return entries
    }

    private let sudoOff = [SwitchEntry(Switch(.service, "sudo"), isOn: false)]

    /// `disable sudo` by nobody at a terminal, asked for a touch.
    private func prompted(_ arguments: String...) throws -> InteractiveProgram {
        let program = try command.start(["disable", "sudo"] + arguments, onTerminal: true)
        try program.expect(
            "Swipe your right index finger over the fingerprint reader. Or press Enter to give the password.")
        #expect(!program.echoes)
        return program
    }

    // MARK: What it answers

    @Test("Root turns anybody's at once; what is so already is success, and status shows it")
    func byRoot() throws {
        let off = try root.run("disable", "sudo", "--user", "nobody")
        #expect(off.status == 0)
        #expect(
            off.output
                == "sudo takes no finger of nobody any more. Turn it on again with: bioauthctl enable sudo\n")
        #expect(try switches() == sudoOff)
        #expect(try root.run("disable", "sudo", "--user", "nobody").output == "It is off already: sudo.\n")
        let again = try root.run("disable", "sudo", "--user", "nobody", "--json")
        #expect(again.status == 0)
        #expect(
            again.output
                == #"{"account":{"uid":65534,"name":"nobody"},"kind":"service","name":"sudo","enabled":false,"changed":false}"#
                + "\n")

        #expect(
            try root.run("enable", "--app", "chat", "--user", "nobody").output
                == "The app chat may ask nobody for a finger.\n")
        #expect(try root.run("disable", "--app", "game", "--user", "nobody").status == 0)
        #expect(try root.run("enable", "--app-lock", "notes", "--user", "nobody").status == 0)
        let status = try root.run("status", "--user", "nobody")
        #expect(
            status.output.hasSuffix(
                """
                Turned off: sudo
                Apps that may ask for a finger: chat
                Apps that may not: game
                Apps that lock themselves: notes

                """))
        let listed = try #require(
            try root.run("status", "--user", "nobody", "--json").json["switches"] as? [[String: Any]])
        #expect(listed.map { $0["kind"] as? String } == ["service", "app", "app", "app-lock"])
        #expect(listed.map { $0["name"] as? String } == ["sudo", "chat", "game", "notes"])
        #expect(listed.map { $0["enabled"] as? Bool } == [false, true, false, true])

        let on = try root.run("enable", "sudo", "--user", "nobody", "--json")
        #expect(try on.json["enabled"] as? Bool == true && on.json["changed"] as? Bool == true)
        #expect(try root.run("enable", "sudo", "--user", "nobody").output == "It is on already: sudo.\n")
        #expect(try root.run("disable", "--app-lock", "notes", "--user", "nobody").status == 0)
        #expect(try switches().map(\.subject) == [Switch(.app, "chat"), Switch(.app, "game")])
        #expect(try root.run("status", "--json").json["switches"] as? [String] == [])
    }

    @Test("What the configuration doesn't give a finger can't be turned on, and is off in any case")
    func unlisted() throws {
        for arguments in [["sshd"], ["banned"], ["bioauth-password"], ["--app", "banned"]] {
            for by in [root, command] {
                let on = try by.start(["enable"] + arguments + ["--user", "nobody"])
                #expect(try on.wait() == 1)
                #expect(on.errors.contains("in any case") && on.errors.contains("bioauthd.conf"))
                let off = try by.start(["disable"] + arguments + ["--user", "nobody"])
                #expect(try off.wait() == 0)
                #expect(off.output.contains("in any case"))
            }
            let json = try root.start(["enable"] + arguments + ["--json"])
            #expect(try json.wait() == 1)
            #expect(json.output == #"{"error":{"cause":"serviceDisabled","ends_in":null}}"# + "\n")
        }
        #expect(try switches().isEmpty)
    }

    @Test("A name that hides something is shown with what it hides")
    func visible() throws {
        let name = "su\u{200B}do \u{202E}ppa"
        let off = try root.run("disable", "--app", name, "--user", "nobody")
        #expect(off.output.hasPrefix(#"The app su\u{200B}do \u{202E}ppa may not ask nobody"#))
        #expect(
            try root.run("status", "--user", "nobody").output.contains(#"Apps that may not: su\u{200B}do \u{202E}ppa"#))
        #expect(try switches().map(\.subject) == [Switch(.app, name)])
        let json = try root.run("status", "--user", "nobody", "--json").json
        #expect((json["switches"] as? [[String: Any]])?.first?["name"] as? String == name)
    }

    @Test("Somebody else's switches are theirs alone")
    func somebodyElse() throws {
        let result = try command.run("disable", "sudo", "--user", "root", "--json")
        #expect(result.status == 1)
        #expect(result.output.contains("notPermitted"))
    }

    @Test("In Korean, too")
    func korean() throws {
        let korean = Command(socketPath: daemon.socketPath, environment: try Korean.environment())
        for arguments in [["disable", "sudo"], ["disable", "sudo"], ["enable", "--app", "chat"], ["status"]] {
            let program = try korean.start(arguments)
            #expect(try program.wait() == 0)
            #expect(program.output.contains { "가" <= $0 && $0 <= "힣" }, "\(arguments)")
        }
        #expect(try korean.run("status").output.contains("꺼 놓은 서비스: sudo"))
    }

    // MARK: By a touch

    @Test("Without a terminal a touch turns it: a mismatch is told, and counts")
    func touch() throws {
        try enroll()
        let program = try command.start(["disable", "sudo"])
        try program.expect("Swipe your right index finger over the fingerprint reader.\n")
        try daemon.touch(2)
        try program.expect("No match: 2 tries left.\n")
        try daemon.touch(1)
        #expect(try program.wait() == 0)
        #expect(try switches() == sudoOff)
        #expect(!program.output.contains("Enter"))
        let json = try command.start(["enable", "sudo", "--json"])
        try json.expect("Swipe your right index finger", on: .errors)
        try daemon.touch(1)
        #expect(try json.wait() == 0)
        #expect(json.output.contains(#""changed":true"#) && json.output.hasPrefix("{"))
        #expect(try switches().isEmpty)
    }

    @Test("Without a terminal, where no finger can be used, it says why, and nothing has changed")
    func neither() throws {
        let result = try command.run("disable", "sudo", "--json")
        #expect(result.status == 1)
        #expect(result.output == #"{"error":{"cause":"notEnrolled","ends_in":null}}"# + "\n")
        #expect(try switches().isEmpty)
    }

    @Test("On a terminal a touch turns it, and the terminal is as it was before")
    func touchOnTerminal() throws {
        try enroll()
        let program = try prompted()
        program.type("not shown")
        try daemon.touch(1)
        try program.expect("sudo takes no finger of nobody any more.")
        #expect(try program.wait() == 0)
        #expect(program.echoes)
        #expect(!program.output.contains("not shown"))
        #expect(try switches() == sudoOff)
    }

    // MARK: By the password

    @Test("Enter chooses the password: a wrong one is asked for again, the right one turns it")
    func password() throws {
        try enroll()
        let program = try prompted()
        program.type("\n")
        try program.expect("Password of nobody: ")
        #expect(!program.echoes)
        program.type("wrong\n")
        try program.expect("That is not the password. Try again.")
        try program.expect("Password of nobody: ")
        program.type(SwitchTests.secret + "\n")
        try program.expect("sudo takes no finger of nobody any more.")
        #expect(try program.wait() == 0)
        #expect(program.echoes)
        #expect(!program.output.contains(SwitchTests.secret))
        #expect(try switches() == sudoOff)
        #expect(try daemon.status().waiting == 0)
    }

    @Test("Where no finger can be used, or none matches, the password is asked for")
    func passwordAtOnce() throws {
        let program = try command.start(["disable", "sudo"], onTerminal: true)
        try program.expect("The account has no print that this reader knows.")
        try program.expect("Password of nobody: ")
        program.type(SwitchTests.secret + "\n")
        #expect(try program.wait() == 0)
        #expect(try switches() == sudoOff)
        try enroll()

        try Data("?".utf8).write(to: URL(filePath: daemon.state(of: SwitchTests.nobody)))
        let mending = try command.start(["disable", "su"], onTerminal: true)
        try mending.expect("Password of nobody: ")
        mending.type(SwitchTests.secret + "\n")
        #expect(try mending.wait() == 0)
        #expect(try switches().map(\.subject) == [Switch(.service, "su")])

        let mismatched = try command.start(["disable", "sudo"], onTerminal: true)
        try mismatched.expect("Or press Enter")
        for finger in [2, 3, 4] {
            try daemon.touch(finger)
            try mismatched.expect(finger == 4 ? "The finger did not match." : "No match")
        }
        try mismatched.expect("Password of nobody: ")
        mismatched.type(SwitchTests.secret + "\n")
        #expect(try mismatched.wait() == 0)
        #expect(try switches().map(\.subject) == [Switch(.service, "su"), Switch(.service, "sudo")])
    }

    @Test("Also bioauthctl itself can be turned off, and on again with the password")
    func itself() throws {
        try enroll()
        #expect(try root.run("disable", "bioauthctl", "--user", "nobody").status == 0)
        let program = try command.start(["enable", "bioauthctl"], onTerminal: true)
        try program.expect("Password of nobody: ")
        program.type(SwitchTests.secret + "\n")
        #expect(try program.wait() == 0)
        #expect(try switches().isEmpty)
    }

    // MARK: Giving up

    @Test("Every way out leaves the switch and the terminal as they were, and the reader free")
    func cancelled() throws {
        try enroll()
        for (keys, signal) in [("\u{3}", nil), ("\u{4}", nil), ("", SIGTERM), ("half", SIGHUP)] as [(String, Int32?)] {
            let program = try prompted()
            program.type(keys)
            if let signal { program.send(signal) }
            try program.expect("Cancelled.")
            #expect(program.echoes)
            #expect(try program.wait() == 1)
        }
        let program = try prompted()
        program.type("\n")
        try program.expect("Password of nobody: ")
        program.type("\u{3}")
        #expect(try program.wait() == 1)
        let killed = try prompted()
        killed.send(SIGKILL)
        try killed.wait()
        #expect(eventually { (try? daemon.status().waiting) == 0 })
        #expect(try switches().isEmpty)
    }

    @Test("^Z while a touch is waited for: the shell shows what is typed; back in front it goes on")
    func stopped() throws {
        try enroll()
        let shell = try InteractiveProgram(
            command.launcher + ["/bin/dash", "-i"], onTerminal: true, environment: ["PS1": "ready> "])
        try shell.expect("ready> ")
        shell.type("\(command.path) disable sudo --socket \(daemon.socketPath)\n")
        try shell.expect("Or press Enter")
        #expect(!shell.echoes)
        shell.type("\u{1A}")
        try shell.expect("ready> ")
        #expect(shell.echoes)
        #expect(eventually { (try? daemon.status().waiting) == 0 }, "the reader is kept from others")
        shell.type("fg\n")
        try shell.expect("Or press Enter")
        #expect(eventually { !shell.echoes })
        try daemon.touch(1)
        try shell.expect("sudo takes no finger of nobody any more.")
        try shell.expect("ready> ")
        #expect(shell.echoes)
        shell.type("exit\n")
        try shell.wait()
        #expect(try switches() == sudoOff)
    }

    @Test("A daemon that hangs is given up soon after the person has")
    func hanging() throws {
        let silent = try ScriptedDaemon { peer in
            switch try peer.receive() {
            case .switches: try peer.send(.switches([]))
            case .examine:
                try peer.send(
                    .examination(
                        Examination(
                            serviceClass: .app, denial: nil, origin: .unmanaged, isLidShut: false,
                            isReaderBuiltIn: false)))
            default:
                try peer.send(.waiting(Wait(cause: .queued, place: 1, other: nil)))
                while true { _ = try peer.receive() }
            }
        }
        let program = try Command(socketPath: silent.path).start(["disable", "sudo"], onTerminal: true)
        try program.expect("Another request has the reader.")
        program.type("\n")
        #expect(try program.wait() == 3)
        #expect(program.output.contains("doesn't answer") && program.echoes)
    }
}
