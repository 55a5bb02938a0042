import BioauthCore
import CFprint
import CGLib

typealias FpDevicePointer = UnsafeMutablePointer<FpDevice>
typealias FpPrintReference = GObjectReference<OpaquePointer>

/// The print that the bytes hold (`fp_print_deserialize`), or nil when they are damaged.
func readPrint(_ print: StoredPrint) -> FpPrintReference? {
    guard PrintFormat.isSound(print.bytes) else { return nil }
    var error: UnsafeMutablePointer<GError>?
    guard let pointer = fp_print_deserialize(print.bytes, gsize(print.bytes.count), &error) else {
        g_clear_error(&error)
        return nil
    }
    return FpPrintReference(owning: pointer)
}

/// The print's bytes as they are kept (`fp_print_serialize`).
func writePrint(_ print: borrowing FpPrintReference) -> Result<StoredPrint, ReaderFault> {
    var bytes: UnsafeMutablePointer<guchar>?
    var length: gsize = 0
    var error: UnsafeMutablePointer<GError>?
    guard fp_print_serialize(print.pointer, &bytes, &length, &error) != 0, let bytes else {
        return .failure(DeviceError(consuming: error).fault)
    }
    defer { g_free(bytes) }
    return .success(StoredPrint(bytes: Array(UnsafeBufferPointer(start: bytes, count: Int(length)))))
}

/// Writes on a print whose it is, which finger, and that it was enrolled today.
func label(_ print: borrowing FpPrintReference, accountName: String, finger: Finger) {
    fp_print_set_username(print.pointer, accountName)
    fp_print_set_finger(print.pointer, FpFinger(rawValue: UInt32(finger.rawValue)))
    let today = g_date_new()
    g_date_set_time_t(today, time_t(g_get_real_time() / 1_000_000))
    fp_print_set_enroll_date(print.pointer, today)
    g_date_free(today)
}

/// What the print says of itself, or nil where it lacks an account's name or one of the ten fingers.
func describePrint(_ print: borrowing FpPrintReference) -> PrintDescription? {
    guard let name = fp_print_get_username(print.pointer), name.pointee != 0,
        let finger = Finger(rawValue: UInt8(truncatingIfNeeded: fp_print_get_finger(print.pointer).rawValue)),
        let driver = fp_print_get_driver(print.pointer),
        let deviceID = fp_print_get_device_id(print.pointer)
    else { return nil }
    return PrintDescription(
        accountName: String(cString: name), finger: finger, driver: String(cString: driver),
        deviceID: String(cString: deviceID), enrolled: fp_print_get_enroll_date(print.pointer).flatMap(isoDay),
        isOnReader: fp_print_get_device_stored(print.pointer) != 0)
}

/// For each of the prints, the place among those that a reader keeps of the one that is the same (`fp_print_equal`), or
/// nil.
func printPlaces(of prints: [StoredPrint], among kept: [StoredPrint]) -> [Int?] {
    let list = g_ptr_array_new_with_free_func { g_object_unref($0) }!
    defer { g_ptr_array_unref(list) }
    var places: [Int] = []
    for (place, stored) in kept.enumerated() {
        guard let print = readPrint(stored) else { continue }
        g_ptr_array_add(list, print.shared())
        places.append(place)
    }
    return prints.map { stored in
        guard let print = readPrint(stored) else { return nil }
        var index: guint = 0
        let isEqual: GEqualFunc = { fp_print_equal(OpaquePointer($0), OpaquePointer($1)) }
        let isThere = g_ptr_array_find_with_equal_func(list, UnsafeRawPointer(print.pointer), isEqual, &index) != 0
        return isThere ? places[Int(index)] : nil
    }
}

/// The day as `2026-03-31`. A print without a date carries one some six million years off.
private func isoDay(_ date: UnsafePointer<GDate>) -> String? {
    guard g_date_valid(date) != 0, g_date_get_julian(date) <= PrintFormat.lastDay else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { text in
        g_date_strftime(text.baseAddress, 16, "%Y-%m-%d", date) == 0 ? nil : String(cString: text.baseAddress!)
    }
}

/// The prints of one identification as libfprint takes them, and the way back from its prints to ours.
struct Gallery: ~Copyable {
    /// Owns a reference to each of its prints.
    let array: UnsafeMutablePointer<GPtrArray>
    /// For each print in `array`, its place in the gallery given.
    private let places: [Int]

    var isEmpty: Bool { places.isEmpty }

    /// The first print. There must be one.
    var first: OpaquePointer { OpaquePointer(array.pointee.pdata[0]!) }

    /// Leaves out the prints that can't be read and those of another reader (`fp_print_compatible`).
    init(_ prints: [StoredPrint], for device: FpDevicePointer) {
        array = g_ptr_array_new_with_free_func { g_object_unref($0) }
        var places: [Int] = []
        for (place, stored) in prints.enumerated() {
            guard let print = readPrint(stored), fp_print_compatible(print.pointer, device) != 0 else { continue }
            g_ptr_array_add(array, print.shared())
            places.append(place)
        }
        self.places = places
    }

    deinit {
        g_ptr_array_unref(array)
    }

    /// The place in the gallery given of a print that libfprint reports; nil for a print that isn't of this gallery.
    func place(of print: OpaquePointer) -> Int? {
        var index: guint = 0
        guard g_ptr_array_find(array, print.object, &index) != 0 else { return nil }
        return places[Int(index)]
    }
}
