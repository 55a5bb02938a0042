import CGLib

/// A key file (`GKeyFile`): groups of keys with values.
public final class KeyFile {
    private let file: OpaquePointer

    public struct Invalid: Error, Hashable, Sendable {
        public let message: String
    }

    /// An empty one, to be filled.
    public init() {
        file = g_key_file_new()
    }

    public convenience init(_ bytes: [UInt8]) throws(Invalid) {
        self.init()
        var error: UnsafeMutablePointer<GError>?
        let loaded = bytes.withUnsafeBytes {
            g_key_file_load_from_data(
                file, $0.baseAddress?.assumingMemoryBound(to: CChar.self), gsize($0.count), G_KEY_FILE_NONE, &error)
        }
        guard loaded != 0 || bytes.isEmpty else {
            let message = error.map { String(cString: $0.pointee.message) } ?? "not a key file"
            if let error { g_error_free(error) }
            throw Invalid(message: message)
        }
        if let error { g_error_free(error) }
    }

    deinit {
        g_key_file_unref(file)
    }

    public var groups: [String] {
        var count: gsize = 0
        return KeyFile.strings(g_key_file_get_groups(file, &count))
    }

    public func keys(in group: String) -> [String] {
        var count: gsize = 0
        return KeyFile.strings(g_key_file_get_keys(file, group, &count, nil))
    }

    /// The value with its escapes undone, or nil when it is missing or its escapes or its UTF-8 are wrong.
    public func string(_ group: String, _ key: String) -> String? {
        guard let value = g_key_file_get_string(file, group, key, nil) else { return nil }
        defer { g_free(value) }
        return String(validatingCString: value)
    }

    /// The value as a decimal integer with nothing around it, or nil.
    public func integer(_ group: String, _ key: String) -> Int64? {
        string(group, key).flatMap { Int64($0) }
    }

    /// `true` or `false`, or nil.
    public func boolean(_ group: String, _ key: String) -> Bool? {
        switch string(group, key) {
        case "true": true
        case "false": false
        default: nil
        }
    }

    public func set(_ group: String, _ key: String, _ value: String) {
        g_key_file_set_string(file, group, key, value)
    }

    public func set(_ group: String, _ key: String, _ value: some BinaryInteger) {
        set(group, key, String(value))
    }

    /// The file's text.
    public func bytes() -> [UInt8] {
        var count: gsize = 0
        guard let data = g_key_file_to_data(file, &count, nil) else { return [] }
        defer { g_free(data) }
        return data.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
            Array(UnsafeBufferPointer(start: $0, count: Int(count)))
        }
    }

    private static func strings(_ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> [String] {
        guard let list else { return [] }
        defer { g_strfreev(list) }
        var strings: [String] = []
        var at = list
        while let string = at.pointee {
            strings.append(String(cString: string))
            at += 1
        }
        return strings
    }
}

/// SHA-256 in hexadecimal (`g_compute_checksum_for_data`).
public func sha256(_ bytes: [UInt8]) -> String {
    let text = bytes.withUnsafeBytes {
        g_compute_checksum_for_data(
            G_CHECKSUM_SHA256, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), gsize($0.count))
    }
    defer { g_free(text) }
    return text.map { String(cString: $0) } ?? ""
}

/// Two digits for each byte.
public func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// The bytes that such digits stand for; nil where it is anything else.
public func bytes(ofHexadecimal text: String) -> [UInt8]? {
    let digits = text.utf8.map { UnicodeScalar($0) }.map { Character($0).hexDigitValue }
    guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
    let values = digits.compactMap(\.self)
    return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
}
