import BioauthCore
import Testing

@testable import BioauthWire

/// The rules about fields that hold in every message.
@Suite struct FieldRuleTests {
    @Test func `a tag that is not known is passed over wherever it stands`() throws {
        let unknown: [RawMessage.Field] = [
            (0, []), (31, [1]), (900, [0xff, 0xfe]), (.max, Array(repeating: 7, count: 300)),
        ]
        for raw in Samples.everyMessage.map(RawMessage.init) {
            for place in 0...raw.fields.count {
                for field in unknown { try expectSame(raw, raw.inserting(field, at: place)) }
            }
        }
    }

    @Test func `a tag that is not known is passed over within a field`() throws {
        for raw in Samples.everyMessage.map(RawMessage.init) {
            for (place, field) in raw.fields.enumerated() where holders.contains(field.tag) {
                let inner = RawMessage.fields(of: field.value[...])
                for innerPlace in 0...inner.count {
                    var more = inner
                    more.insert((999, [1, 2, 3]), at: innerPlace)
                    var other = raw
                    other.fields[place].value = RawMessage.bytes(of: more)
                    try expectSame(raw, other)
                }
            }
        }
    }

    @Test func `a field that no writer puts into a message is passed over, whatever it holds`() throws {
        let page = ProtocolPage.page
        for raw in Samples.everyMessage.map(RawMessage.init) {
            let own = Set(try #require(page.uses[raw.type]).map(\.name))
            for (tag, name) in page.fields where !own.contains(name) {
                let twice = raw.inserting((tag, [9, 9, 9]), at: 0).inserting((tag, []), at: 1)
                try expectSame(raw, twice)
            }
        }
    }

    @Test func `fields stand in any order`() throws {
        for raw in Samples.everyMessage.map(RawMessage.init)
        where !raw.fields.contains(where: { holders.contains($0.tag) }) {
            var other = raw
            other.fields.reverse()
            try expectSame(raw, other)
        }
    }

    @Test func `a field that stands twice is an error, but for those that hold fields`() {
        for raw in Samples.everyMessage.map(RawMessage.init) {
            for (place, field) in raw.fields.enumerated() where !holders.contains(field.tag) {
                #expect(throws: WireError.repeated(FieldTag(rawValue: field.tag)!)) {
                    try AnyMessage(decoding: raw.inserting(field, at: place).bytes)
                }
            }
        }
    }

    @Test func `a number of another size than its own is an error`() {
        for raw in Samples.everyMessage.map(RawMessage.init) {
            for (place, field) in raw.fields.enumerated() where isNumber(field.tag) {
                for value in [[], field.value.dropLast(), field.value + [0]] where value.count != field.value.count {
                    var other = raw
                    other.fields[place].value = Array(value)
                    #expect(throws: WireError.invalid(FieldTag(rawValue: field.tag)!)) {
                        try AnyMessage(decoding: other.bytes)
                    }
                }
            }
        }
    }

    @Test func `a flag is 0 or 1`() {
        for raw in Samples.everyMessage.map(RawMessage.init) {
            for field in raw.fields where isFlag(field.tag) {
                for value: UInt8 in [2, 128, 255] {
                    #expect(throws: WireError.invalid(FieldTag(rawValue: field.tag)!)) {
                        try AnyMessage(decoding: raw.setting(field.tag, [value]).bytes)
                    }
                }
            }
        }
    }

    @Test func `a number that stands for nothing is an error where nothing stands in for it`() {
        // The largest of each, and what lies past it.
        let last: [UInt16: UInt8] = [7: 2, 12: 3, 13: 10, 23: 3, 32: 2, 52: 5, 54: 4, 59: 19, 66: 3]
        for raw in Samples.everyMessage.map(RawMessage.init) {
            for field in raw.fields {
                guard let largest = last[field.tag] else { continue }
                #expect(throws: Never.self) { try AnyMessage(decoding: raw.setting(field.tag, [largest]).bytes) }
                for value in [largest + 1, 255] + (field.tag == 52 || field.tag == 66 ? [] : [0]) {
                    #expect(throws: WireError.invalid(FieldTag(rawValue: field.tag)!)) {
                        try AnyMessage(decoding: raw.setting(field.tag, [value]).bytes)
                    }
                }
            }
        }
    }

    @Test(arguments: [0, 63, 127, 255, 256 + 64, 0xffff] as [UInt16])
    func `a type that is not known is named`(type: UInt16) {
        let bytes = RawMessage(type: type, [(1, little(UInt32(1000)))]).bytes
        #expect(throws: WireError.unknownType(type)) { try ClientMessage(decoding: bytes) }
        #expect(throws: WireError.unknownType(type)) { try DaemonMessage(decoding: bytes) }
    }

    @Test func `neither side takes the other's messages`() {
        for bytes in Samples.everyMessage {
            let type = RawMessage(bytes).type
            #expect(throws: WireError.unknownType(type)) {
                if type < 64 { _ = try DaemonMessage(decoding: bytes) } else { _ = try ClientMessage(decoding: bytes) }
            }
        }
    }

    @Test(arguments: [0, 2, 255] as [UInt8])
    func `another version is refused, whatever follows`(version: UInt8) {
        let messages: [[UInt8]] = [[version], [version, 0, 9, 0], [version] + Samples.everyMessage[0].dropFirst()]
        for bytes in messages {
            #expect(throws: WireError.unsupportedVersion(version)) { try ClientMessage(decoding: bytes) }
            #expect(throws: WireError.unsupportedVersion(version)) { try DaemonMessage(decoding: bytes) }
        }
    }

    @Test func `the second byte of the header says nothing`() throws {
        for bytes in Samples.everyMessage {
            var other = bytes
            other[1] = 0xff
            #expect(try AnyMessage(decoding: other) == AnyMessage(decoding: bytes))
        }
    }

    /// Fields that hold fields, and may stand many times.
    private let holders = Set(ProtocolPage.page.innerUses.keys)

    private func isNumber(_ tag: UInt16) -> Bool {
        let isOpaque = tag == 14 || tag == 74
        return value(of: tag).contains(/^\d+ bytes?\b/) && !isOpaque || isFlag(tag)
    }

    private func isFlag(_ tag: UInt16) -> Bool { value(of: tag).hasPrefix("flag") }

    private func value(of tag: UInt16) -> String {
        ProtocolPage.page.values[ProtocolPage.page.fields[tag] ?? ""] ?? ""
    }

    /// A password's place in the message moves with the fields before it: what matters is what is written from it.
    private func expectSame(_ a: RawMessage, _ b: RawMessage, _ place: SourceLocation = #_sourceLocation) throws {
        let one = try AnyMessage(decoding: a.bytes).encoded(from: a.bytes)
        let two = try AnyMessage(decoding: b.bytes).encoded(from: b.bytes)
        #expect(one == two, "type \(a.type)", sourceLocation: place)
    }
}
