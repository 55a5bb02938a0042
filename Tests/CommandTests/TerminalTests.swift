import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

/// What a person at a terminal sees, and what is left of it afterwards.
@Suite("On a terminal") struct TerminalTests {
    /// Wants a password for everything.
    private func strict() throws -> ScriptedDaemon {
        try ScriptedDaemon { peer in
            while true {
                switch try peer.receive() {
                case .list: try peer.send(.prints([]))
                default: try peer.send(.refused(Denial(.freshPasswordNeeded)))
                }
            }
        }
    }

    private func passwordPrompt(_ daemon: ScriptedDaemon) throws -> InteractiveProgram {
        let program = try Command(socketPath: daemon.path).start(["delete", "--all", "--yes"], onTerminal: true)
        try program.expect("Password of ")
        #expect(!program.echoes)
        return program
    }

    @Test("A password isn't shown, and every way out of the prompt shows again what is typed")
    func echo() throws {
        let daemon = try strict()
        for (keys, signal, errors) in [
            ("\u{3}", nil, "Cancelled"), ("\u{4}", nil, "Cancelled"), ("\n", nil, "No password was given"),
            (String(repeating: "x", count: 513) + "\n", nil, "too long"), ("secret", SIGTERM, "Cancelled"),
            ("secret", SIGHUP, "Cancelled"), ("secret", SIGINT, "Cancelled"), ("secret", SIGQUIT, "Cancelled"),
        ] as [(String, Int32?, String)] {
            let program = try passwordPrompt(daemon)
            program.type(keys)
            if let signal { program.send(signal) }
            try program.expect(errors)
            #expect(program.echoes)
            #expect(try program.wait() == 1)
            #expect(!program.output.contains("secret") && !program.output.contains("xxx"))
        }
    }

    @Test("A password that can't be checked: the terminal is as before, and it ends with 3")
    func noPasswordService() throws {
        let program = try passwordPrompt(try strict())
        program.type("secret\n")
        try program.expect("The password can't be checked.")
        #expect(program.echoes)
        #expect(try program.wait() == 3)
    }

    @Test("^Z while verify waits for a touch takes the question back; back in front, it asks afresh")
    func stopVerify() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let shell = try InteractiveProgram(["/bin/dash", "-i"], onTerminal: true, environment: ["PS1": "ready> "])
        try shell.expect("ready> ")
        shell.type("\(Command.path) verify --socket \(daemon.socketPath)\n")
        try shell.expect("Swipe your right index finger")
        shell.type("\u{1A}")
        try shell.expect("ready> ")
        #expect(eventually { (try? daemon.status().waiting) == 0 })
        shell.type("fg\n")
        try shell.expect("Swipe your right index finger")
        try daemon.touch(1)
        try shell.expect("Recognised: right index finger.")
        try shell.expect("ready> ")
        shell.type("exit\n")
        try shell.wait()
    }

    @Test("^Z at the password: the shell's terminal shows what is typed; back in front, the question comes again")
    func stop() throws {
        let daemon = try strict()
        // dash leaves the terminal as the stopped program left it.
        let shell = try InteractiveProgram(["/bin/dash", "-i"], onTerminal: true, environment: ["PS1": "ready> "])
        try shell.expect("ready> ")
        shell.type("\(Command.path) delete --all --yes --socket \(daemon.path)\n")
        try shell.expect("Password of ")
        #expect(!shell.echoes)
        shell.type("half a secr\u{1A}")
        try shell.expect("ready> ")
        #expect(shell.echoes)
        shell.type("fg\n")
        try shell.expect("Password of ")
        #expect(!shell.echoes)
        shell.type("\u{3}")
        try shell.expect("Cancelled")
        #expect(shell.echoes)
        shell.type("echo status $?\n")
        try shell.expect("status 1")
        shell.type("exit\n")
        try shell.wait()
        #expect(!shell.output.contains("half a secr"))
    }

    @Test("Progress is one line written over and over")
    func progress() throws {
        let daemon = try ScriptedDaemon { peer in
            guard case .enroll = try peer.receive() else { return }
            try peer.send(
                .prompt(Prompt(scan: .press, finger: .leftThumb, reader: "Reader", triesLeft: 1, again: false)))
            try peer.send(.enrolling(stage: 0, stages: 3, retry: nil))
            try peer.send(.enrolling(stage: 1, stages: 3, retry: nil))
            try peer.send(.enrolling(stage: 1, stages: 3, retry: .tooShort))
            try peer.send(.enrolling(stage: 3, stages: 3, retry: nil))
            try peer.send(.done(nil))
        }
        let program = try Command(socketPath: daemon.path).start(
            ["enroll", "--finger", "left-thumb"], onTerminal: true)
        #expect(try program.wait() == 0)
        let lines = program.output.components(separatedBy: "\r\n")
        #expect(lines.count == 4, "\(lines)")
        let shown = lines[1].components(separatedBy: "\u{1B}[K").map { $0.trimmingPrefix("\r") }
        #expect(
            shown == [
                "Touch the fingerprint reader with your left thumb.", "Stage 0 of 3: touch the reader",
                "Stage 1 of 3: lift the finger and touch again",
                "Stage 1 of 3: too short: leave the finger a little longer", "Stage 3 of 3: complete", "",
            ])
    }

    @Test("^C during an enrolment: the daemon is told, and its answer counts")
    func cancelEnrolment() throws {
        for (last, status) in [(DaemonMessage.refused(Denial(.personCancelled)), Int32(1)), (.done(nil), 0)] {
            let daemon = try ScriptedDaemon { peer in
                guard case .enroll = try peer.receive() else { return }
                try peer.send(.enrolling(stage: 4, stages: 5, retry: nil))
                guard case .cancel(.person) = try peer.receive() else { return }
                try peer.send(last)
            }
            let program = try Command(socketPath: daemon.path).start(
                ["enroll", "--finger", "left-thumb"], onTerminal: true)
            try program.expect("Stage 4 of 5")
            program.type("\u{3}")
            #expect(try program.wait() == status)
        }
    }

    @Test("Which finger is asked, with the first free one suggested")
    func whichFinger() throws {
        let daemon = try ScriptedDaemon { peer in
            switch try peer.receive() {
            case .list:
                try peer.send(
                    .prints([
                        PrintEntry(finger: .rightIndex, driver: "d", device: "0", enrolled: nil, damaged: false)
                    ]))
            case .enroll(_, .leftRing, nil, nil): try peer.send(.done(nil))
            default: try peer.send(.refused(Denial(.printExists)))
            }
            _ = try? peer.receive()
        }
        let program = try Command(socketPath: daemon.path).start(["enroll"], onTerminal: true)
        try program.expect("Which finger? [left-index] ")
        program.type("toe\n")
        try program.expect("Fingers: left-thumb, ")
        try program.expect("Which finger? [left-index] ")
        program.type("left-ring\n")
        #expect(try program.wait() == 0)
        let other = try Command(socketPath: daemon.path).start(["enroll"], onTerminal: true)
        try other.expect("Which finger? [left-index] ")
        other.type("\n")
        #expect(try other.wait() == 1)
    }

    @Test("Deleting asks first: only a yes is one", arguments: [("y", 0), ("YES", 0), ("", 1), ("n", 1), ("\u{3}", 1)])
    func confirm(answer: String, status: Int32) throws {
        let daemon = try ScriptedDaemon { peer in
            if case .delete(_, .leftThumb, nil) = try peer.receive() { try peer.send(.done(nil)) }
        }
        let program = try Command(socketPath: daemon.path).start(
            ["delete", "--finger", "left-thumb"], onTerminal: true)
        try program.expect("Delete the left thumb of ")
        program.type(answer == "\u{3}" ? answer : answer + "\n")
        #expect(try program.wait() == status)
        #expect(program.output.contains("Deleted: left thumb.") == (status == 0))
    }
}
