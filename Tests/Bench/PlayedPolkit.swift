import CGLib
import TestSupport

extension BusConnection {
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
