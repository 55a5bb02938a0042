import BioauthCore
import CFprint
import CGLib

/// The readers that libfprint knows (`FpContext`): those plugged in now and later.
///
/// Create it, and call everything on it and on its readers, on the main thread; the process has to run GLib's
/// default main context there.
@MainActor public final class LibfprintReaders: ReaderSource {
    public var onAdded: (@MainActor (any Reader) -> Void)?
    public var onRemoved: (@MainActor (any Reader) -> Void)?

    private let context = GObjectReference(owning: fp_context_new()!)
    private var readers: [LibfprintReader] = []
    private var addedSignal: SignalConnection?

    public init() {}

    /// Finds the readers that are there (`fp_context_enumerate`). Turns the default main context until they are
    /// all told, so whatever else is due on it runs meanwhile.
    public func start() {
        guard addedSignal == nil else { return }
        addedSignal = SignalConnection(to: "device-added", of: context.pointer) { [unowned self] device in
            add(device.assumingMemoryBound(to: FpDevice.self))
        }
        fp_context_enumerate(context.pointer)
    }

    public func describe(_ print: StoredPrint) -> PrintDescription? {
        guard let print = readPrint(print) else { return nil }
        return describePrint(print)
    }

    public func places(of prints: [StoredPrint], among kept: [StoredPrint]) -> [Int?] {
        printPlaces(of: prints, among: kept)
    }

    private func add(_ device: FpDevicePointer) {
        // It may be one of these, come back elsewhere.
        for reader in readers { reader.leaveIfGone() }
        let reader = LibfprintReader(device) { [weak self] reader in
            guard let self else { return }
            readers.removeAll { $0 === reader }
            onRemoved?(reader)
        }
        readers.append(reader)
        onAdded?(reader)
    }
}
