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
}
