import BioauthCore
import FingerprintReader
import Foundation
import SyntheticFingers

/// libfprint's virtual image reader in this process, with a socket of its own.
@MainActor final class LiveReader {
    let socketPath: String
    private(set) var isRemoved = false
    private let directory: URL
    private let source: LibfprintReaders
    private var reader: (any Reader)!

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "fingers-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        socketPath = directory.appending(path: "reader").path
        // libfprint reads both while it looks for readers, and keeps the path.
        setenv("FP_DRIVERS_WHITELIST", "virtual_image", 1)
        setenv("FP_VIRTUAL_IMAGE", socketPath, 1)
        source = LibfprintReaders()
        var found: [any Reader] = []
        source.onAdded = { found.append($0) }
        source.start()
        guard found.count == 1 else { throw NothingHappened() }
        reader = found[0]
        source.onRemoved = { [unowned self] _ in isRemoved = true }
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    func open() throws {
        try ending { done in reader.open { done($0) } }
    }

    func close() throws {
        try ending { done in reader.close { done($0) } }
    }

    /// The person at this reader.
    func person(patience: Duration = .seconds(10)) -> VirtualReader {
        VirtualReader(socketPath: socketPath, patience: patience)
    }

    /// Enrols the finger with its first impressions, one after the other, perhaps after another
    /// gesture that the reader tells of.
    func enroll(
        _ finger: SyntheticFinger, after gesture: (@Sendable (VirtualReader) throws -> Void)? = nil
    ) throws -> StoredPrint {
        let person = person()
        var gestures: [Background<Void>] = []
        func touch(_ impression: Int) {
            gestures.append(Background { try person.touch(finger.impression(impression)) })
        }
        let stages = reader.description.enrollStages
        let print = try ending { done in
            reader.enroll(accountName: "mira", finger: .rightIndex) { completed, _ in
                if completed < stages { touch(completed) }
            } done: {
                done($0)
            }
            if let gesture {
                gestures.append(Background { try gesture(person) })
            } else {
                touch(0)
            }
        }
        for gesture in gestures { try gesture.value() }
        return print
    }

    /// Arms the reader with the gallery.
    func arm(_ gallery: [StoredPrint]) -> Scan {
        let scan = Scan()
        reader.identify(gallery: gallery) {
            scan.shown = $0
        } done: {
            scan.done = $0
        }
        return scan
    }

    func disarm(_ scan: Scan) throws {
        reader.cancel()
        try turn { scan.done != nil }
    }

    /// What the reader makes of one touch.
    func identify(_ image: FingerImage, in gallery: [StoredPrint]) throws -> Identification? {
        let person = person()
        let scan = arm(gallery)
        let touch = Background { try person.touch(image) }
        try turn { scan.done != nil }
        try touch.value()
        try scan.done?.get()
        return scan.shown
    }

    private func ending<Value>(
        _ start: (@escaping @MainActor (Result<Value, ReaderFault>) -> Void) -> Void
    ) throws -> Value {
        var result: Result<Value, ReaderFault>?
        start { result = $0 }
        try turn { result != nil }
        return try result!.get()
    }
}

/// One identification on its way.
@MainActor final class Scan {
    var shown: Identification?
    var done: Result<Void, ReaderFault>?
}
