import Foundation
import Glibc
import TestSupport
import Testing

/// The prompt in a shell with job control. The shell is dash, which leaves the terminal as a stopped program left it.
@Suite(.serialized) struct PromptJobTests {
    private func shell() throws -> InteractiveProgram {
        let shell = try InteractiveProgram(["/bin/dash", "-i"], onTerminal: true, environment: ["PS1": "ready> "])
        try shell.expect("ready> ")
        return shell
    }

    private func quoted(_ command: [String]) -> String { command.map { "'\($0)'" }.joined(separator: " ") + "\n" }

    @Test func stoppedAndBroughtBackAsksAnew() throws {
        let lost = DispatchSemaphore(value: 0)
        let desk = try Desk {
            $0.send(Datagram.prompt(finger: 7))
            $0.untilClosed()
            lost.signal()
        }
        let shell = try shell()
        let before = shell.terminalSettings
        shell.type(quoted(try desk.command()))
        try shell.expect(Desk.question)
        shell.type("half a secr\u{1A}")
        try shell.expect("ready> ")
        // While it is stopped nobody's touch can be meant for it.
        #expect(lost.wait(timeout: .now() + 10) == .success)
        #expect(shell.terminalSettings == before)
        shell.type("fg\n")
        try shell.expect(Desk.question)
        shell.type("secret\n")
        try shell.expect("\"terminal\":true")
        try shell.expect("ready> ")
        #expect(desk.handedOn == "secret" && desk.peer.connections == 2)
        #expect(shell.terminalSettings == before && !shell.output.contains("secr"))
        shell.type("exit\n")
        try shell.wait()
    }

    @Test func broughtBackInTheBackgroundIsStoppedAsWithoutUs() throws {
        let desk = try Desk(script: Desk.prompting)
        let shell = try shell()
        shell.type(quoted(try desk.command(["--conversation", "input"])))
        try shell.expect(Desk.question)
        shell.type("\u{1A}")
        try shell.expect("ready> ")
        shell.type("bg\n")
        // The host's own question reads the terminal, which stops whoever isn't in front.
        try shell.expect("\"event\":\"ask\"")
        shell.type("\n")
        try shell.expect("ready> ")
        shell.type("fg\n")
        try shell.expect("pam-host")
        shell.type("asked for\n")
        try shell.expect("\"event\":\"end\"")
        #expect(desk.handedOn == "asked for" && desk.peer.connections == 1)
    }

    @Test func backgroundIsAskedForNothing() throws {
        let desk = try Desk(script: Desk.prompting)
        let shell = try shell()
        shell.type(quoted(try desk.command(["--answer", "asked for"])).replacing("\n", with: " &\n"))
        try shell.expect("\"event\":\"end\"")
        #expect(desk.handedOn == "asked for" && desk.peer.connections == 0)
    }

    @Test func sudoIsNotStoppedInHere() throws {
        let desk = try Desk(script: Desk.prompting)
        let program = try desk.start(["--answer", "asked for"], service: "sudo")
        try program.expect(Desk.question)
        program.type("half\u{1A}")
        try desk.expectEnd(program, "PAM_SUCCESS")
        #expect(desk.handedOn == "asked for")
    }

    @Test func stoppedByForceSetsTheTerminalAgain() throws {
        let desk = try Desk(script: Desk.prompting)
        let program = try desk.start()
        let before = program.terminalSettings
        try program.expect(Desk.question)
        program.send(SIGSTOP)
        // As a shell would set it for itself meanwhile.
        #expect(program.setTerminal(before))
        program.send(SIGCONT)
        try program.expect(Desk.question)
        #expect(!program.echoes)
        program.type("secret\n")
        try desk.expectEnd(program, "PAM_SUCCESS")
        #expect(desk.handedOn == "secret" && !program.output.contains("secret"))
    }

    @Test func restOfAWordAfterAMatchReachesNobody() throws {
        let typed = DispatchSemaphore(value: 0)
        let desk = try Desk {
            $0.send(Datagram.prompt(finger: 7))
            _ = typed.wait(timeout: .now() + 20)
            $0.send(Datagram.allowed())
            $0.untilClosed()
        }
        let shell = try shell()
        shell.type(quoted(try desk.command()))
        try shell.expect(Desk.question)
        shell.type("sec\u{12}")  // ^R: the question again, when the rest has been read
        try shell.expect(Desk.question)
        typed.signal()
        // The socket is closed when the match has been read.
        #expect(eventually { desk.peer.isIdle })
        shell.type("ret\n")
        try shell.expect("PAM_SUCCESS")
        try shell.expect("ready> ")
        shell.type("echo all$((40+2))\n")
        try shell.expect("all42")
        #expect(!shell.output.contains("ret") && desk.handedOn == nil)
    }

    @Test func typedAheadStaysForTheNextReader() throws {
        let desk = try Desk(script: Desk.prompting)
        let shell = try shell()
        shell.type(quoted(try desk.command()))
        try shell.expect(Desk.question)
        shell.type("secret\necho all$((40+2))\n")
        try shell.expect("all42")
        #expect(desk.handedOn == "secret")
    }
}
