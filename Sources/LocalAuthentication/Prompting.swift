import BioauthClient
import BioauthSystem
import Foundation

/// How the person is spoken to during one evaluation.
struct Prompting: Sendable {
    let reason: String
    /// What the program calls them; nil: as usual.
    let cancelTitle: String?
    let fallbackTitle: String?
    /// The program's own way; nil: on the terminal.
    let handler: (@Sendable (LAPrompt?) -> Void)?
    /// The program said that nobody may be asked.
    let isForbidden: Bool

    /// Whether there is a way in which the person could hear of it.
    var isPossible: Bool { !isForbidden && (handler != nil || ControllingTerminal.isOurs) }

    func show(_ message: String, offersFallback: Bool, _ evaluation: Evaluation) {
        guard let handler else {
            return ControllingTerminal.say(message)
        }
        handler(
            LAPrompt(
                localizedReason: reason, message: message,
                cancelTitle: title(cancelTitle) ?? Words.inPersonsLanguage { tr("Cancel") },
                fallbackTitle: offersFallback && fallbackTitle != ""
                    ? fallbackTitle ?? Words.inPersonsLanguage { tr("Enter password") } : nil,
                evaluation: evaluation))
    }

    /// On a terminal the reason is said once.
    func begin() {
        if handler == nil { ControllingTerminal.say("\(Program.name): \(reason)") }
    }

    func end() { handler?(nil) }

    private func title(_ title: String?) -> String? { title == "" ? nil : title }
}

/// The terminal that the person started the program from.
enum ControllingTerminal {
    /// Whether there is one, and the program is in its foreground: from the background it would speak into another's work.
    static var isOurs: Bool { withDescriptor { tcgetpgrp($0) == getpgrp() } ?? false }

    /// Writes one line, if the terminal takes it now: one that is held back (^S) holds nobody up.
    static func say(_ line: String) {
        _ = withDescriptor { descriptor in
            guard tcgetpgrp(descriptor) == getpgrp() else { return 0 }
            let bytes = Array("\(line)\n".utf8)
            return write(descriptor, bytes, bytes.count)
        }
    }

    private static func withDescriptor<Result>(_ body: (Int32) -> Result) -> Result? {
        let descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return body(descriptor)
    }
}
