import Foundation
import TestSupport
import Testing

/// `bioauthctl` on a system whose included files authselect has written, below a directory of its own.
@Suite("With authselect") struct AuthselectTests {
    private let directory = TemporaryDirectory()
    private static let sudo = "#%PAM-1.0\nauth       include      system-auth\naccount    include      system-auth\n"
    private static let command = "sudo authselect disable-feature with-fingerprint"

    /// The files as the profile `local` makes them, with the feature that has fprintd ask for a finger, or without.
    private func select(fingerprint: Bool) throws {
        let fprintd = "auth        sufficient                                   pam_fprintd.so\n"
        try directory.write(
            "auth        required                                     pam_env.so\n\(fingerprint ? fprintd : "")"
                + """
                auth        sufficient                                   pam_unix.so nullok
                auth        required                                     pam_deny.so

                account     required                                     pam_unix.so

                """, to: "etc/authselect/system-auth")
        try directory.write(
            "local\n\(fingerprint ? "with-fingerprint\n" : "")with-faillock\n", to: "etc/authselect/authselect.conf")
    }

    init() throws {
        try directory.write("", to: "usr/lib/security/pam_bioauth.so")
        try directory.write(AuthselectTests.sudo, to: "etc/pam.d/sudo")
        try select(fingerprint: true)
        // A link from the system's own root on, wherever that is.
        try FileManager.default.createSymbolicLink(
            atPath: directory.file("etc/pam.d/system-auth"), withDestinationPath: "/etc/authselect/system-auth")
    }

    private func run(_ arguments: String...) throws -> Command.Result {
        let program = try Command().start(arguments + ["--root", directory.path])
        let status = try program.wait(seconds: 30)
        return Command.Result(status: status, output: program.output, errors: program.errors)
    }

    private func fingers(_ result: Command.Result) throws -> [String]? {
        try result.json["authselect_fingers"] as? [String]
    }

    @Test("Its files stay as they are, and the service's own comes and goes")
    func roundTrip() throws {
        let file = directory.file("etc/authselect/system-auth")
        let before = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect(try run("setup", "--apply").status == 0)
        let wired = try String(contentsOfFile: directory.file("etc/pam.d/sudo"), encoding: .utf8)
        #expect(wired.contains("pam_bioauth.so\nauth       substack      system-auth\n"))
        #expect(try run("setup", "--undo", "--apply").status == 0)
        let after = try String(contentsOfFile: directory.file("etc/pam.d/sudo"), encoding: .utf8)
        #expect(after == AuthselectTests.sudo)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: directory.file("etc/pam.d/system-auth"))
                == "/etc/authselect/system-auth")
    }

    @Test("The feature that has fprintd ask as well is named with what turns it off, before setup and after it")
    func feature() throws {
        for arguments in [[], ["--apply"], ["--apply"]] {
            let program = try Command().start(["setup", "--root", directory.path] + arguments)
            #expect(try program.wait(seconds: 30) == 0)
            #expect(program.output.contains("has fprintd ask for a finger as well at: sudo\n"))
            #expect(program.output.contains(AuthselectTests.command))
        }
        #expect(try fingers(run("setup", "--json")) == ["sudo"])
        #expect(try run("doctor").output.contains(AuthselectTests.command))

        try select(fingerprint: false)
        #expect(try fingers(run("setup", "--json")) == [])
        #expect(try !run("setup").output.contains("authselect"))
        #expect(try !run("doctor").output.contains("fprintd"))
    }

    @Test("A line that authselect didn't write is for whoever wrote it to take out")
    func byHand() throws {
        try select(fingerprint: false)
        try directory.write("auth sufficient pam_fprintd.so\n" + AuthselectTests.sudo, to: "etc/pam.d/sudo")
        try directory.write("local\nwith-fingerprint\n", to: "etc/authselect/authselect.conf")
        #expect(try fingers(run("setup", "--json")) == [])
        let doctor = try run("doctor").output
        #expect(doctor.contains("PAM at sudo asks another program for a finger: pam_fprintd.so"))
        #expect(!doctor.contains(AuthselectTests.command))
    }
}
