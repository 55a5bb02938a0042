import BioauthClient
import BioauthCore
import BioauthSystem
import Foundation

extension LAError {
    /// What a denial is to a program.
    init(_ denial: Denial) {
        let explanation = Words.inPersonsLanguage { Explanation(denial.cause) }
        var userInfo: [String: Any] = [
            LAError.causeKey: denial.cause.name, NSLocalizedDescriptionKey: explanation.what,
        ]
        if let next = explanation.next { userInfo[NSLocalizedRecoverySuggestionErrorKey] = next }
        if let endsIn = denial.endsIn {
            userInfo[LAError.endsInKey] = TimeInterval(endsIn.wireMilliseconds) / 1000
        }
        self.init(Code(denial.code), userInfo: userInfo)
    }

    /// What the program did wrong.
    init(_ misuse: Misuse) {
        self.init(
            misuse.code,
            userInfo: [LAError.causeKey: misuse.cause.rawValue, NSLocalizedDescriptionKey: misuse.words])
    }

    /// For what Apple's system ends the program, or says nothing.
    enum Misuse: CaseIterable {
        case contextInvalidated
        case evaluationRunning
        case reasonMissing

        var code: Code {
            switch self {
            case .contextInvalidated: .invalidContext
            case .evaluationRunning: .systemCancel
            case .reasonMissing: .notInteractive
            }
        }

        var cause: Cause {
            switch self {
            case .contextInvalidated: .contextInvalidated
            case .evaluationRunning: .evaluationRunning
            case .reasonMissing: .reasonMissing
            }
        }

        var words: String {
            switch self {
            case .contextInvalidated: Code.invalidContext.words
            case .evaluationRunning: Words.inPersonsLanguage { tr("The program asks for a touch already.") }
            case .reasonMissing: Words.inPersonsLanguage { tr("The program doesn't say what it asks for.") }
            }
        }
    }
}

extension LAError.Code {
    init(_ code: DenialCode) {
        switch code {
        case .authenticationFailed: self = .authenticationFailed
        case .userCancel: self = .userCancel
        case .userFallback: self = .userFallback
        case .systemCancel: self = .systemCancel
        case .passcodeNotSet: self = .passcodeNotSet
        case .biometryNotAvailable: self = .biometryNotAvailable
        case .biometryNotEnrolled: self = .biometryNotEnrolled
        case .biometryLockout: self = .biometryLockout
        case .appCancel: self = .appCancel
        case .notInteractive: self = .notInteractive
        }
    }

    /// What it says to a person where no more is known.
    var words: String {
        Words.inPersonsLanguage {
            switch self {
            case .authenticationFailed: tr("You were not recognised.")
            case .userCancel: tr("Cancelled.")
            case .userFallback: tr("The password was chosen instead of the finger.")
            case .systemCancel: tr("The system ended the request.")
            case .passcodeNotSet: tr("The account has no password.")
            case .touchIDNotAvailable: tr("No finger can be used here now.")
            case .touchIDNotEnrolled: tr("No finger is enrolled.")
            case .touchIDLockout: tr("The finger is locked.")
            case .appCancel: tr("The program that asked has withdrawn its request.")
            case .invalidContext: tr("The request was ended before, and can't be made again.")
            case .watchNotAvailable: tr("No companion is available.")
            case .biometryNotPaired: tr("No fingerprint reader is paired.")
            case .biometryDisconnected: tr("The paired fingerprint reader isn't connected.")
            case .invalidDimensions: tr("The dimensions are not valid.")
            case .notInteractive: tr("A touch is needed, but nobody may be asked for it.")
            }
        }
    }
}
