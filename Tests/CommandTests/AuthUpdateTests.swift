import Foundation
import TestSupport
import Testing

/// `bioauthctl setup` where Debian's pam-auth-update writes the common files, with the real one.
@Suite("Setup by pam-auth-update") struct AuthUpdateTests {
    /// A Debian system with our profiles.
    private func debian() throws -> System {
        let system = try System(["sudo": System.sudo])
        for name in ["auth", "account", "password", "session", "session-noninteractive"].map({ "common-\($0)" }) {
            try system.write(try String(contentsOfFile: "/etc/pam.d/\(name)", encoding: .utf8), to: name)
        }
        let copies = [("/var/lib/pam", "var/lib/pam"), ("/usr/share/pam-configs", "usr/share/pam-configs")]
        for (source, target) in copies {
            for name in try FileManager.default.contentsOfDirectory(atPath: source) {
                try system.directory.write(
                    try String(contentsOfFile: "\(source)/\(name)", encoding: .utf8), to: "\(target)/\(name)")
            }
        }
        for name in ["bioauth", "bioauth-report"] {
            let profile = try String(contentsOfFile: "\(Built.package)/pam/profiles/\(name)", encoding: .utf8)
            try system.directory.write(profile, to: "usr/share/pam-configs/\(name)")
        }
        return system
    }

    /// Without those by which pam-auth-update knows its own lines.
    private func withoutComments(_ text: String) -> String {
        text.split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(separator: "\n") + "\n"
    }

    static let hasPAMAuthUpdate = FileManager.default.fileExists(atPath: "/usr/sbin/pam-auth-update")

    @Test("Where pam-auth-update is the system's way, it does it", .enabled(if: hasPAMAuthUpdate, "needs Debian"))
    func pamAuthUpdate() throws {
        let system = try debian()
        let before = try system.text("common-auth")
        // What isn't pam-auth-update's doesn't matter.
        try system.directory.write("", to: "var/lib/pam/directory/file")
        let shown = try system.setup()
        #expect(shown.output.hasPrefix("By pam-auth-update --enable bioauth bioauth-report:\n"))
        #expect(shown.output.contains("+auth\toptional\tpam_bioauth.so report\n"))
        #expect(try system.text("common-auth") == before)

        #expect(try system.setup("--apply").status == 0)
        #expect(try system.text("common-auth").contains("pam_bioauth.so report"))
        #expect(try system.text("sudo") == System.sudo)
        #expect(try system.setup("--apply").output.contains("There is nothing to do."))

        #expect(try system.setup("--undo", "--apply").status == 0)
        #expect(try system.text("common-auth") == before)
    }

    @Test("A profile that gave way to ours comes back", .enabled(if: hasPAMAuthUpdate, "needs Debian"))
    func displacedProfile() throws {
        let system = try debian()
        try system.directory.write(
            """
            Name: Fingerprint authentication
            Default: yes
            Priority: 260
            Auth-Type: Primary
            Auth:
            \t[success=end default=ignore]\tpam_fprintd.so max-tries=1

            """, to: "usr/share/pam-configs/fprintd")
        let database =
            "Config: c\nTemplates: t\n\n"
            + ["c", "t"].map { "Name: \($0)\nDriver: File\nFilename: \(system.directory.file($0))\n" }
            .joined(separator: "\n")
        let run = try RunningProgram.run(
            "/usr/sbin/pam-auth-update", ["--root", system.directory.path, "--enable", "fprintd"],
            environment: [
                "DEBIAN_FRONTEND": "noninteractive",
                "DEBCONF_SYSTEMRC": try system.directory.write(database, to: "debconf.conf"),
            ])
        let before = try system.text("common-auth")
        try #require(before.contains("pam_fprintd.so"), "\(run.text)")

        #expect(try system.setup("--apply").status == 0)
        #expect(try !system.text("common-auth").contains("pam_fprintd.so"))
        let shown = try system.setup("--undo")
        #expect(shown.output.hasPrefix("By pam-auth-update --disable bioauth bioauth-report --enable fprintd:\n"))
        #expect(try system.setup("--undo", "--apply").status == 0)
        #expect(try system.text("common-auth") == before)
        #expect(try system.setup("--undo", "--apply").output.contains("There is no line to take out."))
    }

    @Test(
        "Broken off while pam-auth-update rehearses, it leaves no copies",
        .enabled(if: hasPAMAuthUpdate, "needs Debian"))
    func brokenOff() throws {
        let system = try debian()
        let copies = system.directory.file("copies")
        try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
        let program = try RunningProgram(
            Command.path, ["setup", "--root", system.directory.path], environment: ["TMPDIR": copies])
        func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: copies) }
        try #require(try eventually { try !names().isEmpty })
        program.send(SIGINT)
        // Or it had ended by then.
        #expect(try [128 + SIGINT, 0].contains(program.wait()))
        #expect(try names().isEmpty)
    }

    @Test(
        "What pam-auth-update must not do is refused: a file in the place of a link, or a finger asked for twice",
        .enabled(if: hasPAMAuthUpdate, "needs Debian"))
    func pamAuthUpdateMustNot() throws {
        func reasons(_ system: System) throws -> [String?] {
            let result = try system.setup("--apply", "--json")
            #expect(result.status == 1)
            return try #require(try result.json["refused"] as? [[String: Any]]).map { $0["reason"] as? String }
        }
        let linked = try debian()
        try FileManager.default.moveItem(
            atPath: linked.directory.file("etc/pam.d/common-auth"), toPath: linked.directory.file("elsewhere"))
        try FileManager.default.createSymbolicLink(
            atPath: linked.directory.file("etc/pam.d/common-auth"), withDestinationPath: "../../elsewhere")
        #expect(try reasons(linked) == ["link"])
        #expect(try !linked.text("common-auth").contains("pam_bioauth"))

        let wired = try debian()
        #expect(try wired.setup("--apply", "--service", "sudo").status == 0)
        #expect(try reasons(wired) == ["hasOwnLines"])
        #expect(try wired.setup("--apply").output.contains("--undo --service sudo --apply\nNothing has been changed."))
    }

    @Test(
        "What pam-auth-update doesn't do is told, and its lines go all the same",
        .enabled(if: hasPAMAuthUpdate, "needs Debian"))
    func pamAuthUpdateDeclines() throws {
        let system = try debian()
        let before = try system.text("common-auth")
        try system.write(withoutComments(before), to: "common-auth")
        let declined = try system.setup("--json")
        let refusals = try #require(try declined.json["refused"] as? [[String: Any]])
        #expect(refusals.map { $0["reason"] as? String } == ["toolDeclined"])

        try system.write(before, to: "common-auth")
        #expect(try system.setup("--apply").status == 0)
        let wired = try system.text("common-auth")
        try system.write(withoutComments(wired), to: "common-auth")
        #expect(try system.setup("--undo", "--apply").status == 0)
        let after = try system.text("common-auth")
        #expect(!after.contains("pam_bioauth") && after.contains("pam_deny.so"))
        #expect(after.contains("[success=1 default=ignore]\tpam_unix.so"))
    }
}
