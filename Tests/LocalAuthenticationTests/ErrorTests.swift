import BioauthCore
import Foundation
import TestSupport
import Testing

@testable import LocalAuthentication

/// Apple's error, as people write against it.
@Suite struct ErrorTests {
    /// The three ways in which one comes to a program.
    static let comings: [@Sendable () -> any Error] = [
        { LAError(.userFallback, userInfo: ["more": 1]) }, { LAError(.userFallback) as NSError },
        { NSError(domain: "com.apple.LocalAuthentication", code: -3) },
    ]

    @Test(arguments: comings.indices) func `is caught by its code`(_ coming: Int) {
        do { throw ErrorTests.comings[coming]() } catch LAError.userCancel {
            Issue.record("caught by another's")
        } catch LAError.userFallback {} catch { Issue.record("not caught") }
    }

    @Test(arguments: comings.indices) func `is found by a cast`(_ coming: Int) throws {
        let error = try #require(ErrorTests.comings[coming]() as? LAError)
        #expect(error.code == .userFallback && error.errorCode == -3)
        switch error {
        case LAError.userCancel: Issue.record("another's")
        case LAError.userFallback: break
        default: Issue.record("nobody's")
        }
        switch error.code {
        case .userFallback: break
        case .authenticationFailed, .userCancel, .systemCancel, .passcodeNotSet, .touchIDNotAvailable,
            .touchIDNotEnrolled, .touchIDLockout, .appCancel, .invalidContext, .watchNotAvailable, .biometryNotPaired,
            .biometryDisconnected, .invalidDimensions, .notInteractive:
            Issue.record("another's")
        @unknown default: Issue.record("nobody's")
        }
    }

    @Test(arguments: comings.indices) func `is found in an optional error`(_ coming: Int) {
        let error: (any Error)? = ErrorTests.comings[coming]()
        switch error {
        case LAError.userCancel?: Issue.record("another's")
        case LAError.userFallback?: break
        default: Issue.record("nobody's")
        }
        guard let found = error as? LAError, case .userFallback = found.code else {
            Issue.record("nobody's")
            return
        }
    }

    @Test(arguments: comings.indices) func `is an NSError too`(_ coming: Int) throws {
        let error = ErrorTests.comings[coming]()
        let nsError = error as NSError
        #expect(nsError.domain == LAErrorDomain && nsError.code == Int(kLAErrorUserFallback))
        #expect(nsError.code == LAError.userFallback.rawValue)
        switch nsError {
        case LAError.userCancel: Issue.record("another's")
        case LAError.userFallback: break
        default: Issue.record("nobody's")
        }
        let any: Any = error
        #expect((any as? NSError)?.code == -3)
        #expect((any as? LAError)?.code == .userFallback)
        #expect((nsError as? LAError)?.code == .userFallback)
    }

    @Test func `comes out of a function as NSErrorPointer`() {
        func fail(_ error: NSErrorPointer) -> Bool {
            error?.pointee = LAError(.biometryNotEnrolled) as NSError
            return false
        }
        var error: NSError?
        #expect(!fail(&error) && !fail(nil))
        switch error {
        case LAError.biometryNotEnrolled?: break
        default: Issue.record("nobody's")
        }
    }

    @Test func `of another domain, or with a code that nobody knows, is none`() {
        #expect(NSError(domain: NSCocoaErrorDomain, code: -3) as? LAError == nil)
        #expect(NSError(domain: LAErrorDomain, code: -99) as? LAError == nil)
        #expect((NSError(domain: LAErrorDomain, code: 0) as any Error) as? LAError == nil)
        do { throw NSError(domain: LAErrorDomain, code: -99) } catch LAError.userCancel {
            Issue.record("caught")
        } catch {}
    }

    @Test func `has Apple's names and numbers`() {
        let numbers: [(LAError.Code, Int32, Int)] = [
            (.authenticationFailed, kLAErrorAuthenticationFailed, -1), (.userCancel, kLAErrorUserCancel, -2),
            (.userFallback, kLAErrorUserFallback, -3), (.systemCancel, kLAErrorSystemCancel, -4),
            (.passcodeNotSet, kLAErrorPasscodeNotSet, -5), (.touchIDNotAvailable, kLAErrorTouchIDNotAvailable, -6),
            (.biometryNotAvailable, kLAErrorBiometryNotAvailable, -6),
            (.touchIDNotEnrolled, kLAErrorTouchIDNotEnrolled, -7),
            (.biometryNotEnrolled, kLAErrorBiometryNotEnrolled, -7), (.touchIDLockout, kLAErrorTouchIDLockout, -8),
            (.biometryLockout, kLAErrorBiometryLockout, -8), (.appCancel, kLAErrorAppCancel, -9),
            (.invalidContext, kLAErrorInvalidContext, -10), (.watchNotAvailable, kLAErrorWatchNotAvailable, -11),
            (.companionNotAvailable, kLAErrorCompanionNotAvailable, -11),
            (.biometryNotPaired, kLAErrorBiometryNotPaired, -12),
            (.biometryDisconnected, kLAErrorBiometryDisconnected, -13),
            (.invalidDimensions, kLAErrorInvalidDimensions, -14), (.notInteractive, kLAErrorNotInteractive, -1004),
        ]
        for (code, constant, number) in numbers {
            #expect(code.rawValue == number && Int(constant) == number)
        }
        #expect(Set(numbers.map(\.2)) == Set(LAError.Code.allCases.map(\.rawValue)))
        #expect(LAErrorDomain == "com.apple.LocalAuthentication")
        #expect(LAError.errorDomain == LAErrorDomain && kLAErrorDomain == LAErrorDomain)
        #expect(LAPolicy.deviceOwnerAuthenticationWithBiometrics.rawValue == 1)
        #expect(LAPolicy.deviceOwnerAuthentication.rawValue == 2)
        #expect(LABiometryType.none.rawValue == 0 && LABiometryType.touchID.rawValue == 1)
        #expect(LABiometryType.faceID.rawValue == 2 && LABiometryType.opticID.rawValue == 4)
    }

    @Test func `may be tried again where the person failed, cancelled or chose the fallback, and nowhere else`() {
        let retryable = LAError.Code.allCases.filter(\.isRetryable)
        #expect(Set(retryable) == [.authenticationFailed, .userCancel, .userFallback])
    }

    @Test func `two are equal if they say the same`() {
        #expect(LAError(.userCancel) == LAError(.userCancel))
        #expect(LAError(.userCancel) != LAError(.appCancel))
        #expect(Set([LAError(.userCancel), LAError(.userCancel)]).count == 1)
    }
}

/// What an error says besides its code.
@Suite struct ErrorContentTests {
    /// What only enrolling, deleting and the password's own process come to.
    static let neverOfTouch: Set<BioauthCore.Cause> = [
        .printExists, .duplicatePrint, .duplicateOfAnotherAccount, .noSuchPrint, .storageFailed, .enrollmentFailed,
        .readerCannotEnroll, .freshPasswordNeeded, .readerFull, .duplicateOnReader,
    ]

    /// Every cause that has a name for programs.
    static let named: [LAError.Cause] = [
        .mismatchesUsedUp, .personCancelled, .personChosePassword, .appWithdrew, .timedOut, .preempted, .suspended,
        .contended, .daemonStopping, .queued, .resting, .noReader, .readerFailed, .readerUnplugged, .readerHot,
        .readerBusy, .readerOpening, .remoteSession, .lidClosed, .sessionInactive, .sessionLocked, .sessionUnknown,
        .backgroundProcess, .serviceDisabled, .notPermitted, .unknownUser, .stateNotWritable, .protocolError,
        .tooManyRequests, .noDaemon, .notEnrolled, .printGone, .noPassword, .lockedOut, .passwordNeeded, .passwordFirst,
        .passwordTooOld, .passwordNeverGiven, .clockWentBack, .stateDamaged, .interactionForbidden, .nobodyToAsk,
        .permissionUnasked, .tooManySwitches, .passwordWrong, .passwordDelayed, .passwordUnavailable,
    ]

    @Test func `every denial of a touch has the code that goes with it, its cause by name, and words of its own`() {
        var sentences: Set<String> = []
        for cause in BioauthCore.Cause.allCases where !ErrorContentTests.neverOfTouch.contains(cause) {
            let error = LAError(Denial(cause))
            #expect(Int32(error.code.rawValue) == cause.code.rawValue, "\(cause)")
            #expect(error.cause.map(ErrorContentTests.named.contains) == true, "\(cause)")
            #expect((error as NSError).userInfo[LAError.causeKey] as? String == "\(cause)")
            #expect(error.endsIn == nil)
            #expect(sentences.insert(error.localizedDescription).inserted, "\(cause)")
        }
        #expect(sentences.count == ErrorContentTests.named.count)
    }

    @Test func `tells when it will be over`() {
        let error = LAError(Denial(.lockedOut, endsIn: .milliseconds(29_300)))
        #expect(error.endsIn == 29.3 && error.code == .biometryLockout)
        #expect((error as NSError).userInfo[LAError.endsInKey] as? TimeInterval == 29.3)
    }

    @Test func `the program's own mistakes are told apart`() {
        #expect(LAError(.contextInvalidated).code == .invalidContext)
        #expect(LAError(.evaluationRunning).code == .systemCancel)
        #expect(LAError(.reasonMissing).code == .notInteractive)
        let causes = Set(LAError.Misuse.allCases.map { LAError($0).cause })
        #expect(causes == [.contextInvalidated, .evaluationRunning, .reasonMissing])
        #expect(causes.isDisjoint(with: ErrorContentTests.named))
    }

    @Test func `a program's own has its code's words, unless it brings its own`() {
        for code in LAError.Code.allCases {
            let words = LAError(code).localizedDescription
            #expect(!words.isEmpty && !words.contains("com.apple"))
            #expect((LAError(code) as any Error).localizedDescription == words)
            #expect((NSError(domain: LAErrorDomain, code: code.rawValue) as? LAError)?.localizedDescription == words)
        }
        #expect(
            Set(LAError.Code.allCases.map { LAError($0).localizedDescription }).count == LAError.Code.allCases.count)
        let own = LAError(.userCancel, userInfo: [NSLocalizedDescriptionKey: "Never mind.", "more": 1])
        #expect(own.localizedDescription == "Never mind." && own.userInfo["more"] as? Int == 1 && own.cause == nil)
        #expect(((own as NSError) as? LAError)?.localizedDescription == "Never mind.")
    }
}
