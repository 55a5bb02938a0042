import CGLib

/// Carries what GLib hands to a C callback onto the main actor.
///
/// libfprint calls back on the thread that runs GLib's default main context, and that is the main thread, so the
/// arguments never leave the thread they came in on.
func enterMainActor<Arguments>(_ arguments: Arguments, _ body: @MainActor (Arguments) -> Void) {
    nonisolated(unsafe) let arguments = arguments
    MainActor.assumeIsolated { body(arguments) }
}

/// Runs `body` once, from a later turn of the default main context.
@MainActor func later(_ body: @escaping @MainActor () -> Void) {
    let source = g_idle_source_new()
    // An idle source's own priority would let a busy loop put an answer off for ever.
    g_source_set_priority(source, G_PRIORITY_DEFAULT)
    g_source_set_callback(
        source,
        { data in
            enterMainActor(data!) { Unmanaged<Postponed>.fromOpaque($0).takeUnretainedValue().body() }
            return 0  // G_SOURCE_REMOVE
        },
        Unmanaged.passRetained(Postponed(body)).toOpaque(),
        { Unmanaged<Postponed>.fromOpaque($0!).release() })
    g_source_attach(source, nil)
    g_source_unref(source)
}

private final class Postponed {
    let body: @MainActor () -> Void

    init(_ body: @escaping @MainActor () -> Void) {
        self.body = body
    }
}
