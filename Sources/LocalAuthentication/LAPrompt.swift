import BioauthCore
import Foundation

/// What a person is to be shown while a context asks them, and the buttons that belong to it.
///
/// What is chosen on a prompt that another has taken the place of does nothing.
public struct LAPrompt: Sendable {
    /// What is asked for now.
    public enum Kind: Hashable, Sendable {
        /// A touch of the fingerprint reader; or nothing but patience, where `message` says so.
        case touch
        /// The account's password, to be given to `enter`.
        case password
        /// Whether the program may ask for a finger at all, to be answered with `allow` or `refuse`: once for each person.
        case permission
    }

    public let kind: Kind
    /// What it is for, in the program's words.
    public let localizedReason: String
    /// What to do now, or what came of the last touch.
    public let message: String
    /// What the button is called that calls `cancel`.
    public let cancelTitle: String
    /// What the button is called that calls `chooseFallback`. Nil: there is none.
    public let fallbackTitle: String?

    let evaluation: Evaluation
    /// Of the evaluation's, the step that this belongs to.
    let step: Int

    private var isCurrent: Bool { evaluation.isAt(step) }

    /// The person gives up: the evaluation fails with `userCancel`.
    public func cancel() { if isCurrent { evaluation.cancel(.person) } }

    /// The person wants the fallback. Where the policy takes the password it is asked for next; else the evaluation fails
    /// with `userFallback`.
    public func chooseFallback() { if fallbackTitle != nil && isCurrent { evaluation.chooseFallback() } }

    /// The person has given the password, in UTF-8: of a `String` its `utf8`. Nothing of it stays in this module when the check is over;
    /// what holds it in the program is the program's to wipe.
    public func enter(password: some Sequence<UInt8>) {
        if kind == .password && isCurrent { evaluation.enter(Password(password)) }
    }

    /// The person lets the program ask for their finger, now and later.
    public func allow() { if kind == .permission && isCurrent { evaluation.permit(true) } }

    /// The person doesn't. It is remembered; `bioauthctl enable --app` makes up for it.
    public func refuse() { if kind == .permission && isCurrent { evaluation.permit(false) } }
}
