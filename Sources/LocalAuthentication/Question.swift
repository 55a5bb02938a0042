import BioauthCore
import BioauthWire

/// What a person is asked, and in whose name.
struct Question: Sendable {
    let socketPath: String
    let account: Account
    let aim: Aim
    let reason: String
    /// Whether the account's password will do where the finger doesn't.
    let takesPassword: Bool
    /// Touches that may fail to match.
    let tries: Int
    /// How long ago the screen may have been unlocked by finger for that to do.
    let reuse: Duration

    enum Aim: Sendable {
        /// The person is to be let in.
        case letIn
        /// Something is to be turned on or off on their proof.
        case turn(Switch, isOn: Bool)
    }

    /// How long a touch, or any other answer of the person's, is waited for. Then the question is withdrawn, so that no reader
    /// stays hot, and no password prompt open, for somebody who went away.
    static let timeout = Duration.seconds(120)

    /// What is said to the daemon for a touch.
    func message(isPermitted: Bool, mayPrompt: Bool) -> ClientMessage {
        switch aim {
        case .letIn:
            .authenticate(
                Authenticate(
                    account: account, service: Program.name, reason: reason,
                    policy: takesPassword ? .biometricsOrPassword : .biometrics, interaction: mayPrompt,
                    timeout: Question.timeout, tries: tries, fingerOnly: !takesPassword, isApp: true,
                    isPermitted: isPermitted, reuse: reuse))
        case .turn: .setSwitch(change(isPermitted: isPermitted, ticket: nil))
        }
    }

    /// What is said to the daemon once the password was right. Nil: nothing, for that was all.
    func message(after ticket: Ticket?) -> ClientMessage? {
        guard case .turn = aim else { return nil }
        return .setSwitch(change(isPermitted: true, ticket: ticket))
    }

    /// What is said to the daemon when the person doesn't want the program to ask for a finger.
    var refusal: ClientMessage {
        .setSwitch(
            SwitchChange(
                account: account, service: Program.name, isApp: true, subject: Switch(.app, Program.name), isOn: false))
    }

    /// Whether the password has to give a ticket.
    var wantsTicket: Bool { message(after: nil) != nil }

    private func change(isPermitted: Bool, ticket: Ticket?) -> SwitchChange {
        guard case .turn(let subject, let isOn) = aim else { preconditionFailure("nothing is to be turned") }
        return SwitchChange(
            account: account, service: Program.name, isApp: true, isPermitted: isPermitted, subject: subject,
            isOn: isOn, ticket: ticket)
    }
}
