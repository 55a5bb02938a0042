import Foundation
import Glibc
import TestSupport
import Testing

/// The other ways to keep the password live meanwhile, and which hosts get which.
@Suite(.serialized) struct ModeTests {
    private static let prompt = "Touch the fingerprint reader with your finger."

    // MARK: The password first

    @Test func answerIsThePasswordAndNobodyIsAskedForAFinger() throws {
        let stage = try Stage(password: "first")
        let (run, received) = try stage.run(against: { $0.untilClosed() }, arguments: ["--answer", "secret"])
        expect(run, "PAM_AUTHINFO_UNAVAIL")
        #expect(received.isEmpty && run.events.contains { $0.event == "ask" })
    }

    @Test func emptyAnswerMeansTheFinger() throws {
        let (run, received) = try Stage(password: "first").run(
            against: {
                $0.send(Datagram.prompt())
                $0.send(Datagram.allowed())
                $0.untilClosed()
            }, arguments: ["--answer", ""])
        expect(run, "PAM_SUCCESS")
        #expect(run.told == [Self.prompt])
        // Nothing can be typed meanwhile.
        #expect(received.first?.number(9) == 10_000)
    }

    @Test func emptyAnswerAndNoMatchIsNotThePasswordModulesBusiness() throws {
        let stage = try Stage(password: "first")
        let peer = try Peer(at: stage.socket) {
            $0.send(Datagram.prompt())
            $0.send(Datagram.denied(-4, 5))
            $0.untilClosed()
        }
        defer { peer.stop() }
        let line = try stage.module(control: "[success=done conv_err=die abort=die auth_err=die default=ignore]")
        let run = try stage.run(stack: [line, "auth required pam_permit.so"], arguments: ["--answer", ""])
        expect(run, "PAM_AUTH_ERR")
    }

    @Test func emptyAnswerWhereNoFingerIsToBeHadGoesOn() throws {
        let stage = try Stage(password: "first")
        let peer = try Peer(at: stage.socket) {
            $0.send(Datagram.denied(-6, 12))
            $0.untilClosed()
        }
        defer { peer.stop() }
        let line = try stage.module(control: "[success=done conv_err=die abort=die auth_err=die default=ignore]")
        let run = try stage.run(stack: [line, "auth required pam_permit.so"], arguments: ["--answer", ""])
        expect(run, "PAM_SUCCESS")
        #expect(peer.connections == 1 && run.told.isEmpty)
    }

    @Test func emptyAnswerToAHostThatTakesNoMessagesGoesOn() throws {
        let stage = try Stage(password: "first")
        let peer = try Peer(at: stage.socket) {
            $0.send(Datagram.prompt())
            $0.untilClosed()
        }
        defer { peer.stop() }
        let line = try stage.module(control: "[success=done conv_err=die abort=die auth_err=die default=ignore]")
        let run = try stage.run(
            stack: [line, "auth required pam_permit.so"],
            arguments: ["--conversation", "refuse", "--answer", ""])
        expect(run, "PAM_SUCCESS")
        #expect(peer.connections == 1)
    }

    @Test func hostThatAnswersNothingHasNoInput() throws {
        let (run, received) = try Stage(password: "first").run(against: { $0.untilClosed() })
        expect(run, "PAM_CONV_ERR")
        #expect(received.isEmpty)
    }

    // MARK: The finger alone

    @Test(arguments: [
        Datagram.denied(-8, 29, endsIn: 20), Datagram.denied(-6, 15, endsIn: 20), Datagram.denied(-4, 6),
        Datagram.denied(-4, 8), Datagram.denied(-6, 14), Datagram.denied(-6, 16),
    ])
    func whatEndsByItselfIsWaitedFor(_ verdict: [UInt8]) throws {
        let asked = Box<[Int]>([])
        let (run, received) = try Stage().run(against: {
            asked.append(1)
            if asked.value.count == 1 {
                $0.send(verdict)
            } else {
                $0.send(Datagram.prompt())
                $0.send(Datagram.allowed())
            }
            $0.untilClosed()
        })
        expect(run, "PAM_SUCCESS")
        #expect(received.count == 2)
    }

    @Test func whatEndsNowAndNowAgainIsNotAskedForWithoutAPause() throws {
        let asked = Box<[ContinuousClock.Instant]>([])
        let (run, _) = try Stage().run(against: {
            asked.append(.now)
            if asked.value.count < 4 {
                $0.send(Datagram.denied(-8, 29, endsIn: 0))
            } else {
                $0.send(Datagram.allowed())
            }
            $0.untilClosed()
        })
        expect(run, "PAM_SUCCESS")
        #expect(zip(asked.value, asked.value.dropFirst()).allSatisfy { $1 - $0 >= .milliseconds(100) })
    }

    @Test func lastingDenialReturnsAtOnce() throws {
        for verdict in [Datagram.denied(-6, 12), Datagram.denied(-7, 27), Datagram.denied(-8, 30)] {
            let (run, received) = try Stage().run(against: {
                $0.send(verdict)
                $0.untilClosed()
            })
            expect(run, "PAM_AUTHINFO_UNAVAIL")
            #expect(received.count == 1)
        }
    }

    @Test func lockoutThatBeganIsTheHostsToKnow() throws {
        let (run, received) = try Stage().run(against: {
            $0.send(Datagram.prompt())
            $0.send(Datagram.denied(-8, 29, endsIn: 20, began: true))
            $0.untilClosed()
        })
        expect(run, "PAM_MAXTRIES")
        #expect(received.count == 1)
    }

    @Test func signalEndsTheRestBetween() throws {
        let (run, received) = try Stage().run(
            against: {
                $0.send(Datagram.denied(-8, 29, endsIn: 250_000))
                $0.untilClosed()
            }, arguments: ["--handle", "TERM"]
        ) { event, pid in
            if event.event == "error" { kill(pid, SIGTERM) }
        }
        expect(run, "PAM_ABORT")
        #expect(received.count == 1 && run.told.count == 1)
    }

    // MARK: Beside

    private func beside(
        _ build: Build, answer: String?, script: @escaping @Sendable (Connection) -> Void
    ) throws -> Run {
        let stage = try Stage(build, password: "beside")
        let peer = try Peer(at: stage.socket, script: script)
        defer { peer.stop() }
        let input = Pipe()
        let run = try stage.run(
            stack: [
                stage.module(control: "[success=done conv_err=die abort=die default=ignore]"),
                "auth required pam_unix.so nodelay",
            ], service: "polkit-1", user: "nobody", arguments: ["--conversation", "input"],
            input: input.fileHandleForReading
        ) { event, _ in
            if event.event == "ask", let answer { input.fileHandleForWriting.write(Data((answer + "\n").utf8)) }
        }
        peer.stop()
        return run
    }

    @Test(arguments: [Build.address, .thread]) func matchEndsTheQuestionInAnotherThread(_ build: Build) throws {
        let run = try beside(build, answer: nil) {
            $0.send(Datagram.prompt())
            $0.send(Datagram.mismatch(triesLeft: 2))
            $0.send(Datagram.allowed())
            $0.untilClosed()
        }
        #expect(run.results == ["PAM_SUCCESS"] && !run.signalled, "\(run.log)")
        #expect(run.told == [Self.prompt, "error: Not recognised. Try again (2 tries left)."])
        #expect(run.end?.descriptors == 0 && run.end?.mask == true && run.end?.dispositions == true)
    }

    @Test func questionComesWhenTheReaderIsOpen() throws {
        let run = try beside(.address, answer: nil) {
            $0.send(Datagram.waiting(16))
            $0.send(Datagram.prompt())
            $0.send(Datagram.allowed())
            $0.untilClosed()
        }
        #expect(run.results == ["PAM_SUCCESS"] && run.told == [Self.prompt], "\(run.log)")
    }

    @Test func questionDoesNotWaitForAReaderThatDoesNotOpen() throws {
        let run = try beside(.address, answer: "wrong") {
            $0.send(Datagram.waiting(16))
            $0.untilClosed()
        }
        #expect(run.results == ["PAM_AUTH_ERR"] && run.events.count { $0.event == "ask" } == 1, "\(run.log)")
        #expect(run.told.first == "The fingerprint reader is not ready yet. Please wait.")
    }

    @Test(arguments: [Build.address, .thread]) func answerGoesToThePasswordModule(_ build: Build) throws {
        let ends = Box<[UInt16]>([])
        let run = try beside(build, answer: "wrong") {
            $0.send(Datagram.prompt())
            while let next = $0.receive() { ends.append(UInt16(Request(next)?.number(12) ?? 0)) }
        }
        // pam_unix, which asked nothing more, turned it down.
        #expect(run.results == ["PAM_AUTH_ERR"] && run.events.count { $0.event == "ask" } == 1, "\(run.log)")
        #expect(ends.value == [2])
    }

    @Test func questionOutlivesTheFinger() throws {
        let run = try beside(.address, answer: "wrong") {
            $0.send(Datagram.prompt())
            $0.send(Datagram.denied(-1, 1))
            $0.untilClosed()
        }
        #expect(run.results == ["PAM_AUTH_ERR"] && run.events.count { $0.event == "ask" } == 1, "\(run.log)")
    }

    @Test(arguments: [("polkit-1", true), ("sudo", false)])
    func agentAtTheOtherEndOfTheInputIsNamed(_ service: String, _ isNamed: Bool) throws {
        let stage = try Stage()
        let peer = try Peer(at: stage.socket) {
            $0.send(Datagram.allowed())
            $0.untilClosed()
        }
        defer { peer.stop() }
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        // Who made the socket stands at its other end: this process.
        let run = try stage.run(service: service, input: FileHandle(fileDescriptor: ends[0], closeOnDealloc: true))
        expect(run, "PAM_SUCCESS")
        peer.stop()
        #expect(peer.received.first?.number(19) == (isNamed ? UInt32(getpid()) : nil))
    }

    @Test func besideIsForPolkitAlone() throws {
        let (run, received) = try Stage(password: "beside").run(against: { $0.untilClosed() })
        expect(run, "PAM_AUTHINFO_UNAVAIL")
        #expect(received.isEmpty && run.log.contains("polkit-1 alone"))
    }

    // MARK: By host

    @Test(arguments: ["gdm-password", "gdm-autologin", "gdm-smartcard", "kde", "sshd"])
    func hostWithAnotherPlaceForTheFingerIsLeftAlone(_ service: String) throws {
        let stage = try Stage(password: "auto")
        let peer = try Peer(at: stage.socket) { $0.untilClosed() }
        defer { peer.stop() }
        let run = try stage.run(service: service, arguments: ["--answer", ""])
        expect(run, "PAM_AUTHINFO_UNAVAIL")
        #expect(peer.connections == 0 && run.events.allSatisfy { !$0.isMessage && $0.event != "ask" })
    }

    @Test(arguments: ["sudo", "sudo-i", "su", "su-l", "login", "doas", "vlock", "cron", "test"])
    func hostWithoutATerminalIsNotHeldUp(_ service: String) throws {
        let stage = try Stage(password: "auto")
        let peer = try Peer(at: stage.socket) { $0.untilClosed() }
        defer { peer.stop() }
        let run = try stage.run(service: service, wrapper: ["setsid", "--wait"])
        expect(run, "PAM_AUTHINFO_UNAVAIL")
        #expect(peer.connections == 0 && run.told.isEmpty)
    }

    @Test(arguments: ["gdm-fingerprint", "kde-fingerprint"]) func stackForTheFingerAsksForItAlone(_ service: String)
        throws
    {
        let stage = try Stage(password: "auto")
        let peer = try Peer(at: stage.socket) {
            $0.send(Datagram.prompt())
            $0.send(Datagram.allowed())
            $0.untilClosed()
        }
        defer { peer.stop() }
        let run = try stage.run(service: service)
        expect(run, "PAM_SUCCESS")
        #expect(run.told == [Self.prompt] && !run.events.contains { $0.event == "ask" })
    }

    @Test(arguments: ["i3lock", "xsecurelock", "swaylock", "sddm", "lightdm", "xscreensaver"])
    func lockerIsAskedForThePasswordFirst(_ service: String) throws {
        let stage = try Stage(password: "auto")
        let peer = try Peer(at: stage.socket) {
            $0.send(Datagram.prompt())
            $0.send(Datagram.allowed())
            $0.untilClosed()
        }
        defer { peer.stop() }
        let run = try stage.run(service: service, arguments: ["--answer", ""])
        expect(run, "PAM_SUCCESS")
        #expect(run.events.contains { $0.event == "ask" })
    }
}
