import CGLib
import Glibc

/// GLib's default main context, run on the main thread. It is the daemon's one thread, and the main actor is
/// everything that runs on it: handlers are called on the main actor, one at a time.
@MainActor public enum EventLoop {
    private static var loop: OpaquePointer?

    /// Runs until `quit`.
    public static func run() {
        let running = g_main_loop_new(nil, 0)
        loop = running
        g_main_loop_run(running)
        loop = nil
        g_main_loop_unref(running)
    }

    public static func quit() {
        if let loop { g_main_loop_quit(loop) }
    }

    public struct Readiness: OptionSet, Sendable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        public static let readable = Readiness(rawValue: G_IO_IN.rawValue)
        public static let writable = Readiness(rawValue: G_IO_OUT.rawValue)
        /// The other end is gone. Told whether asked for or not.
        public static let hungUp = Readiness(rawValue: G_IO_HUP.rawValue | G_IO_ERR.rawValue | G_IO_NVAL.rawValue)
    }

    /// What goes first where several are ready: all of one before any of the next.
    public enum Urgency: Int32, Sendable {
        /// The machine's own word: timers, signals, the bus; the reader's, too, which libfprint brings in part from idle
        /// sources (`G_PRIORITY_DEFAULT_IDLE`, 200).
        case machine = 0
        /// Clients whose word is root's.
        case root = 250
        /// Whoever comes.
        case anybody = 300
    }

    /// Calls the handler whenever the descriptor is ready, until the source is cancelled. The descriptor must outlive it.
    public static func watch(
        _ descriptor: Int32, for readiness: Readiness, urgency: Urgency = .machine,
        _ handler: @escaping @MainActor (Readiness) -> Void
    ) -> EventSource {
        let source = EventSource { handler($0) }
        source.id = g_unix_fd_add_full(
            urgency.rawValue, descriptor, GIOCondition(rawValue: readiness.rawValue),
            { _, condition, box in
                MainActor.assumeIsolated { EventSource.from(box).fire(Readiness(rawValue: condition.rawValue)) }
            }, source.retained(), { box in EventSource.release(box) })
        return source
    }

    /// Calls the handler once, after so many milliseconds.
    public static func after(milliseconds: UInt32, _ handler: @escaping @MainActor () -> Void) -> EventSource {
        let source = EventSource(once: true) { _ in handler() }
        source.id = g_timeout_add_full(
            G_PRIORITY_DEFAULT, milliseconds, { box in MainActor.assumeIsolated { EventSource.from(box).fire([]) } },
            source.retained(), { box in EventSource.release(box) })
        return source
    }

    /// Calls the handler whenever the process gets the signal: SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2 or SIGWINCH.
    /// Whoever started the process may have had it blocked: it isn't any more.
    public static func onSignal(_ number: Int32, _ handler: @escaping @MainActor () -> Void) -> EventSource {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        let source = EventSource { _ in handler() }
        source.id = g_unix_signal_add_full(
            G_PRIORITY_DEFAULT, number, { box in MainActor.assumeIsolated { EventSource.from(box).fire([]) } },
            source.retained(), { box in EventSource.release(box) })
        return source
    }
}

/// Something the loop waits for. It goes on until it is cancelled, whether or not anybody holds it.
@MainActor public final class EventSource {
    fileprivate var id: guint = 0
    private let once: Bool
    private var handler: (@MainActor (EventLoop.Readiness) -> Void)?

    fileprivate init(once: Bool = false, _ handler: @escaping @MainActor (EventLoop.Readiness) -> Void) {
        self.once = once
        self.handler = handler
    }

    /// Ends it; its handler isn't called again. A second call has no effect.
    public func cancel() {
        handler = nil
        let ended = id
        id = 0
        if ended != 0 { g_source_remove(ended) }
    }

    /// What GLib is told: 1 to go on, 0 to remove the source, which then forgets its number.
    fileprivate func fire(_ readiness: EventLoop.Readiness) -> gboolean {
        guard let handler else { return 0 }
        if once {
            self.handler = nil
            id = 0
        }
        handler(readiness)
        return once || self.handler == nil ? 0 : 1
    }

    fileprivate func retained() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    nonisolated fileprivate static func from(_ box: UnsafeMutableRawPointer?) -> EventSource {
        Unmanaged<EventSource>.fromOpaque(box!).takeUnretainedValue()
    }

    nonisolated fileprivate static func release(_ box: UnsafeMutableRawPointer?) {
        Unmanaged<EventSource>.fromOpaque(box!).release()
    }
}
