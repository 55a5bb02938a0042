import BioauthClient
import BioauthCore
import BioauthWire
import TestSupport
import Testing

/// Another user, whose finger the reader knows, and what it does with its switches.
struct Switching {
    static let account = Account(uid: stranger, name: "nobody")

    let daemon: DaemonUnderTest
    /// The synthetic finger that is the account's.
    static let finger = 3

    /// A daemon that knows the account's finger and password, and root's.
    init(configuration: String? = nil) throws {
        daemon = try DaemonUnderTest.enrolled(configuration: configuration)
        try give(daemon)
    }

    init(_ daemon: DaemonUnderTest) { self.daemon = daemon }

    private func give(_ daemon: DaemonUnderTest) throws {
        let answer = try daemon.enroll(Switching.account, synthetic: Switching.finger)
        guard answer == .done(nil) else { throw DaemonUnderTest.Unexpected(answer) }
        try daemon.givePassword(Switching.account)
    }

    /// The same with another daemon, on what this one left.
    func restarted(_ signal: Int32, configuration: String? = nil) throws -> Switching {
        try daemon.stop(signal)
        return Switching(try DaemonUnderTest(in: daemon.directory, configuration: configuration))
    }

    func change(
        _ kind: Switch.Kind, _ name: String, on isOn: Bool, by service: String = "bioauthctl", isApp: Bool = false,
        isPermitted: Bool = false, ticket: Ticket? = nil, of account: Account = Switching.account
    ) -> ClientMessage {
        .setSwitch(
            SwitchChange(
                account: account, service: service, isApp: isApp, isPermitted: isPermitted,
                subject: Switch(kind, name), isOn: isOn, ticket: ticket))
    }

    /// Sends a request, and shows these fingers one after the other, each when the daemon waits for one.
    ///
    /// - Returns: everything it said, its end last.
    func said(_ message: ClientMessage, touches: [Int] = [], as uid: UInt32 = stranger) throws -> [DaemonMessage] {
        let connection = try daemon.connect(as: uid)
        try connection.send(message)
        var said: [DaemonMessage] = []
        var left = touches[...]
        while true {
            let message = try connection.receive(within: .seconds(30))
            said.append(message)
            switch message {
            case .done, .refused, .verdict, .switches, .examination: return said
            case .prompt, .mismatch, .retry: if let finger = left.popFirst() { try daemon.touch(finger) }
            default: break
            }
        }
    }

    func end(_ message: ClientMessage, touches: [Int] = [], as uid: UInt32 = stranger) throws -> DaemonMessage? {
        try said(message, touches: touches, as: uid).last
    }

    /// Turns one by root's word.
    func turn(_ kind: Switch.Kind, _ name: String, on isOn: Bool, of account: Account = Switching.account) throws {
        let answer = try daemon.ask(change(kind, name, on: isOn, of: account))
        guard answer == .done(nil) else { throw DaemonUnderTest.Unexpected(answer) }
    }

    func list(of account: Account = Switching.account) throws -> [SwitchEntry] {
        guard case .switches(let entries) = try daemon.ask(.switches(account)) else {
            throw DaemonUnderTest.Unexpected()
        }
        return entries
    }

    /// A request of an app's that asks for itself.
    func asking(
        _ service: String, isApp: Bool = true, isPermitted: Bool = false, tries: Int = 3,
        of account: Account = Switching.account
    ) -> ClientMessage {
        .authenticate(
            Authenticate(account: account, service: service, tries: tries, isApp: isApp, isPermitted: isPermitted))
    }

    func examination(
        _ service: String, isApp: Bool = true, of account: Account = Switching.account
    ) throws -> Examination {
        guard
            case .examination(let examination) = try daemon.ask(
                .examine(account, service: service, tty: nil, isApp: isApp), as: account.uid)
        else { throw DaemonUnderTest.Unexpected() }
        return examination
    }
}

extension DaemonMessage {
    static func denied(_ cause: Cause) -> DaemonMessage { .verdict(.denied(Denial(cause))) }

    static func refused(_ cause: Cause) -> DaemonMessage { .refused(Denial(cause)) }

}
