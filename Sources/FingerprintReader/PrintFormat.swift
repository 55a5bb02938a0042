import CGLib

/// The shape of libfprint's serialised prints, so far as libfprint's own reader takes it for granted.
///
/// `fp_print_deserialize` of 1.94 aborts on less than four bytes, and on damaged data it reads children of values
/// that have none. A damaged print must cost that print and not the daemon, so what it relies on is checked first:
/// the text "FP3", then a variant `(issbymsmsia{sv}v)` in normal form whose last member is a variant for a print
/// that the device made itself, or `(a(aiaiai))`, lists of x, y and angle, for one made of minutiae.
enum PrintFormat {
    /// Prints are a few kilobytes, and a few dozen where the device makes them.
    static let maximumLength = 1 << 20
    /// 9999-12-31 as GLib counts days.
    static let lastDay: UInt32 = 3_652_059

    private static let header: [UInt8] = Array("FP3".utf8)
    private static let noDate = Int32.min
    /// libfprint's FpiPrintType.
    private static let raw: Int32 = 1, minutiae: Int32 = 2

    /// Whether libfprint can be given these bytes.
    static func isSound(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > header.count, bytes.count <= maximumLength else { return false }
        // Another format is for a later libfprint to read, or for any to refuse.
        guard bytes.starts(with: header) else { return true }

        let payload = bytes.withUnsafeBytes {
            g_bytes_new($0.baseAddress! + header.count, gsize($0.count - header.count))
        }
        defer { g_bytes_unref(payload) }
        let value = Variant(bytes: payload, type: "(issbymsmsia{sv}v)")
        guard value.isNormal else { return false }

        // libfprint's FpFinger, of which 0 says that nobody knows.
        guard value.child(4).byte <= 10 else { return false }
        let day = value.child(7).int32
        guard day == noDate || (1...Int32(lastDay)).contains(day) else { return false }
        let data = value.child(9).child(0)
        switch value.child(0).int32 {
        case raw: return data.has(type: "v")
        case minutiae: return data.has(type: "(a(aiaiai))") && areMinutiae(data.child(0))
        default: return false
        }
    }

    /// At least one touch, and every number in a range in which the matcher's sums don't overflow.
    private static func areMinutiae(_ touches: borrowing Variant) -> Bool {
        guard touches.count > 0 else { return false }
        for index in 0..<touches.count {
            let touch = touches.child(index)
            guard touch.child(0).numbers(within: -10_000...10_000), touch.child(1).numbers(within: -10_000...10_000),
                touch.child(2).numbers(within: -360...360)
            else { return false }
        }
        return true
    }
}

/// A reference to a GVariant. Its pointer is used only in its own methods, which keep it alive meanwhile.
private struct Variant: ~Copyable {
    private let pointer: OpaquePointer

    init(bytes: OpaquePointer?, type: String) {
        let type = g_variant_type_new(type)
        defer { g_variant_type_free(type) }
        pointer = g_variant_ref_sink(g_variant_new_from_bytes(type, bytes, 0))
    }

    private init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        g_variant_unref(pointer)
    }

    /// Whether the bytes are the one way to write the value down.
    var isNormal: Bool { g_variant_is_normal_form(pointer) != 0 }

    var byte: UInt8 { g_variant_get_byte(pointer) }

    var int32: Int32 { g_variant_get_int32(pointer) }

    var count: Int { Int(g_variant_n_children(pointer)) }

    func child(_ index: Int) -> Variant {
        Variant(owning: g_variant_get_child_value(pointer, gsize(index)))
    }

    func has(type: String) -> Bool {
        String(cString: g_variant_get_type_string(pointer)) == type
    }

    /// Whether an array of 32-bit integers holds only those of the range.
    func numbers(within range: ClosedRange<Int32>) -> Bool {
        var count: gsize = 0
        guard let first = g_variant_get_fixed_array(pointer, &count, gsize(MemoryLayout<Int32>.size)) else {
            return true
        }
        let numbers = first.bindMemory(to: Int32.self, capacity: Int(count))
        for index in 0..<Int(count) where !range.contains(numbers[index]) { return false }
        return true
    }
}
