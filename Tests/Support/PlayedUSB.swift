import Foundation

/// USB as umockdev plays it to a daemon, in a process of its own (`bioauth-usb`): a recorded sensor that is plugged in
/// and pulled out.
///
/// `FINGERPRINT_RECORDINGS` names the directory of the recordings.
public final class PlayedUSB {
    private let driver: String
    private let program: InteractiveProgram
    private let root: String

    public static func isRecorded(_ driver: String) -> Bool {
        recordings.map { FileManager.default.fileExists(atPath: "\($0)/\(driver)/device") } ?? false
    }

    private static let recordings = ProcessInfo.processInfo.environment["FINGERPRINT_RECORDINGS"]

    /// - Parameters:
    ///   - driver: whose sensor's recording is played.
    ///   - places: where the sensor will be plugged in.
    public init(_ driver: String, in directory: TemporaryDirectory, places: [USBTestbed.Place]) throws {
        guard let recordings = PlayedUSB.recordings else { throw USBTestbed.Failed(what: "no recordings") }
        self.driver = driver
        program = try InteractiveProgram(
            ["/usr/bin/umockdev-wrapper", Built.program("bioauth-usb"), "\(recordings)/\(driver)"]
                + places.map(\.description), onTerminal: true, environment: ["TMPDIR": directory.path])
        root = try PlayedUSB.answer("root", of: program)
    }

    /// What a daemon is to be started with.
    public var environment: [String: String] {
        [
            "LD_PRELOAD": "libumockdev-preload.so.0", "UMOCKDEV_DIR": root, "FP_DEVICE_EMULATION": "1",
            "FP_DRIVERS_WHITELIST": driver,
        ]
    }

    /// Puts the sensor in.
    ///
    /// - Returns: where it stands in sysfs.
    public func plug(_ place: USBTestbed.Place) throws -> String {
        program.type("plug \(place)\n")
        return try PlayedUSB.answer("plugged", of: program)
    }

    /// Pulls it out.
    ///
    /// - Parameter telling: whether udev tells.
    public func unplug(_ path: String, telling: Bool = true) throws {
        program.type("\(telling ? "unplug" : "vanish") \(path)\n")
        _ = try PlayedUSB.answer("gone", of: program)
    }

    /// Another program lets go the sensor that stands at a path.
    public func release(_ path: String, at place: USBTestbed.Place) throws {
        program.type("release \(path) \(place)\n")
        _ = try PlayedUSB.answer("released", of: program)
    }

    private static func answer(_ word: String, of program: InteractiveProgram) throws -> String {
        try program.expect("\(word) /")
        try program.expect(".\r\n")
        let answer = program.output.components(separatedBy: "\(word) /").last!
        return "/" + answer.dropLast(".\r\n".count)
    }
}
