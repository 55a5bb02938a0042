import Foundation
import Glibc
import TestSupport
import Testing

/// One prompt on a terminal for the password and the finger (`password=tty`), with a daemon that says what each test
/// wants.
@Suite(.serialized) struct PromptTests {
    @Test func touchLetsInWithoutAKey() throws {
        let go = DispatchSemaphore(value: 0)
        let desk = try Desk {
            $0.send(Datagram.prompt(finger: 7))
            _ = go.wait(timeout: .now() + 20)
            $0.send(Datagram.allowed())
            $0.untilClosed()
        }
        let program = try desk.start()
        try program.expect(Desk.question)
        #expect(!program.echoes)
        go.signal()
        try desk.expectEnd(program, "PAM_SUCCESS")
        #expect(desk.handedOn == nil)
        // The password is live, so that a reader in trouble is waited for.
        #expect(desk.peer.received.first?.number(11) == 0)
    }

    @Test(arguments: [
        ("correct horse\n", "correct horse"), ("correct horse\r", "correct horse"), ("wronk\u{7F}g\n", "wrong"),
        ("비밀\n", "비밀"), ("nothing\u{15}second\n", "second"), ("second\u{4}", "second"),
        (String(repeating: "p", count: 500) + "\n", String(repeating: "p", count: 500)),
    ])
    func typedPasswordIsHandedOn(_ keys: String, _ password: String) throws {
        let ends = Box<[UInt16]>([])
        let desk = try Desk {
            $0.send(Datagram.prompt(finger: 7))
            while let next = $0.receive() { ends.append(UInt16(Request(next)?.number(12) ?? 0)) }
        }
        let program = try desk.start()
        try program.expect(Desk.question)
        program.type(keys)
        try desk.expectEnd(program, "PAM_SUCCESS")
        #expect(desk.handedOn == password)
        #expect(ends.value == [2])  // the password was chosen
        #expect(!program.output.contains(password))
    }

    @Test func emptyLineLeavesTheQuestionToTheHost() throws {
        let desk = try Desk(script: Desk.prompting)
        let program = try desk.start(["--answer", "asked for"])
        try program.expect(Desk.question)
        program.type("\n")
        try program.expect("\"event\":\"ask\"")
        try desk.expectEnd(program, "PAM_SUCCESS")
        #expect(desk.handedOn == "asked for")
    }

    @Test func lineThatIsTooLongIsRefusedAndAskedForAgain() throws {
        let desk = try Desk(script: Desk.prompting)
        let program = try desk.start()
        try program.expect(Desk.question)
        program.type(String(repeating: "x", count: 512) + "\n")
        try program.expect("longer than a password can be")
        try program.expect(Desk.question)
        program.type("short\n")
        try desk.expectEnd(program, "PAM_SUCCESS")
        #expect(desk.handedOn == "short" && !program.output.contains("xx"))
    }

    @Test func endOfInputEndsIt() throws {
        let desk = try Desk(script: Desk.prompting)
        let program = try desk.start()
        try program.expect(Desk.question)
        program.type("\u{4}")
        try desk.expectEnd(program, "PAM_CONV_ERR")
        #expect(desk.handedOn == nil)
    }

    @Test(arguments: [("\u{3}", "INT"), ("\u{1C}", "QUIT")])
    func keyThatInterruptsReachesTheHandler(_ key: String, _ signal: String) throws {
        let desk = try Desk(script: Desk.prompting)
        let program = try desk.start(["--handle", signal])
        try program.expect(Desk.question)
        program.type("half\(key)")
        try program.expect("\"signal\":\"\(signal)\"")
        try desk.expectEnd(program, "PAM_ABORT")
        #expect(desk.handedOn == nil)
    }

    @Test(arguments: [("\u{3}", SIGINT), ("\u{1C}", SIGQUIT)])
    func keyThatInterruptsEndsAPlainHost(_ key: String, _ signal: Int32) throws {
        let desk = try Desk(script: Desk.prompting)
        let program = try desk.start()
        let before = program.terminalSettings
        try program.expect(Desk.question)
        program.type(key)
        #expect(try program.wait() == 128 + signal)
        #expect(program.terminalSettings == before)
    }

    @Test(arguments: [("\u{3}", "INT"), ("\u{1A}", "TSTP")])
    func hostThatIgnoresTheSignalIsSentNone(_ key: String, _ signal: String) throws {
        let desk = try Desk(script: Desk.prompting)
        let program = try desk.start(["--ignore", signal])
        try program.expect(Desk.question)
        program.type("half\(key)whole\n")
        try desk.expectEnd(program, "PAM_SUCCESS")
        #expect(desk.handedOn == "whole")
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
    func signalFromElsewhereEndsItWithTheTerminalRestored(_ signal: Int32) throws {
        let desk = try Desk(script: Desk.prompting)
        let program = try desk.start()
        let before = program.terminalSettings
        try program.expect(Desk.question)
        program.type("half")
        program.send(signal)
        #expect(try program.wait() == 128 + signal)
        #expect(program.terminalSettings == before && desk.handedOn == nil)
    }

    @Test func hangUpEndsIt() throws {
        let closed = DispatchSemaphore(value: 0)
        let desk = try Desk {
            $0.send(Datagram.prompt(finger: 7))
            $0.untilClosed()
            closed.signal()
        }
        let program = try desk.start(["--ignore", "HUP"])
        try program.expect(Desk.question)
        program.hangUp()
        #expect(closed.wait(timeout: .now() + 10) == .success)
        try program.wait()
        #expect(desk.handedOn == nil)
    }

    @Test func messagesComeBetweenAndTheQuestionAgain() throws {
        let desk = try Desk {
            $0.send(Datagram.prompt(finger: 7))
            $0.send(Datagram.mismatch(triesLeft: 2))
            $0.untilClosed()
        }
        let program = try desk.start()
        try program.expect("\(Desk.question)\r\nNot recognised. Try again (2 tries left).\r\n\(Desk.question)")
        program.type("secret\n")
        try desk.expectEnd(program, "PAM_SUCCESS")
        #expect(desk.handedOn == "secret")
    }

    @Test func waitAsksForThePasswordMeanwhile() throws {
        let desk = try Desk {
            $0.send(Datagram.waiting(10))
            $0.untilClosed()
        }
        let program = try desk.start()
        try program.expect("Please wait.\r\nPassword: ")
        program.type("secret\n")
        try desk.expectEnd(program, "PAM_SUCCESS")
        #expect(desk.handedOn == "secret")
    }

    @Test func endWithNothingTypedLeavesTheQuestionToTheHost() throws {
        let desk = try Desk {
            $0.send(Datagram.prompt(finger: 7))
            $0.send(Datagram.denied(-4, 5))
            $0.untilClosed()
        }
        let program = try desk.start(["--answer", "asked for"])
        try program.expect("\(Desk.question)\r\nNo finger was recognised in time. Use your password.\r\n")
        try desk.expectEnd(program, "PAM_SUCCESS")
        #expect(desk.handedOn == "asked for")
    }

    @Test func endInTheMiddleOfAWordLeavesItToBeTyped() throws {
        let typed = DispatchSemaphore(value: 0)
        let desk = try Desk {
            $0.send(Datagram.prompt(finger: 7))
            _ = typed.wait(timeout: .now() + 20)
            $0.send(Datagram.denied(-1, 1))
            $0.untilClosed()
        }
        let program = try desk.start()
        try program.expect(Desk.question)
        program.type("sec\u{12}")  // ^R: the question again, when the rest has been read
        try program.expect(Desk.question)
        typed.signal()
        try program.expect("Too many tries. Use your password.\r\nPassword: ")
        program.type("ret\n")
        try desk.expectEnd(program, "PAM_SUCCESS")
        #expect(desk.handedOn == "secret")
    }

    @Test func daemonThatGoesLeavesTheWordToBeTyped() throws {
        let typed = DispatchSemaphore(value: 0)
        let desk = try Desk {
            $0.send(Datagram.prompt(finger: 7))
            _ = typed.wait(timeout: .now() + 20)
        }
        let program = try desk.start()
        try program.expect(Desk.question)
        program.type("sec\u{12}")  // ^R: the question again, when the rest has been read
        try program.expect(Desk.question)
        typed.signal()
        try program.expect("does not answer. Use your password.\r\nPassword: ")
        program.type("ret\n")
        try desk.expectEnd(program, "PAM_SUCCESS")
        #expect(desk.handedOn == "secret")
    }

    @Test(arguments: [
        Datagram.denied(-6, 12), Datagram.denied(-7, 27), Datagram.denied(-6, 17), Datagram.denied(-6, 22),
    ])
    func denialAtOnceTouchesNothing(_ verdict: [UInt8]) throws {
        let desk = try Desk {
            $0.send(verdict)
            $0.untilClosed()
        }
        let program = try desk.start(["--answer", "asked for"])
        try desk.expectEnd(program, "PAM_SUCCESS")
        #expect(desk.handedOn == "asked for")
        #expect(!program.output.contains("finger") && !program.output.contains("Password, or"))
    }

    /// The caller of a set-uid host says in which language it speaks, but not into what its formats are converted.
    @Test(arguments: [[:], ["OUTPUT_CHARSET": "UTF-7"]]) func koreanQuestion(_ variables: [String: String]) throws {
        let desk = try Desk(script: Desk.prompting)
        let program = try desk.start(
            ["--locale", "C.UTF-8"], environment: ["LANGUAGE": "ko"].merging(variables) { $1 })
        try program.expect("오른손 집게손가락을 대십시오")
        program.type("secret\n")
        try desk.expectEnd(program, "PAM_SUCCESS")
        #expect(desk.handedOn == "secret")
    }
}
