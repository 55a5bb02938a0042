import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation
import Testing

/// Service files as an administrator may write them, or forget to.
@Suite struct PAMStackTests {
    /// What becomes of the right password, and what the daemon heard after the turn.
    private func judge(
        _ stack: String?, other: String? = nil, password: String = "right one"
    ) throws -> (verdict: DaemonMessage?, told: [ClientMessage], log: String) {
        let service = try PasswordService(stack: stack, passwords: [Account.own.name: "right one"])
        if let other { try service.directory.write(other, to: "pam.d/other") }
        let daemon = try ScriptedDaemon(at: service.daemonPath)
        defer { daemon.stop() }
        let verdict = try service.verdict(on: password)
        try waitUntil("it ended") { service.exitCodes == [0] }
        return (verdict, Array(daemon.messages.dropFirst()), service.log)
    }

    static let matrix = "auth required \(PasswordService.matrixModule) passdb=DIR/passdb"
    static let permit = "auth required pam_permit.so\naccount required pam_permit.so\n"

    static let unavailable: [(stack: String?, why: String)] = [
        // Never `other`, which lets everybody in here.
        (nil, "no /"),
        ("", "no module asked for a password"),
        ("# nothing\n", "no module asked for a password"),
        // Something that lets people in without a password.
        (permit, "no module asked for a password"),
        ("auth sufficient pam_permit.so\n" + PasswordService.matrix, "no module asked for a password"),
        // A module that can't say.
        ("auth required \(PasswordService.matrixModule) passdb=/nonexistent\n" + permit, "pam_authenticate"),
        ("auth required /nonexistent/pam_nothing.so\n", "pam_authenticate"),
        // A second question, and one that would show the answer.
        ("auth required pam_exec.so expose_authtok /bin/true\n\(matrix)\n\(permit)", "pam_authenticate"),
        ("\(matrix) echo\n", "pam_authenticate"),
        // An account that may not be used.
        ("\(matrix)\naccount required pam_deny.so\n", "pam_acct_mgmt"),
    ]

    @Test(arguments: unavailable)
    func `what doesn't prove a password doesn't count`(stack: String?, why: String) throws {
        let (verdict, told, log) = try judge(stack, other: PAMStackTests.permit)
        #expect(verdict == .passwordVerdict(.unavailable))
        #expect(told.isEmpty)
        #expect(log.contains("Password unavailable: \(why)"))
    }

    @Test func `messages of a module are passed over`() throws {
        let stack = "\(PAMStackTests.matrix) verbose\naccount required pam_permit.so\n"
        #expect(try judge(stack).verdict == .passwordVerdict(.right(nil)))
        #expect(try judge(stack, password: "wrong one").verdict == .passwordVerdict(.wrong))
    }

    @Test func `a module after the first takes the same password`() throws {
        let stack = """
            auth sufficient pam_unix.so nodelay
            auth required pam_exec.so quiet expose_authtok /bin/grep -qzx right
            account required pam_permit.so

            """
        #expect(try judge(stack, password: "right").verdict == .passwordVerdict(.right(nil)))
    }

    @Test func `a module that hangs doesn't keep the process`() throws {
        let service = try PasswordService(stack: "auth required pam_exec.so quiet /bin/sleep 30\n")
        let daemon = try ScriptedDaemon(at: service.daemonPath)
        defer { daemon.stop() }
        let start = Date()
        #expect(try service.verdict(on: "right one") == nil)
        // Before the 30 seconds are over that a client waits.
        #expect((27..<30).contains(Date().timeIntervalSince(start)))
        try waitUntil("it ended") { service.exitCodes == [1] }
        #expect(service.log.contains("No answer: PAM took too long"))
        #expect(daemon.messages.count == 1)
    }
}
