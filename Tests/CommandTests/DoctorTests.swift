import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

/// `bioauthctl doctor` with the real daemon, and PAM's files of a system below a directory of the test's.
@Suite("Doctor") struct DoctorTests {
    let daemon: DaemonUnderTest
    let command: Command

    private static let finger = "auth [success=done default=ignore] pam_bioauth.so\n"
    private static let report = "auth optional pam_bioauth.so report\n"

    init() throws {
        daemon = try DaemonUnderTest.enrolled()
        // No bus, and so no fprintd on it.
        command = Command(
            socketPath: daemon.socketPath, environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"])
        try daemon.directory.write("", to: "root/usr/lib/security/pam_bioauth.so")
        try pam(DoctorTests.finger + "auth required pam_unix.so\n" + DoctorTests.report)
    }

    private func pam(_ sudo: String) throws { try daemon.directory.write(sudo, to: "root/etc/pam.d/sudo") }

    private func doctor(_ arguments: String...) throws -> Command.Result {
        let program = try command.start(["doctor", "--root", daemon.directory.file("root")] + arguments)
        let status = try program.wait()
        return Command.Result(status: status, output: program.output, errors: program.errors)
    }

    /// The findings' names, by how grave they are.
    private func findings(_ result: Command.Result) throws -> [String: [String]] {
        let list = try #require(try result.json["findings"] as? [[String: Any]])
        return Dictionary(grouping: list) { $0["severity"] as? String ?? "" }
            .mapValues { $0.compactMap { $0["finding"] as? String } }
    }

    @Test("Where all is well it says so, and ends with 0")
    func well() throws {
        let result = try doctor("--json")
        #expect(result.status == 0)
        #expect(try result.json["touch_would_work"] as? Bool == true)
        #expect(try result.json["service"] as? String == "sudo")
        let findings = try findings(result)
        #expect(findings["error"] == nil && findings["warning"] == nil)
        #expect(findings["fine"] == ["daemonAnswers", "reader", "wired", "enrolled", "origin", "admitted"])
        let words = try doctor()
        #expect(words.status == 0)
        #expect(words.output.contains("+ PAM asks for a finger at: sudo\n"))
        #expect(words.output.hasSuffix("A touch would let \(DaemonUnderTest.account.name) in at sudo.\n"))
    }

    @Test("A finger line without a report line is an error, and tells what to do")
    func noReport() throws {
        try pam(DoctorTests.finger + "auth required pam_unix.so\n")
        let result = try doctor()
        #expect(result.status == 1)
        #expect(result.output.contains("!! PAM at sudo: A finger is asked for, and there is no report line"))
        #expect(result.output.contains("sudo bioauthctl setup --apply\n"))
    }

    @Test("Where all prints are damaged no touch would work")
    func damagedPrint() throws {
        let prints = daemon.directory.file("state/prints")
        let print = try #require(
            FileManager.default.subpaths(atPath: prints)?.first { $0.hasSuffix("/right-index") })
        try Data("nothing".utf8).write(to: URL(fileURLWithPath: "\(prints)/\(print)"))
        let result = try doctor("--json")
        #expect(result.status == 1)
        #expect(try findings(result)["warning"] == ["printDamaged"])
        #expect(try findings(result)["error"] == ["denied"])
        #expect(result.output.contains("no print that this reader knows"))
    }

    @Test("A service without a finger line, and one that the daemon doesn't list")
    func notWired() throws {
        try pam("auth required pam_unix.so\n")
        var result = try doctor("--json")
        #expect(result.status == 1)
        #expect(try findings(result)["error"] == ["serviceNotWired"])
        result = try doctor("--json", "--service", "frobnicate")
        #expect(result.status == 1)
        #expect(try findings(result)["error"] == ["serviceNotWired", "denied"])
    }

    @Test("A lockout is told with its service, and with the time left")
    func lockedOut() throws {
        for _ in 0..<2 { _ = try daemon.authenticate(touches: [2, 3, 4]) }
        let result = try doctor()
        #expect(result.status == 1)
        #expect(result.output.contains("!! For sudo no finger is taken now: Too many touches didn't match"))
        #expect(result.output.contains("Time left: "))
    }

    @Test("Without a daemon it tells what it can see, and ends with 3")
    func noDaemon() throws {
        try daemon.stop()
        let result = try doctor("--json")
        #expect(result.status == 3)
        let findings = try findings(result)
        #expect(findings["error"]?.first == "daemonSilent")
        #expect(findings["fine"] == ["wired"])
    }

    @Test("A socket that others may put another in the place of is an error")
    func openDirectory() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: daemon.directory.path)
        #expect(try findings(try doctor("--json"))["error"] == ["placeOpen"])
    }

    @Test("Another program that may have the reader is named: one that runs, and one that would be started")
    func fprintd() throws {
        try daemon.directory.write("", to: "root/usr/share/dbus-1/system-services/net.reactivated.Fprint.service")
        #expect(try findings(try doctor("--json"))["warning"] == ["fprintdMayStart"])
        try FileManager.default.createDirectory(
            atPath: daemon.directory.file("root/etc/systemd/system"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: daemon.directory.file("root/etc/systemd/system/fprintd.service"), withDestinationPath: "/dev/null")
        #expect(try findings(try doctor("--json"))["warning"] == nil)

        let bus = try PrivateBus(in: daemon.directory)
        let environment = ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]
        let other = try RunningProgram(
            "/usr/bin/python3",
            ["-m", "dbusmock", "--system", "net.reactivated.Fprint", "/", "net.reactivated.Fprint"],
            environment: environment)
        defer { other.send(SIGKILL) }
        let command = Command(socketPath: daemon.socketPath, environment: environment)
        #expect(
            try eventually {
                let result = try command.run("doctor", "--root", daemon.directory.file("root"), "--json")
                return try findings(result)["error"] == ["fprintdRunning"]
            })
    }

    @Test("It asks for one touch, and tells how each step went")
    func touch() throws {
        let root = daemon.directory.file("root")
        let program = try command.start(["doctor", "--touch", "--root", root, "--json"])
        try program.expect("Swipe your right index finger over the fingerprint reader.\n", on: .errors)
        try daemon.touch(1)
        #expect(try program.wait() == 0)
        let result = Command.Result(status: 0, output: program.output, errors: program.errors)
        let trial = try #require(try result.json["touch"] as? [String: Any])
        #expect(trial["allowed"] as? Bool == true)
        let steps = try #require(trial["steps"] as? [[String: Any]])
        #expect(steps.first?["step"] as? String == "asked" && steps.last?["step"] as? String == "matched")
        #expect(steps.contains { $0["step"] as? String == "prompted" })
        let times = steps.compactMap { $0["after"] as? Double }
        #expect(times.count == steps.count && times == times.sorted())
    }

    @Test("A touch that doesn't match is an answer, too")
    func wrongTouch() throws {
        let program = try command.start(["doctor", "--touch", "--root", daemon.directory.file("root")])
        try program.expect("ms: Swipe your right index finger over the fingerprint reader.\n")
        try daemon.touch(2)
        #expect(try program.wait() == 1)
        #expect(program.output.contains("The finger did not match."))
    }
}
