import BioauthCore
import BioauthSystem

/// A password on its way to the check: wiped when it has been given away, or when nobody wants it any more.
final class Password: Sendable {
    // Filled before anybody else has it, and lent to one call after the other.
    private let bytes: Locked<SecretBytes>
    /// Whether it could be one: not empty, not too long, without NUL.
    let isPossible: Bool

    init(_ given: some Sequence<UInt8>) {
        var secret = SecretBytes(capacity: Limits.passwordBytes)
        var fits = true
        for byte in given where fits { fits = byte != 0 && secret.append(byte) }
        isPossible = fits && secret.count > 0
        bytes = Locked(secret)
    }

    /// Lends it for one call, and wipes it.
    func giveAway<Result, Failure: Error>(
        _ body: (borrowing SecretBytes) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withLock { bytes throws(Failure) in
            defer { bytes.removeAll() }
            return try body(bytes)
        }
    }
}
