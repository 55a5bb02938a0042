import BioauthCore
import BioauthSystem

/// A password on its way to the check: wiped when that is over, or when nobody wants it any more.
final class Password: Sendable {
    // Filled before anybody else has it, and only read from then on.
    private nonisolated(unsafe) let bytes: SecretBytes
    /// Whether it could be one: not empty, not too long, without NUL.
    let isPossible: Bool

    init(_ given: some Sequence<UInt8>) {
        var secret = SecretBytes(capacity: Limits.passwordBytes)
        var fits = true
        for byte in given where fits { fits = byte != 0 && secret.append(byte) }
        isPossible = fits && secret.count > 0
        bytes = secret
    }

    /// Lends it for one call.
    func with<Result, Failure: Error>(
        _ body: (borrowing SecretBytes) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(bytes)
    }
}
