import BioauthCore
import BioauthWire
import Foundation

/// Readers whose fingers are words: touches take hardly any time, so there can be many.
extension DaemonUnderTest {
    /// A daemon whose only reader is libfprint's virtual device without storage, which compares one print at a time.
    ///
    /// - Returns: it, and the person at the reader.
    public static func onWords(
        in directory: TemporaryDirectory = TemporaryDirectory(), configuration: String? = nil,
        environment: [String: String] = [:], under wrapper: [String] = []
    ) throws -> (daemon: DaemonUnderTest, device: VirtualDevice) {
        let path = directory.file("device")
        let reader = ["FP_DRIVERS_WHITELIST": "virtual_device", "FP_VIRTUAL_DEVICE": path]
        let daemon = try DaemonUnderTest(
            in: directory, configuration: configuration, hasReader: false,
            environment: reader.merging(environment) { $1 }, under: wrapper)
        return (daemon, VirtualDevice(path: path))
    }

    /// Enrols the finger that a word stands for, with a touch whenever the daemon waits for one.
    public func enroll(
        _ account: Account = DaemonUnderTest.account, _ finger: Finger = .rightIndex, word: String,
        at device: VirtualDevice
    ) throws {
        let connection = try connect()
        try connection.send(.enroll(account, finger, nil))
        while true {
            switch try connection.receive(within: .seconds(20)) {
            case .done: return
            case .enrolling(let stage, let stages, _) where stage < stages: try device.tell("SCAN \(word)")
            case .enrolling, .prompt, .waiting: break
            case let message: throw Unexpected(message)
            }
        }
    }
}
