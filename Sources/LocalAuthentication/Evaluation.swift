import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation
import Synchronization

/// One question to the person, from the request to the one answer. It holds a connection and nothing else of the system's, and
/// only until it is over.
final class Evaluation: Sendable {
    typealias Reply = @Sendable (Bool, (any Error)?) -> Void

    private let prompting: Prompting
    /// On which the program hears of it, in order. Whatever the program does there holds up nobody else.
    private let queue = Evaluation.queueOfItsOwn()
    private let state: Mutex<State>

    private struct State {
        var connection: WatchedConnection?
        /// Nil when it is over.
        var reply: Reply?
        var wasPrompted = false
        var offersFallback = false
    }

    /// How long a touch is waited for. Then the question is withdrawn, so that no reader stays hot for somebody who went away.
    private static let timeout = Duration.seconds(120)
    /// How much later the daemon must have ended it itself.
    private static let grace = Duration.seconds(10)

    /// It gets a thread when there is something for it, however busy the threads are that a program's tasks share.
    static func queueOfItsOwn() -> DispatchQueue { DispatchQueue(label: "LocalAuthentication.program") }

    /// Asks at once; the reply comes later in any case.
    init(at socketPath: String, _ prompting: Prompting, _ reply: @escaping Reply) {
        self.prompting = prompting
        state = Mutex(State(reply: reply))
        do {
            try ask(at: socketPath)
        } catch {
            end(Denial(error.cause))
        }
    }

    private func ask(at socketPath: String) throws(ConnectionError) {
        guard let account = Program.account else { return end(Denial(.unknownUser)) }
        let connection = WatchedConnection(try DaemonConnection(path: socketPath))
        state.withLock { $0.connection = connection }
        connection.watch(for: Evaluation.timeout + Evaluation.grace) { [self] in
            receive()
        } onTimeout: { [self] in
            end(Denial(.timedOut))
        }
        try connection.connection.send(
            .authenticate(
                Authenticate(
                    account: account, service: Program.name, reason: prompting.reason,
                    interaction: prompting.isPossible, timeout: Evaluation.timeout)))
    }

    var isOver: Bool { state.withLock { $0.reply == nil } }

    /// Ends it before its time. The daemon hears who did, and that the connection is gone.
    func cancel(_ reason: CancelReason) {
        guard let connection = state.withLock({ $0.connection }) else { return }
        try? connection.connection.send(.cancel(reason))
        end(Denial(reason.cause))
    }

    /// Takes what the daemon has said.
    private func receive() {
        while let connection = state.withLock({ $0.connection }) {
            do {
                hear(try connection.connection.receive(within: .zero))
            } catch .timedOut {
                return
            } catch {
                end(Denial(error.cause))
            }
        }
    }

    private func hear(_ message: DaemonMessage) {
        switch message {
        case .prompt(let prompt): tell { prompt.words }
        case .retry(let reason): tell { reason.words }
        case .mismatch(let left):
            state.withLock { $0.offersFallback = true }
            tell { tr("No match: %1 try left.", "No match: %1 tries left.", left).filled(String(left)) }
        case .waiting(let wait): tell { wait.words }
        case .verdict(.allowed): end(nil)
        case .verdict(.denied(let denial)): end(denial)
        default: end(Denial(ConnectionError.outOfTurn.cause))
        }
    }

    /// Has the person told something.
    private func tell(_ words: () -> String) {
        let (isFirst, offersFallback) = state.withLock { state in
            defer { state.wasPrompted = true }
            return (!state.wasPrompted, state.offersFallback)
        }
        let message = Words.inPersonsLanguage(words)
        queue.async { [self] in
            // What has been overtaken by the end isn't shown any more.
            guard !isOver else { return }
            if isFirst { prompting.begin() }
            prompting.show(message, offersFallback: offersFallback, self)
        }
    }

    /// The one end it has: nil lets the person in.
    private func end(_ denial: Denial?) {
        let (reply, connection, wasPrompted) = state.withLock { state in
            defer { state = State(wasPrompted: state.wasPrompted) }
            return (state.reply, state.connection, state.wasPrompted)
        }
        guard let reply else { return }
        connection?.close()
        let error = denial.map { LAError(prompting.understood($0)) }
        queue.async { [prompting] in
            if wasPrompted { prompting.end() }
            reply(error == nil, error)
        }
    }
}

extension Prompting {
    /// The daemon hears only that nobody may be prompted, not why.
    fileprivate func understood(_ denial: Denial) -> Denial {
        denial.cause == .interactionForbidden && !isForbidden ? Denial(.nobodyToAsk) : denial
    }
}
