import BioauthClient
import BioauthCore
import BioauthSystem
import Foundation

/// How the person is spoken to during one evaluation.
struct Prompting: Sendable {
    let titles: Titles
    let audience: Audience
    /// Told of everything but the outcome, before the audience.
    let onEvent: (@Sendable (LAEvaluationEvent) -> Void)?

    enum Audience: Sendable {
        /// The program said that nobody may be asked.
        case forbidden
        /// There is nobody to ask, or nothing to ask with.
        case nobody
        /// The program shows it.
        case program(@Sendable (LAPrompt?) -> Void)
        case terminal(PromptTerminal)
    }

    /// What the ways out are called.
    struct Titles: Sendable {
        let cancelTitle: String
        /// Nil: there is none.
        let fallbackTitle: String?

        /// - Parameters: what the program calls them; nil: as usual, as is an empty name of cancelling.
        init(cancel: String?, fallback: String?) {
            cancelTitle = cancel.flatMap { $0.isEmpty ? nil : $0 } ?? Words.inPersonsLanguage { tr("Cancel") }
            fallbackTitle =
                fallback == ""
                ? nil : fallback ?? Words.inPersonsLanguage { tr("Enter password") }
        }
    }

    /// Whether the person could hear of it.
    var isPossible: Bool {
        switch audience {
        case .forbidden, .nobody: false
        case .program, .terminal: true
        }
    }

    func show(_ event: LAEvaluationEvent, takesPassword: Bool) {
        onEvent?(event)
        guard let prompt = event.prompt else { return }
        switch audience {
        case .forbidden, .nobody: break
        case .program(let show): show(prompt)
        case .terminal(let terminal): terminal.show(prompt, takesPassword: takesPassword)
        }
    }

    /// There is nothing to show any more. `done` is called then: once the terminal is the program's again.
    func end(wasShown: Bool, done: @escaping @Sendable () -> Void) {
        switch audience {
        case .forbidden, .nobody: done()
        case .program(let show):
            if wasShown { show(nil) }
            done()
        case .terminal(let terminal): terminal.giveBack(done: done)
        }
    }

    /// The daemon hears only that nobody may be prompted, not why.
    func understood(_ denial: Denial) -> Denial {
        switch (denial.cause, audience) {
        case (.interactionForbidden, .nobody), (.permissionUnasked, .nobody): Denial(.nobodyToAsk)
        case (.permissionUnasked, .forbidden): Denial(.interactionForbidden)
        default: denial
        }
    }
}
