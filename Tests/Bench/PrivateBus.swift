import CGLib
import Foundation
import TestSupport

/// A D-Bus of the benchmark's own that stands for the system bus: fprintd is started on it when somebody asks for it.
///
/// polkit is played by this process, which allows everything at once: that is quicker than polkitd, to the peer's
/// advantage. Starting fprintd goes without systemd for the same reason.
final class PrivateBus {
    let address: String
    private let daemon: RunningProgram
    private let connection: OpaquePointer

    /// - Parameters:
    ///   - services: a directory of D-Bus service files.
    ///   - environment: what the services are started with.
    init(_ program: String, in directory: TemporaryDirectory, services: String, environment: [String: String]) throws {
        let path = directory.file("bus")
        address = "unix:path=\(path)"
        let configuration = try directory.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>system</type>
              <listen>\(address)</listen>
              <auth>EXTERNAL</auth>
              <servicedir>\(services)</servicedir>
              <policy context="default">
                <allow user="*"/>
                <allow own="*"/>
                <allow send_destination="*"/>
                <allow receive_sender="*"/>
              </policy>
            </busconfig>
            """, to: "bus.conf")
        daemon = try RunningProgram(
            program, ["--config-file=\(configuration)", "--nofork", "--nopidfile", "--nosyslog"],
            environment: environment.merging(["DBUS_SYSTEM_BUS_ADDRESS": address]) { $1 })
        connection = try PrivateBus.connect(to: address, of: daemon)
        answerForPolkit()
        _ = try callBus("RequestName", "('org.freedesktop.PolicyKit1', uint32 0)")
    }

    deinit {
        g_object_unref(UnsafeMutableRawPointer(connection))
        daemon.send(SIGTERM)
    }

    /// Connects as soon as the bus listens.
    private static func connect(to address: String, of daemon: RunningProgram) throws -> OpaquePointer {
        let flags = GDBusConnectionFlags(
            rawValue: G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
        var connection: OpaquePointer?
        try waitUntil("the private bus to listen") {
            guard kill(daemon.pid, 0) == 0 else { throw Trouble("dbus-daemon: \(daemon.text)") }
            connection = g_dbus_connection_new_for_address_sync(address, flags, nil, nil, nil)
            return connection != nil
        }
        return connection!
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
                connection, service, object, String(method[..<dot]), String(method[method.index(after: dot)...]),
                parameters, nil, G_DBUS_CALL_FLAGS_NONE, 30_000, nil, &error)
        else { throw Trouble("\(method): \(words(of: error))") }
        defer { g_variant_unref(answer) }
        let text = g_variant_print(answer, 0)
        defer { g_free(text) }
        return String(cString: text!)
    }

    func hasOwner(_ name: String) throws -> Bool {
        try callBus("NameHasOwner", "('\(name)',)").contains("true")
    }

    /// The process that owns a name.
    func process(of name: String) throws -> pid_t {
        let answer = try callBus("GetConnectionUnixProcessID", "('\(name)',)")
        guard let pid = pid_t(answer.filter(\.isNumber)) else { throw Trouble("no process: \(answer)") }
        return pid
    }

    private func callBus(_ method: String, _ arguments: String) throws -> String {
        try call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.\(method)", arguments)
    }

    /// Whoever asks polkit is answered from the connection's own thread.
    private func answerForPolkit() {
        _ = g_dbus_connection_add_filter(
            connection,
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
