import Foundation
import TestSupport

/// A system's PAM files.
struct System {
    let directory = TemporaryDirectory()

    static let sudo = "#%PAM-1.0\n\n@include common-auth\n@include common-account\n"
    static let commonAuth = """
        auth\t[success=1 default=ignore]\tpam_unix.so nullok
        auth\trequisite\t\t\tpam_deny.so
        auth\trequired\t\t\tpam_permit.so

        """
    static let finger = "auth  [success=done conv_err=die abort=die auth_err=die default=ignore]  pam_bioauth.so\n"
    static let report = "auth  optional  pam_bioauth.so report\n"
    static let wiredSudo = "#%PAM-1.0\n\n\(finger)@include common-auth\n\(report)@include common-account\n"

    init(_ files: [String: String] = ["sudo": sudo]) throws {
        try directory.write("", to: "usr/lib/security/pam_bioauth.so")
        try write(System.commonAuth, to: "common-auth")
        try write("account required pam_unix.so\n", to: "common-account")
        for (name, text) in files { try write(text, to: name) }
    }

    @discardableResult
    func write(_ text: String, to name: String, mode: Int = 0o644) throws -> String {
        try directory.write(text, to: "etc/pam.d/\(name)", mode: mode)
    }

    func text(_ name: String) throws -> String {
        try String(contentsOfFile: directory.file("etc/pam.d/\(name)"), encoding: .utf8)
    }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.file("etc/pam.d")).sorted() }
    }

    func setup(_ arguments: String..., by command: Command = Command()) throws -> Command.Result {
        let program = try command.start(["setup", "--root", directory.path] + arguments)
        let status = try program.wait(seconds: 30)
        return Command.Result(status: status, output: program.output, errors: program.errors)
    }
}
