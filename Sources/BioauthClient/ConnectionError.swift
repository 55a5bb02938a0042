import BioauthCore
import BioauthSystem
import BioauthWire

/// Why a connection gave no answer.
public enum ConnectionError: Error, Hashable, Sendable {
    /// Nobody listens there, or this process may not connect: the error tells which.
    case noDaemon(SystemError)
    /// It closed the connection instead of answering.
    case daemonGone
    case timedOut
    /// The descriptor that was to interrupt the wait became readable.
    case interrupted
    /// It sent bytes that are no message.
    case protocolError(WireError)
    /// It sent a message that answers nothing that was asked.
    case outOfTurn
    /// It named the trouble itself.
    case problem(Problem)

    /// What a request denied for this reason would have as its cause.
    public var cause: Cause {
        switch self {
        case .noDaemon, .daemonGone, .timedOut: .noDaemon
        case .interrupted: .personCancelled
        case .protocolError, .outOfTurn: .protocolError
        case .problem(let problem):
            switch problem {
            case .unsupportedVersion, .malformed, .unknownMessage, .oversized: .protocolError
            case .notPermitted: .notPermitted
            case .tooMany: .tooManyRequests
            case .idle: .timedOut
            case .stopping: .daemonStopping
            }
        }
    }
}
