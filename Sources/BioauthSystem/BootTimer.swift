import CLinux
import Glibc

/// An alarm on the boot-time clock (`timerfd`): one that falls due while the machine sleeps goes off when it wakes.
/// GLib's own timers stand still meanwhile.
@MainActor public final class BootTimer {
    private let descriptor: FileDescriptor
    private var source: EventSource?

    /// - Throws: `SystemError` of timerfd_create.
    public init(_ handler: @escaping @MainActor () -> Void) throws(SystemError) {
        let raw = clinux_boot_timer()
        guard raw >= 0 else { throw .last("timerfd_create") }
        descriptor = FileDescriptor(owning: raw)
        source = EventLoop.watch(raw, for: .readable) { [weak self] _ in
            self?.set(nil)
            handler()
        }
    }

    /// Goes off once at that moment, in nanoseconds since boot; at once if it has passed, never if there is none.
    public func set(_ nanoseconds: Int64?) {
        // Zero disarms; a moment that early has passed all the same.
        _ = clinux_boot_timer_set(descriptor.raw, nanoseconds.map { max($0, 1) } ?? 0)
    }
}
