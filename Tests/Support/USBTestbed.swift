import CGLib
import Foundation

/// USB as umockdev plays it, with a recorded sensor on it. Its library is loaded by name: its headers are in no package
/// that is needed.
///
/// The process has to be started by `umockdev-wrapper`. Others see the same where that library is loaded into them, and
/// `UMOCKDEV_DIR` names `root`.
public final class USBTestbed {
    private typealias New = @convention(c) () -> UnsafeMutableRawPointer
    private typealias Root = @convention(c) (UnsafeMutableRawPointer) -> UnsafePointer<CChar>
    private typealias Add =
        @convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>, UnsafeMutableRawPointer?) -> gboolean
    private typealias Load =
        @convention(c) (
            UnsafeMutableRawPointer, UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?
        ) -> gboolean
    private typealias Remove = @convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>) -> Void
    private typealias Attach =
        @convention(c) (
            UnsafeMutableRawPointer, UnsafePointer<CChar>, UnsafeMutableRawPointer, UnsafeMutableRawPointer?
        ) -> gboolean
    private typealias Detach =
        @convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>, UnsafeMutableRawPointer?) -> gboolean
    private typealias Handle =
        @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> gboolean
    private typealias Request = @convention(c) (UnsafeMutableRawPointer) -> UInt
    private typealias Complete = @convention(c) (UnsafeMutableRawPointer, Int, Int32) -> Void
    private typealias Tell =
        @convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Void

    private let library: UnsafeMutableRawPointer
    private let testbed: UnsafeMutableRawPointer
    private let recording: String
    /// The recorded devices, each in umockdev's notation: the sensor, then what it hung on up to the bus's own parent.
    private let devices: [String]
    private var buses: Set<Int> = []

    /// Where a sensor can be plugged in.
    public struct Place: Hashable, Sendable, CustomStringConvertible {
        /// 1 to 9.
        public let bus: Int
        /// Its number on the bus, 2 to 127.
        public let address: Int
        public let answer: Answer

        public init(bus: Int, address: Int = 17, _ answer: Answer = .recorded) {
            (self.bus, self.address, self.answer) = (bus, address, answer)
        }

        /// As `description` writes it.
        public init?(_ text: String) {
            let parts = text.split(separator: ":").map(String.init)
            guard parts.count == 3, let bus = Int(parts[0]), let address = Int(parts[1]),
                let answer = Answer(rawValue: parts[2])
            else { return nil }
            self.init(bus: bus, address: address, answer)
        }

        public var description: String { "\(bus):\(address):\(answer.rawValue)" }
    }

    /// What the sensor answers at a place.
    public enum Answer: String, Sendable {
        case recorded
        /// Nothing: a sensor that needs none to be opened waits for a finger for ever.
        case silent
        /// That another program has it (EBUSY), until that lets it go.
        case claimed
    }

    public struct Failed: Error {
        public let what: String
        public init(what: String) { self.what = what }
    }

    /// - Parameters:
    ///   - recording: the directory of a sensor's: `device` and `capture.ioctl`.
    ///   - places: where the sensor will be plugged in.
    public init(_ recording: String, places: [Place]) throws {
        self.recording = recording
        guard let library = dlopen("libumockdev.so.0", RTLD_NOW) else { throw Failed(what: String(cString: dlerror())) }
        self.library = library
        devices = try String(contentsOfFile: recording + "/device", encoding: .utf8).components(separatedBy: "\n\n")
            .filter { !$0.allSatisfy(\.isWhitespace) }
        testbed = unsafeBitCast(try USBTestbed.symbol("umockdev_testbed_new", of: library), to: New.self)()
        // What answers at a place has to be there before anybody hears of the sensor. It stays when the sensor goes.
        for place in places {
            let path = try plug(place)
            try play(path, at: place)
            try unplug(path)
        }
    }

    /// Where its files are.
    public var root: String {
        get throws { String(cString: try function("umockdev_testbed_get_root_dir", as: Root.self)(testbed)) }
    }

    /// Puts the sensor in, with the hubs that it hung on where they aren't there yet.
    ///
    /// - Returns: where it stands in sysfs.
    public func plug(_ place: Place) throws -> String {
        // As the kernel tells them: the hubs first. The bus's own parent is there from the first time.
        let hubs = buses.contains(place.bus) ? [] : devices.dropFirst().reversed().dropFirst(buses.isEmpty ? 0 : 1)
        buses.insert(place.bus)
        let all = hubs.map { moved($0, to: place.bus) } + [moved(devices[0], to: place.bus, place.address)]
        let text = all.joined(separator: "\n\n") + "\n"
        guard try function("umockdev_testbed_add_from_string", as: Add.self)(testbed, text, nil) != 0,
            let path = text.matches(of: /P: (\S+)/).last?.output.1
        else { throw Failed(what: text) }
        return "/sys\(path)"
    }

    /// Pulls it out.
    ///
    /// - Parameter telling: whether udev tells.
    public func unplug(_ path: String, telling: Bool = true) throws {
        if telling { try function("umockdev_testbed_uevent", as: Tell.self)(testbed, path, "remove") }
        try function("umockdev_testbed_remove_device", as: Remove.self)(testbed, path)
    }

    /// The other program lets go the sensor that stands at a path.
    public func release(_ path: String, at place: Place) throws {
        guard try function("umockdev_testbed_detach_ioctl", as: Detach.self)(testbed, node(place), nil) != 0 else {
            throw Failed(what: path)
        }
        try play(path, at: Place(bus: place.bus, address: place.address))
    }

    // MARK: The recording

    /// A device's text with another bus, and another address where one is given.
    private func moved(_ device: String, to bus: Int, _ address: Int? = nil) -> String {
        var text = device
        for (old, new) in [
            ("usb1", "usb\(bus)"), ("/1-", "/\(bus)-"), ("bus/usb/001/", "bus/usb/\(three(bus))/"),
            ("BUSNUM=001", "BUSNUM=\(three(bus))"), ("A: busnum=1\\n", "A: busnum=\(bus)\\n"),
        ] { text = text.replacing(old, with: new) }
        text = text.replacing(/(MINOR=|A: dev=189:)(\d+)/) {
            "\($0.output.1)\((bus - 1) * 128 + (address.map { $0 - 1 } ?? Int($0.output.2)!))"
        }
        guard let address else { return text }
        text = text.replacing(/(bus\/usb\/\d+\/|DEVNUM=)\d+/) { "\($0.output.1)\(three(address))" }
        return text.replacing(/A: devnum=\d+/, with: "A: devnum=\(address)")
    }

    private func three(_ number: Int) -> String { String(format: "%03d", number) }

    private func node(_ place: Place) -> String { "/dev/bus/usb/\(three(place.bus))/\(three(place.address))" }

    /// What answers as the kernel does where another program has claimed the sensor: it can be opened and reset.
    private func busy() throws -> UnsafeMutableRawPointer {
        let handler = try function("umockdev_ioctl_base_new", as: New.self)()
        let answer: Handle = { _, client, library in
            let request = unsafeBitCast(dlsym(library, "umockdev_ioctl_client_get_request"), to: Request.self)
            let complete = unsafeBitCast(dlsym(library, "umockdev_ioctl_client_complete"), to: Complete.self)
            switch request(client) {
            case USBTestbed.claimInterface: complete(client, -1, EBUSY)
            case USBTestbed.reset: complete(client, 0, 0)
            case USBTestbed.reapTransfer: complete(client, -1, EAGAIN)
            default: complete(client, -1, ENOTTY)
            }
            return 1
        }
        g_signal_connect_data(
            handler, "handle-ioctl", unsafeBitCast(answer, to: GCallback.self), library, nil,
            GConnectFlags(rawValue: 0))
        return handler
    }

    /// USBDEVFS_CLAIMINTERFACE, USBDEVFS_RESET and USBDEVFS_REAPURBNDELAY, which Swift can't make of their macros.
    private static let claimInterface: UInt = 0x8004_550F
    private static let reset: UInt = 0x5514
    private static let reapTransfer: UInt = 0x4008_550D

    /// Has the sensor answer at a place, where it stands at a path.
    private func play(_ path: String, at place: Place) throws {
        let isPlayed: Bool
        switch place.answer {
        case .recorded:
            isPlayed =
                try function("umockdev_testbed_load_ioctl", as: Load.self)(
                    testbed, node(place), recording + "/capture.ioctl", nil) != 0
        case .silent:
            let capture = try root + "/nothing.pcapng"
            try Data(USBTestbed.emptyCapture).write(to: URL(filePath: capture))
            isPlayed = try function("umockdev_testbed_load_pcap", as: Load.self)(testbed, path, capture, nil) != 0
        case .claimed:
            isPlayed =
                try function("umockdev_testbed_attach_ioctl", as: Attach.self)(testbed, node(place), busy(), nil) != 0
        }
        guard isPlayed else { throw Failed(what: recording) }
    }

    /// A capture without a packet (pcapng): the blocks that begin it, and tell that it is of the kernel's usbmon.
    private static let emptyCapture: [UInt8] = [
        0x0A, 0x0D, 0x0D, 0x0A, 28, 0, 0, 0, 0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0,
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 28, 0, 0, 0,
        1, 0, 0, 0, 20, 0, 0, 0, 220, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0,
    ]

    private func function<F>(_ name: String, as type: F.Type) throws -> F {
        unsafeBitCast(try USBTestbed.symbol(name, of: library), to: type)
    }

    private static func symbol(_ name: String, of library: UnsafeMutableRawPointer) throws -> UnsafeMutableRawPointer {
        guard let symbol = dlsym(library, name) else { throw Failed(what: name) }
        return symbol
    }
}
