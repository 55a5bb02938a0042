import BioauthCore
import BioauthSystem
import Glibc

/// The person's terminal, wherever input and output go (`/dev/tty`).
struct Terminal: ~Copyable {
    private let descriptor: FileDescriptor

    /// Nil when the process has none.
    init?() {
        let raw = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard raw >= 0 else { return nil }
        descriptor = FileDescriptor(owning: raw)
    }

    /// Asks a question and takes the line that answers it, at most `limit` bytes, without its end.
    ///
    /// On every way out, signals included, the terminal is as it was before.
    ///
    /// - Parameter hidden: whether what is typed isn't shown.
    /// - Throws: the person's cancelling (^C, or the end of input).
    func ask(_ question: String, hidden: Bool, limit: Int) throws(Failure) -> SecretBytes {
        let signals = CaughtSignals(CaughtSignals.ending + [SIGTSTP, SIGCONT])
        var before = termios()
        tcgetattr(descriptor.raw, &before)
        // Silent before the question is seen: who types at once is neither shown nor lost.
        if hidden { setEcho(off: before) }
        show(question)
        defer { if hidden { set(before) } }

        var answer = SecretBytes(capacity: limit)
        var fits = true
        while true {
            switch waitForByte(signals) {
            case .signal(SIGTSTP):
                if hidden { set(before) }
                signals.stop(by: SIGTSTP)
            case .signal(SIGCONT):
                // The shell may have set the terminal meanwhile, and what was typed before is lost.
                if hidden { setEcho(off: before) }
                answer.removeAll()
                fits = true
                show("\n" + question)
            case .signal, .end, .other, .timedOut:
                show("\n")
                throw Failure(Denial(.personCancelled))
            case .byte(UInt8(ascii: "\n")):
                if hidden { show("\n") }
                guard fits else {
                    throw Failure(
                        hidden ? .passwordWrong : .personCancelled,
                        what: tr("That is too long, or holds a character that can't be used."))
                }
                return answer
            case .byte(let byte):
                fits = fits && byte != 0 && answer.append(byte)
            }
        }
    }

    /// The same for words that are no secret.
    func ask(_ question: String) throws(Failure) -> String {
        let answer = try ask(question, hidden: false, limit: 256)
        return answer.withArray { String(decoding: copy $0, as: UTF8.self) }
    }

    func show(_ text: String) {
        Output.write(text, to: descriptor.raw)
    }

    /// Whether this process is the one that the person sees there: another would be stopped when it sets the terminal.
    var isInFront: Bool { tcgetpgrp(descriptor.raw) == getpgrp() }

    /// As long as this lives, what is typed isn't shown. Then the terminal is as it was before, and what was typed and not
    /// read is dropped.
    struct Silence: ~Copyable {
        private let terminal: Int32
        private let before: termios

        fileprivate init(_ terminal: borrowing Terminal) {
            self.terminal = terminal.descriptor.raw
            var before = termios()
            tcgetattr(self.terminal, &before)
            self.before = before
            terminal.setEcho(off: before)
        }

        deinit { Terminal.set(before, terminal) }
    }

    func silence() -> Silence { Silence(self) }

    enum Choice {
        /// The other descriptor is readable.
        case other
        case enter
        case end
        case signal(Int32)
        case timedOut
    }

    /// Waits for Enter, the end of input, a signal, or for something else; other keys count for nothing.
    ///
    /// - Parameter time: how long, after the last key, at most.
    func wait(or other: Int32, _ signals: borrowing CaughtSignals, within time: Duration) -> Choice {
        while true {
            switch waitForByte(signals, or: other, within: time) {
            case .other: return .other
            case .timedOut: return .timedOut
            case .byte(UInt8(ascii: "\n")): return .enter
            case .byte: continue
            case .end: return .end
            case .signal(let number): return .signal(number)
            }
        }
    }

    private enum Input {
        case byte(UInt8)
        case end
        case other
        case signal(Int32)
        case timedOut
    }

    /// - Parameters:
    ///   - other: a descriptor that goes before what is typed once it is readable; -1: none.
    ///   - time: nil: for ever.
    private func waitForByte(
        _ signals: borrowing CaughtSignals, or other: Int32 = -1, within time: Duration? = nil
    ) -> Input {
        while true {
            var entries = [
                pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: other, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&entries, nfds_t(entries.count), time.map { Int32(clamping: $0.wireMilliseconds) } ?? -1)
            if ready == 0 { return .timedOut }
            if ready < 0 && errno != EINTR { return .end }
            if let signal = signals.next() { return .signal(signal) }
            if entries[2].revents != 0 { return .other }
            if entries[0].revents == 0 { continue }
            var byte: UInt8 = 0
            let count = read(descriptor.raw, &byte, 1)
            if count == 1 { return .byte(byte) }
            // A process in the background is stopped by its read and goes on with EINTR; a terminal that is gone ends it.
            if count == 0 || errno != EINTR { return .end }
        }
    }

    fileprivate func setEcho(off before: termios) {
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        silent.c_lflag |= tcflag_t(ICANON | ISIG)
        set(silent)
    }

    /// Also drops what was typed and not read: the rest of a password is not the shell's.
    private func set(_ attributes: termios) { Terminal.set(attributes, descriptor.raw) }

    private static func set(_ attributes: termios, _ terminal: Int32) {
        var attributes = attributes
        while tcsetattr(terminal, TCSAFLUSH, &attributes) != 0 && errno == EINTR {}
    }
}
