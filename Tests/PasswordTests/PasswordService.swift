import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation
import TestSupport
import Testing

/// `bioauth-password` as systemd runs it: started for each connection, by `systemd-socket-activate`, in a directory
/// of its own.
final class PasswordService {
    let directory: TemporaryDirectory
    /// Where it looks for the daemon.
    let daemonPath: String
    private let socketPath: String
    private let activator: SpawnedProgram

    /// In private mode.
    ///
    /// - Parameters:
    ///   - stack: PAM's service file, with `DIR` standing for the directory; nil: none is written.
    ///   - passwords: accounts and passwords for pam_matrix, in `DIR/passdb`.
    convenience init(
        stack: String? = PasswordService.matrix, passwords: [String: String] = [:], daemonPath: String? = nil
    ) throws {
        let directory = TemporaryDirectory()
        let passdb = passwords.map { "\($0):\($1):bioauth-password\n" }.joined()
        try directory.write(passdb, to: "passdb")
        try directory.write("auth requisite pam_deny.so\n", to: "pam.d/unused")
        if let stack { try directory.write(stack.replacing("DIR", with: directory.path), to: "pam.d/bioauth-password") }
        try self.init(
            in: directory, daemonPath: daemonPath, options: ["--private", "--pam-dir", directory.file("pam.d")])
    }

    /// - Parameter launcher: a program that execs what follows it.
    init(
        in directory: TemporaryDirectory, daemonPath: String? = nil, launcher: [String] = [], options: [String] = []
    ) throws {
        self.directory = directory
        self.daemonPath = daemonPath ?? directory.file("bioauthd.sock")
        socketPath = directory.file("password.sock")
        let output = open(directory.file("log"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(output) }
        let activator = ["systemd-socket-activate", "--accept", "--seqpacket", "-l", socketPath]
        let program = [PasswordService.program, "--socket", self.daemonPath] + options
        self.activator = try SpawnedProgram(launcher + activator + program, output: output)
        try waitUntil("the activator listens") { log.contains("Listening on") }
        chmod(socketPath, 0o666)
    }

    deinit {
        kill(activator.pid, SIGKILL)
        _ = activator.wait()
    }

    static let program = Built.program("bioauth-password")

    /// What the activator and the processes wrote.
    var log: String { (try? String(contentsOfFile: directory.file("log"), encoding: .utf8)) ?? "" }

    /// How the processes ended that have ended.
    var exitCodes: [Int] {
        log.split(separator: "\n").filter { $0.hasPrefix("Child ") }.compactMap { $0.split(separator: " ").last }
            .compactMap { Int($0) }
    }

    /// A connection to it. Its process runs from now on.
    func connected() throws -> SeqpacketSocket { try .connected(to: socketPath) }

    /// Sends one message on a connection of its own and returns the answer.
    func answer(to message: [UInt8]) throws -> DaemonMessage? {
        let socket = try connected()
        _ = try socket.send(message)
        return try socket.answer()
    }

    func answer(to message: ClientMessage) throws -> DaemonMessage? { try answer(to: message.encoded()) }

    func verdict(on password: String, of account: Account = .own, wantsTicket: Bool = false) throws -> DaemonMessage? {
        try answer(to: .password(password, of: account, wantsTicket: wantsTicket))
    }

    /// The same from a process of another account: the answer's bytes.
    func answer(to message: [UInt8], from uid: UInt32) throws -> [UInt8] {
        let client = """
            socket(my $s, AF_UNIX, SOCK_SEQPACKET, 0) or die $!; connect($s, pack_sockaddr_un($ARGV[0])) or die $!;
            send($s, pack("H*", $ARGV[1]), 0) or die $!; recv($s, my $answer, 4096, 0); print unpack("H*", $answer);
            """
        let output = try run([
            "setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups", "perl", "-MSocket", "-e", client,
            socketPath, message.hex,
        ])
        try #require(output.code == 0, "\(output.text)")
        return [UInt8](hex: output.text)
    }

    /// One module that knows passwords from a file.
    static let matrix = """
        auth required \(matrixModule) passdb=DIR/passdb
        account required pam_permit.so
        """

    static let matrixModule: String = {
        let machines = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
        let paths = (machines + ["."]).map { "/usr/lib/\($0)/pam_wrapper/pam_matrix.so" }
        return paths.first { FileManager.default.fileExists(atPath: $0) } ?? "pam_matrix.so"
    }()
}

extension SeqpacketSocket {
    /// The next message, or nil when the other end closed without one.
    func answer(within milliseconds: Int32 = 40_000) throws -> DaemonMessage? {
        guard try waitReadable(milliseconds: milliseconds) else { throw Impatience(what: "an answer") }
        switch try receive(limit: Limits.messageBytes) {
        case .message(let bytes): return try DaemonMessage(decoding: bytes)
        default: return nil
        }
    }
}

extension [UInt8] {
    static func password(_ password: String, of account: Account = .own, wantsTicket: Bool = false) -> [UInt8] {
        ClientMessage.encodePassword(account, secret: [UInt8](password.utf8), wantsTicket: wantsTicket)
    }

    var hex: String { map { String(format: "%02x", $0) }.joined() }

    init(hex: String) {
        let digits = [Character](hex)
        self = stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }
}

extension Account {
    /// Of the account that the tests run as.
    static let own = DaemonUnderTest.account
    static let nobody = Account(uid: 65534, name: "nobody")
}
