import Foundation

/// The real `bioauth-password` beside a daemon under test, started for each connection as systemd does, with a PAM module that
/// knows passwords from a file.
public final class PasswordSocket {
    private let activator: InteractiveProgram

    /// - Parameter passwords: by the account's name.
    public init(beside daemon: DaemonUnderTest, passwords: [String: String]) throws {
        let directory = daemon.directory
        let known = try directory.write(
            passwords.map { "\($0):\($1):bioauth-password\n" }.joined(), to: "passdb")
        try directory.write(
            "auth required \(try PasswordSocket.matrix()) passdb=\(known)\naccount required pam_permit.so\n",
            to: "pam.d/bioauth-password")
        let socket = directory.file("password.sock")
        activator = try InteractiveProgram([
            "/usr/bin/systemd-socket-activate", "--accept", "--seqpacket", "-l", socket,
            Built.program("bioauth-password"), "--private", "--pam-dir", directory.file("pam.d"), "--socket",
            daemon.socketPath,
        ])
        try activator.expect("Listening on", on: .errors)
        chmod(socket, 0o666)
    }

    private struct NoMatrix: Error {
        let hint = "pam_matrix is of libpam-wrapper"
    }

    private static func matrix() throws -> String {
        let places = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib"]
        let found = places.map { "\($0)/pam_wrapper/pam_matrix.so" }
            .first { FileManager.default.fileExists(atPath: $0) }
        guard let found else { throw NoMatrix() }
        return found
    }
}
