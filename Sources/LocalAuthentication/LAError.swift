public import Foundation

/// The domain of every `LAError`.
public let LAErrorDomain = "com.apple.LocalAuthentication"

/// Why a policy can't be evaluated, or why its evaluation let nobody in: Apple's error, with Apple's codes and domain.
///
/// It can be caught as on Apple's systems: by `catch LAError.userCancel`, by `error as? LAError`, and by way of `NSError`. An
/// `NSError` of this domain is a `LAError` if its code is one of `Code`.
///
/// More than the code is in `cause` and `endsIn`, or in `userInfo` under `causeKey` and `endsInKey`.
public struct LAError: _BridgedStoredNSError {
    public let _nsError: NSError

    public init(_nsError error: NSError) {
        precondition(error.domain == LAErrorDomain)
        _nsError = error
    }

    /// - Parameters:
    ///   - code: what happened.
    ///   - userInfo: what it is to carry; without a description it gets the code's own.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        var userInfo = userInfo
        if userInfo[NSLocalizedDescriptionKey] == nil { userInfo[NSLocalizedDescriptionKey] = code.words }
        _nsError = NSError(domain: LAErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    public static var _nsErrorDomain: String { LAErrorDomain }
    public static var errorDomain: String { LAErrorDomain }

    /// What happened, in words for a person.
    public var localizedDescription: String { _nsError.localizedDescription }

    public static func == (a: LAError, b: LAError) -> Bool { a._nsError == b._nsError }

    /// Foundation's own traps on Linux.
    public func hash(into hasher: inout Hasher) { hasher.combine(_nsError.code) }

    /// What happened, as far as Apple tells it apart. The names and numbers are Apple's, and so is which of two names for one
    /// number is the enumeration's case.
    public enum Code: Int, CaseIterable, Sendable, _ErrorCodeProtocol {
        public typealias _ErrorType = LAError

        /// The finger didn't match, in all the tries there were.
        case authenticationFailed = -1
        /// The person cancelled.
        case userCancel = -2
        /// The person chose the fallback instead.
        case userFallback = -3
        /// The system ended it: another request went first, the machine went to sleep, nobody came in time.
        case systemCancel = -4
        /// The account has no password.
        case passcodeNotSet = -5
        /// `biometryNotAvailable` by its former name.
        case touchIDNotAvailable = -6
        /// `biometryNotEnrolled` by its former name.
        case touchIDNotEnrolled = -7
        /// `biometryLockout` by its former name.
        case touchIDLockout = -8
        /// The program withdrew it: by `invalidate()`, or by letting the context go.
        case appCancel = -9
        /// The context was invalidated before.
        case invalidContext = -10
        /// Doesn't come about on Linux.
        case watchNotAvailable = -11
        /// Doesn't come about on Linux.
        case biometryNotPaired = -12
        /// Doesn't come about on Linux.
        case biometryDisconnected = -13
        /// Doesn't come about on Linux.
        case invalidDimensions = -14
        /// A person is needed, but nobody may be asked, or nobody can be.
        case notInteractive = -1004

        /// No finger can or may be used here, now or for this program.
        public static var biometryNotAvailable: Code { .touchIDNotAvailable }
        /// The person has enrolled no finger with this reader.
        public static var biometryNotEnrolled: Code { .touchIDNotEnrolled }
        /// Too many fingers didn't match, or the password is needed first.
        public static var biometryLockout: Code { .touchIDLockout }
        /// Doesn't come about on Linux.
        public static var companionNotAvailable: Code { .watchNotAvailable }

        /// Whether the same may turn out otherwise when the person is asked again at once.
        public var isRetryable: Bool {
            switch self {
            case .authenticationFailed, .userCancel, .userFallback: true
            case .systemCancel, .passcodeNotSet, .touchIDNotAvailable, .touchIDNotEnrolled, .touchIDLockout, .appCancel,
                .invalidContext, .watchNotAvailable, .biometryNotPaired, .biometryDisconnected, .invalidDimensions,
                .notInteractive:
                false
            }
        }
    }

    public static var authenticationFailed: Code { .authenticationFailed }
    public static var userCancel: Code { .userCancel }
    public static var userFallback: Code { .userFallback }
    public static var systemCancel: Code { .systemCancel }
    public static var passcodeNotSet: Code { .passcodeNotSet }
    public static var touchIDNotAvailable: Code { .touchIDNotAvailable }
    public static var touchIDNotEnrolled: Code { .touchIDNotEnrolled }
    public static var touchIDLockout: Code { .touchIDLockout }
    public static var biometryNotAvailable: Code { .biometryNotAvailable }
    public static var biometryNotEnrolled: Code { .biometryNotEnrolled }
    public static var biometryLockout: Code { .biometryLockout }
    public static var appCancel: Code { .appCancel }
    public static var invalidContext: Code { .invalidContext }
    public static var watchNotAvailable: Code { .watchNotAvailable }
    public static var companionNotAvailable: Code { .companionNotAvailable }
    public static var biometryNotPaired: Code { .biometryNotPaired }
    public static var biometryDisconnected: Code { .biometryDisconnected }
    public static var invalidDimensions: Code { .invalidDimensions }
    public static var notInteractive: Code { .notInteractive }
}
