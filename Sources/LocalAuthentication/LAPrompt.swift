import BioauthWire
import Foundation

/// What a person is to be shown while a context waits for a touch, and the buttons that belong to it.
public struct LAPrompt: Sendable {
    /// What the touch is for, in the program's words.
    public let localizedReason: String
    /// What to do now, or what came of the last touch.
    public let message: String
    /// What the button is called that calls `cancel`.
    public let cancelTitle: String
    /// What the button is called that calls `chooseFallback`. Nil: there is none, as before the first finger that didn't match.
    public let fallbackTitle: String?

    let evaluation: Evaluation

    /// The person gives up: the evaluation fails with `userCancel`.
    public func cancel() { evaluation.cancel(.person) }

    /// The person wants the fallback: the evaluation fails with `userFallback`. Does nothing where that isn't offered.
    public func chooseFallback() {
        if fallbackTitle != nil { evaluation.cancel(.password) }
    }
}
