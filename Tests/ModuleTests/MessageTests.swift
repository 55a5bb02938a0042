import Foundation
import Testing

/// What the person is told while it happens, and which code the host gets at the end.
@Suite(.serialized) struct MessageTests {
    static let prompt = "Touch the fingerprint reader with your finger."

    @Test func touchAfterABadScanAndAMismatch() throws {
        let (run, _) = try Stage().run(against: {
            $0.send(Datagram.prompt(finger: 7))
            $0.send(Datagram.retry(2))
            $0.send(Datagram.mismatch(triesLeft: 2))
            $0.send(Datagram.mismatch(triesLeft: 1))
            $0.send(Datagram.allowed())
            $0.untilClosed()
        })
        expect(run, "PAM_SUCCESS")
        #expect(
            run.told == [
                "Touch the fingerprint reader with your right index finger.",
                "error: The finger was off centre. Try again with the finger in the middle of the reader.",
                "error: Not recognised. Try again (2 tries left).",
                "error: Not recognised. Try again (1 try left).",
            ])
    }

    @Test func mismatchesUsedUp() throws {
        let (run, _) = try Stage().run(against: {
            $0.send(Datagram.prompt(scan: 2))
            $0.send(Datagram.mismatch(triesLeft: 0))
            $0.send(Datagram.denied(-1, 1))
            $0.untilClosed()
        })
        expect(run, "PAM_MAXTRIES")
        #expect(
            run.told == [
                "Swipe your finger across the fingerprint reader.", "error: Not recognised.",
                "error: Too many tries. Use your password.",
            ])
    }

    @Test(
        arguments: [
            (0, "The reader could not see the finger well. Try again."), (1, "That was too short. Try again."),
            (3, "Lift your finger, then touch the reader again."), (4, "That was too fast. Try again more slowly."),
            (200, "The reader could not see the finger well. Try again."),
        ] as [(UInt8, String)])
    func retries(_ reason: UInt8, _ text: String) throws {
        let (run, _) = try Stage().run(against: {
            $0.send(Datagram.retry(reason))
            $0.send(Datagram.allowed())
            $0.untilClosed()
        })
        expect(run, "PAM_SUCCESS")
        #expect(run.told == ["error: " + text])
    }

    static let sudo = Datagram.field(40, "sudo")
    static let terminal = Datagram.field(41, "/dev/pts/4")
    static let process = Datagram.field(42, UInt32(4242))

    @Test(
        arguments: [
            (
                Datagram.waiting(7, sudo, terminal, process),
                "sudo on /dev/pts/4 (process 4242) has the fingerprint reader. Wait until it has ended."
            ),
            (Datagram.waiting(7), "The computer goes to sleep. When it is awake, you are asked for your finger again."),
            (
                Datagram.waiting(8, sudo, process),
                "sudo (process 4242) asks for your finger too, so neither gets it. End the one you don't want."
            ),
            (
                Datagram.waiting(8),
                "Another program asks for your finger too, so neither gets it. End the one you don't want."
            ),
            (
                Datagram.waiting(10, Datagram.field(38, UInt16(1))),
                "The fingerprint reader is in use, and 1 request goes first. Please wait."
            ),
            (
                Datagram.waiting(10, Datagram.field(38, UInt16(3))),
                "The fingerprint reader is in use, and 3 requests go first. Please wait."
            ),
            (
                Datagram.waiting(15, Datagram.field(39, UInt32(90_001))),
                "The fingerprint reader is too warm. Wait 91 seconds."
            ),
            (
                Datagram.waiting(15, Datagram.field(39, UInt32.max)),
                "The fingerprint reader is too warm. Wait 71583 minutes."
            ),
            (Datagram.waiting(14), "The fingerprint reader is unplugged. Plug it in again."),
            (Datagram.waiting(13), "The fingerprint reader does not work just now. It is tried again."),
            (Datagram.waiting(16), "The fingerprint reader is not ready yet. Please wait."),
            (Datagram.waiting(60_000), "The fingerprint reader is not ready yet. Please wait."),
        ] as [([UInt8], String)])
    func waits(_ message: [UInt8], _ text: String) throws {
        let (run, _) = try Stage().run(against: {
            $0.send(message)
            $0.send(Datagram.allowed())
            $0.untilClosed()
        })
        expect(run, "PAM_SUCCESS")
        #expect(run.told == [text])
    }

    @Test func longNamesAreCutBetweenCharacters() throws {
        let name = "su" + String(repeating: "나", count: 84)
        let wait = Datagram.waiting(8, Datagram.field(40, name), Datagram.field(41, name), Self.process)
        let (run, _) = try Stage().run(against: {
            $0.send(wait)
            $0.send(Datagram.allowed())
            $0.untilClosed()
        })
        expect(run, "PAM_SUCCESS")
        let cut = "su" + String(repeating: "나", count: 20)
        #expect(run.told.first?.hasPrefix("\(cut) on \(cut) (process 4242) asks") == true)
    }

    /// Denials that come before anything was asked of the person.
    @Test(
        arguments: [
            (-4, 5), (-6, 12), (-6, 13), (-6, 17), (-6, 18), (-6, 19), (-6, 20), (-6, 21), (-6, 22), (-6, 23), (-6, 26),
            (-6, 37), (-6, 38), (-7, 27), (-5, 28), (-1004, 24), (-1004, 25), (-2, 2), (-9, 4), (-77, 999),
        ] as [(Int32, UInt16)])
    func nothingIsSaidWhereNothingCanBeTouched(_ code: Int32, _ cause: UInt16) throws {
        let (run, _) = try Stage(password: "first").run(
            against: {
                $0.send(Datagram.denied(code, cause))
                $0.untilClosed()
            }, arguments: ["--answer", ""])
        expect(run, "PAM_AUTHINFO_UNAVAIL")
        #expect(run.told.isEmpty)
    }

    @Test(
        arguments: [
            (
                Datagram.denied(-8, 29, endsIn: 30_000, began: true), "PAM_MAXTRIES",
                "Too many mismatches: the finger rests for 30 seconds. Use your password."
            ),
            (
                Datagram.denied(-8, 29, endsIn: 12_345), "PAM_AUTHINFO_UNAVAIL",
                "After too many mismatches the finger rests for 13 seconds more. Use your password."
            ),
            (
                Datagram.denied(-8, 29, endsIn: 1), "PAM_AUTHINFO_UNAVAIL",
                "After too many mismatches the finger rests for 1 second more. Use your password."
            ),
            (
                Datagram.denied(-8, 29, endsIn: 180_000), "PAM_AUTHINFO_UNAVAIL",
                "After too many mismatches the finger rests for 3 minutes more. Use your password."
            ),
            (
                Datagram.denied(-8, 30, began: true), "PAM_MAXTRIES",
                "Too many mismatches: the finger is off until you give your password."
            ),
            (
                Datagram.denied(-8, 31), "PAM_AUTHINFO_UNAVAIL",
                "After a restart your password comes first, then the finger. Use your password."
            ),
            (
                Datagram.denied(-8, 32), "PAM_AUTHINFO_UNAVAIL",
                "Your password was last given too long ago. Use it now, then the finger works again."
            ),
            (
                Datagram.denied(-8, 33), "PAM_AUTHINFO_UNAVAIL",
                "The finger works after your password was given once. Use your password."
            ),
            (
                Datagram.denied(-8, 34), "PAM_AUTHINFO_UNAVAIL",
                "The system's clock went back, so the finger is off until you give your password."
            ),
            (
                Datagram.denied(-8, 35), "PAM_AUTHINFO_UNAVAIL",
                "The record of mismatches is damaged, so the finger is off until you give your password."
            ),
            (Datagram.denied(-8, 999), "PAM_AUTHINFO_UNAVAIL", "The finger is locked. Use your password."),
            (
                Datagram.denied(-6, 36), "PAM_AUTHINFO_UNAVAIL",
                "Mismatches can't be recorded, so the finger is off. Use your password, and tell the administrator."
            ),
        ] as [([UInt8], String, String)])
    func lockoutIsSaidInAnyCase(_ verdict: [UInt8], _ result: String, _ text: String) throws {
        let (run, _) = try Stage(password: "first").run(
            against: {
                $0.send(verdict)
                $0.untilClosed()
            }, arguments: ["--answer", ""])
        expect(run, result)
        #expect(run.told == ["error: " + text])
    }

    @Test(
        arguments: [
            (-4, 5, "No finger was recognised in time. Use your password."),
            (-4, 8, "Two programs asked for your finger, so neither got it. Use your password."),
            (-4, 6, "The fingerprint reader is needed elsewhere. Use your password."),
            (-4, 9, "The fingerprint service stops. Use your password."),
            (-6, 14, "The fingerprint reader is gone. Use your password."),
            (-6, 13, "The fingerprint reader does not work. Use your password."),
            (-6, 15, "The fingerprint reader is too warm. Use your password."),
            (-6, 18, "The finger can't be used any more. Use your password."),
            (-77, 999, "The finger can't be used any more. Use your password."),
        ] as [(Int32, UInt16, String)])
    func endAfterThePromptIsSaid(_ code: Int32, _ cause: UInt16, _ text: String) throws {
        let (run, _) = try Stage(password: "first").run(
            against: {
                $0.send(Datagram.prompt())
                $0.send(Datagram.denied(code, cause))
                $0.untilClosed()
            }, arguments: ["--answer", ""])
        expect(run, "PAM_AUTH_ERR")
        #expect(run.told == [Self.prompt, "error: " + text])
    }

    @Test(arguments: [(-2, 2), (-3, 3)] as [(Int32, UInt16)])
    func personKnowsWhatThePersonDid(_ code: Int32, _ cause: UInt16) throws {
        let (run, _) = try Stage().run(against: {
            $0.send(Datagram.prompt())
            $0.send(Datagram.denied(code, cause))
            $0.untilClosed()
        })
        expect(run, "PAM_AUTHINFO_UNAVAIL")
        #expect(run.told == [Self.prompt])
    }

    @Test func quietSaysNothingAndStillTakesTheFinger() throws {
        let (run, received) = try Stage().run(
            "quiet",
            against: {
                $0.send(Datagram.prompt())
                $0.send(Datagram.mismatch(triesLeft: 2))
                $0.send(Datagram.allowed())
                $0.untilClosed()
            })
        expect(run, "PAM_SUCCESS")
        #expect(run.told.isEmpty && received.first?.number(8) == 1)
    }

    @Test func hostThatTakesNoMessagesGetsNoFinger() throws {
        let (run, _) = try Stage().run(
            against: {
                $0.send(Datagram.prompt())
                $0.untilClosed()
            }, arguments: ["--conversation", "refuse"])
        expect(run, "PAM_AUTHINFO_UNAVAIL")
        #expect(run.told == [Self.prompt] && run.took < .seconds(1))
    }

    @Test func hostWithoutAConversationIsSaidToHaveNobodyToPrompt() throws {
        let (run, received) = try Stage().run(
            against: {
                $0.send(Datagram.denied(-1004, 25))
                $0.untilClosed()
            }, arguments: ["--conversation", "none"])
        expect(run, "PAM_AUTHINFO_UNAVAIL")
        #expect(received.first?.number(8) == 0)
    }

    @Test func hostWithoutAConversationIsNotPrompted() throws {
        let (run, _) = try Stage().run(
            against: {
                $0.send(Datagram.prompt())
                $0.untilClosed()
            }, arguments: ["--conversation", "none"])
        expect(run, "PAM_AUTHINFO_UNAVAIL")
    }

    @Test func answersToWhatIsNoQuestionAreFreed() throws {
        let (run, _) = try Stage().run(
            against: {
                $0.send(Datagram.prompt())
                $0.send(Datagram.retry(0))
                $0.send(Datagram.denied(-1, 1))
                $0.untilClosed()
            }, arguments: ["--conversation", "answer", "--repeat", "5"])
        #expect(run.status == 1 && run.results.count == 5, "\(run.log)")
    }
}
