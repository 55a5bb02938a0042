import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation

/// One question to the person, from the request to the one answer.
///
/// It goes from step to step: a touch, which may have to wait for the person's permission; then, where that will do, the
/// password. What the person does at a prompt counts while its step lasts. It holds a connection at most, and only until it is
/// over.
final class Evaluation: Sendable {
    /// Nil lets the person in.
    typealias Reply = @Sendable (LAError?) -> Void

    private let question: Question
    private let prompting: Prompting
    /// On which the program hears of it, in order. Whatever the program does there holds up nobody else.
    private let queue = Evaluation.queueOfItsOwn()
    private let state: Locked<State>

    private enum Step {
        case touch, permission, password, checking
    }

    private struct State {
        var step = Step.touch
        /// How many steps there were: what belongs to an earlier one is known by it.
        var count = 0
        var connection: WatchedConnection?
        /// Nil when it is over.
        var reply: Reply?
        var offersFallback: Bool
        var wasShown = false
        /// The person has let the program ask for their finger, just now.
        var isPermitted = false
        var passwordTriesLeft = 3
    }

    /// How much later than it should the daemon must have ended a touch itself.
    private static let grace = Duration.seconds(10)

    /// It gets a thread when there is something for it, however busy the threads are that a program's tasks share.
    static func queueOfItsOwn() -> DispatchQueue { DispatchQueue(label: "LocalAuthentication.program") }

    /// Asks at once; the reply comes later in any case.
    init(_ question: Question, _ prompting: Prompting, _ reply: @escaping Reply) {
        self.question = question
        self.prompting = prompting
        state = Locked(State(reply: reply, offersFallback: question.takesPassword))
        askForTouch()
    }

    var isOver: Bool { state.withLock { $0.reply == nil } }

    // MARK: What the person and the program do

    /// Ends it before its time. The daemon hears who did, and that the connection is gone.
    func cancel(_ reason: CancelReason) {
        withdraw(reason)
        end(Denial(reason.cause))
    }

    /// Whether what was shown in the step of that number is still what is asked.
    func isAt(_ count: Int) -> Bool { state.withLock { $0.count == count && $0.reply != nil } }

    /// The person would rather not touch the reader.
    func chooseFallback() {
        guard state.withLock({ $0.step == .touch && $0.offersFallback }) else { return }
        guard question.takesPassword else { return cancel(.password) }
        guard move(from: .touch, to: .password) else { return }
        withdraw(.password)
        askForPassword(insteadOf: nil)
    }

    /// The person has answered whether the program may ask for their finger.
    func permit(_ isPermitted: Bool) {
        guard move(from: .permission, to: .touch) else { return }
        if isPermitted {
            state.withLock { $0.isPermitted = true }
            return askForTouch()
        }
        Evaluation.queueOfItsOwn().async { [self] in
            // Where it can't be kept the person is asked again the next time.
            _ = try? Prospect.ask(question.refusal, at: question.socketPath)
            fingerDenied(Denial(.notPermitted))
        }
    }

    /// The person has given a password; on a terminal perhaps while a touch is still awaited.
    func enter(_ password: Password) {
        guard move(from: .password, to: .checking) || question.takesPassword && move(from: .touch, to: .checking)
        else { return }
        withdraw(.password)
        Evaluation.queueOfItsOwn().async { [self] in check(password) }
    }

    /// The person has left the terminal that they are asked on: no touch counts before they are back.
    func pause() {
        guard state.withLock({ $0.step == .touch }) else { return }
        withdraw(.app)
    }

    /// They are back. What else than a touch was asked for still stands.
    func resume() {
        if state.withLock({ $0.reply != nil && $0.step == .touch && $0.connection == nil }) { askForTouch() }
    }

    // MARK: The touch

    private func askForTouch() {
        do {
            let connection = WatchedConnection(try DaemonConnection(path: question.socketPath))
            let isPermitted = state.withLock { state in
                if state.reply != nil { state.connection = connection }
                return state.isPermitted
            }
            connection.watch(for: Question.timeout + Evaluation.grace) { [self] in
                receive()
            } onTimeout: { [self] in
                end(Denial(.timedOut))
            }
            try connection.connection.send(
                question.message(isPermitted: isPermitted, mayPrompt: prompting.isPossible))
            // Ended while it was made.
            if isOver { connection.close() }
        } catch {
            fingerDenied(Denial(error.cause))
        }
    }

    /// Takes what the daemon has said.
    private func receive() {
        while true {
            let (connection, count) = state.withLock { ($0.connection, $0.count) }
            guard let connection else { return }
            do {
                hear(try connection.connection.receive(within: .zero), in: count)
            } catch .timedOut {
                return
            } catch {
                fingerDenied(Denial(error.cause))
            }
        }
    }

    private func hear(_ message: DaemonMessage, in count: Int) {
        switch message {
        case .prompt(let prompt): show(.touch, in: count) { prompt.words }
        case .retry(let reason): show(.touch, in: count, { .retry(LARetryReason(reason), $0) }) { reason.words }
        case .mismatch(let left):
            state.withLock { $0.offersFallback = true }
            show(.touch, in: count, { .mismatch(triesLeft: left, $0) }) {
                tr("No match: %1 try left.", "No match: %1 tries left.", left).filled(String(left))
            }
        case .waiting(let wait):
            show(.touch, in: count, { .waiting(LAError.Cause(rawValue: wait.cause.name), $0) }) { wait.words }
        case .verdict(.allowed), .done: end(nil)
        case .verdict(.denied(let denial)), .refused(let denial): fingerDenied(denial)
        default: fingerDenied(Denial(ConnectionError.outOfTurn.cause))
        }
    }

    /// No finger: the person has to be asked for something else first, or instead, or that was it.
    private func fingerDenied(_ denial: Denial) {
        withdraw(nil)
        let denial = prompting.understood(denial)
        if denial.cause == .permissionUnasked && prompting.isPossible {
            if move(from: .touch, to: .permission) { askForPermission() }
        } else if question.takesPassword && denial.cause.leadsToPassword && prompting.isPossible {
            if move(from: .touch, to: .password) { askForPassword(insteadOf: denial) }
        } else {
            end(denial)
        }
    }

    /// Waits for the daemon no more.
    private func withdraw(_ reason: CancelReason?) {
        let connection = state.withLock { state in
            defer { state.connection = nil }
            return state.connection
        }
        if let reason { try? connection?.connection.send(.cancel(reason)) }
        connection?.close()
    }

    // MARK: Permission

    private func askForPermission() {
        let count = expireThisStep()
        show(.permission, in: count) { tr("May %1 ask for your finger?").filled(Program.name) }
    }

    // MARK: The password

    /// - Parameter denial: why the finger won't do, if that is why.
    private func askForPassword(insteadOf denial: Denial?) {
        Evaluation.queueOfItsOwn().async { [self] in
            // Where the finger would do the person need not hear that there is no password either.
            if denial != nil, prospect.isPasswordSet == false { return end(Denial(.noPassword)) }
            let count = expireThisStep()
            show(.password, in: count) {
                let ask = tr("Give the password of %1.").filled(question.account.name)
                // Who has just said "no" needn't be told.
                guard let denial, denial.cause != .notPermitted else { return ask }
                return "\(Explanation(denial).what) \(ask)"
            }
        }
    }

    private var prospect: Prospect {
        Prospect(of: question.account, .deviceOwnerAuthentication, at: question.socketPath)
    }

    private func check(_ password: Password) {
        let verdict: PasswordVerdict
        if password.isPossible {
            do {
                verdict = try password.giveAway { bytes throws(ConnectionError) in
                    let path = PasswordConnection.path(besideDaemonAt: question.socketPath)
                    return try PasswordConnection(path: path).verdict(
                        on: bytes, of: question.account, wantsTicket: question.wantsTicket)
                }
            } catch {
                verdict = .unavailable
            }
        } else {
            verdict = .wrong
        }
        switch verdict {
        case .right(let ticket): rightPassword(ticket)
        case .wrong: wrongPassword()
        case .delayed(let time): end(Denial(.passwordDelayed, endsIn: time))
        case .notSet: end(Denial(.noPassword))
        case .unavailable: end(Denial(.passwordUnavailable))
        }
    }

    private func rightPassword(_ ticket: Ticket?) {
        guard let message = question.message(after: ticket) else { return end(nil) }
        do {
            switch try Prospect.ask(message, at: question.socketPath) {
            case .done: end(nil)
            case .refused(let denial): end(denial)
            default: end(Denial(ConnectionError.outOfTurn.cause))
            }
        } catch {
            end(Denial(error.cause))
        }
    }

    private func wrongPassword() {
        let isLast = state.withLock { state in
            state.passwordTriesLeft -= 1
            return state.passwordTriesLeft == 0
        }
        if isLast { return end(Denial(.passwordWrong)) }
        guard move(from: .checking, to: .password) else { return }
        let count = expireThisStep()
        show(.password, in: count) { tr("That is not the password. Try again.") }
    }

    // MARK: From step to step

    /// - Returns: whether it was at that step.
    private func move(from step: Step, to next: Step) -> Bool {
        state.withLock { state in
            guard state.reply != nil, state.step == step else { return false }
            state.step = next
            state.count += 1
            return true
        }
    }

    /// Withdraws the question where the person doesn't answer.
    ///
    /// - Returns: the step's number.
    private func expireThisStep() -> Int {
        let count = state.withLock { $0.count }
        WatchedConnection.queue.asyncAfter(deadline: .now() + .seconds(Int(Question.timeout.components.seconds))) {
            [weak self] in
            guard let self, state.withLock({ $0.count == count }) else { return }
            end(Denial(.timedOut))
        }
        return count
    }

    /// Has the person told something, unless it has been overtaken before they could hear of it.
    private func show(
        _ kind: LAPrompt.Kind, in count: Int,
        _ event: @escaping @Sendable (LAPrompt) -> LAEvaluationEvent = { .prompt($0) },
        _ words: () -> String
    ) {
        let offersFallback = kind == .touch && state.withLock { $0.offersFallback }
        let message = Words.inPersonsLanguage(words)
        queue.async { [self] in
            let isWanted = state.withLock { state in
                guard state.count == count, state.reply != nil else { return false }
                state.wasShown = true
                return true
            }
            guard isWanted else { return }
            let prompt = LAPrompt(
                kind: kind, localizedReason: question.reason, message: message,
                cancelTitle: prompting.titles.cancelTitle,
                fallbackTitle: offersFallback ? prompting.titles.fallbackTitle : nil, evaluation: self, step: count)
            prompting.show(event(prompt), takesPassword: question.takesPassword)
        }
    }

    /// The one end it has: nil lets the person in.
    private func end(_ denial: Denial?) {
        let (reply, connection) = state.withLock { state in
            defer {
                state.reply = nil
                state.connection = nil
            }
            return (state.reply, state.connection)
        }
        guard let reply else { return }
        connection?.close()
        let error = denial.map { LAError($0) }
        queue.async { [self] in
            prompting.end(wasShown: state.withLock { $0.wasShown }) { [queue] in queue.async { reply(error) } }
        }
    }
}

extension LARetryReason {
    init(_ reason: RetryReason) {
        switch reason {
        case .general: self = .general
        case .tooShort: self = .tooShort
        case .centerFinger: self = .centerFinger
        case .removeFinger: self = .removeFinger
        case .tooFast: self = .tooFast
        }
    }
}
