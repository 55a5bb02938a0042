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

    /// What it is told there, it keeps to itself, whatever the host makes of the signals for that.
    @Test(arguments: [[], ["--handle", "TTOU"], ["--ignore", "TTOU"], ["--block", "TTOU"]])
    func toldSomethingInTheBackgroundLeavesTheTerminalAlone(_ host: [String]) throws {
        let stopped = DispatchSemaphore(value: 0)
        let sent = Box(false)
        let desk = try Desk {
            $0.send(Datagram.prompt(finger: 7))
            _ = stopped.wait(timeout: .now() + 20)
            $0.send(Datagram.mismatch(triesLeft: 2))
            sent.change { $0 = true }
            $0.untilClosed()
        }
        let shell = try shell()
        let before = shell.terminalSettings
        shell.type(quoted(try desk.command(["--answer", "asked for"] + host)))
        try shell.expect(Desk.question)
        kill(try #require(shell.child), SIGSTOP)
        try shell.expect("ready> ")
        #expect(shell.setTerminal(before))
        stopped.signal()
        #expect(eventually { sent.value })
        shell.type("bg\n")
        try shell.expect("\"event\":\"end\"")
        #expect(shell.terminalSettings == before && desk.handedOn == "asked for" && desk.peer.connections == 1)
        #expect(!shell.output.contains("Not recognised"))
    }

    @Test func settingsOfTheTimeBetweenAreKept() throws {
        let desk = try Desk(script: Desk.prompting)
        let shell = try shell()
        shell.type(quoted(try desk.command()))
        try shell.expect(Desk.question)
        shell.type("\u{1A}")
        try shell.expect("ready> ")
        shell.type("stty -ixon -tostop erase ^A\n")
        try shell.expect("ready> ")
        let between = shell.terminalSettings
        shell.type("fg\n")
        try shell.expect(Desk.question)
        shell.type("secx\u{1}ret\n")
        try shell.expect("\"event\":\"end\"")
        try shell.expect("ready> ")
        #expect(shell.terminalSettings == between && desk.handedOn == "secret")
    }

    @Test func hostThatHoldsTheStopBackIsNotStopped() throws {
        let desk = try Desk(script: Desk.prompting)
        let program = try desk.start(["--block", "TSTP"])
        try program.expect(Desk.question)
        program.type("half\u{1A}whole\n")
        try program.expect("\"pending\":\"TSTP\"")
        try desk.expectEnd(program, "PAM_SUCCESS")
        #expect(desk.handedOn == "whole" && desk.peer.connections == 1)
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

    @Test func wordBegunButNotReadYetReachesNobody() throws {
        let typed = DispatchSemaphore(value: 0)
        let sent = Box(false)
        let desk = try Desk {
            $0.send(Datagram.prompt(finger: 7))
            _ = typed.wait(timeout: .now() + 20)
            $0.send(Datagram.allowed())
            sent.change { $0 = true }
            $0.untilClosed()
        }
        let line = quoted(try desk.command()).replacing("\n", with: "; read -r rest; echo rest=$rest")
        let program = try InteractiveProgram(["/bin/sh", "-c", line], onTerminal: true)
        try program.expect(Desk.question)
        kill(-program.pid, SIGSTOP)
        program.type("sec")
        typed.signal()
        #expect(eventually { sent.value })
        kill(-program.pid, SIGCONT)
        #expect(eventually { desk.peer.isIdle })
        program.type("ret\n")
        try program.expect("\"event\":\"end\"")
        program.type("clean\n")
        try program.expect("rest=clean")
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

extension InteractiveProgram {
    /// The process that it has started, while there is one.
    fileprivate var child: pid_t? {
        let children = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
        return children?.split(separator: " ").first.flatMap { pid_t($0) }
    }
}
