import Foundation
import LocalAuthentication

/// What is clicked on the prompt that is shown: lines of standard input.
final class Clicks: @unchecked Sendable {
    private let lock = NSLock()
    private var shown: LAPrompt?

    /// The prompt that is shown.
    var prompt: LAPrompt? {
        get { lock.withLock { shown } }
        set { lock.withLock { shown = newValue } }
    }

    /// Listens for `cancel`, `fallback`, `allow`, `refuse` and `password WORDS`.
    func listen() {
        Thread.detachNewThread { [self] in
            while let line = readLine() {
                let words = line.split(separator: " ", maxSplits: 1).map(String.init)
                switch words.first {
                case "cancel": prompt?.cancel()
                case "fallback": prompt?.chooseFallback()
                case "allow": prompt?.allow()
                case "refuse": prompt?.refuse()
                case "password": prompt?.enter(password: (words.dropFirst().first ?? "").utf8)
                default: break
                }
            }
        }
    }
}
