import CGLib
import Foundation

/// A client of a D-Bus; gone from it as soon as nobody holds this any more.
public final class BusConnection {
    package let pointer: OpaquePointer

    public struct Failed: Error, CustomStringConvertible {
        public let description: String
    }

    /// Connects to the bus at this address; nil while nobody listens there.
    public init?(to address: String) {
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
    public func call(_ service: String, _ object: String, _ method: String, _ arguments: String = "()") throws -> String
    {
        let dot = method.lastIndex(of: ".")!
        var error: UnsafeMutablePointer<GError>?
        guard let parameters = g_variant_parse(nil, arguments, nil, nil, &error) else {
            throw Failed(description: "\(arguments): \(words(of: error))")
        }
        guard
            let answer = g_dbus_connection_call_sync(
                pointer, service, object, String(method[..<dot]), String(method[method.index(after: dot)...]),
                parameters, nil, G_DBUS_CALL_FLAGS_NONE, 30_000, nil, &error)
        else { throw Failed(description: "\(method): \(words(of: error))") }
        defer { g_variant_unref(answer) }
        let text = g_variant_print(answer, 0)
        defer { g_free(text) }
        return String(cString: text!)
    }

    /// Calls one of the bus's own methods.
    @discardableResult
    public func callBus(_ method: String, _ arguments: String) throws -> String {
        try call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.\(method)", arguments)
    }
}

private func words(of error: UnsafeMutablePointer<GError>?) -> String {
    guard let error else { return "unknown error" }
    defer { g_error_free(error) }
    return String(cString: error.pointee.message)
}
