import BioauthCore
import Foundation
import TestSupport
import Testing

/// What sudo's own options say about where the password comes from.
@Suite(.enabled(if: isRoot, "mounts, and programs that change their user, take root"))
struct SudoTests {
    let machine: Machine

    init() throws { machine = try Machine() }

    /// Runs a line in a shell that has a terminal, where nothing is asked.
    private func run(_ line: String, onTerminal: Bool = true) throws -> (status: Int32, output: String) {
        let shell = try machine.start(["sh", "-c", line], onTerminal: onTerminal)
        let status = try shell.wait()
        return (status, shell.output + shell.errors)
    }

    @Test func `-S: the password from standard input, and no finger`() throws {
        let (status, output) = try run("echo '\(Machine.password)' | sudo -k -S -p '' id -un")
        #expect(status == 0 && output.hasPrefix("root\r"))
        #expect(try machine.requests().isEmpty)
    }

    @Test func `-A: the password from a program, and no finger`() throws {
        // Written by the shell: a program that another test starts meanwhile could hold it open for writing.
        let program = "printf '#!/bin/sh\\necho %s\\n' '\(Machine.password)' > ~/askpass; chmod +x ~/askpass"
        let (status, output) = try run("\(program); SUDO_ASKPASS=~/askpass sudo -k -A id -un")
        #expect(status == 0 && output == "root\r\n")
        #expect(try machine.requests().isEmpty)
    }

    @Test(arguments: [false, true])
    func `-n: nothing is asked for`(usesPAM: Bool) throws {
        if usesPAM { try machine.directory.write("Defaults noninteractive_auth\n", to: "etc/sudoers-of-test.d/test") }
        let (status, output) = try run("sudo -k -n id -un")
        #expect(status == 1 && output == "sudo: a password is required\r\n")
        #expect(try machine.requests().isEmpty)
    }

    @Test func `without a terminal nothing is asked for, and nothing waited for`() throws {
        let (status, output) = try run("sudo -k id -un", onTerminal: false)
        #expect(status == 1 && output.contains("sudo: a password is required"))
        #expect(try machine.requests().isEmpty)
    }

    @Test func `with -S after the command's name: that is the command's`() throws {
        let sudo = try machine.start("sudo", "-k", "echo", "-S", "-A", "-n")
        try sudo.expectFingerPrompt()
        try machine.daemon.touch(1)
        try sudo.expect("-S -A -n\r\n")
        #expect(try sudo.wait() == 0)
    }

    @Test(arguments: [["-p", "Mine: "], ["--prompt=Mine: "]])
    func `a prompt of one's own is shown, and an empty answer means the finger`(options: [String]) throws {
        let sudo = try machine.start(["sudo", "-k"] + options + ["id", "-un"])
        try sudo.expect("Mine: ")
        #expect(!sudo.output.contains("finger"))
        sudo.type("\n")
        try sudo.expectFingerPrompt()
        try machine.daemon.touch(1)
        #expect(try TerminalHost.sudo.expectWelcome(sudo))
    }

    @Test func `a prompt of one's own in the environment`() throws {
        let sudo = try machine.start(["sudo", "-k", "id", "-un"], environment: ["SUDO_PROMPT": "Mine: "])
        try sudo.expect("Mine: ")
        sudo.type(Machine.password + "\n")
        #expect(try TerminalHost.sudo.expectWelcome(sudo))
        #expect(try machine.requests().isEmpty)
    }

    @Test func `a prompt of one's own, and the password`() throws {
        let sudo = try machine.start("sudo", "-k", "-p", "Mine: ", "id", "-un")
        try sudo.expect("Mine: ")
        sudo.type(Machine.password + "\n")
        #expect(try TerminalHost.sudo.expectWelcome(sudo))
        #expect(try machine.requests().isEmpty)
    }

    @Test func `a prompt of one's own, an empty answer and the wrong fingers: asked again`() throws {
        let sudo = try machine.start("sudo", "-k", "-p", "Mine: ", "id", "-un")
        try sudo.expect("Mine: ")
        sudo.type("\n")
        try machine.mistake(times: 3, at: sudo)
        try sudo.expect("Sorry, try again.")
        try sudo.expect("Mine: ")
        sudo.type(Machine.password + "\n")
        #expect(try TerminalHost.sudo.expectWelcome(sudo))
    }

    @Test func `a touch counts for a while, until -k`() throws {
        let shell = try machine.shell()
        shell.type("sudo -v\n")
        try shell.expectFingerPrompt()
        try machine.daemon.touch(1)
        try shell.expect(Machine.shellPrompt)
        shell.type("sudo id -un\n")
        try shell.expect("root\r\n" + Machine.shellPrompt)
        shell.type("sudo -k; sudo id -un\n")
        try shell.expectFingerPrompt()
        try machine.daemon.touch(1)
        try shell.expect("root\r\n" + Machine.shellPrompt)
        #expect(try eventually { try machine.requests().count == 2 })
    }

    @Test func `in a pipe: asked for on the terminal, and what goes through the pipe is the command's`() throws {
        let sudo = try machine.start("sh", "-c", "printf 'one\\ntwo\\n' | sudo -k sed s/^/-/ | sed s/$/./")
        try sudo.expectFingerPrompt()
        try machine.daemon.touch(1)
        try sudo.expect("-one.\r\n-two.\r\n")
        #expect(try sudo.wait() == 0)
    }

    @Test func `two at once: neither gets the finger, until one has ended`() throws {
        let first = try machine.start("sudo", "-k", "id", "-un")
        try first.expectFingerPrompt()
        let second = try machine.start("sudo", "-k", "id", "-un")
        for sudo in [first, second] { try sudo.expect("asks for your finger too, so neither gets it") }
        second.type("\u{3}")
        #expect(try second.wait() == 1)
        try first.expectFingerPrompt()
        try machine.daemon.touch(1)
        #expect(try TerminalHost.sudo.expectWelcome(first))
    }

    @Test func `two at once, and the password in both`() throws {
        let both = try [machine.start("sudo", "-k", "id", "-un"), machine.start("sudo", "-k", "id", "-un")]
        for sudo in both { try sudo.expect("asks for your finger too, so neither gets it") }
        for sudo in both {
            sudo.type(Machine.password + "\n")
            #expect(try TerminalHost.sudo.expectWelcome(sudo))
        }
    }

    @Test func `in Korean`() throws {
        let sudo = try machine.start(
            ["sudo", "-k", "id", "-un"], environment: ["LANGUAGE": "ko"])
        try sudo.expect("암호를 입력하거나 지문 인식기 위로 오른손 집게손가락을 쓸어내리십시오: ")
        try machine.daemon.touch(1)
        #expect(try TerminalHost.sudo.expectWelcome(sudo))
    }
}

extension Machine {
    /// How the daemon decided on the requests that have ended: its log's lines.
    func requests() throws -> [Substring] {
        _ = try daemon.status()
        return daemon.log.split(separator: "\n").filter { $0.contains(" service=") }
    }
}
