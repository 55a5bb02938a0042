import BioauthClient
import BioauthCore
import BioauthWire

/// What an evaluation would come to now.
struct Prospect {
    /// Whether the machine has a reader; nil: not known.
    let hasReader: Bool?
    /// Why it would fail; nil: the person would be asked.
    let obstacle: LAError?
    /// Whether the account has a password; nil: not known, or not asked for.
    let isPasswordSet: Bool?

    /// How long to wait for the daemon's answer: it may itself have to ask the session manager.
    static let patience = Duration.seconds(2)

    /// Asks the daemon, and waits for its answer.
    init(of account: Account, _ policy: LAPolicy, at socketPath: String) {
        do {
            let connection = try DaemonConnection(path: socketPath)
            let takesPassword = policy == .deviceOwnerAuthentication
            try connection.send(
                .examine(
                    account, service: Program.name, tty: nil, isApp: true,
                    policy: takesPassword ? .biometricsOrPassword : .biometrics))
            guard case .examination(let examination) = try connection.receive(within: Prospect.patience) else {
                throw ConnectionError.outOfTurn
            }
            hasReader = examination.readerState.map { $0 != .none }
            isPasswordSet = examination.isPasswordSet
            obstacle = Prospect.obstacle(examination, takesPassword: takesPassword).map { LAError($0) }
        } catch {
            (hasReader, isPasswordSet) = (nil, nil)
            obstacle = LAError(Denial((error as? ConnectionError)?.cause ?? .protocolError))
        }
    }

    private static func obstacle(_ examination: Examination, takesPassword: Bool) -> Denial? {
        guard let denial = examination.denial, takesPassword, denial.cause.leadsToPassword else {
            return examination.denial
        }
        return examination.isPasswordSet == false ? Denial(.noPassword) : nil
    }
}
