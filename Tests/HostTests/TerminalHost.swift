import BioauthCore
import Foundation
import TestSupport

/// A program that asks on a terminal whether it is the owner who sits there.
struct TerminalHost: CustomStringConvertible, Sendable {
    let description: String
    let command: [String]
    /// Who starts it.
    let account: String
    /// Somebody else who starts it learns nothing of the owner's finger but that one would do.
    var isByAnother: Bool { account == Machine.other.name }
    /// How it asks for the password by itself.
    let question: String
    /// What it shows when it has let the owner in, then is typed to end it, if it doesn't end by itself.
    let welcome: String
    var farewell = ""
    /// What it shows first, to be answered with Enter.
    var preface: String?

    static let sudo = TerminalHost(
        description: "sudo", command: ["sudo", "-k", "id", "-un"], account: Machine.owner.name,
        question: "[sudo] password for \(Machine.owner.name): ", welcome: "root\r\n")
    static let su = TerminalHost(
        description: "su", command: ["su", Machine.owner.name, "-c", "id -un"], account: Machine.other.name,
        question: "Password: ", welcome: "\(Machine.owner.name)\r\n")
    static let login = TerminalHost(
        description: "login", command: ["login", "-p", Machine.owner.name], account: "root", question: "Password: ",
        welcome: "\n$ ", farewell: "exit\n")
    static let vlock = TerminalHost(
        description: "vlock", command: ["vlock"], account: Machine.owner.name, question: "Password: ", welcome: "",
        preface: "Please press [ENTER] to unlock.\r\n")
    static let doas = TerminalHost(
        description: "doas", command: ["doas", "id", "-un"], account: Machine.owner.name, question: ") password: ",
        welcome: "root\r\n")

    static let all = [sudo, su, login, vlock, doas]

    /// Services of their own.
    static let sudoLogin = TerminalHost(
        description: "sudo -i", command: ["sudo", "-k", "-i", "id", "-un"], account: Machine.owner.name,
        question: sudo.question, welcome: sudo.welcome)
    static let suLogin = TerminalHost(
        description: "su -l", command: ["su", "-l", Machine.owner.name, "-c", "id -un"], account: Machine.other.name,
        question: su.question, welcome: su.welcome)

    func start(on machine: Machine) throws -> InteractiveProgram {
        let program = try machine.start(command, as: account)
        if let preface {
            try program.expect(preface)
            program.type("\n")
        }
        return program
    }

    /// Waits until it asks for the password by itself, and for the answer.
    func expectQuestion(_ program: InteractiveProgram) throws {
        try program.expect(question)
        try program.waitForReader()
    }

    /// Waits until it has let in, and ends it.
    func expectWelcome(_ program: InteractiveProgram) throws -> Bool {
        if !welcome.isEmpty { try program.expect(welcome) }
        program.type(farewell)
        return try program.wait() == 0
    }
}

extension InteractiveProgram {
    /// Waits until the person is asked for a touch.
    func expectFingerPrompt() throws { try expect("across the fingerprint reader") }

    /// What was shown since the person was last asked for a touch.
    var sinceFingerPrompt: String { output.components(separatedBy: "across the fingerprint reader").last! }
}
