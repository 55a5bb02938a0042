import BioauthCore
import SyntheticFingers
import Testing

@testable import BioauthWire

/// Whatever arrives is a message or an error, and what is read is read the same when it is written again.
@Suite struct MalformedTests {
    @Test func `a message cut short within a field is an error`() {
        for bytes in Samples.everyMessage {
            var boundaries: Set<Int> = [4]
            for field in RawMessage(bytes).fields { boundaries.insert(boundaries.max()! + 4 + field.value.count) }
            for count in 0..<bytes.count where !boundaries.contains(count) {
                #expect(throws: WireError.truncated) { try AnyMessage(decoding: Array(bytes.prefix(count))) }
            }
        }
    }

    @Test func `a message cut short between two fields is what is left of it, or lacks one`() {
        for raw in Samples.everyMessage.map(RawMessage.init) {
            for count in raw.fields.indices {
                var short = raw
                short.fields.removeSubrange(count...)
                do {
                    #expect(try AnyMessage(decoding: short.bytes).survives(from: short.bytes))
                } catch WireError.missing(let tag) {
                    #expect(raw.fields[count...].contains { $0.tag == tag.rawValue })
                } catch {
                    Issue.record("\(error) from \(short.bytes)")
                }
            }
        }
    }

    @Test func `a field within a field that ends past it is an error`() {
        for raw in Samples.everyMessage.map(RawMessage.init) {
            for (place, field) in raw.fields.enumerated() where field.tag == 55 || field.tag == 63 {
                for cut in 1..<4 {
                    var other = raw
                    other.fields[place].value = field.value + [UInt8](repeating: 1, count: cut)
                    #expect(throws: WireError.truncated) { try AnyMessage(decoding: other.bytes) }
                }
            }
        }
    }

    @Test func `every change of one byte of a golden message is read, or is an error`() {
        var read = 0
        var refused = 0
        for vector in GoldenVector.messages where vector.bytes.count < 200 {
            for place in vector.bytes.indices {
                var other = vector.bytes
                for value in UInt8.min...UInt8.max where value != vector.bytes[place] {
                    other[place] = value
                    check(other, &read, &refused)
                }
            }
        }
        #expect(read > 10_000 && refused > 100_000, "read \(read), refused \(refused)")
    }

    @Test func `200,000 random messages are read, or are errors`() {
        var generator = SplitMix64(1)
        var read = 0
        var refused = 0
        for _ in 0..<100_000 {
            check(noise(&generator), &read, &refused)
            check(mutated(Samples.everyMessage.randomElement(using: &generator)!, &generator), &read, &refused)
        }
        #expect(read > 100 && refused > 100_000, "read \(read), refused \(refused)")
    }

    private func check(_ bytes: [UInt8], _ read: inout Int, _ refused: inout Int) {
        guard let message = try? AnyMessage(decoding: bytes) else {
            refused += 1
            return
        }
        read += 1
        if !message.survives(from: bytes) { Issue.record("written otherwise than read: \(bytes)") }
    }

    /// Bytes without meaning, every other time behind a header.
    private func noise(_ generator: inout SplitMix64) -> [UInt8] {
        let count = Int.random(in: 0...64, using: &generator)
        let header: [UInt8] = Bool.random(using: &generator) ? [1, 0, .random(in: 0...80, using: &generator), 0] : []
        return header + (0..<count).map { _ in .random(in: .min ... .max, using: &generator) }
    }
}
