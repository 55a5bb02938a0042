import Foundation
import Glibc
import Testing

/// Signals to the host while the module waits: those that end it end the wait, and stay the host's.
@Suite(.serialized) struct SignalTests {
    static let ending: [(String, Int32)] = [("INT", SIGINT), ("TERM", SIGTERM), ("QUIT", SIGQUIT), ("HUP", SIGHUP)]

    /// Prompts, and records what comes then.
    private static func prompting(_ afterwards: Box<[[UInt8]]>) -> @Sendable (Connection) -> Void {
        {
            $0.send(Datagram.prompt())
            while let next = $0.receive() { afterwards.append(next) }
        }
    }

    @Test(arguments: ending) func caughtSignalEndsTheWaitAndReachesItsHandler(_ name: String, _ number: Int32) throws {
        let stage = try Stage()
        let afterwards = Box<[[UInt8]]>([])
        let sent = Box<[Int64]>([])
        let (run, _) = try stage.run(against: Self.prompting(afterwards), arguments: ["--handle", name]) { event, pid in
            guard event.event == "info" else { return }
            sent.append(Int64(monotonicNanoseconds()))
            kill(pid, number)
        }
        expect(run, "PAM_ABORT")
        #expect(run.told.count == 1)
        #expect(run.events.contains { $0.event == "signal" && $0.signal == name })
        #expect(run.end?.pending == "")
        #expect(afterwards.value.compactMap(Request.init).map { [$0.type, UInt16($0.number(12) ?? 0)] } == [[2, 1]])
        let result = try #require(run.events.last { $0.event == "result" })
        let latency = Duration.nanoseconds(result.at - (try #require(sent.value.first)))
        #expect(latency < .seconds(1))
    }

    @Test(arguments: ending) func signalOfAPlainHostEndsIt(_ name: String, _ number: Int32) throws {
        let stage = try Stage()
        let (run, _) = try stage.run(against: {
            $0.send(Datagram.prompt())
            $0.untilClosed()
        }) { event, pid in
            if event.event == "info" { kill(pid, number) }
        }
        #expect(run.signalled && run.status == number)
        #expect(run.results.isEmpty)
    }

    @Test(arguments: ending) func blockedSignalEndsTheWaitAndStaysPending(_ name: String, _ number: Int32) throws {
        let (run, _) = try Stage().run(
            against: {
                $0.send(Datagram.prompt())
                $0.untilClosed()
            }, arguments: ["--block", name]
        ) {
            if $0.event == "info" { kill($1, number) }
        }
        expect(run, "PAM_ABORT")
        #expect(run.end?.pending == name)
    }

    @Test func signalThatWaitsAlreadyAsksNobody() throws {
        let stage = try Stage()
        let (run, received) = try stage.run(
            against: {
                $0.send(Datagram.prompt())
                $0.untilClosed()
            },
            arguments: ["--block", "INT", "--calls", "authenticate,authenticate"]
        ) { if $0.event == "info" { kill($1, SIGINT) } }
        expect(run, "PAM_ABORT", "PAM_ABORT")
        #expect(received.count == 1 && run.told.count == 1)
    }

    @Test(arguments: ending) func ignoredSignalChangesNothing(_ name: String, _ number: Int32) throws {
        let go = DispatchSemaphore(value: 0)
        let (run, _) = try Stage().run(
            against: {
                $0.send(Datagram.prompt())
                go.wait()
                $0.send(Datagram.allowed())
                $0.untilClosed()
            }, arguments: ["--ignore", name]
        ) { event, pid in
            guard event.event == "info" else { return }
            kill(pid, number)
            go.signal()
        }
        expect(run, "PAM_SUCCESS")
    }

    @Test func otherSignalsOfAHostInterruptNothing() throws {
        let go = DispatchSemaphore(value: 0)
        let (run, _) = try Stage().run(
            against: {
                $0.send(Datagram.prompt())
                go.wait()
                $0.send(Datagram.allowed())
                $0.untilClosed()
            },
            arguments: [
                "--alarm", "1", "--handle", "WINCH", "--handle", "CHLD", "--handle", "USR1", "--handle", "TSTP",
            ]
        ) { event, pid in
            guard event.event == "info" else { return }
            for _ in 0..<20 { [SIGWINCH, SIGCHLD, SIGUSR1, SIGTSTP].forEach { kill(pid, $0) } }
            go.signal()
        }
        expect(run, "PAM_SUCCESS")
        #expect(Set(run.events.compactMap(\.signal)).isSuperset(of: ["WINCH", "CHLD", "USR1", "TSTP"]))
    }

    @Test func timeoutHoldsUnderAStormOfAlarms() throws {
        let (run, _) = try Stage().run("timeout=1", against: { $0.untilClosed() }, arguments: ["--alarm", "1"])
        expect(run, "PAM_AUTHINFO_UNAVAIL")
        #expect(run.took > .milliseconds(900) && run.took < .seconds(2))
    }

    @Test func stoppedAndContinuedHostGoesOn() throws {
        let go = DispatchSemaphore(value: 0)
        let (run, _) = try Stage().run(against: {
            $0.send(Datagram.prompt())
            go.wait()
            $0.send(Datagram.allowed())
            $0.untilClosed()
        }) { event, pid in
            guard event.event == "info" else { return }
            kill(pid, SIGSTOP)
            var status: siginfo_t = siginfo_t()
            waitid(P_PID, id_t(pid), &status, WSTOPPED | WNOWAIT)
            kill(pid, SIGCONT)
            go.signal()
        }
        expect(run, "PAM_SUCCESS")
    }

    @Test func terminalStaysAsItWas() throws {
        var primary: Int32 = -1
        var secondary: Int32 = -1
        #expect(openpty(&primary, &secondary, nil, nil, nil) == 0)
        defer { close(primary) }
        let stage = try Stage()
        let peer = try Peer(at: stage.socket) {
            $0.send(Datagram.prompt())
            $0.untilClosed()
        }
        defer { peer.stop() }
        let terminal = FileHandle(fileDescriptor: secondary, closeOnDealloc: true)
        let run = try stage.run(user: "root", arguments: ["--handle", "INT"], input: terminal) {
            if $0.event == "info" { kill($1, SIGINT) }
        }
        expect(run, "PAM_ABORT")
        #expect(run.end?.terminal == true)
    }

    private func monotonicNanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
