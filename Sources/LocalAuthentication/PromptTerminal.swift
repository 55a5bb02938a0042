import BioauthCore
import BioauthSystem
import Foundation

/// The terminal that the person started the program from, for as long as one question is asked on it.
///
/// From the first prompt on it is silent, and keys come one by one: Enter stands for the fallback, ^D for cancelling, and what is
/// typed where a password will do is the password. ^C, ^\ and ^Z do what they always do, to the terminal's foreground, once it is
/// as it was. Whoever is away from it, stopped or in the background, is asked for no touch until they are back. All of it runs
/// on one queue, and nothing there waits.
final class PromptTerminal: Sendable {
    private let descriptor: Int32
    private let state = Locked(State())

    private struct State: ~Copyable {
        /// How it was; nil: it is so now.
        var before: termios?
        var keys: Keys?
        var prompt: LAPrompt?
        var takesPassword = false
        var hasBegun = false
        var typed = SecretBytes(capacity: Limits.passwordBytes)
        /// More was typed than a password may have.
        var isOverlong = false
        /// What is to be done when it has been given back: the rest of a line that is being typed is nobody else's.
        var done: (@Sendable () -> Void)?
        var lastKey = DispatchTime.now()
        /// The program isn't in the foreground just now.
        var isAway = false
        var isGivenBack = false
    }

    /// Dispatch's own objects are for any thread.
    private struct Keys: @unchecked Sendable {
        let source: any DispatchSourceRead
    }

    /// One question at a time: two that read the same keys would each get half.
    private static let isTaken = Locked(false)
    private static let queue = DispatchQueue(label: "LocalAuthentication.terminal")

    /// How often it is looked at, for what no key tells: that the program was stopped, and goes on; that the terminal is gone.
    private static let watch = DispatchTimeInterval.milliseconds(200)

    /// So long nothing must have been typed before what is being typed is taken for complete.
    private static let silence = DispatchTimeInterval.milliseconds(700)

    /// Nil where there is no terminal, or the program isn't in its foreground, or another question is on it.
    init?() {
        let isFree = PromptTerminal.isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        guard isFree else { return nil }
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard terminal >= 0, tcgetpgrp(terminal) == getpgrp() else {
            if terminal >= 0 { close(terminal) }
            PromptTerminal.isTaken.withLock { $0 = false }
            return nil
        }
        descriptor = terminal
    }

    deinit {
        close(descriptor)
        if !state.withLock({ $0.isGivenBack }) { PromptTerminal.isTaken.withLock { $0 = false } }
    }

    // MARK: Prompts

    func show(_ prompt: LAPrompt, takesPassword: Bool) {
        PromptTerminal.queue.async { [self] in
            let (isFirst, isHinted) = state.withLock { state in
                defer {
                    state.prompt = prompt
                    state.takesPassword = takesPassword
                    state.hasBegun = true
                }
                return (!state.hasBegun, state.prompt?.fallbackTitle == prompt.fallbackTitle)
            }
            // Silent before the prompt is seen: who types at once is neither shown nor lost.
            take()
            if isFirst {
                say("\(Program.name): \(prompt.localizedReason.withoutFormatting)\n")
                keepWatch()
            }
            say(prompt, isHinted: isHinted, takesPassword)
        }
    }

    private func say(_ prompt: LAPrompt, isHinted: Bool, _ takesPassword: Bool) {
        switch prompt.kind {
        case .touch:
            say(prompt.message + "\n")
            if let title = prompt.fallbackTitle, !isHinted { say(hint(title, takesPassword) + "\n") }
        case .password: say(prompt.message + "\n" + Words.inPersonsLanguage { tr("Password: ") })
        case .permission: say(prompt.message + " [y/N] ")
        }
    }

    private func hint(_ fallback: String, _ takesPassword: Bool) -> String {
        Words.inPersonsLanguage {
            takesPassword
                ? tr("Or type the password and press Enter.") : tr("Or press Enter: %1").filled(fallback)
        }
    }

    /// Makes it what it was. `done` is called then: at once, or when what is being typed just now has come to its end.
    func giveBack(done: @escaping @Sendable () -> Void) {
        PromptTerminal.queue.async { [self] in
            let isTyping = state.withLock { state in
                state.prompt = nil
                state.done = done
                return state.keys != nil && (state.typed.count > 0 || state.isOverlong)
            }
            if isTyping { waitForSilence() } else { giveBackNow() }
        }
    }

    private func waitForSilence() {
        let last = state.withLock { $0.lastKey }
        let over = last + PromptTerminal.silence
        if over <= .now() { return giveBackNow() }
        PromptTerminal.queue.asyncAfter(deadline: over) { [self] in
            if state.withLock({ $0.done != nil }) { waitForSilence() }
        }
    }

    private func giveBackNow() {
        restore()
        let done = state.withLock { state in
            defer { state.done = nil }
            state.typed.removeAll()
            if !state.isGivenBack { PromptTerminal.isTaken.withLock { $0 = false } }
            state.isGivenBack = true
            return state.done
        }
        done?()
    }

    // MARK: The terminal's ways

    private var isInForeground: Bool { tcgetpgrp(descriptor) == getpgrp() }
    private var isGone: Bool { tcgetpgrp(descriptor) < 0 }

    private func keepWatch() {
        PromptTerminal.queue.asyncAfter(deadline: .now() + PromptTerminal.watch) { [weak self] in
            guard let self, let prompt = state.withLock({ $0.prompt }) else { return }
            look(prompt)
            keepWatch()
        }
    }

    private func look(_ prompt: LAPrompt) {
        if isGone {
            restore()
            return prompt.cancel()
        }
        let wasAway = state.withLock { $0.isAway }
        if !isInForeground {
            state.withLock { $0.isAway = true }
            restore()
            if !wasAway { prompt.evaluation.pause() }
        } else if wasAway || !isSilent {
            // Stopped and back, perhaps without a key: the shell has set the terminal as it likes it.
            state.withLock { $0.isAway = false }
            restore()
            forgetTyped()
            take()
            if wasAway { prompt.evaluation.resume() }
            say(prompt, isHinted: false, state.withLock { $0.takesPassword })
        }
    }

    private var isSilent: Bool {
        var now = termios()
        return tcgetattr(descriptor, &now) == 0 && now.c_lflag & tcflag_t(ECHO | ICANON) == 0
    }

    /// Makes it silent, and listens to its keys.
    private func take() {
        guard isInForeground, state.withLock({ $0.keys == nil }) else { return }
        var before = termios()
        guard tcgetattr(descriptor, &before) == 0 else { return }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG)
        setAttributes(silent)
        AttributesAtExit.keep(before, of: descriptor)
        let keys = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: PromptTerminal.queue)
        keys.setEventHandler { [weak self] in self?.readKeys() }
        // The descriptor stays open for as long as it is watched.
        keys.setCancelHandler { [self] in withExtendedLifetime(self) {} }
        state.withLock { state in
            state.before = before
            state.keys = Keys(source: keys)
        }
        keys.activate()
    }

    /// Makes it what it was; what was typed and not read is dropped: the rest of a password is not the shell's.
    private func restore() {
        let (keys, before) = state.withLock { state in
            defer {
                state.keys = nil
                state.before = nil
            }
            return (state.keys, state.before)
        }
        keys?.source.cancel()
        if let before, isInForeground { setAttributes(before) }
        AttributesAtExit.forget()
    }

    private func setAttributes(_ attributes: termios) {
        var attributes = attributes
        while tcsetattr(descriptor, TCSAFLUSH, &attributes) != 0 && errno == EINTR {}
    }

    /// Writes, if the terminal takes it now: one that is held back (^S) holds nobody up.
    private func say(_ text: String) {
        guard isInForeground else { return }
        let bytes = Array(text.utf8)
        _ = write(descriptor, bytes, bytes.count)
    }

    // MARK: Keys

    private func readKeys() {
        // Reading from the background would stop the program.
        guard isInForeground else {
            if let prompt = state.withLock({ $0.prompt }) { look(prompt) } else { restore() }
            return
        }
        while state.withLock({ $0.keys != nil }) {
            var key: UInt8 = 0
            let count = read(descriptor, &key, 1)
            if count == 1 {
                pressed(key)
            } else if count < 0 && (errno == EAGAIN || errno == EINTR) {
                return
            } else {
                // The terminal is gone.
                restore()
                state.withLock { $0.prompt }?.cancel()
                return
            }
        }
    }

    private func pressed(_ key: UInt8) {
        let before = state.withLock { state in
            state.lastKey = .now()
            return state.before
        }
        guard let before else { return }
        let signals = before.c_lflag & tcflag_t(ISIG) != 0
        switch key {
        case before.key(VINTR) where signals: stop(by: SIGINT)
        case before.key(VQUIT) where signals: stop(by: SIGQUIT)
        case before.key(VSUSP) where signals: suspend()
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): entered()
        case before.key(VEOF):
            if state.withLock({ $0.typed.count == 0 }) {
                say("\n")
                state.withLock { $0.prompt }?.cancel()
            }
        case before.key(VERASE), 0x08, 0x7F: state.withLock { $0.typed.removeLastCharacter() }
        case before.key(VKILL): forgetTyped()
        default: typed(key)
        }
    }

    private func typed(_ key: UInt8) {
        let prompt = state.withLock { $0.prompt }
        if let prompt, prompt.kind == .permission {
            let isYes = key == UInt8(ascii: "y") || key == UInt8(ascii: "Y")
            guard isYes || key == UInt8(ascii: "n") || key == UInt8(ascii: "N") else { return }
            say(String(UnicodeScalar(key)) + "\n")
            return isYes ? prompt.allow() : prompt.refuse()
        }
        state.withLock { state in
            if key == 0 || !state.typed.append(key) { state.isOverlong = true }
        }
    }

    private func entered() {
        let (prompt, takesPassword, isEmpty, isEnding) = state.withLock { state in
            (state.prompt, state.takesPassword, state.typed.count == 0 && !state.isOverlong, state.done != nil)
        }
        defer { forgetTyped() }
        if isEnding { return giveBackNow() }
        guard let prompt else { return }
        switch prompt.kind {
        case .permission:
            say("\n")
            prompt.refuse()
        case .password:
            say("\n")
            prompt.evaluation.enter(takePassword())
        case .touch where prompt.fallbackTitle == nil: break
        case .touch where isEmpty || !takesPassword: prompt.chooseFallback()
        case .touch: prompt.evaluation.enter(takePassword())
        }
    }

    private func takePassword() -> Password {
        state.withLock { state in
            // What is too long is wrong, not cut.
            state.isOverlong ? Password([]) : state.typed.withArray { Password($0) }
        }
    }

    private func forgetTyped() {
        state.withLock { state in
            state.typed.removeAll()
            state.isOverlong = false
        }
    }

    /// ^C: the question is cancelled, and the program ends, if that is what it does.
    private func stop(by signal: Int32) {
        restore()
        say("\n")
        state.withLock { $0.prompt }?.cancel()
        kill(0, signal)
    }

    private func suspend() {
        let prompt = state.withLock { state in
            state.isAway = true
            return state.prompt
        }
        restore()
        say("\n")
        prompt?.evaluation.pause()
        kill(0, SIGTSTP)
    }
}

extension String {
    /// Without what turns the direction of the text around it, or hides.
    fileprivate var withoutFormatting: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { $0.properties.generalCategory != .format }))
    }
}

extension termios {
    /// The key that does this (`VINTR`).
    fileprivate func key(_ place: Int32) -> UInt8 { withUnsafeBytes(of: c_cc) { $0[Int(place)] } }
}

/// How the terminal was, for a program that ends while a question is on it.
private enum AttributesAtExit {
    private struct Kept {
        let descriptor: Int32
        var attributes: termios
    }

    private static let kept = Locked<Kept?>(nil)

    private static let process = getpid()

    /// Once for the process.
    private static let registered: Void = {
        atexit {
            // A child that was forked meanwhile has no say in it.
            guard getpid() == AttributesAtExit.process else { return }
            AttributesAtExit.kept.withLock { kept in
                if var attributes = kept?.attributes, let descriptor = kept?.descriptor {
                    tcsetattr(descriptor, TCSAFLUSH, &attributes)
                }
            }
        }
    }()

    static func keep(_ attributes: termios, of descriptor: Int32) {
        _ = (process, registered)
        kept.withLock { $0 = Kept(descriptor: descriptor, attributes: attributes) }
    }

    static func forget() {
        kept.withLock { $0 = nil }
    }
}
