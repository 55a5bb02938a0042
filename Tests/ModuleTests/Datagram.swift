import Foundation

/// Bytes of the wire protocol, made and read from its description alone: the module's codec has no part in it.
enum Datagram {
    static func message(_ type: UInt16, version: UInt8 = 1, _ fields: [[UInt8]] = []) -> [UInt8] {
        [version, 0] + little(type) + fields.joined()
    }

    static func field(_ tag: UInt16, _ value: [UInt8]) -> [UInt8] { little(tag) + little(UInt16(value.count)) + value }
    static func field(_ tag: UInt16, _ number: some FixedWidthInteger) -> [UInt8] { field(tag, little(number)) }
    static func field(_ tag: UInt16, _ text: String) -> [UInt8] { field(tag, Array(text.utf8)) }

    private static func little<N: FixedWidthInteger>(_ number: N) -> [UInt8] {
        (0..<N.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    // What a daemon says.

    static func prompt(scan: UInt8 = 1, finger: UInt8? = nil) -> [UInt8] {
        message(
            64,
            [
                field(32, scan), finger.map { field(13, $0) } ?? [], field(34, "Reader"), field(35, UInt8(3)),
                field(33, UInt8(0)),
            ])
    }
    static func retry(_ reason: UInt8) -> [UInt8] { message(65, [field(36, reason)]) }
    static func mismatch(triesLeft: UInt8) -> [UInt8] { message(66, [field(35, triesLeft)]) }
    static func waiting(_ cause: UInt16, _ fields: [UInt8]...) -> [UInt8] { message(67, [field(37, cause)] + fields) }
    static func allowed(finger: UInt8 = 7) -> [UInt8] { message(68, [field(60, UInt8(1)), field(13, finger)]) }
    static func denied(_ code: Int32, _ cause: UInt16, endsIn: UInt32? = nil, began: Bool = false) -> [UInt8] {
        message(
            68,
            [
                field(60, UInt8(0)), field(43, code), field(37, cause), endsIn.map { field(39, $0) } ?? [],
                began ? field(44, UInt8(1)) : [],
            ])
    }
    static func passwordVerdict(right: Bool) -> [UInt8] {
        message(70, [field(16, UInt8(right ? 1 : 0))] + (right ? [] : [field(37, UInt16(48))]))
    }
    static func passwordAdvice(useful: Bool) -> [UInt8] { message(71, [field(47, UInt8(useful ? 1 : 0))]) }
    static func problem(_ number: UInt16) -> [UInt8] { message(77, [field(48, number), field(49, UInt8(1))]) }
}

/// A message of the module's, taken apart.
struct Request: Sendable {
    let type: UInt16
    private let fields: [UInt16: [UInt8]]

    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 4, bytes[0] == 1, bytes[1] == 0 else { return nil }
        type = UInt16(bytes[2]) | UInt16(bytes[3]) << 8
        var fields: [UInt16: [UInt8]] = [:]
        var rest = bytes[4...]
        while !rest.isEmpty {
            guard rest.count >= 4 else { return nil }
            let head = Array(rest.prefix(4))
            let count = Int(head[2]) | Int(head[3]) << 8
            rest = rest.dropFirst(4)
            guard rest.count >= count,
                fields.updateValue(Array(rest.prefix(count)), forKey: UInt16(head[0]) | UInt16(head[1]) << 8) == nil
            else { return nil }
            rest = rest.dropFirst(count)
        }
        self.fields = fields
    }

    func number(_ tag: UInt16) -> UInt32? {
        fields[tag].map { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }
    func text(_ tag: UInt16) -> String? { fields[tag].map { String(decoding: $0, as: UTF8.self) } }
    var tags: Set<UInt16> { Set(fields.keys) }
}
