import BioauthCore
import BioauthSystem
import BioauthWire

/// Whether accounts have a password: `bioauth-password`'s word, as the daemon itself sees no shadow file.
///
/// It is asked when somebody wants to know, and what it said is remembered for a while. One question is out for each uid at
/// most: asking for many names gains nobody more than that.
@MainActor final class PasswordPresence {
    private let socketPath: String
    private var memory = PasswordMemory()
    private var questions: [UInt32: Question] = [:]

    /// How long `bioauth-password` may take.
    private static let patienceMilliseconds: UInt32 = 1000
    /// Questions that are out at once, of all uids: it is a process each.
    private static let questionsAtOnce = 8

    /// One that is out, and who waits for the answer.
    private final class Question {
        let account: Account
        let socket: SeqpacketSocket
        var incoming: EventSource?
        var timeout: EventSource?
        var waiting: [@MainActor (Bool?) -> Void] = []

        init(_ account: Account, _ socket: consuming SeqpacketSocket) {
            self.account = account
            self.socket = socket
        }
    }

    init(socketPath: String) {
        self.socketPath = socketPath
    }

    /// Tells whether the account has a password: at once where that is remembered, or as soon as it is known. Nil: it isn't.
    func isSet(of account: Account, at now: Instant, _ done: @escaping @MainActor (Bool?) -> Void) {
        if let known = memory.recall(account, at: now) {
            if known.isDue { ask(account) }
            return done(known.isSet)
        }
        ask(account)
        guard let question = questions[account.uid], question.account == account else { return done(nil) }
        question.waiting.append(done)
    }

    /// Asks, unless there is nobody to be asked or it is being asked already.
    private func ask(_ account: Account) {
        guard questions[account.uid] == nil, questions.count < PasswordPresence.questionsAtOnce,
            let socket = try? SeqpacketSocket.connected(to: socketPath),
            case .sent? = try? socket.send(ClientMessage.passwordSet(account).encoded())
        else { return }
        let question = Question(account, socket)
        questions[account.uid] = question
        question.incoming = EventLoop.watch(question.socket.descriptor.raw, for: .readable) { [weak self] _ in
            self?.readable(question)
        }
        question.timeout = EventLoop.after(milliseconds: PasswordPresence.patienceMilliseconds) { [weak self] in
            // One that hangs isn't waited for by each who asks.
            self?.end(question, nil)
        }
    }

    private func readable(_ question: Question) {
        switch try? question.socket.receive(limit: Limits.messageBytes) {
        case .nothing: break
        case .message(let bytes):
            if case .passwordPresence(let isSet)? = try? DaemonMessage(decoding: bytes) {
                end(question, isSet)
            } else {
                end(question, nil)
            }
        case .closed, .oversized, nil: end(question, nil)
        }
    }

    private func end(_ question: Question, _ isSet: Bool?) {
        question.incoming?.cancel()
        question.timeout?.cancel()
        questions[question.account.uid] = nil
        memory.remember(question.account, isSet: isSet, at: BootClock.instant)
        for done in question.waiting { done(isSet) }
        question.waiting = []
    }
}
