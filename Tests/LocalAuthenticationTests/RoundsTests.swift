import Foundation
import TestSupport
import Testing

/// Very many contexts in one program of their own, a hundred at once, that end in every way there is.
@Suite struct RoundsTests {
    @Test func `ten thousand rounds leave nothing behind`() throws {
        let output = try outputOf(Built.program("bioauth-evaluate"), rounds: 10_000)
        #expect(output.contains("nothing is left"), "\(output)")
    }

    @Test func `no two threads get into each other's way`() throws {
        let program = Built.package + "/.build/tsan/debug/bioauth-evaluate"
        try #require(FileManager.default.isExecutableFile(atPath: program), "`make test` builds it")
        let output = try outputOf(program, rounds: 1200)
        #expect(!output.contains("ThreadSanitizer"), "\(output)")
    }

    @Test func `a task that was cancelled before it asked ends nobody else's question`() throws {
        let daemon = try DaemonUnderTest.enrolled(configuration: "[services]\nbioauth-evaluate = app\n")
        let run = try InteractiveProgram([Built.program("bioauth-evaluate"), daemon.socketPath, "--cancelled"])
        #expect(try run.wait() == 0)
        #expect(run.output == "second: -4 evaluationRunning\nfirst: -2 personCancelled\n")
    }

    private func outputOf(_ program: String, rounds: Int) throws -> String {
        let daemon = try DaemonUnderTest.enrolled(configuration: "[services]\nbioauth-evaluate = app\n")
        let run = try InteractiveProgram([program, daemon.socketPath, "--rounds", "\(rounds)"])
        let status = try run.wait(seconds: 300)
        #expect(status == 0)
        let output = run.output + run.errors
        // A sixth each is cancelled by the person in two ways, and by the program in four, one of them at the password.
        let sixth = rounds / 6
        for (name, count) in [("userCancel", 2 * sixth), ("appCancel", 4 * sixth)] {
            let said = output.split(whereSeparator: { ",\n".contains($0) })
                .first { $0.contains(name) }.flatMap { Int($0.filter(\.isNumber)) }
            #expect(abs((said ?? 0) - count) <= 6, "\(output)")
        }
        #expect(try eventually { try daemon.isFree }, "\(daemon.log.suffix(4000))")
        return output
    }
}
