import BioauthCore
import Foundation
import TestSupport
import Testing

/// Each program that asks on a terminal, with a person in front of it.
@Suite(.enabled(if: isRoot, "mounts, and programs that change their user, take root"))
struct TerminalHostTests {
    @Test(arguments: TerminalHost.all + [.sudoLogin, .suLogin])
    func `the right finger lets in, and nothing is typed`(host: TerminalHost) throws {
        let machine = try Machine()
        let program = try host.start(on: machine)
        try program.expectFingerPrompt()
        #expect(program.output.contains("index finger") != host.isByAnother)
        try machine.daemon.touch(1)
        #expect(try host.expectWelcome(program))
    }

    @Test(arguments: TerminalHost.all)
    func `the password, typed at once`(host: TerminalHost) throws {
        let machine = try Machine()
        let program = try host.start(on: machine)
        try program.expectFingerPrompt()
        program.type(Machine.password + "\n")
        #expect(try host.expectWelcome(program))
        #expect(!program.sinceFingerPrompt.contains(host.question))
    }

    @Test(arguments: TerminalHost.all)
    func `the password after a mismatch, at the same question: it clears the count`(host: TerminalHost) throws {
        let machine = try Machine()
        let program = try host.start(on: machine)
        try machine.mistake(times: 1, at: program)
        try program.expect("2 tries left")
        #expect(try machine.daemon.status(of: Machine.owner).mismatches == 1)
        program.type(Machine.password + "\n")
        #expect(try host.expectWelcome(program))
        #expect(try machine.daemon.status(of: Machine.owner).mismatches == 0)
    }

    @Test(arguments: TerminalHost.all)
    func `Enter alone, then the host's own question`(host: TerminalHost) throws {
        let machine = try Machine()
        let program = try host.start(on: machine)
        try program.expectFingerPrompt()
        program.type("\n")
        try host.expectQuestion(program)
        program.type(Machine.password + "\n")
        #expect(try host.expectWelcome(program))
    }

    @Test(arguments: TerminalHost.all)
    func `the wrong finger three times, then the password`(host: TerminalHost) throws {
        let machine = try Machine()
        let program = try host.start(on: machine)
        try machine.mistake(times: 3, at: program)
        try program.expect("Too many tries")
        try host.expectQuestion(program)
        program.type(Machine.password + "\n")
        #expect(try host.expectWelcome(program))
    }

    @Test(arguments: TerminalHost.all)
    func `without the daemon: the password, and not a word of fingers`(host: TerminalHost) throws {
        let machine = try Machine(hasDaemon: false)
        let program = try host.start(on: machine)
        try host.expectQuestion(program)
        program.type(Machine.password + "\n")
        #expect(try host.expectWelcome(program))
        #expect(!program.output.contains("finger"))
    }

    @Test(arguments: TerminalHost.all)
    func `locked out: only the password, which clears the lockout`(host: TerminalHost) throws {
        let machine = try Machine()
        for times in [3, 2] {
            let program = try host.start(on: machine)
            try machine.mistake(times: times, at: program)
            try host.expectQuestion(program)
            if times == 2 { #expect(program.output.contains("the finger rests")) }
        }
        let locked = try host.start(on: machine)
        try host.expectQuestion(locked)
        #expect(locked.output.contains("the finger rests") != host.isByAnother)
        locked.type(Machine.password + "\n")
        #expect(try host.expectWelcome(locked))

        let program = try host.start(on: machine)
        try program.expectFingerPrompt()
        try machine.daemon.touch(1)
        #expect(try host.expectWelcome(program))
    }
}

extension Machine {
    /// Touches with a stranger's finger, each time when the program says that the daemon waits for one.
    func mistake(times: Int, at program: InteractiveProgram) throws {
        try program.expectFingerPrompt()
        for impression in 0..<times {
            if impression > 0 { try program.expect("Not recognised.") }
            try daemon.touch(2, impression)
        }
    }
}
