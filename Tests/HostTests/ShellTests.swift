import BioauthCore
import Foundation
import TestSupport
import Testing

/// From a shell, as people work: nothing that is typed at the prompt reaches the shell, and the terminal is as before.
@Suite(.enabled(if: isRoot, "mounts, and programs that change their user, take root"))
struct ShellTests {
    let machine: Machine

    init() throws { machine = try Machine() }

    /// Starts a shell and, in it, a host that asks for a touch.
    private func shell(asking host: TerminalHost) throws -> InteractiveProgram {
        let shell = try machine.shell(as: host.account)
        shell.type(host.command.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " ") + "\n")
        try shell.expectFingerPrompt()
        try shell.expect(": ")
        return shell
    }

    /// Whether the shell is at its prompt, on a terminal that is set as before, with nothing typed ahead.
    private func isUntouched(_ shell: InteractiveProgram) throws -> Bool {
        shell.type("echo \"all $((40 + 2))\"\n")
        try shell.expect("all 42\r\n" + Machine.shellPrompt)
        return !shell.output.contains("not found") && !shell.output.contains("horse")
    }

    @Test(arguments: [TerminalHost.sudo, .su])
    func `a match in the middle of a word`(host: TerminalHost) throws {
        let shell = try shell(asking: host)
        let (start, rest) = ("correct-horse-", "battery-staple-0815\n")
        shell.type(start)
        try machine.daemon.waitFor(.allowed) { try machine.daemon.touch(1) }
        shell.type(rest)
        try shell.expect(host.welcome + Machine.shellPrompt)
        #expect(try isUntouched(shell))
    }

    @Test(arguments: [TerminalHost.sudo, .su])
    func `a match after a few letters, and no Enter`(host: TerminalHost) throws {
        let shell = try shell(asking: host)
        shell.type("correct-horse")
        try machine.daemon.touch(1)
        try shell.expect(host.welcome + Machine.shellPrompt)
        #expect(try isUntouched(shell))
    }

    @Test(arguments: [TerminalHost.sudo, .su], [500, 511, 512, 4000])
    func `a pasted line`(host: TerminalHost, length: Int) throws {
        let shell = try shell(asking: host)
        let (settings, line) = (
            shell.terminalSettings, String(repeating: "horse", count: length / 5 + 1).prefix(length)
        )
        shell.type(line + "\n")
        // Too long for a password, it is refused and the question asked again; else it is a wrong one.
        if length > 511 {
            try shell.expect("longer than a password can be")
            try shell.expectFingerPrompt()
            #expect(shell.terminalSettings == settings)
            shell.type(Machine.password + "\n")
            try shell.expect(host.welcome + Machine.shellPrompt)
        } else {
            try shell.expect(host.description == "sudo" ? "Sorry, try again.\r\n" : "Authentication failure\r\n")
            if host.description == "sudo" {
                try shell.expectFingerPrompt()
                shell.type("\u{3}")
            }
            try shell.expect(Machine.shellPrompt)
        }
        #expect(try isUntouched(shell))
    }

    @Test func `what was typed before the question is nobody's`() throws {
        let shell = try machine.shell()
        shell.type("sudo -k id -un\necho ahead | tr a-z A-Z\n")
        try shell.expectFingerPrompt()
        try machine.daemon.touch(1)
        try shell.expect("root\r\n" + Machine.shellPrompt)
        #expect(try isUntouched(shell))
        #expect(!shell.output.contains("AHEAD"))
    }

    @Test(arguments: [TerminalHost.sudo, .su])
    func `a match while ^S holds the output back`(host: TerminalHost) throws {
        let shell = try shell(asking: host)
        shell.type("\u{13}")
        try machine.daemon.waitFor(.allowed) { try machine.daemon.touch(1) }
        shell.type("\u{11}")
        try shell.expect(host.welcome + Machine.shellPrompt)
        #expect(try isUntouched(shell))
    }

    @Test func `corrected letters, and a line taken back`() throws {
        let shell = try shell(asking: .sudo)
        shell.type("horse\u{15}\(Machine.password)xy\u{7F}\u{7F}\n")
        try shell.expect(TerminalHost.sudo.welcome + Machine.shellPrompt)
        #expect(try isUntouched(shell))
    }

    @Test(arguments: ["\n", "\u{3}", "\u{4}"])
    func `the terminal is as before`(key: String) throws {
        let shell = try machine.shell()
        let settings = shell.terminalSettings
        shell.type("sudo -k id -un\n")
        try shell.expectFingerPrompt()
        #expect(!shell.echoes)
        shell.type("horse" + (key == "\u{4}" ? "\u{15}" : "") + key)
        if key == "\n" {
            try shell.expect("Sorry, try again.")
            try shell.expectFingerPrompt()
            shell.type("\u{3}")
        }
        try shell.expect("sudo: ")
        try shell.expect(Machine.shellPrompt)
        #expect(shell.terminalSettings == settings)
        #expect(try isUntouched(shell))
    }

    @Test func `su stops at ^Z, and asks again in the foreground`() throws {
        let shell = try shell(asking: .su)
        shell.type("horse\u{1A}")
        try shell.expect(Machine.shellPrompt)
        #expect(try isUntouched(shell))
        shell.type("fg\n")
        try shell.expectFingerPrompt()
        #expect(!shell.echoes)
        try machine.daemon.touch(1)
        try shell.expect(TerminalHost.su.welcome + Machine.shellPrompt)
        #expect(try isUntouched(shell))
    }

    @Test(arguments: [TerminalHost.sudo, .su])
    func `what is typed stays hidden when a stopped one goes on, whatever the terminal was set to`(
        host: TerminalHost
    ) throws {
        let program = try host.start(on: machine)
        try program.expectFingerPrompt()
        program.send(SIGSTOP)
        #expect(eventually { program.isStopped })
        program.showTyping()
        program.send(SIGCONT)
        #expect(eventually { !program.echoes })
        program.type(Machine.password + "\n")
        #expect(try host.expectWelcome(program))
        #expect(!program.output.contains("horse"))
    }

    /// Stopped in PAM, sudo would keep its record of the terminal locked.
    @Test func `sudo stops at its own question, so that a second one on the terminal doesn't hang`() throws {
        let shell = try shell(asking: .sudo)
        shell.type("horse\u{1A}")
        try TerminalHost.sudo.expectQuestion(shell)
        shell.type("\u{1A}")
        try shell.expect(Machine.shellPrompt)
        #expect(try isUntouched(shell))
        shell.type("sudo -k id -un\n")
        try shell.expectFingerPrompt()
        try machine.daemon.touch(1)
        try shell.expect(TerminalHost.sudo.welcome + Machine.shellPrompt)
        shell.type("fg\n")
        try TerminalHost.sudo.expectQuestion(shell)
        shell.type(Machine.password + "\n")
        try shell.expect(TerminalHost.sudo.welcome + Machine.shellPrompt)
        #expect(try isUntouched(shell))
    }

    /// dash ends with its script when ^C was pressed, whatever the command did. bash goes by how the command ended:
    /// sudo exits with 1 at ^C, with us and without, so its script goes on.
    @Test(arguments: ["dash", "bash"], [true, false])
    func `one ^C in a script`(shellName: String, hasDaemon: Bool) throws {
        let machine = try hasDaemon ? machine : Machine(hasDaemon: false)
        let script = try machine.directory.write("sudo -k id -un\necho went on\n", to: "script")
        let shell = try machine.shell()
        shell.type("\(shellName) \(script)\n")
        if hasDaemon { try shell.expectFingerPrompt() }
        try shell.expect(": ")
        if !hasDaemon { try shell.waitForReader() }
        shell.type("\u{3}")
        try shell.expect(Machine.shellPrompt)
        #expect(shell.output.contains("went on") == (shellName == "bash"))
        #expect(try isUntouched(shell))
    }

    @Test(arguments: [true, false])
    func `in the background it is stopped as without us, and asks for no finger`(hasDaemon: Bool) throws {
        let machine = try hasDaemon ? machine : Machine(hasDaemon: false)
        let shell = try machine.shell()
        shell.type("sudo -k id -un &\n")
        try shell.expect(Machine.shellPrompt)
        #expect(
            try eventually {
                shell.type("jobs\n")
                try shell.expect(Machine.shellPrompt)
                return shell.output.contains("Stopped")
            })
        shell.type("fg\n")
        try TerminalHost.sudo.expectQuestion(shell)
        shell.type(Machine.password + "\n")
        try shell.expect(TerminalHost.sudo.welcome + Machine.shellPrompt)
        #expect(!shell.output.contains("finger"))
    }
}

extension InteractiveProgram {
    fileprivate var isStopped: Bool {
        (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8))?.contains(") T ") ?? false
    }

    /// As `stty echo` would.
    fileprivate func showTyping() {
        var attributes = termios()
        tcgetattr(terminal, &attributes)
        attributes.c_lflag |= tcflag_t(ECHO | ICANON)
        tcsetattr(terminal, TCSANOW, &attributes)
    }
}
