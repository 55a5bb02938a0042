import BioauthCore
import Foundation
import SyntheticFingers
import TestSupport

/// One of libfprint's virtual readers, and what can be done to it. Pulled out, it doesn't come back in the same process: to
/// plug it in takes another daemon.
struct PlayedReader {
    enum Kind: CaseIterable {
        /// Takes images, which are really compared (`virtual_image`). It reads what it is sent only while it waits for a
        /// finger, and can't hang.
        case image
        /// Takes words for fingers, compares one print at a time, and hangs when it is told to (`virtual_device`). A word
        /// that comes as an action ends is the next one's.
        case words
    }

    let kind: Kind
    /// The Unix socket that the driver listens on while it is open.
    let path: String
    var isPluggedIn = true
    /// A finger rests on it.
    var hasFinger = false
    /// It is to hang as soon as something runs at it.
    var isToHang = false
    /// It was told to hang, and that isn't known to be over.
    var isHung = false
    /// That was in an action for a finger.
    var hangsInAction = false

    init(_ kind: Kind, in directory: TemporaryDirectory) {
        self.kind = kind
        path = directory.file("\(kind)")
    }

    var driver: String { kind == .image ? "virtual_image" : "virtual_device" }

    /// What it is called in prompts.
    var name: String { kind == .image ? "Virtual image device for debugging" : "Virtual device for debugging" }

    /// What libfprint finds it by.
    var variable: (String, String) { (kind == .image ? "FP_VIRTUAL_IMAGE" : "FP_VIRTUAL_DEVICE", path) }

    /// - Parameter time: how long a gesture waits for a reader that isn't armed yet.
    private func image(within time: Duration = .milliseconds(300)) -> VirtualReader {
        VirtualReader(socketPath: listening, patience: time)
    }

    private var words: VirtualDevice { VirtualDevice(path: listening) }

    /// Whether the reader took it: one that waits for no finger sees none.
    private func gesture(_ body: () throws -> Void) -> Bool { (try? body()) != nil }

    /// - Parameters:
    ///   - finger: the number of a synthetic finger, which is a word, too.
    ///   - impression: which of its touches.
    func touch(_ finger: Int, impression: Int, within time: Duration = .seconds(1), stays: Bool = false) -> Bool {
        gesture {
            switch kind {
            case .image:
                try image(within: time).touch(
                    SyntheticFingers.shared[finger].impression(20 + impression), lifting: !stays)
            case .words: try words.tell("SCAN finger\(finger)")
            }
        }
    }

    func badScan(within time: Duration) -> Bool {
        gesture { kind == .image ? try image(within: time).retry(2) : try words.tell("RETRY 2") }
    }

    func lift() -> Bool { kind == .image && gesture { try image().finger(on: false) } }

    /// - Parameter code: an `FpDeviceError`.
    func fail(_ code: Int32) -> Bool {
        gesture { kind == .image ? try image().error(code) : try words.tell("ERROR \(code)") }
    }

    func unplug() -> Bool { gesture { kind == .image ? try image().unplug() : try words.tell("UNPLUG") } }

    /// What runs at it, or runs at it next, doesn't end for so long.
    func hang(_ time: Duration, cancellable: Bool = true) -> Bool {
        guard kind == .words else { return false }
        return gesture {
            if !cancellable { try words.tell("SET_CANCELLATION_ENABLED 0") }
            try words.tell("SLEEP \(time.wireMilliseconds)")
        }
    }

    /// A directory in the socket's place keeps the driver from opening. What has it open goes on meanwhile.
    func blockOpening() throws {
        _ = rename(path, aside)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func unblockOpening() {
        // Where the driver has closed it meanwhile, nobody listens there any more, and the next opening removes it.
        if rmdir(path) == 0 { _ = rename(aside, path) }
    }

    private var aside: String { path + ".aside" }

    /// Where a driver listens that had it open before opening was blocked.
    private var listening: String { FileManager.default.fileExists(atPath: aside) ? aside : path }
}

/// Fingers that were grown once for all.
struct SyntheticFingers: Sendable {
    static let shared = SyntheticFingers()
    private let fingers = (0...Person.lastFinger).map { SyntheticFinger(number: $0) }

    subscript(number: Int) -> SyntheticFinger { fingers[number] }
}
