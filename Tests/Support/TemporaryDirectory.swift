import Foundation

/// A directory of one test's own, gone when the test lets it go.
public final class TemporaryDirectory: Sendable {
    public let path: String

    public init() {
        path = FileManager.default.temporaryDirectory.appending(path: "bioauth-\(UUID().uuidString.prefix(8))").path
        try! FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file in it, and gives its path.
    @discardableResult
    public func write(_ text: String, to name: String, mode: Int = 0o644) throws -> String {
        let path = file(name)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }
}

/// Where the programs under test are.
public enum Built {
    /// The directory of the test binary: SwiftPM puts every program there.
    public static let programs =
        (try! FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") as NSString)
        .deletingLastPathComponent

    /// The package's own directory.
    public static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    public static func program(_ name: String) -> String { "\(programs)/\(name)" }

    /// What `make module` builds.
    public static let module = "\(package)/build/pam/pam_bioauth.so"
    public static let host = "\(package)/build/pam/pam-host"
}
