import BioauthCore

/// The version this build speaks. A message of any other is refused; new fields and new messages don't change it.
public let wireVersion: UInt8 = 1

/// What is wrong with a message.
public enum WireError: Error, Hashable, Sendable {
    /// It ends within the header, a field's head or a field's value.
    case truncated
    /// It is longer than `Limits.messageBytes`.
    case oversized
    case unsupportedVersion(UInt8)
    /// A type this build doesn't know. A client passes over it; the daemon answers `unknownMessage`.
    case unknownType(UInt16)
    case missing(FieldTag)
    /// A field that may stand once stands twice.
    case repeated(FieldTag)
    /// A value of the wrong size, out of its range, or text that isn't UTF-8 or holds a NUL or other control character.
    case invalid(FieldTag)
}

/// The numbers of the fields (PROTOCOL.md). They travel on the wire and are never reused.
public enum FieldTag: UInt16, CaseIterable, Sendable {
    case uid = 1
    case name = 2
    case service = 3
    case tty = 4
    case remoteHost = 5
    case reason = 6
    case policy = 7
    case interaction = 8
    case timeout = 9
    case tries = 10
    case fingerOnly = 11
    case cancelReason = 12
    case finger = 13
    case ticket = 14
    case peerUID = 15
    case right = 16
    case wantsTicket = 17
    case password = 18
    case agentPID = 19
    case app = 20
    case permitted = 21
    case reuse = 22
    case switchKind = 23
    case switchName = 24
    case enabled = 25

    case scan = 32
    case again = 33
    case reader = 34
    case triesLeft = 35
    case retry = 36
    case cause = 37
    case place = 38
    case endsIn = 39
    case otherService = 40
    case otherTTY = 41
    case otherPID = 42
    case code = 43
    case lockoutBegan = 44
    case stage = 45
    case stages = 46
    case useful = 47
    case problem = 48
    case protocolVersion = 49
    case mismatches = 50
    case passwordAge = 51
    case readerState = 52
    case prints = 53
    case serviceClass = 54
    case print = 55
    case driver = 56
    case enrolled = 57
    case damaged = 58
    case eventKind = 59
    case allowed = 60
    case time = 61
    case daemonVersion = 62
    case standing = 63
    case waiting = 64
    case device = 65
    case origin = 66
    case session = 67
    case remote = 68
    case active = 69
    case locked = 70
    case lidShut = 71
    case builtIn = 72
    case unasked = 73
    case domainState = 74
    case passwordSet = 75
    case switchEntry = 76

    case readerEntry = 90
    case busPath = 91
    case serves = 92
    case criterion = 93
    case whichReader = 94
    case clear = 95
    case keptAs = 96
    case deleted = 97
    case gone = 98
    case printID = 99

    case lasted = 110
    case failures = 111
}

/// Builds one message: a header of four bytes (version, zero, type), then fields of tag, length and value, all
/// numbers little-endian.
struct MessageWriter {
    private(set) var bytes: [UInt8]

    init(type: UInt16) {
        bytes = []
        // Whole from the start, so that no copy of a secret is left behind by growing.
        bytes.reserveCapacity(Limits.messageBytes)
        bytes += [wireVersion, 0, UInt8(truncatingIfNeeded: type), UInt8(truncatingIfNeeded: type >> 8)]
    }

    /// A field that holds fields.
    private init() { bytes = [] }

    mutating func put(_ tag: FieldTag, bytes value: some Collection<UInt8>) {
        appendNumber(tag.rawValue)
        appendNumber(UInt16(clamping: value.count))
        bytes += value
    }

    mutating func put(_ tag: FieldTag, _ value: some FixedWidthInteger) {
        appendNumber(tag.rawValue)
        appendNumber(UInt16(value.bitWidth / 8))
        appendNumber(value)
    }

    mutating func put(_ tag: FieldTag, _ value: String) { put(tag, bytes: value.utf8) }

    mutating func put(_ tag: FieldTag, _ value: Bool) { put(tag, UInt8(value ? 1 : 0)) }

    mutating func put(_ tag: FieldTag, fields: (inout MessageWriter) -> Void) {
        var inner = MessageWriter()
        fields(&inner)
        put(tag, bytes: inner.bytes)
    }

    private mutating func appendNumber<N: FixedWidthInteger>(_ value: N) {
        for shift in stride(from: 0, to: N.bitWidth, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
}

/// Reads one message's fields. Tags it doesn't know are passed over.
struct MessageReader {
    let type: UInt16
    private let bytes: ArraySlice<UInt8>
    private var fields: [(tag: FieldTag, value: Range<Int>)] = []

    init(_ message: [UInt8]) throws(WireError) {
        guard message.count <= Limits.messageBytes else { throw .oversized }
        guard let version = message.first else { throw .truncated }
        guard version == wireVersion else { throw .unsupportedVersion(version) }
        guard message.count >= 4 else { throw .truncated }
        type = UInt16(message[2]) | UInt16(message[3]) << 8
        bytes = message[4...]
        try readFields()
    }

    private init(nested: ArraySlice<UInt8>) throws(WireError) {
        type = 0
        bytes = nested
        try readFields()
    }

    private mutating func readFields() throws(WireError) {
        var at = bytes.startIndex
        while at < bytes.endIndex {
            guard bytes.endIndex - at >= 4 else { throw .truncated }
            let tag = UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8
            let count = Int(bytes[at + 2]) | Int(bytes[at + 3]) << 8
            at += 4
            guard bytes.endIndex - at >= count else { throw .truncated }
            if let known = FieldTag(rawValue: tag) { fields.append((known, at..<at + count)) }
            at += count
        }
    }

    /// Where the value of a field lies in the message; nil when the field isn't there.
    func range(_ tag: FieldTag) throws(WireError) -> Range<Int>? {
        var found: Range<Int>?
        for field in fields where field.tag == tag {
            guard found == nil else { throw .repeated(tag) }
            found = field.value
        }
        return found
    }

    func optional<N: FixedWidthInteger>(_ tag: FieldTag, as: N.Type = N.self) throws(WireError) -> N? {
        guard let range = try range(tag) else { return nil }
        guard range.count == N.bitWidth / 8 else { throw .invalid(tag) }
        var value: N = 0
        for (place, at) in range.enumerated() { value |= N(truncatingIfNeeded: bytes[at]) << (8 * place) }
        return value
    }

    func number<N: FixedWidthInteger>(_ tag: FieldTag, as: N.Type = N.self) throws(WireError) -> N {
        guard let value: N = try optional(tag) else { throw .missing(tag) }
        return value
    }

    func flag(_ tag: FieldTag) throws(WireError) -> Bool {
        guard let value: UInt8 = try optional(tag) else { throw .missing(tag) }
        guard value <= 1 else { throw .invalid(tag) }
        return value == 1
    }

    /// A flag that an older peer doesn't know: false when it is missing.
    func optionalFlag(_ tag: FieldTag) throws(WireError) -> Bool {
        try range(tag) == nil ? false : flag(tag)
    }

    func optionalText(_ tag: FieldTag, limit: Int) throws(WireError) -> String? {
        guard let range = try range(tag) else { return nil }
        guard range.count <= limit, let text = String(validating: bytes[range], as: UTF8.self),
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw .invalid(tag) }
        return text
    }

    func text(_ tag: FieldTag, limit: Int) throws(WireError) -> String {
        guard let text = try optionalText(tag, limit: limit), !text.isEmpty else { throw .missing(tag) }
        return text
    }

    func bytes(_ tag: FieldTag, count: Int) throws(WireError) -> [UInt8]? {
        guard let range = try range(tag) else { return nil }
        guard range.count == count else { throw .invalid(tag) }
        return Array(bytes[range])
    }

    /// A field of 1 to `limit` values of so many bytes each.
    func bytes(_ tag: FieldTag, manyOf count: Int, limit: Int) throws(WireError) -> [UInt8]? {
        guard let range = try range(tag) else { return nil }
        guard 1...limit ~= range.count / count, range.count.isMultiple(of: count) else { throw .invalid(tag) }
        return Array(bytes[range])
    }

    /// A number that stands for a value of an enumeration this build must know.
    func value<E: RawRepresentable>(_ tag: FieldTag, as: E.Type = E.self) throws(WireError) -> E
    where E.RawValue: FixedWidthInteger {
        guard let value = E(rawValue: try number(tag)) else { throw .invalid(tag) }
        return value
    }

    func optionalValue<E: RawRepresentable>(_ tag: FieldTag, as: E.Type = E.self) throws(WireError) -> E?
    where E.RawValue: FixedWidthInteger {
        guard let raw: E.RawValue = try optional(tag) else { return nil }
        guard let value = E(rawValue: raw) else { throw .invalid(tag) }
        return value
    }

    /// The readers of every field of that tag: fields that hold fields, and may stand many times.
    func each(_ tag: FieldTag) throws(WireError) -> [MessageReader] {
        var readers: [MessageReader] = []
        for field in fields where field.tag == tag { readers.append(try MessageReader(nested: bytes[field.value])) }
        return readers
    }
}
