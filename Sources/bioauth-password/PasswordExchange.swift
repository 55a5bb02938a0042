import BioauthCore
import BioauthSystem
import BioauthWire
import Glibc

/// One connection from what it asks to the answer: the verdict on a password, or whether there is one.
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
            case .passwordVerdict(.notSet): "not set"
            case .passwordPresence(let isSet): isSet.map { $0 ? "is set" : "is not set" } ?? "unknown"
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
            switch try message.decoded() {
            case .password(let named, let secret, let wantsTicket):
                account = named
                try admit(named)
                let verdict = try verdict(on: message, secret, of: named, wantsTicket: wantsTicket)
                return Outcome(answer: .passwordVerdict(verdict), account: named)
            case .passwordSet(let named):
                return presence(of: named)
            default:
                throw .problem(.unknownMessage)
            }
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

    /// Whether the account has a password. Who may not ask hears what is heard of one of which nobody can tell.
    private func presence(of account: Account) -> Outcome {
        do {
            try admit(account)
        } catch {
            return Outcome(answer: .passwordPresence(isSet: nil), account: account, why: "\(error)")
        }
        return Outcome(answer: .passwordPresence(isSet: isSet(account)), account: account)
    }

    private func isSet(_ account: Account) -> Bool? {
        AccountPassword.isSet(of: account.name, pamDirectory: pamDirectory, service: Settings.passwordService)
    }

    /// Where no password could be right there is nothing to try, and nothing to count.
    ///
    /// The turn is taken before PAM is asked, so that attempts side by side are counted, and those that are cut off too.
    private func verdict(
        on message: SecretMessage, _ secret: Range<Int>, of account: Account, wantsTicket: Bool
    ) throws(Failure) -> PasswordVerdict {
        if isSet(account) == false { return .notSet }
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
