import BioauthCore
import Testing

@testable import BioauthWire

/// PROTOCOL.md, row by row against the code; and its rules about fields, on messages of every type.
@Suite struct ProtocolPageTests {
    let page = ProtocolPage.page

    @Test func `the page and the code know the same fields by the same numbers`() {
        #expect(page.fields == Dictionary(uniqueKeysWithValues: FieldTag.allCases.map { ($0.rawValue, "\($0)") }))
    }

    @Test func `the page and the code know the same messages by the same numbers`() {
        var messages: [UInt16: String] = [:]
        for type in UInt16.min...UInt16.max {
            if let kind = ClientMessage.Kind(rawValue: type) { messages[type] = "\(kind)" }
            if let kind = DaemonMessage.Kind(rawValue: type) { messages[type] = "\(kind)" }
        }
        #expect(page.messages == messages)
    }

    @Test func `a message has the fields that the page gives it`() {
        var seen: [UInt16: Set<String>] = [:]
        for raw in Samples.everyMessage.map(RawMessage.init) {
            seen[raw.type, default: []].formUnion(raw.fields.map { page.fields[$0.tag] ?? "tag \($0.tag)" })
        }
        #expect(seen == page.uses.mapValues { Set($0.map(\.name)) })
    }

    @Test func `without a field that may be missing a message is read, without another it is not`() throws {
        for raw in Samples.everyMessage.map(RawMessage.init) {
            let uses = try #require(page.uses[raw.type])
            for (place, field) in raw.fields.enumerated() {
                try expect(raw.removing(at: place), isReadWithout: field.tag, in: uses)
                guard let innerUses = page.innerUses[field.tag] else { continue }
                let inner = RawMessage.fields(of: field.value[...])
                for innerPlace in inner.indices {
                    var shortened = raw
                    var rest = inner
                    let removed = rest.remove(at: innerPlace)
                    shortened.fields[place].value = RawMessage.bytes(of: rest)
                    try expect(shortened, isReadWithout: removed.tag, in: innerUses)
                }
            }
        }
    }

    private func expect(_ message: RawMessage, isReadWithout tag: UInt16, in uses: Set<ProtocolPage.Use>) throws {
        let use = try #require(uses.first { $0.name == page.fields[tag] })
        if use.isOptional {
            #expect(throws: Never.self) { try AnyMessage(decoding: message.bytes) }
        } else {
            #expect(throws: WireError.missing(FieldTag(rawValue: tag)!), "type \(message.type)") {
                try AnyMessage(decoding: message.bytes)
            }
        }
    }
}
