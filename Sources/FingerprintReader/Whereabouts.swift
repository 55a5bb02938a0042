import CFprint
import CGLib
import CGUsb
import Glibc

/// Where on USB a reader is plugged in, to the kernel.
struct USBPlace {
    /// The kernel's name of it: `1-2.3`.
    let path: String
    /// All are but those that the kernel calls removable. It has that from the firmware, and where the firmware doesn't
    /// tell, nobody knows: `unknown`.
    let isPartOfMachine: Bool

    /// Nil where it isn't on USB.
    init?(of device: FpDevicePointer) {
        guard let directory = sysfsDirectory(of: device) else { return nil }
        let link = g_file_read_link(directory, nil)
        defer { g_free(link) }
        path = link.flatMap { String(cString: $0).split(separator: "/").last }.map(String.init) ?? ""
        var text: UnsafeMutablePointer<CChar>?
        g_file_get_contents(directory + "/removable", &text, nil, nil)
        defer { g_free(text) }
        isPartOfMachine = !(text.map { String(cString: $0).hasPrefix("removable") } ?? false)
    }
}

/// Whether it is a reader on USB that the kernel has no longer.
func hasLeftUSB(_ device: FpDevicePointer) -> Bool {
    guard let directory = sysfsDirectory(of: device), access(charDevices, F_OK) == 0 else { return false }
    return access(directory, F_OK) != 0
}

/// Closes a reader on USB (`g_usb_device_close`), if it is open there.
func closeOnUSB(_ device: FpDevicePointer) {
    guard let usb = usbDevice(of: device) else { return }
    defer { g_object_unref(usb) }
    var error: UnsafeMutablePointer<GError>?
    g_usb_device_close(usb, &error)
    g_clear_error(&error)
}

private let charDevices = "/sys/dev/char"

/// Where the kernel tells of a reader on USB; nil for another.
private func sysfsDirectory(of device: FpDevicePointer) -> String? {
    guard let usb = usbDevice(of: device) else { return nil }
    defer { g_object_unref(usb) }
    let (bus, address) = (Int(g_usb_device_get_bus(usb)), Int(g_usb_device_get_address(usb)))
    // The kernel numbers the nodes of USB devices so, 128 for each bus (Documentation/admin-guide/devices.txt).
    return "\(charDevices)/189:\((bus - 1) * 128 + address - 1)"
}

/// libfprint has no word for where a device is plugged in, but knows: this property is for its own drivers, and may go.
private func usbDevice(of device: FpDevicePointer) -> UnsafeMutablePointer<GUsbDevice>? {
    let instance = device.object.assumingMemoryBound(to: GTypeInstance.self).pointee
    let property = UnsafeMutableRawPointer(instance.g_class).flatMap {
        g_object_class_find_property($0.assumingMemoryBound(to: GObjectClass.self), "fpi-usb-device")
    }
    guard let property, property.pointee.flags.rawValue & G_PARAM_READABLE.rawValue != 0,
        g_type_is_a(property.pointee.value_type, g_usb_device_get_type()) != 0
    else { return nil }
    var value = GValue()
    g_value_init(&value, property.pointee.value_type)
    defer { g_value_unset(&value) }
    g_object_get_property(device.object.assumingMemoryBound(to: GObject.self), "fpi-usb-device", &value)
    return g_value_dup_object(&value)?.assumingMemoryBound(to: GUsbDevice.self)
}
