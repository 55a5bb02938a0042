import BioauthClient
import BioauthCore
import BioauthWire
import Foundation

/// Touches at a daemon, as many as in months.
public final class ManyTouches {
    public let daemon: DaemonUnderTest
    private let device: VirtualDevice
    private let connection: DaemonConnection

    public init() throws {
        (daemon, device) = try DaemonUnderTest.onWords(
            configuration: "[lockout]\nmismatches-per-delay = 20\nmismatches-until-password = 100\n")
        try daemon.enroll(word: "right", at: device)
        try daemon.givePassword()
        connection = try daemon.connect()
    }

    /// Touches with nine strangers' fingers and the right one, again and again.
    ///
    /// - Parameter count: how often in all, a multiple of ten.
    public func give(_ count: Int) throws {
        let request = Authenticate(account: DaemonUnderTest.account, service: "sudo", tries: 10)
        for _ in 0..<count / 10 {
            try connection.send(.authenticate(request))
            for _ in 1...9 {
                try device.tell("SCAN stranger")
                while true {
                    let message = try connection.receive(within: .seconds(10))
                    if case .mismatch = message { break }
                    if case .verdict = message { throw DaemonUnderTest.Unexpected(message) }
                }
            }
            try device.tell("SCAN right")
            let message = try connection.receive(within: .seconds(10))
            guard message == .verdict(.allowed(.rightIndex)) else { throw DaemonUnderTest.Unexpected(message) }
        }
    }
}

/// A reader at a daemon that is plugged in again and again: the sensor of the recording `elan`.
public final class ManyPlugs {
    public let daemon: DaemonUnderTest
    private let usb: PlayedUSB
    private let connection: DaemonConnection
    private static let places = (1...3).map { USBTestbed.Place(bus: $0) }

    public static var isRecorded: Bool { PlayedUSB.isRecorded("elan") }

    public init() throws {
        let directory = TemporaryDirectory()
        usb = try PlayedUSB("elan", in: directory, places: ManyPlugs.places)
        daemon = try DaemonUnderTest(in: directory, hasReader: false, environment: usb.environment)
        connection = try daemon.connect()
        try connection.send(.watch)
    }

    /// Plugs it in, each time on another bus, until it is ready, and pulls it out.
    public func plug(_ count: Int) throws {
        for number in 0..<count {
            let path = try usb.plug(ManyPlugs.places[number % 3])
            try wait(for: .readerReady)
            try usb.unplug(path)
            try wait(for: .readerRemoved)
        }
    }

    private func wait(for kind: WatchEvent.Kind) throws {
        while true {
            if case .event(let event) = try connection.receive(within: .seconds(10)), event.kind == kind { return }
        }
    }
}

/// What a daemon holds.
public struct Footprint: Sendable {
    public let descriptors: Int
    public let threads: Int
    /// Private memory that was written to. Clean pages are files': whether they count as private hangs on who else runs
    /// the same programs.
    public let kilobytes: Int

    public init(of daemon: DaemonUnderTest) throws {
        let process = "/proc/\(daemon.program.pid)"
        func entries(_ directory: String) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "\(process)/\(directory)").count
        }
        descriptors = try entries("fd")
        threads = try entries("task")
        kilobytes = try String(contentsOfFile: "\(process)/smaps_rollup", encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("Private_Dirty") }.compactMap { Int($0.split(separator: " ")[1]) }.reduce(0, +)
    }
}
