import BioauthClient
import BioauthCore
import BioauthWire
import Foundation

extension DaemonUnderTest {
    /// A daemon to which synthetic finger 1 is the account's right index finger already, and its password was given.
    public static func enrolled(
        in directory: TemporaryDirectory = TemporaryDirectory(), configuration: String? = nil,
        arguments: [String] = [], environment: [String: String] = [:], under wrapper: [String] = []
    ) throws -> DaemonUnderTest {
        try layEnrolledState(in: directory.file("state"))
        return try DaemonUnderTest(
            in: directory, configuration: configuration, arguments: arguments, environment: environment,
            under: wrapper)
    }

    /// Lays down what such a daemon keeps.
    public static func layEnrolledState(in stateDirectory: String) throws {
        try enrolledState.get().lay(in: stateDirectory)
    }

    /// The same, as if the finger had been enrolled on the reader of another driver.
    public static func layEnrolledState(in stateDirectory: String, asOf driver: String) throws {
        try layEnrolledState(in: stateDirectory)
        let prints = "\(stateDirectory)/prints/\(account.uid)"
        try FileManager.default.moveItem(atPath: "\(prints)/virtual_image", toPath: "\(prints)/\(driver)")
        let print = URL(filePath: "\(prints)/\(driver)/0/\(Finger.rightIndex.name)")
        // In place, with the permissions that it has.
        let file = try FileHandle(forWritingTo: print)
        let bytes = StoredPrint(bytes: Array(try Data(contentsOf: print))).relabelled(driver).bytes
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: bytes)
    }

    /// Enrolled once by a real daemon, for all tests.
    private static let enrolledState = Result {
        let daemon = try DaemonUnderTest()
        let answer = try daemon.enroll(synthetic: 1)
        guard answer == .done(nil) else { throw Unexpected(answer) }
        try daemon.givePassword()
        try daemon.stop()
        return try Tree(daemon.stateDirectory)
    }

    /// Enrols a synthetic finger as one of the account's.
    @discardableResult
    public func enroll(_ finger: Finger, synthetic: Int) throws -> DaemonMessage {
        try enroll(DaemonUnderTest.account, finger, synthetic: synthetic)
    }

    /// Where the account's print of a finger lies.
    public func print(_ finger: Finger, of account: Account = DaemonUnderTest.account) -> String {
        "\(stateDirectory)/prints/\(account.uid)/virtual_image/0/\(finger.name)"
    }

    /// Where the account's state lies.
    public func state(of account: Account = DaemonUnderTest.account) -> String {
        "\(stateDirectory)/users/\(account.uid).state"
    }

    /// The verdict on a touch that is asked for, and the fingers shown for it.
    public func verdict(
        _ account: Account = DaemonUnderTest.account, service: String = "sudo", touches: [Int] = []
    ) throws -> Verdict {
        let said = try authenticate(Authenticate(account: account, service: service), touches: touches)
        guard case .verdict(let verdict)? = said.last else { throw Unexpected(said.last) }
        return verdict
    }

    /// Why the finger is denied; nil when it is taken.
    public func denial(
        _ account: Account = DaemonUnderTest.account, service: String = "sudo", touches: [Int] = []
    ) throws -> Cause? {
        guard case .denied(let denial) = try verdict(account, service: service, touches: touches) else { return nil }
        return denial.cause
    }
}
