import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation
import Testing

/// `bioauth-password` as systemd runs it: started for each connection, by `systemd-socket-activate`, in a directory
/// of its own.
final class PasswordService {
    let directory: String
    private let activator: RunningProgram

    var daemonPath: String { directory + "/bioauthd.sock" }
    private var socketPath: String { directory + "/password.sock" }

    /// In private mode.
    ///
    /// - Parameters:
    ///   - stack: PAM's service file, with `DIR` standing for the directory; nil: none is written.
    ///   - passwords: accounts and passwords for pam_matrix, in `DIR/passdb`.
    convenience init(stack: String? = PasswordService.matrix, passwords: [String: String] = [:]) throws {
        let directory = try PasswordService.freshDirectory()
        try FileManager.default.createDirectory(atPath: directory + "/pam.d", withIntermediateDirectories: true)
        if let stack {
            try stack.replacingOccurrences(of: "DIR", with: directory)
                .write(toFile: directory + "/pam.d/bioauth-password", atomically: true, encoding: .utf8)
        }
        try passwords.map { "\($0):\($1):bioauth-password\n" }.joined()
            .write(toFile: directory + "/passdb", atomically: true, encoding: .utf8)
        try self.init(in: directory, options: ["--private", "--pam-dir", directory + "/pam.d"])
    }

    /// - Parameters:
    ///   - directory: a fresh one; removed in the end.
    ///   - launcher: a program that execs what follows it.
    init(in directory: String, launcher: [String] = [], options: [String] = []) throws {
        self.directory = directory
        let output = open(directory + "/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(output) }
        let path = directory + "/password.sock"
        activator = try RunningProgram(
            launcher + ["systemd-socket-activate", "--accept", "--seqpacket", "-l", path, PasswordService.program]
                + ["--socket", directory + "/bioauthd.sock"] + options, output: output)
        try waitUntil("the activator listens") { log.contains("Listening on") }
        chmod(path, 0o666)
    }

    deinit {
        kill(activator.pid, SIGKILL)
        _ = activator.wait()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Built beside the tests.
    static let program =
        (try! FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") as NSString)
        .deletingLastPathComponent + "/bioauth-password"

    /// The project's top directory.
    static let project = URL(filePath: #filePath).appending(path: "../../..").standardized.path

    static func freshDirectory() throws -> String {
        var template = Array("/tmp/bioauth-password-XXXXXX".utf8CString)
        let made = try #require(mkdtemp(&template).map { String(cString: $0) })
        // Other accounts connect here too.
        chmod(made, 0o755)
        return made
    }

    /// What the activator and the processes wrote.
    var log: String { (try? String(contentsOfFile: directory + "/log", encoding: .utf8)) ?? "" }

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
    static let own = Account(uid: getuid(), name: String(cString: getpwuid(getuid()).pointee.pw_name))
    static let nobody = Account(uid: 65534, name: "nobody")
}
