import CGLib

/// A value that came over D-Bus (`GVariant`).
final class BusValue {
    private let pointer: OpaquePointer

    /// Takes over the caller's reference.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { g_variant_unref(pointer) }

    private func isA(_ type: String) -> Bool { String(cString: g_variant_get_type_string(pointer)) == type }

    var text: String? {
        guard isA("s") || isA("o") else { return nil }
        return String(cString: g_variant_get_string(pointer, nil))
    }

    var flag: Bool? { isA("b") ? g_variant_get_boolean(pointer) != 0 : nil }

    var number: UInt32? { isA("u") ? g_variant_get_uint32(pointer) : nil }

    /// Which of the descriptors that came with it is meant.
    var handle: Int32? { isA("h") ? g_variant_get_handle(pointer) : nil }

    /// What a variant holds.
    var inner: BusValue? { isA("v") ? BusValue(owning: g_variant_get_variant(pointer)) : nil }

    var count: Int { g_variant_is_container(pointer) != 0 ? Int(g_variant_n_children(pointer)) : 0 }

    /// The part of a structure, an array or a dictionary's entry; nil past its end.
    func child(_ at: Int) -> BusValue? {
        at < count ? BusValue(owning: g_variant_get_child_value(pointer, gsize(at))) : nil
    }

    var children: [BusValue] { (0..<count).compactMap(child) }
}

/// The properties of an object on the bus, by name.
struct BusProperties {
    private var values: [String: BusValue] = [:]

    /// From a value of type `a{sv}`; of any other, none.
    init(_ dictionary: BusValue?) {
        for entry in dictionary?.children ?? [] {
            guard let name = entry.child(0)?.text, let value = entry.child(1)?.inner else { continue }
            values[name] = value
        }
    }

    func variant(_ name: String) -> BusValue? { values[name] }
    func text(_ name: String) -> String? { values[name]?.text }
    func flag(_ name: String) -> Bool? { values[name]?.flag }
}
