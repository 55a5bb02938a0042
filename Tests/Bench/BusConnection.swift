import CGLib
import Foundation

/// A client of a D-Bus; gone from it as soon as nobody holds this any more.
final class BusConnection {
    private let pointer: OpaquePointer

    /// Connects to the bus at this address; nil while nobody listens there.
    init?(to address: String) {
        let flags = GDBusConnectionFlags(
            rawValue: G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
        guard let pointer = g_dbus_connection_new_for_address_sync(address, flags, nil, nil, nil) else { return nil }
        self.pointer = pointer
    }

    deinit {
        g_dbus_connection_close_sync(pointer, nil, nil)
        g_object_unref(UnsafeMutableRawPointer(pointer))
    }

    /// Calls a method and waits for its answer, which is given as GLib prints it.
    ///
    /// - Parameters:
    ///   - method: with its interface before it.
    ///   - arguments: a tuple in GVariant's text format.
    @discardableResult
    func call(_ service: String, _ object: String, _ method: String, _ arguments: String = "()") throws -> String {
        let dot = method.lastIndex(of: ".")!
        var error: UnsafeMutablePointer<GError>?
        guard let parameters = g_variant_parse(nil, arguments, nil, nil, &error) else {
            throw Trouble(words(of: error))
        }
        guard
            let answer = g_dbus_connection_call_sync(
                pointer, service, object, String(method[..<dot]), String(method[method.index(after: dot)...]),
                parameters, nil, G_DBUS_CALL_FLAGS_NONE, 30_000, nil, &error)
        else { throw Trouble("\(method): \(words(of: error))") }
        defer { g_variant_unref(answer) }
        let text = g_variant_print(answer, 0)
        defer { g_free(text) }
        return String(cString: text!)
    }

    /// Calls one of the bus's own methods.
    @discardableResult
    func callBus(_ method: String, _ arguments: String) throws -> String {
        try call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.\(method)", arguments)
    }

    /// From now on whoever asks polkit is allowed what it asks for, from the connection's own thread.
    func playPolkit() throws {
        _ = g_dbus_connection_add_filter(
            pointer,
            { connection, message, isIncoming, _ in
                guard isIncoming != 0, let message,
                    g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_METHOD_CALL,
                    let member = g_dbus_message_get_member(message), let answer = polkitAnswer(String(cString: member))
                else { return message }
                let reply = g_dbus_message_new_method_reply(message)
                g_dbus_message_set_body(reply, g_variant_parse(nil, answer, nil, nil, nil))
                g_dbus_connection_send_message(
                    connection, reply, G_DBUS_SEND_MESSAGE_FLAGS_NONE, nil, nil)
                g_object_unref(UnsafeMutableRawPointer(reply))
                g_object_unref(UnsafeMutableRawPointer(message))
                return nil
            }, nil, nil)
        try callBus("RequestName", "('org.freedesktop.PolicyKit1', uint32 0)")
    }
}

/// What polkit says to a method call, in GVariant's text format.
private func polkitAnswer(_ member: String) -> String? {
    switch member {
    case "CheckAuthorization": "((true, false, @a{ss} {}),)"
    case "GetAll": "({'BackendName': <'bench'>, 'BackendVersion': <'1'>, 'BackendFeatures': <uint32 0>},)"
    default: nil
    }
}

private func words(of error: UnsafeMutablePointer<GError>?) -> String {
    guard let error else { return "unknown error" }
    defer { g_error_free(error) }
    return String(cString: error.pointee.message)
}
