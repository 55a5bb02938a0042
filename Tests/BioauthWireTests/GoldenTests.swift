import BioauthCore
import Testing

@testable import BioauthWire

/// The Swift codec meets the byte vectors that the module's codec meets too.
@Suite struct GoldenTests {
    @Test func `a golden vector is read as it is told`() throws {
        for vector in GoldenVector.all {
            switch vector.meaning {
            case .message(let told, _):
                let read = try AnyMessage(decoding: vector.bytes)
                #expect(read.withoutSecret == told.value, "\(vector.name)")
                if case .client(.password(_, let secret, _)) = read {
                    #expect(Array(vector.bytes[secret]) == Array((told.fields["password"] ?? "").utf8))
                }
            case .refused:
                #expect(throws: WireError.self, "\(vector.name)") { try ClientMessage(decoding: vector.bytes) }
                #expect(throws: WireError.self, "\(vector.name)") { try DaemonMessage(decoding: vector.bytes) }
            case .unknownType:
                let type = RawMessage(vector.bytes).type
                #expect(throws: WireError.unknownType(type)) { try ClientMessage(decoding: vector.bytes) }
                #expect(throws: WireError.unknownType(type)) { try DaemonMessage(decoding: vector.bytes) }
            }
        }
    }

    @Test func `what a golden vector tells is written as its bytes`() throws {
        var written = 0
        for vector in GoldenVector.messages {
            guard case .message(let told, isWriters: true) = vector.meaning else { continue }
            // Only a daemon of another version writes another version's number.
            if let version: UInt8 = told.number("protocolVersion"), version != wireVersion { continue }
            let bytes =
                switch try #require(told.value) {
                case .client(.password(let account, _, let wantsTicket)):
                    ClientMessage.encodePassword(
                        account, secret: Array((told.fields["password"] ?? "").utf8), wantsTicket: wantsTicket)
                case .client(let message): message.encoded()
                case .daemon(let message): message.encoded()
                }
            #expect(bytes == vector.bytes, "\(vector.name)")
            written += 1
        }
        #expect(written >= 50)
    }

    @Test func `the messages that the module never sees have the bytes of the fuzzer's seeds`() throws {
        let account = Account(uid: 1000, name: "user")
        let ticket = Ticket(bytes: Array(0..<16))!
        let lockedOut = Denial(.lockedOut, endsIn: .seconds(30), lockoutBegan: true)
        let messages: [String: AnyMessage] = [
            "status": .client(.status(account)),
            "examine": .client(.examine(account, service: "su", tty: "t")),
            "list": .client(.list(account)),
            "enroll": .client(.enroll(account, .rightIndex, nil)),
            "enroll-with-ticket": .client(.enroll(account, .leftThumb, ticket)),
            "delete-all": .client(.delete(account, nil, nil)),
            "delete-with-ticket": .client(.delete(account, .rightLittle, ticket)),
            "unlock": .client(.unlock(account)),
            "watch": .client(.watch),
            "password-turn": .client(.passwordTurn(account, peerUID: 0x0102_0304)),
            "password-right": .client(.passwordResult(right: true, wantsTicket: true)),
            "password-wrong": .client(.passwordResult(right: false, wantsTicket: false)),
            "enrolling": .daemon(.enrolling(stage: 2, stages: 5, retry: nil)),
            "enrolling-again": .daemon(.enrolling(stage: 2, stages: 5, retry: .tooFast)),
            "status-report": .daemon(
                .status(
                    StatusReport(
                        daemonVersion: "1", readerState: .ready, reader: "R", driver: "d", waiting: 1, prints: 2,
                        damagedPrints: 3, mismatches: 4, passwordAge: .seconds(5),
                        standings: [.init(.app, nil), .init(.login, lockedOut)]))),
            "examination": .daemon(
                .examination(
                    Examination(
                        serviceClass: .privilege, denial: lockedOut,
                        origin: .session(Session(id: "c2", isRemote: true, isActive: true, isLocked: true)),
                        isLidShut: true, isReaderBuiltIn: true))),
            "examination-least": .daemon(
                .examination(
                    Examination(
                        serviceClass: nil, denial: nil, origin: .unmanaged, isLidShut: false, isReaderBuiltIn: false))),
            "prints-none": .daemon(.prints([])),
            "prints": .daemon(
                .prints([
                    PrintEntry(finger: .leftIndex, driver: "d", device: "0", enrolled: "2026-03-31", damaged: false),
                    PrintEntry(finger: .leftThumb, driver: "d", device: "", enrolled: nil, damaged: true),
                ])),
            "done": .daemon(.done(nil)),
            "done-with-ticket": .daemon(.done(ticket)),
            "refused": .daemon(.refused(lockedOut)),
            "event": .daemon(
                .event(
                    WatchEvent(
                        kind: .denied, time: 0x0102, account: account, service: "su", serviceClass: .privilege,
                        cause: .lockedOut, reader: "R", finger: .leftIndex))),
        ]
        let seeds = try GoldenVector.fuzzSeeds()
        #expect(Set(seeds.keys) == Set(messages.keys))
        for (name, message) in messages {
            let bytes = try #require(seeds[name])
            #expect(try AnyMessage(decoding: bytes) == message, "\(name)")
            #expect(message.encoded(from: []) == bytes, "\(name)")
        }
    }
}
