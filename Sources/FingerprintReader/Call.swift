import CFprint
import CGLib

/// One asynchronous call of libfprint on its way: what GLib's callback gets as its user data.
@MainActor final class Call {
    private let cancellable = GObjectReference(owning: g_cancellable_new()!)
    private let reader: LibfprintReader
    private var ended: (@MainActor (_ result: OpaquePointer?) -> Void)?

    /// - Parameter ended: called once, with the result to finish the call with (a `GAsyncResult`), or with nil when
    ///   the call was given up.
    init(of reader: LibfprintReader, ended: @escaping @MainActor (OpaquePointer?) -> Void) {
        self.reader = reader
        self.ended = ended
    }

    /// What libfprint gets: the cancellable, the callback, and its data, which the callback releases.
    func arguments() -> (UnsafeMutablePointer<GCancellable>?, GAsyncReadyCallback, UnsafeMutableRawPointer) {
        let ready: GAsyncReadyCallback = { _, result, data in
            enterMainActor((result, data!)) { result, data in
                let call = Unmanaged<Call>.fromOpaque(data).takeRetainedValue()
                call.reader.callReturned { call.end(result) }
            }
        }
        return (cancellable.pointer, ready, Unmanaged.passRetained(self).toOpaque())
    }

    /// Asks libfprint to end the call (`g_cancellable_cancel`), which it does from a later turn of the main loop.
    func cancel() {
        g_cancellable_cancel(cancellable.pointer)
    }

    /// Gives the call up when there is no result. Only the first end counts.
    func end(_ result: OpaquePointer?) {
        let ended = self.ended
        self.ended = nil
        ended?(result)
    }
}
