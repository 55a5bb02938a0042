import BioauthCore
import Foundation
import TestSupport
import Testing

/// pkexec, polkitd on a system bus of its own, and polkit's helper, which asks PAM.
@Suite(.enabled(if: isRoot, "mounts, and programs that change their user, take root"))
struct PolkitTests {
    /// What runs beside a `pkexec`.
    final class Desktop {
        let machine: Machine
        private let bus: InteractiveProgram
        private let shell: InteractiveProgram
        /// The dialog.
        let agent: InteractiveProgram

        /// - Parameter agent: its words, for a process's number; nil: a desktop's.
        init(hasDaemon: Bool = true, agent words: ((String) -> [String])? = nil) throws {
            machine = try Machine(hasDaemon: hasDaemon)
            // Whom polkit asks is an administrator: this one alone.
            try machine.replaceLine(of: "sudo", in: "etc/group", with: "sudo:x:27:\(Machine.owner.name)")
            try FileManager.default.createDirectory(
                atPath: machine.directory.file("run/dbus"), withIntermediateDirectories: true)
            // Starts polkitd when somebody asks for it.
            bus = try machine.start(
                ["dbus-daemon", "--system", "--nofork", "--nopidfile", "--print-address=1"], as: "root",
                onTerminal: false)
            try bus.expect("unix:")
            // polkit's agents are a process's, or a session's.
            shell = try machine.start(
                "sh", "-c", "echo here; read go; pkexec --disable-internal-agent id -un; echo over $?")
            // The owner's from then on.
            try shell.expect("here")
            // Where the owner can read it.
            let program = try machine.directory.write(
                String(contentsOfFile: Built.package + "/Tests/HostTests/agent.py", encoding: .utf8), to: "agent.py")
            let process = String(shell.pid)
            agent = try machine.start(
                words?(process) ?? ["/usr/bin/python3", program, process, String(Machine.owner.uid)])
            try agent.expect("agent registered")
        }

        func askForAuthorization() throws {
            shell.type("\n")
        }

        func expectAuthorized(_ words: String = "dialog closed: authorized") throws {
            try agent.expect(words)
            try shell.expect("root\r\nover 0")
        }

        func end() throws {
            agent.send(SIGKILL)
            bus.send(SIGTERM)
            try bus.wait()
        }
    }

    @Test func `the right finger closes the dialog`() throws {
        let desktop = try Desktop()
        try desktop.askForAuthorization()
        try desktop.agent.expectFingerPrompt()
        try desktop.machine.daemon.touch(1)
        try desktop.expectAuthorized()
        try desktop.end()
    }

    @Test func `the password at once`() throws {
        let desktop = try Desktop()
        try desktop.askForAuthorization()
        try desktop.agent.expect("asks: ")
        desktop.agent.type(Machine.password + "\n")
        try desktop.expectAuthorized()
        try desktop.end()
    }

    @Test func `the wrong finger three times, then the password`() throws {
        let desktop = try Desktop()
        try desktop.askForAuthorization()
        try desktop.machine.mistake(times: 3, at: desktop.agent)
        try desktop.agent.expect("Too many tries")
        desktop.agent.type(Machine.password + "\n")
        try desktop.expectAuthorized()
        try desktop.end()
    }

    @Test func `the dialog shut: the finger is free at once`() throws {
        let desktop = try Desktop()
        try desktop.askForAuthorization()
        try desktop.agent.expectFingerPrompt()
        try desktop.machine.daemon.waitFor(.denied) { desktop.agent.type("\u{1}\n") }
        try desktop.agent.expect("dialog closed: refused")
        try desktop.end()
    }

    /// pkttyagent waits in a read of its own, and goes on when Enter is pressed. (pkexec's built-in one works only in a
    /// session that logind knows, with us and without: "No session for cookie".)
    @Test func `an agent on a terminal: the finger and Enter`() throws {
        let desktop = try Desktop(agent: { process in
            let agent = "pkttyagent --process \(process) --notify-fd 3 3> ~/registered"
            return ["sh", "-c", "mkfifo ~/registered; \(agent) & cat ~/registered; echo agent registered; wait"]
        })
        try desktop.askForAuthorization()
        try desktop.agent.expectFingerPrompt()
        try desktop.agent.expect("Password: ")
        try desktop.machine.daemon.waitFor(.allowed) { try desktop.machine.daemon.touch(1) }
        desktop.agent.type("\n")
        try desktop.expectAuthorized("AUTHENTICATION COMPLETE")
        try desktop.end()
    }

    @Test func `locked out: only the password, which clears the lockout`() throws {
        let desktop = try Desktop()
        let daemon = desktop.machine.daemon
        for _ in 0..<2 { _ = try daemon.denial(Machine.owner, touches: [2, 2, 2]) }
        #expect(try daemon.denial(Machine.owner) == .lockedOut)
        try desktop.askForAuthorization()
        try desktop.agent.expect("the finger rests")
        try desktop.agent.expect("asks: ")
        desktop.agent.type(Machine.password + "\n")
        try desktop.expectAuthorized()
        #expect(try daemon.denial(Machine.owner, touches: [1]) == nil)
        try desktop.end()
    }

    @Test func `without the daemon, the password`() throws {
        let desktop = try Desktop(hasDaemon: false)
        try desktop.askForAuthorization()
        try desktop.agent.expect("asks: ")
        desktop.agent.type(Machine.password + "\n")
        try desktop.expectAuthorized()
        #expect(!desktop.agent.output.contains("finger"))
        try desktop.end()
    }
}
