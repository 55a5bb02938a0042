import CGLib

/// A name on the system's message bus.
public enum BusName {
    private static let answerMilliseconds: gint = 2000

    /// Whether a program has it now; nil when there is no bus to ask. Waits for the answer.
    public static func isOwned(_ name: String) -> Bool? {
        let flags = GDBusConnectionFlags(
            rawValue: G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
        guard let address = g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SYSTEM, nil, nil) else { return nil }
        defer { g_free(address) }
        guard let bus = g_dbus_connection_new_for_address_sync(address, flags, nil, nil, nil) else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(bus)) }
        var parts: [OpaquePointer?] = [g_variant_new_string(name)]
        let answer = g_dbus_connection_call_sync(
            bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner",
            g_variant_new_tuple(&parts, 1), nil, G_DBUS_CALL_FLAGS_NO_AUTO_START, answerMilliseconds, nil, nil)
        return answer.map(BusValue.init(owning:))?.child(0)?.flag
    }
}
