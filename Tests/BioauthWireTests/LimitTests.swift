import BioauthCore
import Testing

@testable import BioauthWire

/// Each limit at its edge, on messages made by hand.
@Suite struct LimitTests {
    let asking = RawMessage(
        ClientMessage.authenticate(Authenticate(account: Samples.account, service: "sudo")).encoded())
    let password = RawMessage(
        ClientMessage.encodePassword(Samples.account, secret: Samples.secret, wantsTicket: false))

    @Test(arguments: [1000, 1001, 30_000, 299_999, 300_000] as [UInt32])
    func `a timeout from one second to five minutes is taken`(milliseconds: UInt32) throws {
        let request = try authenticate(asking.setting(9, little(milliseconds)))
        #expect(request.timeout == .milliseconds(milliseconds))
    }

    @Test(arguments: [0, 1, 999, 300_001, .max] as [UInt32])
    func `a timeout outside is refused`(milliseconds: UInt32) {
        expectInvalid(.timeout, asking.setting(9, little(milliseconds)))
    }

    @Test(arguments: [1, 2, 9, 10] as [UInt8])
    func `one to ten tries are taken`(tries: UInt8) throws {
        #expect(try authenticate(asking.setting(10, [tries])).tries == Int(tries))
    }

    @Test(arguments: [0, 11, 255] as [UInt8])
    func `no tries, and more than ten, are refused`(tries: UInt8) {
        expectInvalid(.tries, asking.setting(10, [tries]))
    }

    @Test(arguments: [1, 4_194_304, .max] as [Int32])
    func `an agent's number is any that a process can have`(pid: Int32) throws {
        #expect(try authenticate(asking.setting(19, little(pid))).agentPID == pid)
    }

    @Test(arguments: [0, -1, .min] as [Int32])
    func `no process has the number zero, or one below`(pid: Int32) {
        expectInvalid(.agentPID, asking.setting(19, little(pid)))
    }

    @Test func `a text is taken up to its limit and refused one byte past it`() throws {
        let limits: [(RawMessage, FieldTag, Int)] =
            [
                (asking, .name, 256), (asking, .service, 256), (asking, .tty, 256), (asking, .remoteHost, 256),
                (asking, .reason, 512),
            ]
            + Samples.everyDaemonMessage.map { RawMessage($0.encoded()) }.flatMap { raw in
                raw.fields.compactMap { field in
                    let tag = FieldTag(rawValue: field.tag)!
                    let texts: [FieldTag] = [
                        .name, .service, .reader, .otherService, .otherTTY, .driver, .daemonVersion,
                    ]
                    return texts.contains(tag) ? (raw, tag, 256) : nil
                }
            }
        for (raw, tag, limit) in limits {
            // Three bytes a letter, so that the limit is one of bytes and not of letters.
            let longest =
                Array(String(repeating: "가", count: limit / 3).utf8) + [UInt8](repeating: 0x61, count: limit % 3)
            for text in [[0x61], [UInt8](repeating: 0x61, count: limit), longest] {
                let bytes = raw.setting(tag.rawValue, text).bytes
                let read = RawMessage(try AnyMessage(decoding: bytes).encoded(from: bytes))
                #expect(read.fields.first { $0.tag == tag.rawValue }?.value == text, "\(tag)")
            }
            for text in [[UInt8](repeating: 0x61, count: limit + 1), longest + [0x61]] {
                expectInvalid(tag, raw.setting(tag.rawValue, text))
            }
        }
    }

    @Test(arguments: [FieldTag.name, .service])
    func `an account and a service have a name`(tag: FieldTag) {
        #expect(throws: WireError.missing(tag)) { try ClientMessage(decoding: asking.setting(tag.rawValue, []).bytes) }
    }

    @Test func `a terminal, a host and a reason may be empty`() throws {
        let request = try authenticate(asking.setting(4, []).setting(5, []).setting(6, []))
        #expect(request.tty == "" && request.remoteHost == "" && request.reason == "")
    }

    @Test(arguments: [FieldTag.name, .service, .tty, .remoteHost, .reason])
    func `text with a control character is refused`(tag: FieldTag) {
        for scalar in (0...0x1f as ClosedRange<UInt32>).map(Unicode.Scalar.init)
            + (0x7f...0x9f).map(Unicode.Scalar.init)
        {
            let character = Array(String(Character(scalar!)).utf8)
            for text in [character, Array("a".utf8) + character, character + Array("a".utf8)] {
                expectInvalid(tag, asking.setting(tag.rawValue, text))
            }
        }
    }

    @Test(arguments: [
        " ", "~", "\u{a0}", "é", "e\u{301}", "\u{d7ff}", "\u{e000}", "\u{feff}", "\u{fffe}", "\u{10ffff}", "../한",
    ])
    func `text of any other letters is taken byte by byte`(text: String) throws {
        let name = try authenticate(asking.setting(2, Array(text.utf8))).account.name
        #expect(Array(name.utf8) == Array(text.utf8))
    }

    @Test(
        arguments: [
            [0x80], [0xbf], [0xc3], [0xc3, 0x28], [0xc0, 0x80], [0xc1, 0xbf], [0xe0, 0x80, 0x80], [0xe0, 0x9f, 0xbf],
            [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xed, 0xbf, 0xbf], [0xf0, 0x80, 0x80, 0x80], [0xf0, 0x8f, 0xbf, 0xbf],
            [0xf0, 0x9f, 0x98], [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xfe], [0xff],
            [0x61, 0xcc], [0xf8, 0x88, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func `text that isn't UTF-8 is refused`(text: [UInt8]) {
        for tag: FieldTag in [.name, .service, .tty, .remoteHost, .reason] {
            expectInvalid(tag, asking.setting(tag.rawValue, text))
        }
    }

    @Test(arguments: [1, 2, 511, 512])
    func `a password of 1 to 512 bytes is taken`(count: Int) throws {
        let secret = (0..<count).map { UInt8(1 + $0 % 255) }
        let bytes = password.setting(18, secret).bytes
        guard case .password(_, let range, _) = try ClientMessage(decoding: bytes) else {
            Issue.record("not a password")
            return
        }
        #expect(Array(bytes[range]) == secret)
        #expect(ClientMessage.encodePassword(Samples.account, secret: secret, wantsTicket: false).count == bytes.count)
    }

    @Test(arguments: [0, 513, 2000])
    func `an empty password and one too long are refused`(count: Int) {
        expectInvalid(.password, password.setting(18, [UInt8](repeating: 0x61, count: count)))
    }

    @Test(arguments: [0, 5, 11])
    func `a password with a NUL is refused`(place: Int) {
        var secret = [UInt8](repeating: 0x61, count: 12)
        secret[place] = 0
        expectInvalid(.password, password.setting(18, secret))
    }

    @Test(arguments: [0, 1, 15, 17, 512])
    func `a ticket has 16 bytes`(count: Int) {
        #expect(Ticket(bytes: [UInt8](repeating: 1, count: count)) == nil)
        let done = RawMessage(type: 74, [(14, [UInt8](repeating: 1, count: count))])
        expectInvalid(.ticket, done)
    }

    @Test func `a message of 4096 bytes is read and one of 4097 is not`() throws {
        for bytes in Samples.everyMessage {
            let padded = RawMessage(bytes)
            let room = 4096 - bytes.count - 4
            let full = padded.inserting((5000, [UInt8](repeating: 0, count: room)), at: 0).bytes
            #expect(full.count == 4096)
            #expect(throws: Never.self) { try AnyMessage(decoding: full) }
            let over = padded.inserting((5000, [UInt8](repeating: 0, count: room + 1)), at: 0).bytes
            #expect(throws: WireError.oversized) { try AnyMessage(decoding: over) }
        }
    }

    private func authenticate(_ raw: RawMessage) throws -> Authenticate {
        guard case .authenticate(let request) = try ClientMessage(decoding: raw.bytes) else {
            throw WireError.unknownType(raw.type)
        }
        return request
    }

    private func expectInvalid(_ tag: FieldTag, _ raw: RawMessage, _ place: SourceLocation = #_sourceLocation) {
        #expect(throws: WireError.invalid(tag), sourceLocation: place) { try AnyMessage(decoding: raw.bytes) }
    }
}
