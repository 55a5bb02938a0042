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

    /// Messages that the module never sees, put down byte by byte after the protocol's page.
    @Test func `the messages of the command and of the password's process have these bytes`() throws {
        let account = Account(uid: 1000, name: "user")
        let ticket = Ticket(bytes: Array(0..<16))!
        let who = "01000400e8030000" + "0200040075736572"
        let proof = "0e001000000102030405060708090a0b0c0d0e0f"
        let client: [(ClientMessage, String)] = [
            (.status(account), "01000400" + who),
            (.list(account), "01000500" + who),
            (.enroll(account, .rightIndex, nil), "01000600" + who + "0d00010007"),
            (.enroll(account, .leftThumb, ticket), "01000600" + who + "0d00010001" + proof),
            (.delete(account, nil, nil), "01000700" + who),
            (.delete(account, .rightLittle, ticket), "01000700" + who + "0d0001000a" + proof),
            (.unlock(account), "01000800" + who),
            (.watch, "01000900"),
            (.passwordTurn(account, peerUID: 0x0102_0304), "01000a00" + who + "0f00040004030201"),
            (.passwordResult(right: true, wantsTicket: true), "01000b00" + "1000010001" + "1100010001"),
            (.passwordResult(right: false, wantsTicket: false), "01000b00" + "1000010000"),
        ]
        for (message, hex) in client {
            #expect(message.encoded() == [UInt8](hex: hex))
            #expect(try ClientMessage(decoding: [UInt8](hex: hex)) == message)
        }
        let lockedOut = Denial(.lockedOut, endsIn: .seconds(30), lockoutBegan: true)
        let lockedOutBytes = "2b000400f8ffffff" + "250002001d00" + "2700040030750000" + "2c00010001"
        let print = PrintEntry(finger: .leftIndex, driver: "d", device: "0", enrolled: "2026-03-31", damaged: false)
        let damaged = PrintEntry(finger: .leftThumb, driver: "d", device: "", enrolled: nil, damaged: true)
        let printBytes =
            "37002200" + "0d00010002" + "3800010064" + "4100010030" + "39000a00323032362d30332d3331" + "3a00010000"
        let damagedBytes = "37000f00" + "0d00010001" + "3800010064" + "3a00010001"
        let report = StatusReport(
            daemonVersion: "1", readerState: .ready, reader: "R", driver: "d", waiting: 1, prints: 2, damagedPrints: 3,
            mismatches: 4, passwordAge: .seconds(5), standings: [.init(.app, nil), .init(.login, lockedOut)])
        let event = WatchEvent(
            kind: .denied, time: 0x0102, account: account, service: "su", serviceClass: .privilege, cause: .lockedOut,
            reader: "R", finger: .leftIndex)
        let daemon: [(DaemonMessage, String)] = [
            (.enrolling(stage: 2, stages: 5, retry: nil), "01004500" + "2d00010002" + "2e00010005"),
            (.enrolling(stage: 2, stages: 5, retry: .tooFast), "01004500" + "2d00010002" + "2e00010005" + "2400010004"),
            (
                .status(report),
                "01004800" + "3e00010031" + "3400010003" + "2200010052" + "3800010064" + "400002000100"
                    + "350002000200" + "3a0002000300" + "3200040004000000" + "330008000500000000000000"
                    + "3f000500" + "3600010001" + "3f002000" + "3600010004" + lockedOutBytes
            ),
            (.prints([print, damaged]), "01004900" + printBytes + damagedBytes),
            (.prints([]), "01004900"),
            (.done(nil), "01004a00"),
            (.done(ticket), "01004a00" + proof),
            (.refused(lockedOut), "01004b00" + lockedOutBytes),
            (
                .event(event),
                "01004c00" + "3b00010006" + "3d0008000201000000000000" + who + "030002007375" + "3600010002"
                    + "250002001d00" + "2200010052" + "0d00010002"
            ),
        ]
        for (message, hex) in daemon {
            #expect(message.encoded() == [UInt8](hex: hex))
            #expect(try DaemonMessage(decoding: [UInt8](hex: hex)) == message)
        }
    }
}
