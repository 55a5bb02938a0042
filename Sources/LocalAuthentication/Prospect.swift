import BioauthClient
import BioauthCore
import BioauthWire
import Foundation

/// What an evaluation would come to now.
struct Prospect {
    /// Whether the machine has a reader; nil: not known.
    let hasReader: Bool?
    /// Why it would fail; nil: the person would be asked.
    let obstacle: LAError?
    /// Whether the account has a password; nil: not known, or not asked for.
    let isPasswordSet: Bool?
    /// Which prints there are, where a finger would be taken; nil: none, or not known.
    let domainState: Data?

    /// What the daemon answers to something that it answers at once; it may itself have to ask the session manager.
    static func ask(_ message: ClientMessage, at socketPath: String) throws(ConnectionError) -> DaemonMessage {
        try DaemonConnection.answer(to: message, at: socketPath, within: .seconds(2))
    }

    /// Asks the daemon, and waits for its answer.
    init(of account: Account, _ policy: LAPolicy, at socketPath: String) {
        do {
            let examination = try Examination(of: account, policy, at: socketPath)
            hasReader = examination.hasReader
            isPasswordSet = examination.isPasswordSet
            domainState = examination.denial == nil ? examination.domainState.map { Data($0) } : nil
            obstacle = Prospect.obstacle(examination, takesPassword: policy == .deviceOwnerAuthentication)
                .map { LAError($0) }
        } catch {
            (hasReader, isPasswordSet, domainState) = (nil, nil, nil)
            obstacle = LAError(Denial(error.cause))
        }
    }

    private static func obstacle(_ examination: Examination, takesPassword: Bool) -> Denial? {
        guard let denial = examination.denial, takesPassword, denial.cause.leadsToPassword else {
            return examination.denial
        }
        return examination.isPasswordSet == false ? Denial(.noPassword) : nil
    }
}

extension Examination {
    /// Whether the machine has a reader; nil: not known.
    var hasReader: Bool? { readerState.map { $0 != ReaderState.none } }

    /// Has the daemon say what this program's asking would come to, and waits for its answer.
    init(of account: Account, _ policy: LAPolicy, at socketPath: String) throws(ConnectionError) {
        let question = ClientMessage.examine(
            account, service: Program.name, tty: nil, isApp: true,
            policy: policy == .deviceOwnerAuthentication ? .biometricsOrPassword : .biometrics)
        guard case .examination(let examination) = try Prospect.ask(question, at: socketPath) else {
            throw .outOfTurn
        }
        self = examination
    }
}
