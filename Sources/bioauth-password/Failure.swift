import BioauthWire

/// Why a password got no verdict of its own, with words for the log.
enum Failure: Error, CustomStringConvertible {
    /// Nobody is there to be answered, or nothing can be sent.
    case noAnswer(String)
    /// What the peer said can't be read; it is told so.
    case problem(Problem)
    /// This can't be tried, or doesn't count if it were.
    case unavailable(String)

    var description: String {
        switch self {
        case .noAnswer(let words), .unavailable(let words): words
        case .problem(let problem): "\(problem)"
        }
    }
}

extension WireError {
    /// What a peer is told that sent this.
    var problem: Problem {
        switch self {
        case .unsupportedVersion: .unsupportedVersion
        case .unknownType: .unknownMessage
        case .oversized: .oversized
        case .truncated, .missing, .repeated, .invalid: .malformed
        }
    }
}
