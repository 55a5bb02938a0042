import BioauthCore
import BioauthSystem
import BioauthWire

/// One connection to `bioauth-password`, good for one password.
public struct PasswordConnection: ~Copyable, Sendable {
    private let connection: DaemonConnection

    /// The socket that belongs to a daemon's: `password.sock` beside it.
    public static func path(besideDaemonAt path: String) -> String {
        Release.passwordSocket(besideDaemonAt: path)
    }

    /// Connects without waiting.
    ///
    /// - Throws: `noDaemon`.
    public init(path: String) throws(ConnectionError) {
        connection = try DaemonConnection(path: path)
    }

    /// Asks whether the account's password is this one. What was sent is wiped; the secret stays its owner's to wipe.
    ///
    /// - Parameters:
    ///   - secret: 1...512 bytes without NUL.
    ///   - wantsTicket: whether a right password gives a ticket for one enrolment, deletion or switch.
    ///   - time: how long to wait at most: PAM takes its time over a wrong one.
    ///   - interrupt: as with `DaemonConnection.receive`.
    public consuming func verdict(
        on secret: borrowing SecretBytes, of account: Account, wantsTicket: Bool, within time: Duration = .seconds(30),
        interruptedBy interrupt: Int32? = nil
    ) throws(ConnectionError) -> PasswordVerdict {
        var message = secret.withArray { ClientMessage.encodePassword(account, secret: $0, wantsTicket: wantsTicket) }
        do {
            defer { wipe(&message) }
            try connection.send(encoded: message)
        }
        switch try connection.receive(within: time, interruptedBy: interrupt) {
        case .passwordVerdict(let verdict): return verdict
        default: throw .outOfTurn
        }
    }
}
