import BioauthCore
import BioauthSystem
import BioauthWire
import Glibc

/// One connection from its password to the verdict.
struct PasswordExchange {
    /// How long the peer may take to speak.
    static let patience: Duration = .seconds(2)

    let peer: Peer
    let daemonPath: String
    let pamDirectory: String

    /// What is to be answered, and what the log is to say about it.
    struct Outcome {
        let answer: DaemonMessage
        let account: Account?
        var why: String?

        /// The answer in a word.
        var word: String {
            switch answer {
            case .passwordVerdict(.right): "right"
            case .passwordVerdict(.wrong): "wrong"
            case .passwordVerdict(.delayed): "delayed"
            case .problem(let problem): "\(problem)"
            default: "unavailable"
            }
        }
    }

    /// Receives one message and judges it.
    ///
    /// - Throws: `noAnswer` alone.
    func run(on socket: borrowing SeqpacketSocket) throws(Failure) -> Outcome {
        var account: Account?
        do throws(Failure) {
            let message = try receive(from: socket)
            guard case .password(let named, let secret, let wantsTicket) = try message.decoded() else {
                throw .problem(.unknownMessage)
            }
            account = named
            try admit(named)
            let verdict = try verdict(on: message, secret, of: named, wantsTicket: wantsTicket)
            return Outcome(answer: .passwordVerdict(verdict), account: named)
        } catch {
            switch error {
            case .problem(let problem): return Outcome(answer: .problem(problem), account: account)
            case .unavailable(let why):
                return Outcome(answer: .passwordVerdict(.unavailable), account: account, why: why)
            case .noAnswer: throw error
            }
        }
    }

    private func receive(from socket: borrowing SeqpacketSocket) throws(Failure) -> SecretMessage {
        let spoke: Bool
        do {
            spoke = try socket.waitReadable(milliseconds: Int32(PasswordExchange.patience.wireMilliseconds))
        } catch {
            throw .noAnswer("\(error)")
        }
        guard spoke else { throw .problem(.idle) }
        return try SecretMessage(from: socket)
    }

    /// Refuses whom the peer may not ask for, before anything is looked up: the answer and its time are the same
    /// whether there is such an account or not. Then that name and number belong together.
    private func admit(_ account: Account) throws(Failure) {
        guard peer.mayAsk(for: account) else { throw .unavailable("not the peer's own account") }
        // Both ways: PAM goes by the name, and two names may share a number or two numbers a name.
        guard let byNumber = getpwuid(account.uid), strcmp(byNumber.pointee.pw_name, account.name) == 0,
            let byName = getpwnam(account.name), byName.pointee.pw_uid == account.uid
        else { throw .unavailable("no account of that number and name") }
    }

    /// The turn is taken before PAM is asked, so that attempts side by side are counted, and those that are cut off too.
    private func verdict(
        on message: SecretMessage, _ secret: Range<Int>, of account: Account, wantsTicket: Bool
    ) throws(Failure) -> PasswordVerdict {
        let turn = try DaemonTurn(path: daemonPath)
        if let delay = try turn.take(for: account, peerUID: peer.uid) { return .delayed(delay) }
        let outcome = message.withSecret(secret) {
            PAMPassword.check(user: account.name, secret: $0, directory: pamDirectory)
        }
        message.forget()
        switch outcome {
        case .right:
            // Said to be right only when the daemon has it written down.
            return .right(try turn.report(right: true, wantsTicket: wantsTicket))
        case .wrong:
            // It counts already; the daemon may be gone meanwhile.
            _ = try? turn.report(right: false, wantsTicket: false)
            return .wrong
        case .unavailable(let why):
            throw .unavailable(why)
        }
    }
}
