import CGLib
import Glibc

/// One connection to the system's message bus (GDBus), made anew whenever it is lost. Nothing here blocks: what is asked
/// is answered later, on the main actor.
@MainActor final class SystemBus {
    /// Called when the bus is there: what was subscribed to on a connection before is gone.
    var onConnected: (@MainActor () -> Void)?
    var onLost: (@MainActor () -> Void)?

    private var connection: OpaquePointer?
    private var closedSignal: gulong = 0
    private var retry: EventSource?

    private static let address = "unix:path=/run/dbus/system_bus_socket"
    /// How long it waits before it tries again to reach a bus that isn't there.
    private static let retryMilliseconds: UInt32 = 1000
    /// How long an answer is waited for.
    private static let answerMilliseconds: gint = 1000

    /// Connects, and goes on trying for as long as the process runs.
    func start() {
        let flags = GDBusConnectionFlags(
            rawValue: G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
        // GLib's own default lies below /var/run, which isn't there for everybody who has a /run.
        let address = getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) } ?? SystemBus.address
        // Not GLib's shared connection: that ends the process when the bus does.
        g_dbus_connection_new_for_address(
            address, flags, nil, nil,
            { _, result, box in
                nonisolated(unsafe) let (result, box) = (result, box!)
                MainActor.assumeIsolated {
                    let bus = Unmanaged<SystemBus>.fromOpaque(box).takeRetainedValue()
                    bus.connected(g_dbus_connection_new_for_address_finish(result, nil))
                }
            }, Unmanaged.passRetained(self).toOpaque())
    }

    private func later() {
        retry = EventLoop.after(milliseconds: SystemBus.retryMilliseconds) { [weak self] in self?.start() }
    }

    private func connected(_ new: OpaquePointer?) {
        guard let new else { return later() }
        connection = new
        let closed: @convention(c) (OpaquePointer, gboolean, UnsafeRawPointer?, UnsafeMutableRawPointer) -> Void = {
            connection, _, _, box in
            nonisolated(unsafe) let (connection, box) = (connection, box)
            MainActor.assumeIsolated {
                Unmanaged<SystemBus>.fromOpaque(box).takeUnretainedValue().lost(connection)
            }
        }
        closedSignal = g_signal_connect_data(
            UnsafeMutableRawPointer(new), "closed", unsafeBitCast(closed, to: GCallback.self),
            Unmanaged.passRetained(self).toOpaque(), { box, _ in Unmanaged<SystemBus>.fromOpaque(box!).release() },
            GConnectFlags(rawValue: 0))
        onConnected?()
    }

    private func lost(_ old: OpaquePointer) {
        guard old == connection else { return }
        connection = nil
        g_signal_handler_disconnect(UnsafeMutableRawPointer(old), closedSignal)
        g_object_unref(UnsafeMutableRawPointer(old))
        onLost?()
        later()
    }

    /// Calls a method; nil when it failed, there was no answer in time, or there is no bus. Starts no service.
    ///
    /// - Parameters:
    ///   - method: with its interface before it: `org.freedesktop.DBus.Properties.GetAll`.
    ///   - arguments: texts, all of them.
    func call(
        _ service: String, _ path: String, _ method: String, _ arguments: [String] = [],
        _ done: @escaping @MainActor (BusValue?) -> Void
    ) {
        ask(service, path, method, arguments) { answer, _ in done(answer) }
    }

    /// The same for a method whose answer is a descriptor.
    func callForDescriptor(
        _ service: String, _ path: String, _ method: String, _ arguments: [String],
        _ done: @escaping @MainActor (consuming FileDescriptor?) -> Void
    ) {
        ask(service, path, method, arguments) { answer, descriptors in
            guard let handle = answer?.child(0)?.handle, let descriptors,
                (0..<g_unix_fd_list_get_length(descriptors)).contains(handle)
            else { return done(nil) }
            // A copy, which goes to no program that this one executes.
            let raw = g_unix_fd_list_get(descriptors, handle, nil)
            if raw >= 0 { done(FileDescriptor(owning: raw)) } else { done(nil) }
        }
    }

    private typealias Descriptors = UnsafeMutablePointer<GUnixFDList>

    private func ask(
        _ service: String, _ path: String, _ method: String, _ arguments: [String],
        _ done: @escaping @MainActor (BusValue?, Descriptors?) -> Void
    ) {
        guard let connection, let dot = method.lastIndex(of: ".") else { return done(nil, nil) }
        var texts: [OpaquePointer?] = arguments.map { g_variant_new_string($0) }
        let answer = Answer(done)
        g_dbus_connection_call_with_unix_fd_list(
            connection, service, path, String(method[..<dot]), String(method[method.index(after: dot)...]),
            g_variant_new_tuple(&texts, gsize(texts.count)), nil, G_DBUS_CALL_FLAGS_NO_AUTO_START,
            SystemBus.answerMilliseconds, nil, nil,
            { connection, result, box in
                nonisolated(unsafe) let (connection, result, box) = (connection, result, box!)
                MainActor.assumeIsolated {
                    var descriptors: Descriptors?
                    let value = g_dbus_connection_call_with_unix_fd_list_finish(
                        OpaquePointer(connection), &descriptors, result, nil)
                    defer { if let descriptors { g_object_unref(UnsafeMutableRawPointer(descriptors)) } }
                    let answer = Unmanaged<Answer>.fromOpaque(box).takeRetainedValue()
                    answer.done(value.map(BusValue.init(owning:)), descriptors)
                }
            }, Unmanaged.passRetained(answer).toOpaque())
    }

    /// Calls the handler for every such signal, until the connection is lost.
    ///
    /// - Parameters:
    ///   - sender: the name of a service. Whoever may not own it can still address a signal to us that looks so: the
    ///     handler is told who really sent it, and has to compare that with the name's owner.
    ///   - first: the first argument that the signal must have, if any.
    func subscribe(
        to signal: String, of sender: String, first: String? = nil,
        _ handler: @escaping @MainActor (_ sender: String, _ path: String, _ arguments: BusValue) -> Void
    ) {
        guard let connection, let dot = signal.lastIndex(of: ".") else { return }
        g_dbus_connection_signal_subscribe(
            connection, sender, String(signal[..<dot]), String(signal[signal.index(after: dot)...]), nil, first,
            G_DBUS_SIGNAL_FLAGS_NONE,
            { _, sender, path, _, _, arguments, box in
                nonisolated(unsafe) let (sender, path, arguments, box) = (sender, path, arguments, box!)
                MainActor.assumeIsolated {
                    guard let sender, let path, let arguments else { return }
                    Unmanaged<Subscription>.fromOpaque(box).takeUnretainedValue().handler(
                        String(cString: sender), String(cString: path), BusValue(owning: g_variant_ref(arguments)))
                }
            }, Unmanaged.passRetained(Subscription(handler)).toOpaque(),
            { box in Unmanaged<Subscription>.fromOpaque(box!).release() })
    }
}

@MainActor private final class Answer {
    let done: @MainActor (BusValue?, UnsafeMutablePointer<GUnixFDList>?) -> Void

    init(_ done: @escaping @MainActor (BusValue?, UnsafeMutablePointer<GUnixFDList>?) -> Void) { self.done = done }
}

@MainActor private final class Subscription {
    let handler: @MainActor (String, String, BusValue) -> Void

    init(_ handler: @escaping @MainActor (String, String, BusValue) -> Void) { self.handler = handler }
}
