import Foundation
import TestSupport
import Testing

/// The command line, and the pages and units that go with it.
@Suite struct CommandLineTests {
    @Test(arguments: [
        (["--bogus"], Int32(2), "--bogus"), (["argument"], 2, "takes no argument"),
        (["--private"], 2, "refused with the system's socket"),
        (["--private", "--socket", "/run/bioauthd/bioauthd.sock"], 2, "refused with the system's socket"),
        (["--pam-dir", "/tmp"], 2, "refused without --private"), (["--socket"], 2, "argument"),
        ([], 1, "to be started by systemd"), (["--version"], 0, "bioauth-password 0"),
    ])
    func `what it says to`(arguments: [String], code: Int32, words: String) throws {
        let ended = try run([PasswordService.program] + arguments)
        #expect(ended.code == code)
        #expect(ended.text.contains(words))
    }

    @Test func `a descriptor that is no connection is refused`() throws {
        let script = #"LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" 3</dev/null"#
        let ended = try run(["sh", "-c", script, PasswordService.program])
        #expect(ended.code == 1)
        #expect(ended.text.contains("descriptor 3 is no connection"))
    }

    @Test func `the help and the man page name the same options`() throws {
        let help = try run([PasswordService.program, "--help"]).text
        let page = try String(
            contentsOfFile: Built.package + "/Sources/bioauth-password/bioauth-password.8", encoding: .utf8)
        let options = page[page.range(of: ".SH OPTIONS")!.upperBound..<page.range(of: ".SH PAM")!.lowerBound]
            .replacingOccurrences(of: "\\-", with: "-")
        #expect(longOptions(in: help) == longOptions(in: options))
        #expect(longOptions(in: help).count == 5)
    }

    private func longOptions(in text: String) -> Set<Substring> { Set(text.matches(of: /--[a-z-]+/).map(\.output)) }

    @Test(arguments: ["bioauthd.service", "bioauthd.socket", "bioauth-password@.service", "bioauth-password.socket"])
    func `systemd understands the units`(unit: String) throws {
        let complaints = try run(["systemd-analyze", "verify", Built.package + "/systemd/" + unit]).text
            .split(separator: "\n")
            // Not installed here.
            .filter { !$0.contains("is not executable") && !$0.contains("Command 'man ") }
        #expect(complaints == [])
    }

    @Test(arguments: [("bioauthd.service", 16), ("bioauth-password@.service", 15)])
    func `the services are fenced in`(unit: String, tenths: Int) throws {
        let path = Built.package + "/systemd/" + unit
        let ended = try run(["systemd-analyze", "security", "--offline=yes", "--threshold=\(tenths)", path])
        #expect(ended.code == 0, "\(ended.text.suffix(100))")
    }
}
