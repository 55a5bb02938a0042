import SyntheticFingers

/// A message put together and taken apart by hand, so that the tests don't lean on the codec they test.
struct RawMessage {
    typealias Field = (tag: UInt16, value: [UInt8])

    var version: UInt8 = 1
    var type: UInt16
    var fields: [Field]

    init(type: UInt16, _ fields: [Field] = []) {
        self.type = type
        self.fields = fields
    }

    /// Takes a well-formed message apart.
    init(_ bytes: [UInt8]) {
        type = UInt16(bytes[2]) + UInt16(bytes[3]) * 256
        fields = RawMessage.fields(of: bytes[4...])
    }

    static func fields(of bytes: ArraySlice<UInt8>) -> [Field] {
        var rest = bytes
        var fields: [Field] = []
        while !rest.isEmpty {
            let head = rest.prefix(4).map(UInt16.init)
            rest = rest.dropFirst(4)
            fields.append((head[0] + head[1] * 256, Array(rest.prefix(Int(head[2] + head[3] * 256)))))
            rest = rest.dropFirst(fields.last!.value.count)
        }
        return fields
    }

    var bytes: [UInt8] { [version, 0] + little(type) + RawMessage.bytes(of: fields) }

    static func bytes(of fields: [Field]) -> [UInt8] {
        fields.flatMap { little($0.tag) + little(UInt16($0.value.count)) + $0.value }
    }

    /// The same message with another value, or with the field added at its end.
    func setting(_ tag: UInt16, _ value: [UInt8]) -> RawMessage {
        var copy = self
        if let place = fields.firstIndex(where: { $0.tag == tag }) {
            copy.fields[place].value = value
        } else {
            copy.fields.append((tag, value))
        }
        return copy
    }

    func inserting(_ field: Field, at place: Int) -> RawMessage {
        var copy = self
        copy.fields.insert(field, at: place)
        return copy
    }

    func removing(at place: Int) -> RawMessage {
        var copy = self
        copy.fields.remove(at: place)
        return copy
    }
}

/// A number as it travels.
func little<N: FixedWidthInteger>(_ number: N) -> [UInt8] {
    (0..<N.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}

/// A well-formed message after up to three changes to its bytes or its fields.
func mutated(_ bytes: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
    var raw = RawMessage(bytes)
    for _ in 0..<Int.random(in: 0...3, using: &generator) {
        let place = Int.random(in: 0...raw.fields.count, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0 where place < raw.fields.count:
            raw.fields.remove(at: place)
        case 1 where place < raw.fields.count && !raw.fields[place].value.isEmpty:
            let at = raw.fields[place].value.indices.randomElement(using: &generator)!
            raw.fields[place].value[at] = .random(in: .min ... .max, using: &generator)
        case 2:
            raw.fields.shuffle(using: &generator)
        case 3 where place < raw.fields.count:
            raw.fields.append(raw.fields[place])
        default:
            let count = [0, 1, 2, 4, 8, 16].randomElement(using: &generator)!
            let value = (0..<count).map { _ in UInt8.random(in: 0...3, using: &generator) }
            raw.fields.insert((.random(in: 0...70, using: &generator), value), at: place)
        }
    }
    var bytes = raw.bytes
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: bytes[bytes.indices.randomElement(using: &generator)!] = .random(in: .min ... .max, using: &generator)
    case 1: bytes.removeLast(.random(in: 0...bytes.count, using: &generator))
    case 2: bytes.append(.random(in: .min ... .max, using: &generator))
    default: break
    }
    return bytes
}
