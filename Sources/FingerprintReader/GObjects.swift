import CGLib

/// A C pointer to a GObject; libfprint's are typed or opaque, as its headers please.
protocol GObjectPointer {
    init(object: UnsafeMutableRawPointer)
    var object: UnsafeMutableRawPointer { get }
}

extension UnsafeMutablePointer: GObjectPointer {
    init(object: UnsafeMutableRawPointer) { self = object.assumingMemoryBound(to: Pointee.self) }
    var object: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
}

extension OpaquePointer: GObjectPointer {
    init(object: UnsafeMutableRawPointer) { self.init(object) }
    var object: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
}

/// One counted reference to a GObject, given back when the value's life ends.
struct GObjectReference<Pointer: GObjectPointer>: ~Copyable {
    // Not of type `Pointer`: where that is all a generic value holds, Swift 6.3 forgets its deinit in debug builds.
    private let object: UnsafeMutableRawPointer

    var pointer: Pointer { Pointer(object: object) }

    /// Takes over the caller's reference (GLib's "transfer full").
    init(owning pointer: Pointer) {
        object = pointer.object
    }

    /// Adds a reference, or takes over a floating one (`g_object_ref_sink`).
    init(sharing pointer: Pointer) {
        object = g_object_ref_sink(pointer.object)
    }

    deinit {
        g_object_unref(object)
    }

    /// Another counted reference, for C to keep and give back.
    func shared() -> UnsafeMutableRawPointer {
        g_object_ref(object)
    }
}

/// A handler on a GObject's signal, disconnected when the value's life ends.
struct SignalConnection: ~Copyable {
    private let instance: UnsafeMutableRawPointer
    private let id: gulong

    /// Connects to a signal whose C handler has the shape `(instance, pointer, user data) -> void`: libfprint's
    /// `device-added`, and every `notify::`.
    @MainActor
    init(
        to signal: String, of instance: some GObjectPointer,
        handler: @escaping @MainActor (UnsafeMutableRawPointer) -> Void
    ) {
        let box = Unmanaged.passRetained(SignalHandler(handler))
        let emitted:
            @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void =
                { _, argument, data in
                    enterMainActor((argument, data)) { argument, data in
                        Unmanaged<SignalHandler>.fromOpaque(data).takeUnretainedValue().body(argument)
                    }
                }
        self.instance = g_object_ref(instance.object)
        // GLib gives the box back through the closure's notifier, once, whether the handler is disconnected first
        // or the object goes first.
        self.id = g_signal_connect_data(
            instance.object, signal, unsafeBitCast(emitted, to: GCallback.self), box.toOpaque(),
            { data, _ in Unmanaged<SignalHandler>.fromOpaque(data!).release() }, GConnectFlags(rawValue: 0))
    }

    deinit {
        g_signal_handler_disconnect(instance, id)
        g_object_unref(instance)
    }
}

private final class SignalHandler {
    let body: @MainActor (UnsafeMutableRawPointer) -> Void

    init(_ body: @escaping @MainActor (UnsafeMutableRawPointer) -> Void) {
        self.body = body
    }
}
