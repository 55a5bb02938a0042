import BioauthCore
import Testing

@Suite struct DenialTests {
    @Test func `the codes are Apple's`() {
        let codes: [(DenialCode, Int32)] = [
            (.authenticationFailed, -1), (.userCancel, -2), (.userFallback, -3), (.systemCancel, -4),
            (.passcodeNotSet, -5), (.biometryNotAvailable, -6), (.biometryNotEnrolled, -7), (.biometryLockout, -8),
            (.appCancel, -9), (.notInteractive, -1004),
        ]
        #expect(codes.map(\.0) == DenialCode.allCases)
        for (code, raw) in codes { #expect(code.rawValue == raw) }
    }

    /// Every outcome that is not a match, with the code under which apps hear of it.
    @Test(
        arguments: [
            (.authenticationFailed, [.mismatchesUsedUp]),
            (.userCancel, [.personCancelled]),
            (.userFallback, [.personChosePassword]),
            (.systemCancel, [.timedOut, .preempted, .suspended, .contended, .daemonStopping, .queued, .resting]),
            (.passcodeNotSet, [.noPassword]),
            (
                .biometryNotAvailable,
                [
                    .noReader, .readerFailed, .readerUnplugged, .readerHot, .readerBusy, .readerOpening, .remoteSession,
                    .lidClosed,
                    .sessionInactive, .sessionLocked, .backgroundProcess, .serviceDisabled, .notPermitted, .unknownUser,
                    .stateNotWritable, .protocolError, .tooManyRequests, .noDaemon, .sessionUnknown,
                    .readerFull, .duplicateOnReader,
                ]
            ),
            (.biometryNotEnrolled, [.notEnrolled, .printGone]),
            (
                .biometryLockout,
                [
                    .lockedOut, .passwordNeeded, .passwordFirst, .passwordTooOld, .passwordNeverGiven, .clockWentBack,
                    .stateDamaged,
                ]
            ),
            (.appCancel, [.appWithdrew]),
            (.notInteractive, [.interactionForbidden, .nobodyToAsk]),
        ] as [(DenialCode, [Cause])])
    func `each cause has its code`(code: DenialCode, causes: [Cause]) {
        for cause in causes { #expect(Denial(cause).code == code) }
    }

    @Test func `the causes' numbers stay what they are`() {
        #expect(Cause.allCases.map(\.rawValue) == Array(1...UInt16(Cause.allCases.count)))
        #expect(Cause.mismatchesUsedUp.rawValue == 1 && Cause.lockedOut.rawValue == 29)
        #expect(Cause.noDaemon.rawValue == 39 && Cause.passwordUnavailable.rawValue == 50)
        #expect(Cause.sessionUnknown.rawValue == 51)
        #expect(Cause.readerBusy.rawValue == 54)
        #expect(Cause.printGone.rawValue == 55 && Cause.duplicateOnReader.rawValue == 57)
    }

    @Test func `who asks for an account that isn't theirs hears nothing of how that stood before`() {
        for denial in [Denial(.lockedOut, endsIn: .seconds(9)), Denial(.passwordNeverGiven), Denial(.printGone)] {
            #expect(denial.told(toAnother: true) == Denial(.notEnrolled))
            #expect(denial.told(toAnother: false) == denial)
        }
        for denial in [Denial(.lockedOut, lockoutBegan: true), Denial(.noReader), Denial(.mismatchesUsedUp)] {
            #expect(denial.told(toAnother: true) == denial)
        }
    }

    @Test(arguments: DenialCode.allCases)
    func `the cause that stands in for a code has that code`(code: DenialCode) {
        #expect(code.standIn.code == code)
    }
}
