import BioauthClient
import BioauthCore
import BioauthWire
import Foundation

/// A daemon whose only reader keeps prints itself: libfprint's virtual device with storage, whose prints are words.
public final class KeepingDesk {
    public let daemon: DaemonUnderTest
    public let person: WordReader

    /// The reader stays open, for only then does it hear what the person does.
    ///
    /// - Parameter variable: libfprint's, which makes the reader.
    public init(
        in directory: TemporaryDirectory = TemporaryDirectory(), variable: String = "FP_VIRTUAL_DEVICE_STORAGE"
    ) throws {
        person = WordReader(socketPath: directory.file("keeper"))
        daemon = try DaemonUnderTest(
            in: directory, configuration: "[reader]\nkeep-warm-seconds = 300\n", hasReader: false,
            environment: ["FP_DRIVERS_WHITELIST": "virtual_device_storage", variable: person.socketPath])
        try daemon.givePassword()
    }

    /// Enrols the finger that a word stands for.
    ///
    /// - Returns: the last message: `done`, or `refused`.
    public func enroll(_ finger: Finger, _ word: String) throws -> DaemonMessage {
        let connection = try daemon.connect()
        try connection.send(.enroll(DaemonUnderTest.account, finger, nil))
        while true {
            let message = try connection.receive(within: .seconds(20))
            switch message {
            case .done, .refused: return message
            case .enrolling(let stage, let stages, _) where stage < stages: try person.touch(word)
            default: break
            }
        }
    }

    /// What the reader keeps, and how the answer ends.
    public func storage(reader: String? = nil, clearing: [PrintID] = []) throws -> (
        prints: [KeptPrint], end: DaemonMessage
    ) {
        let connection = try daemon.connect()
        try connection.send(.storage(reader: reader, clearing: clearing))
        var prints: [KeptPrint] = []
        while true {
            switch try connection.receive(within: .seconds(20)) {
            case .keptPrint(let print): prints.append(print)
            case let message: return (prints, message)
            }
        }
    }

    /// How each print stands.
    public func standings() throws -> [KeptPrint.Standing] { try storage().prints.map(\.standing) }

    /// Somebody who asks for a touch.
    public func asking(_ service: String = "sudo") throws -> DaemonConnection {
        let connection = try daemon.connect()
        try connection.send(.authenticate(Authenticate(account: DaemonUnderTest.account, service: service)))
        return connection
    }

    /// What comes of a touch that is asked for.
    public func verdict(_ word: String) throws -> Verdict {
        let connection = try asking()
        while true {
            switch try connection.receive(within: .seconds(20)) {
            case .prompt: try person.touch(word)
            case .verdict(let verdict): return verdict
            default: break
            }
        }
    }

    /// The names in the folder of the account's prints that begin so.
    public func files(_ prefix: String) throws -> [String] {
        let folder = "\(daemon.stateDirectory)/prints/\(DaemonUnderTest.account.uid)/virtual_device_storage/0"
        return (try? FileManager.default.contentsOfDirectory(atPath: folder))?.filter { $0.hasPrefix(prefix) } ?? []
    }
}
