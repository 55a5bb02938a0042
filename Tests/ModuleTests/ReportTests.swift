import Foundation
import Glibc
import Testing

/// Report mode behind the system's real pam_unix, which asks for the password and leaves it in PAM_AUTHTOK.
@Suite(.serialized) struct ReportTests {
    static let unix = "auth optional pam_unix.so nodelay"

    private struct Outcome {
        let run: Run
        let advised: [Request]
        let passwords: [Request]
    }

    /// Runs a stack with a daemon that gives the advice and a bioauth-password that says right.
    private func report(
        _ stack: (Stage) throws -> [String], service: String = "test", answer: String = "correct horse",
        user: String? = "root", daemon: (@Sendable (Connection) -> Void)? = nil,
        password: @escaping @Sendable (Connection) -> Void = {
            $0.send(Datagram.passwordVerdict(right: true))
            $0.untilClosed()
        }
    ) throws -> Outcome {
        let stage = try Stage()
        let advice = try Peer(
            at: stage.socket,
            script: daemon ?? {
                $0.send(Datagram.passwordAdvice(useful: true))
                $0.untilClosed()
            })
        let checker = try Peer(at: stage.passwordSocket, script: password)
        defer {
            advice.stop()
            checker.stop()
        }
        let run = try stage.run(stack: stack(stage), service: service, user: user, arguments: ["--answer", answer])
        advice.stop()
        checker.stop()
        return Outcome(run: run, advised: advice.received, passwords: checker.received)
    }

    private func line(_ stage: Stage) throws -> [String] {
        [Self.unix, try stage.module("report debug", control: "required")]
    }

    @Test func passwordIsHandedOnAndLetsNobodyIn() throws {
        let outcome = try report(line)
        expect(outcome.run, "PAM_AUTHINFO_UNAVAIL")
        #expect(outcome.run.told.isEmpty)
        let advised = try #require(outcome.advised.first)
        #expect(outcome.advised.count == 1 && advised.type == 3)
        #expect(advised.number(1) == 0 && advised.text(2) == "root" && advised.text(3) == "test")
        let password = try #require(outcome.passwords.first)
        #expect(outcome.passwords.count == 1 && password.type == 12 && password.tags == [1, 2, 18])
        #expect(password.number(1) == 0 && password.text(2) == "root" && password.text(18) == "correct horse")
        #expect(!outcome.run.log.contains("correct horse"))
    }

    @Test func misplacedLineAloneLetsNobodyIn() throws {
        let outcome = try report { stage in [try stage.module("report")] }
        expect(outcome.run, "PAM_AUTHINFO_UNAVAIL")
        #expect(outcome.advised.isEmpty && !outcome.run.events.contains { $0.event == "ask" })
    }

    @Test func nothingIsHandedOnWhereItIsOfNoUse() throws {
        let outcome = try report(
            line,
            daemon: {
                $0.send(Datagram.passwordAdvice(useful: false))
                $0.untilClosed()
            })
        expect(outcome.run, "PAM_AUTHINFO_UNAVAIL")
        #expect(outcome.advised.count == 1 && outcome.passwords.isEmpty)
    }

    @Test(arguments: ["gdm-autologin", "sddm-autologin", "lightdm-autologin", "bioauth-password"])
    func serviceThatProvesNothingReportsNothing(_ service: String) throws {
        let outcome = try report(line, service: service)
        expect(outcome.run, "PAM_AUTHINFO_UNAVAIL")
        #expect(outcome.advised.isEmpty && outcome.passwords.isEmpty)
    }

    @Test(arguments: ["", String(repeating: "p", count: 513)]) func unfitPasswordIsNotHandedOn(_ answer: String) throws
    {
        let outcome = try report(line, answer: answer)
        expect(outcome.run, "PAM_AUTHINFO_UNAVAIL")
        #expect(outcome.passwords.isEmpty)
        if answer.isEmpty { #expect(outcome.advised.isEmpty) }
    }

    @Test func unknownUsersPasswordIsNotHandedOn() throws {
        let outcome = try report(line, user: "nobody-of-that-name")
        #expect(outcome.run.results == ["PAM_AUTHINFO_UNAVAIL"])
        #expect(outcome.advised.isEmpty && outcome.passwords.isEmpty)
    }

    @Test func nothingIsHandedOnAfterOurOwnTouch() throws {
        let outcome = try report(
            { stage in [try stage.module()] + (try self.line(stage)) },
            daemon: {
                $0.send(Datagram.allowed())
                $0.untilClosed()
            })
        expect(outcome.run, "PAM_AUTHINFO_UNAVAIL")
        #expect(outcome.advised.map(\.type) == [1] && outcome.passwords.isEmpty)
    }

    @Test func passwordAfterADeniedTouchIsHandedOn() throws {
        let turns = Box([Datagram.denied(-8, 30), Datagram.passwordAdvice(useful: true)])
        let outcome = try report(
            { stage in [try stage.module(control: "optional")] + (try self.line(stage)) },
            daemon: {
                let turn = turns.value[0]
                turns.change { $0.removeFirst() }
                $0.send(turn)
                $0.untilClosed()
            })
        #expect(outcome.advised.map(\.type) == [1, 3] && outcome.passwords.count == 1)
    }

    @Test func absentDaemonDelaysNobody() throws {
        let stage = try Stage()
        let run = try stage.run(stack: line(stage), arguments: ["--answer", "secret"])
        expect(run, "PAM_AUTHINFO_UNAVAIL")
        #expect(run.took < .seconds(1) && run.told.isEmpty)
    }

    @Test func silentDaemonDelaysByASecond() throws {
        let outcome = try report(line, daemon: { $0.untilClosed() })
        expect(outcome.run, "PAM_AUTHINFO_UNAVAIL")
        #expect(outcome.passwords.isEmpty && outcome.run.took > .milliseconds(900) && outcome.run.took < .seconds(3))
    }

    @Test(
        arguments: [
            [], [9], Datagram.allowed(), Datagram.problem(5), Datagram.passwordAdvice(useful: true).dropLast() + [2],
            Datagram.retry(0) + Datagram.field(47, UInt8(1)),
        ] as [[UInt8]])
    func nonsenseForAdviceHandsNothingOn(_ advice: [UInt8]) throws {
        let outcome = try report(line, daemon: { $0.send(advice) })
        expect(outcome.run, "PAM_AUTHINFO_UNAVAIL")
        #expect(outcome.passwords.isEmpty && outcome.run.took < .seconds(2))
    }

    @Test(
        arguments: [[], [9], Datagram.allowed(), Datagram.passwordVerdict(right: false), Datagram.problem(8)]
            as [[UInt8]])
    func whateverComesOfThePasswordLetsNobodyIn(_ verdict: [UInt8]) throws {
        let outcome = try report(line, password: { $0.send(verdict) })
        expect(outcome.run, "PAM_AUTHINFO_UNAVAIL")
        #expect(outcome.passwords.count == 1 && outcome.run.told.isEmpty && outcome.run.took < .seconds(2))
    }

    @Test func silentPasswordCheckIsGivenUpAfterTenSeconds() throws {
        let outcome = try report(line, password: { $0.untilClosed() })
        expect(outcome.run, "PAM_AUTHINFO_UNAVAIL")
        #expect(outcome.run.took > .milliseconds(9_900) && outcome.run.took < .seconds(13))
    }

    @Test func signalEndsTheReport() throws {
        let stage = try Stage()
        let asked = DispatchSemaphore(value: 0)
        let host = Box<[pid_t]>([])
        let advice = try Peer(at: stage.socket) { connection in
            asked.wait()
            host.value.forEach { kill($0, SIGTERM) }
            connection.untilClosed()
        }
        defer { advice.stop() }
        let run = try stage.run(stack: line(stage), arguments: ["--answer", "secret", "--handle", "TERM"]) {
            event, pid in
            guard event.event == "ask" else { return }
            host.append(pid)
            asked.signal()
        }
        expect(run, "PAM_AUTHINFO_UNAVAIL")
        #expect(run.took < .milliseconds(900) && run.events.contains { $0.event == "signal" })
    }

    /// The stack that the manual page shows, with another password module in pam_unix's place if given.
    private func manualPageStack(_ stage: Stage, password: String? = nil) throws -> [String] {
        let page = try String(contentsOf: Build.pam.appending(path: "pam_bioauth.8"), encoding: .utf8)
        let section = try #require(page.components(separatedBy: ".SH REPORT MODE").last)
        let lines = section.split(separator: "\n").filter { $0.hasPrefix("auth") }.prefix(5).map(String.init)
        #expect(lines.count == 5 && lines[3].hasSuffix("report"))
        let module = "\(try stage.build.directory())/pam_bioauth.so socket=\(stage.socket) password=later"
        return lines.map {
            $0.replacingOccurrences(of: "pam_bioauth.so", with: module)
                .replacingOccurrences(of: "pam_unix.so", with: password ?? "pam_unix.so nodelay")
        }
    }

    @Test func manualPagesStackLetsInByTouch() throws {
        let outcome = try report(
            { try self.manualPageStack($0) },
            daemon: {
                $0.send(Datagram.allowed())
                $0.untilClosed()
            })
        expect(outcome.run, "PAM_SUCCESS")
        #expect(outcome.advised.map(\.type) == [1] && !outcome.run.events.contains { $0.event == "ask" })
    }

    @Test func manualPagesStackLetsInByPassword() throws {
        let outcome = try report({ try self.manualPageStack($0, password: "pam_permit.so") }, daemon: { _ in })
        expect(outcome.run, "PAM_SUCCESS")
    }

    @Test func manualPagesStackTurnsAWrongPasswordDown() throws {
        let outcome = try report({ try self.manualPageStack($0) }, daemon: { _ in })
        expect(outcome.run, "PAM_AUTH_ERR")
        #expect(outcome.passwords.isEmpty)
    }
}
