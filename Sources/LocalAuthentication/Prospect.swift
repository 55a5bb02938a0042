import BioauthClient
import BioauthCore
import BioauthWire

/// What an evaluation would come to now.
struct Prospect {
    /// Whether the machine has a reader; nil: not known.
    let hasReader: Bool?
    /// Why it would fail; nil: the person would be asked.
    let obstacle: LAError?

    /// How long to wait for the answer: the daemon itself may have to ask the session manager.
    private static let patience = Duration.seconds(2)

    init(hasReader: Bool?, obstacle: LAError?) {
        self.hasReader = hasReader
        self.obstacle = obstacle
    }

    /// Asks the daemon, and waits for its answer.
    init(askedAt socketPath: String) {
        guard let account = Program.account else {
            self.init(hasReader: nil, obstacle: LAError(Denial(.unknownUser)))
            return
        }
        do {
            let connection = try DaemonConnection(path: socketPath)
            try connection.send(.examine(account, service: Program.name, tty: nil))
            guard case .examination(let examination) = try connection.receive(within: Prospect.patience) else {
                throw ConnectionError.outOfTurn
            }
            self.init(
                hasReader: examination.readerState.map { $0 != .none }, obstacle: examination.denial.map { LAError($0) }
            )
        } catch {
            self.init(hasReader: nil, obstacle: LAError(Denial((error as? ConnectionError)?.cause ?? .protocolError)))
        }
    }
}
