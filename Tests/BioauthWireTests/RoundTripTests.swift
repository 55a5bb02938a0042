import BioauthCore
import Testing

@testable import BioauthWire

@Suite struct RoundTripTests {
    @Test func `a message is read as it was written`() throws {
        for message in Samples.everyClientMessage {
            #expect(try ClientMessage(decoding: message.encoded()) == message)
        }
        for message in Samples.everyDaemonMessage {
            #expect(try DaemonMessage(decoding: message.encoded()) == message)
        }
    }

    @Test(arguments: [false, true])
    func `a password is found where it stands in the message`(wantsTicket: Bool) throws {
        let bytes = ClientMessage.encodePassword(
            Samples.account, secret: Samples.secret, wantsTicket: wantsTicket)
        guard case .password(let account, let secret, let ticket) = try ClientMessage(decoding: bytes) else {
            Issue.record("not a password")
            return
        }
        #expect(account == Samples.account)
        #expect(Array(bytes[secret]) == Samples.secret)
        #expect(ticket == wantsTicket)
    }

    @Test func `the samples hold a message of every type`() {
        let client = Set(Samples.everyClientMessage.map { RawMessage($0.encoded()).type })
        #expect(client == Set(Array(1...11) + Array(13...18)))
        let daemon = Set(Samples.everyDaemonMessage.map { RawMessage($0.encoded()).type })
        #expect(daemon == Set(64...82))
    }

    @Test func `numbers too large for their field travel as the largest`() throws {
        let wait = Wait(cause: .queued, place: 70_000, endsIn: .seconds(1 << 40))
        let read = try DaemonMessage(decoding: DaemonMessage.waiting(wait).encoded())
        #expect(read == .waiting(Wait(cause: .queued, place: 65_535, endsIn: .milliseconds(UInt32.max))))
        #expect(
            try DaemonMessage(decoding: DaemonMessage.mismatch(triesLeft: 999).encoded()) == .mismatch(triesLeft: 255))
        #expect(try DaemonMessage(decoding: DaemonMessage.mismatch(triesLeft: -1).encoded()) == .mismatch(triesLeft: 0))
    }

    @Test func `what is left of a delay is rounded up and never negative`() throws {
        let left: [(Duration, Duration)] = [
            (.nanoseconds(1), .milliseconds(1)), (.microseconds(1001), .milliseconds(2)),
            (.milliseconds(2), .milliseconds(2)), (.zero, .zero), (.seconds(-5), .zero),
        ]
        for (given, told) in left {
            let bytes = DaemonMessage.refused(Denial(.lockedOut, endsIn: given)).encoded()
            #expect(try DaemonMessage(decoding: bytes) == .refused(Denial(.lockedOut, endsIn: told)))
        }
    }

    @Test(arguments: DenialCode.allCases)
    func `a cause that is not known is read as the one that stands for its code`(code: DenialCode) throws {
        let bytes = RawMessage(type: 75, [(43, little(code.rawValue)), (37, little(UInt16(9999)))]).bytes
        guard case .refused(let denial) = try DaemonMessage(decoding: bytes) else {
            Issue.record("not a refusal")
            return
        }
        #expect(denial.code == code)
        #expect(denial.cause == code.standIn)
    }

    @Test func `where no code goes with a cause that is not known, the cautious one is read`() throws {
        let unknown: RawMessage.Field = (37, little(UInt16(9999)))
        #expect(
            try DaemonMessage(decoding: RawMessage(type: 67, [unknown]).bytes) == .waiting(Wait(cause: .queued)))
        #expect(
            try DaemonMessage(decoding: RawMessage(type: 70, [(16, [0]), unknown]).bytes)
                == .passwordVerdict(.unavailable))
        #expect(
            try DaemonMessage(decoding: RawMessage(type: 75, [(43, little(Int32(-99))), unknown]).bytes)
                == .refused(Denial(DenialCode.biometryNotAvailable.standIn)))
        #expect(
            try DaemonMessage(decoding: RawMessage(type: 77, [(48, unknown.value), (49, [2])]).bytes)
                == .problem(.malformed))
        let event = WatchEvent(kind: .denied, time: 5)
        let bytes = RawMessage(DaemonMessage.event(event).encoded()).setting(37, unknown.value).bytes
        #expect(try DaemonMessage(decoding: bytes) == .event(event))
    }

    @Test func `a reason to touch again that is not known is the general one`() throws {
        #expect(try DaemonMessage(decoding: RawMessage(type: 65, [(36, [200])]).bytes) == .retry(.general))
        let enrolling = RawMessage(DaemonMessage.enrolling(stage: 1, stages: 5, retry: .tooFast).encoded())
        #expect(
            try DaemonMessage(decoding: enrolling.setting(36, [200]).bytes)
                == .enrolling(stage: 1, stages: 5, retry: .general))
    }

    @Test func `half a denial is never the absence of one`() {
        let full = RawMessage(
            DaemonMessage.status(Samples.reports.last!).encoded())
        for half: RawMessage.Field in [(37, little(UInt16(29))), (43, little(Int32(-8)))] {
            let standing = RawMessage.bytes(of: [(54, [1]), half])
            #expect(throws: WireError.self) {
                try DaemonMessage(decoding: full.inserting((63, standing), at: 0).bytes)
            }
        }
    }
}
