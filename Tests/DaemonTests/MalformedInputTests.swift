import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation
import SyntheticFingers
import TestSupport
import Testing

@Suite("Malformed input") struct MalformedInputTests {
    private let daemon: DaemonUnderTest
    private let status = ClientMessage.status(DaemonUnderTest.account)

    init() throws {
        daemon = try DaemonUnderTest()
    }

    /// What the daemon answers to the bytes before it closes.
    private func answers(_ bytes: [UInt8]) throws -> [DaemonMessage] {
        let client = try RawClient(daemon)
        guard case .sent = try client.socket.send(bytes) else { throw DaemonUnderTest.Unexpected() }
        var answers: [DaemonMessage] = []
        while let answer = try client.answer() { answers.append(answer) }
        return answers
    }

    @Test("A message cut short anywhere is malformed, and the daemon goes on")
    func truncated() throws {
        let whole = ClientMessage.authenticate(
            Authenticate(account: DaemonUnderTest.account, service: "sudo", tty: "/dev/pts/1", reason: "why")
        ).encoded()
        for count in 1..<whole.count {
            #expect(try answers(Array(whole[..<count])) == [.problem(.malformed)], "\(count) bytes")
        }
        _ = try daemon.status()
    }

    @Test("A message of 4096 bytes is read, and one of 4097 is refused")
    func oversized() throws {
        // Fields of a tag that nobody knows are passed over.
        func padded(to count: Int) -> [UInt8] {
            let bytes = status.encoded()
            let rest = count - bytes.count - 4
            return bytes + [0xFF, 0xFF, UInt8(rest & 0xFF), UInt8(rest >> 8)] + [UInt8](repeating: 7, count: rest)
        }
        let client = try RawClient(daemon)
        guard case .sent = try client.socket.send(padded(to: Limits.messageBytes)) else {
            throw DaemonUnderTest.Unexpected()
        }
        guard case .status = try client.answer() else { throw DaemonUnderTest.Unexpected() }
        #expect(try answers(padded(to: Limits.messageBytes + 1)) == [.problem(.oversized)])
        #expect(try answers([UInt8](repeating: 1, count: 100_000)) == [.problem(.oversized)])
    }

    @Test("Another version is refused by name")
    func version() throws {
        for version: UInt8 in [0, 2, 255] {
            #expect(try answers([version] + status.encoded().dropFirst()) == [.problem(.unsupportedVersion)])
        }
    }

    @Test("A message of an unknown type is told so, and the connection goes on; so it does with the daemon's own types")
    func unknownType() throws {
        let client = try RawClient(daemon)
        for type: UInt16 in [0, 19, 63, 64, 68, 74, 82, 255, 65535] {
            let bytes = [1, 0, UInt8(type & 0xFF), UInt8(type >> 8)]
            guard case .sent = try client.socket.send(bytes) else { throw DaemonUnderTest.Unexpected() }
            #expect(try client.answer() == .problem(.unknownMessage), "type \(type)")
        }
        guard case .sent = try client.socket.send(status.encoded()), case .status = try client.answer() else {
            throw DaemonUnderTest.Unexpected()
        }
    }

    @Test("Random bytes, and messages with bytes changed, end no more than their own connection")
    func random() throws {
        var random = SplitMix64(42)
        let messages: [ClientMessage] = [
            status, .list(DaemonUnderTest.account), .watch, .cancel(.app),
            .passwordResult(right: true, wantsTicket: true),
            .authenticate(Authenticate(account: DaemonUnderTest.account, service: "sudo")),
            .enroll(DaemonUnderTest.account, .leftThumb, Ticket(bytes: [UInt8](repeating: 9, count: 16))),
            .passwordTurn(DaemonUnderTest.account, peerUID: 7), .unlock(DaemonUnderTest.account),
            .switches(DaemonUnderTest.account),
            .setSwitch(
                SwitchChange(
                    account: DaemonUnderTest.account, service: "notes", isApp: true, subject: Switch(.app, "notes"),
                    isOn: false, ticket: Ticket(bytes: [UInt8](repeating: 9, count: 16)))),
        ]
        for round in 0..<400 {
            var bytes = messages[round % messages.count].encoded()
            if round % 4 == 0 {
                bytes = random.bytes(1 + random.below(300))
                if round % 8 == 0 { bytes[0] = 1 }
            } else {
                for _ in 0...random.below(3) {
                    bytes[random.below(bytes.count)] = UInt8(random.below(256))
                }
            }
            let client = try RawClient(daemon)
            guard case .sent = try client.socket.send(bytes) else { throw DaemonUnderTest.Unexpected() }
        }
        // Those before were read before this one is.
        _ = try daemon.status()
        #expect(try daemon.stop() == 0)
    }

    @Test("An empty message ends its own connection alone")
    func empty() throws {
        let client = try RawClient(daemon)
        guard case .sent = try client.socket.send([]) else { throw DaemonUnderTest.Unexpected() }
        #expect(try client.answer() == nil)
        _ = try daemon.status()
    }

    // MARK: Names

    @Test("A name with slashes or dots is a name like any other, and no path")
    func names() throws {
        for (uid, name) in [
            (5001, "../../../escape"), (5002, "/etc/passwd"), (5003, ".."), (5004, "."), (5005, "a b=c"),
        ] {
            let account = Account(uid: UInt32(uid), name: name)
            try daemon.givePassword(account)
            #expect(try daemon.status(of: account).standings.allSatisfy { $0.denial == nil }, "\(name)")
            #expect(try daemon.denial(account) == .notEnrolled)
        }
        #expect(try names(in: daemon.stateDirectory) == ["prints", "users"])
        #expect(
            try names(in: daemon.stateDirectory + "/users") == (5001...5005).map { "\($0).state" })

        #expect(try daemon.enroll(Account(uid: 5001, name: "../../../escape"), synthetic: 1) == .done(nil))
        #expect(try names(in: daemon.stateDirectory + "/prints") == ["5001"])
        #expect(
            try daemon.verdict(Account(uid: 5001, name: "../../../escape"), touches: [1]) == .allowed(.rightIndex))
    }

    @Test("A name of 256 bytes is taken; of 257, of 300, with a control character or not UTF-8 it is malformed")
    func badNames() throws {
        let longest = Account(uid: 5001, name: String(repeating: "n", count: 256))
        #expect(try daemon.status(of: longest).mismatches == 0)
        for bytes in [
            [UInt8](repeating: 0x6E, count: 257), [UInt8](repeating: 0x6E, count: 300), [0x61, 0xFF, 0x62],
            [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0x61, 0x00, 0x62], [0x61, 0x0A], [],
        ] {
            #expect(try answers(status(named: bytes)) == [.problem(.malformed)], "\(bytes.count) bytes")
        }
    }

    /// A `status` message about the account of that name, whatever bytes the name has.
    private func status(named name: [UInt8]) -> [UInt8] {
        [1, 0, 4, 0] + [1, 0, 4, 0, 0, 0, 0, 0] + [2, 0, UInt8(name.count & 0xFF), UInt8(name.count >> 8)] + name
    }

    @Test("An unknown user is one who has enrolled nothing")
    func unknownUser() throws {
        let nobody = Account(uid: 4_000_000_000, name: "there-is-no-such-user")
        #expect(try daemon.denial(nobody) == .notEnrolled)
        #expect(try daemon.ask(.list(nobody)) == .prints([]))
        #expect(try daemon.ask(.delete(nobody, nil, nil)) == .refused(Denial(.noSuchPrint)))
        #expect(try daemon.ask(.passwordUseful(nobody, service: "sudo")) == .passwordAdvice(useful: false))
    }

    private func names(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }
}
