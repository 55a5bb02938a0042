import Foundation
import TestSupport
import Testing

@testable import LocalAuthentication

/// Programs without a window, on a terminal of their own and without one.
@Suite struct TerminalTests {
    private let daemon: DaemonUnderTest
    private let command: [String]

    init() throws {
        daemon = try .enrolled(configuration: "[services]\nbioauth-evaluate = app\n")
        command = [Built.program("bioauth-evaluate"), daemon.socketPath]
    }

    @Test func `on a terminal it says itself what it is for and what to do`() throws {
        let program = try InteractiveProgram(command, onTerminal: true)
        try program.expect("bioauth-evaluate: open the vault\r\n")
        try program.expect("Swipe your right index finger over the fingerprint reader.\r\n")
        try daemon.touch(2)
        try program.expect("No match: 2 tries left.\r\n")
        try daemon.touch(1)
        try program.expect("let in\r\n")
        #expect(try program.wait() == 0)
    }

    @Test func `who leaves it by ^C leaves the reader free`() throws {
        let program = try InteractiveProgram(command, onTerminal: true)
        try program.expect("Swipe")
        program.type("\u{3}")
        #expect(try program.wait() == 128 + SIGINT)
        #expect(try eventually { try daemon.isFree })
    }

    @Test func `from a terminal's background nobody is asked`() throws {
        let program = try InteractiveProgram(
            ["/bin/sh", "-c", "set -m; \"$0\" \"$1\" & wait; echo done"] + command, onTerminal: true)
        try program.expect("done\r\n")
        #expect(program.output.contains("-1004 nobodyToAsk") && !program.output.contains("vault"))
    }

    @Test func `without a terminal nobody is asked`() throws {
        let program = try InteractiveProgram(command)
        #expect(try program.wait() == 0)
        #expect(program.output == "-1004 nobodyToAsk\n")
    }

    @Test func `Enter chooses the fallback once it is offered, and ^D gives up`() throws {
        for (keys, end) in [("\r", "-3 personChosePassword"), ("\u{4}", "-2 personCancelled")] {
            let program = try InteractiveProgram(command, onTerminal: true)
            try program.expect("reader.\r\n")
            program.type("\r")
            try daemon.touch(2)
            try program.expect("Or press Enter: Enter password\r\n")
            program.type(keys)
            try program.expect(end)
            #expect(program.echoes)
            #expect(try program.wait() == 0)
        }
    }
}

/// Programs on a terminal that take the password where the finger doesn't do.
@Suite struct TerminalPasswordTests {
    private static let secret = (0..<6).map { _ in UUID().uuidString }.joined()
    private let daemon: DaemonUnderTest
    private let passwords: PasswordSocket
    private let command: [String]

    init() throws {
        daemon = try .enrolled(
            configuration:
                "[services]\nbioauth-evaluate = app\n[lockout]\nmismatches-per-delay = 1\ndelay-seconds = 3600\n")
        passwords = try PasswordSocket(
            beside: daemon, passwords: [DaemonUnderTest.account.name: TerminalPasswordTests.secret])
        command = [Built.program("bioauth-evaluate"), daemon.socketPath, "--owner"]
    }

    @Test func `the password may be typed where a touch is waited for, unseen, and stays nowhere`() throws {
        let program = try InteractiveProgram(command, onTerminal: true)
        try program.expect("Or type the password and press Enter.\r\n")
        #expect(!program.echoes)
        // With a slip that is taken back.
        program.type(TerminalPasswordTests.secret + "é\u{7F}\r")
        try program.expect("let in\r\n")
        #expect(program.echoes && !program.output.contains(TerminalPasswordTests.secret.prefix(8)))
        #expect(try memory(of: program.pid, holds: "open the vault"), "the search finds what is there")
        #expect(try !memory(of: program.pid, holds: TerminalPasswordTests.secret))
        program.type("next\r")
        try program.expect("read: next")
        #expect(try eventually { try daemon.isFree })
    }

    @Test func `a locked finger leads to the password at once, and the password unlocks it`() throws {
        let first = try InteractiveProgram(command, onTerminal: true)
        try first.expect("press Enter.\r\n")
        try daemon.touch(2)
        try first.expect("the finger is locked. Give the password of \(DaemonUnderTest.account.name).\r\nPassword: ")
        first.type("wrong\r")
        try first.expect("That is not the password. Try again.\r\nPassword: ")
        first.type(TerminalPasswordTests.secret + "\r")
        try first.expect("let in\r\n")
        #expect(try daemon.denial(touches: [1]) == nil, "the finger is taken again")
    }

    @Test func `wrong passwords fail, and so does none`() throws {
        let program = try InteractiveProgram(command, onTerminal: true)
        try program.expect("press Enter.\r\n")
        program.type("\r")
        try program.expect("Give the password of \(DaemonUnderTest.account.name).\r\nPassword: ")
        for typed in ["wrong", "", String(repeating: "a", count: 600)] {
            program.type(typed + "\r")
            if typed.count < 600 { try program.expect("Try again.\r\nPassword: ") }
        }
        try program.expect("-1 passwordWrong\r\n")
        #expect(program.echoes)
    }

    @Test func `^C ends the program as ever, with the terminal as it was`() throws {
        for wanted in ["press Enter.\r\n", "Password: "] {
            let program = try InteractiveProgram(command, onTerminal: true)
            try program.expect("press Enter.\r\n")
            if wanted == "Password: " {
                program.type("\r")
                try program.expect(wanted)
            }
            program.type("abc\u{3}")
            #expect(try program.wait() == 128 + SIGINT)
            #expect(program.echoes)
        }
        #expect(try eventually { try daemon.isFree })
    }

    @Test func `the terminal is asked on again and again, and who is away from it is asked for nothing`() throws {
        // Stopped by somebody else, so that no key tells.
        let program = try InteractiveProgram(
            [
                "/bin/bash", "-c", "set -m; \"$0\" \"$@\"; echo stopped; read -r; fg; read -r",
            ] + command + ["--twice"], onTerminal: true)
        try program.expect("reader.\r\n")
        let asker = try #require(try children(of: program.pid).first)
        kill(asker, SIGTSTP)
        try program.expect("stopped\r\n")
        program.type("\r")
        // What is typed before it asks again is dropped, as the rest of a password would be.
        let isLeft = try eventually {
            program.type("\u{1A}")
            return try daemon.isFree
        }
        #expect(isLeft, "stopped by the key, it leaves the reader")
        kill(asker, SIGCONT)
        kill(asker, SIGKILL)
    }

    private func children(of parent: pid_t) throws -> [pid_t] {
        try String(contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8).split(separator: " ")
            .compactMap { pid_t($0) }
    }

    @Test func `one question after the other is asked on it`() throws {
        let program = try InteractiveProgram(command + ["--twice"], onTerminal: true)
        for _ in 0..<2 {
            try program.expect("press Enter.\r\n")
            try daemon.touch(1)
            try program.expect("let in\r\n")
        }
    }

    @Test func `^Z stops it with the terminal as it was, and it asks again when it goes on`() throws {
        let program = try InteractiveProgram(
            ["/bin/bash", "-c", "set -m; \"$0\" \"$@\"; echo stopped; fg"] + command, onTerminal: true)
        try program.expect("press Enter.\r\n")
        program.type("\u{1A}")
        try program.expect("stopped\r\n")
        try program.expect("reader.\r\n")
        program.type(TerminalPasswordTests.secret + "\r")
        try program.expect("let in\r\n")
    }

    @Test func `a touch in the middle of typing leaves the rest to nobody`() throws {
        let program = try InteractiveProgram(command, onTerminal: true)
        try program.expect("press Enter.\r\n")
        let half = TerminalPasswordTests.secret.prefix(20)
        try daemon.waitFor(.allowed) {
            program.type(String(half))
            try daemon.touch(1)
        }
        program.type(TerminalPasswordTests.secret.dropFirst(20) + "\r")
        try program.expect("let in\r\n")
        program.type("next\r")
        try program.expect("read: next\r\n")
        #expect(!program.output.contains(half.prefix(8)))
    }
}
