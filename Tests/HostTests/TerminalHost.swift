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

    static let sudo = TerminalHost(
        description: "sudo", command: ["sudo", "-k", "id", "-un"], account: Machine.owner.name,
        question: "[sudo] password for \(Machine.owner.name): ", welcome: "root\r\n")
    static let su = TerminalHost(
        description: "su", command: ["su", Machine.owner.name, "-c", "id -un"], account: Machine.other.name,
        question: "Password: ", welcome: "\(Machine.owner.name)\r\n")

    static let all = [sudo, su]

    func start(on machine: Machine) throws -> InteractiveProgram { try machine.start(command, as: account) }

    /// Waits until it has let in, and ends it.
    func expectWelcome(_ program: InteractiveProgram) throws -> Bool {
        try program.expect(welcome)
        program.type(farewell)
        return try program.wait() == 0
    }
}

extension InteractiveProgram {
    /// Waits until the person is asked for a touch.
    func expectFingerPrompt() throws { try expect("across the fingerprint reader") }
}
