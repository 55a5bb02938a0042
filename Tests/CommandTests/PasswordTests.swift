import BioauthCore
import Foundation
import TestSupport
import Testing

/// Enrolling and deleting by somebody who isn't root: the real daemon, the real `bioauth-password`, a PAM module that
/// knows passwords from a file.
@Suite("With a password", .enabled(if: getuid() == 0, "it takes root to have another account ask"))
struct PasswordTests {
    /// Long, and looked for part by part: what overwrites a piece of memory that was let go seldom overwrites it all.
    private static let parts = (0..<8).map { _ in UUID().uuidString.suffix(20) }
    private static let secret = parts.joined()

    let daemon: DaemonUnderTest
    let service: PasswordSocket
    let command: Command

    init() throws {
        daemon = try DaemonUnderTest()
        service = try PasswordSocket(beside: daemon, passwords: ["nobody": PasswordTests.secret])
        command = try Command.byNobody(socketPath: daemon.socketPath, in: daemon.directory)
    }

    @Test("A wrong password is asked for again, the right one enrolls, and none of it stays in memory")
    func enroll() throws {
        let program = try command.start(["enroll", "--finger", "right-thumb"], onTerminal: true)
        try program.expect("Password of nobody: ")
        program.type("wrong\n")
        try program.expect("That is not the password. Try again.")
        try program.expect("Password of nobody: ")
        program.type(PasswordTests.secret + "\n")
        try program.expect("Stage 0 of 5")
        #expect(program.echoes)
        #expect(try memory(of: program.pid, holds: "right-thumb"), "the search finds what is there")
        for part in PasswordTests.parts { #expect(try !memory(of: program.pid, holds: String(part))) }
        for stage in 0..<5 {
            if stage > 0 { try program.expect("Stage \(stage) of 5") }
            try daemon.touch(1, stage)
        }
        #expect(try program.wait() == 0)
        #expect(!program.output.contains(PasswordTests.secret))

        // The password counts as given: the finger is taken at once.
        let verify = try command.start(["verify", "--json"])
        try verify.expect("Swipe your right thumb", on: .errors)
        try daemon.touch(1)
        #expect(try verify.wait() == 0)

        let delete = try command.start(["delete", "--all"], onTerminal: true)
        try delete.expect("[y/N]")
        delete.type("y\n")
        try delete.expect("Password of nobody: ")
        delete.type(PasswordTests.secret + "\n")
        #expect(try delete.wait() == 0)
        #expect(try command.run("list").status == 1)
    }

    @Test("Three wrong passwords end it, and nothing is changed")
    func wrong() throws {
        let program = try command.start(["enroll", "--finger", "right-thumb"], onTerminal: true)
        for _ in 0..<3 {
            try program.expect("Password of nobody: ")
            program.type("wrong\n")
        }
        try program.expect("The password is wrong.")
        #expect(program.echoes)
        #expect(try program.wait() == 1)
        #expect(try command.run("list").status == 1)
    }
}
