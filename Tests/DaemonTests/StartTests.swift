import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

@Suite("Starting") struct StartTests {
    private static let daemon = Built.program("bioauthd")

    // MARK: The socket

    @Test("Its own socket is open to everybody, and what it keeps to nobody, whatever the umask is")
    func ownSocket() throws {
        let directory = TemporaryDirectory()
        let socket = directory.file("run/bioauthd.sock")
        let daemon = try DaemonUnderTest(
            in: directory, arguments: ["--socket", socket],
            under: ["/bin/sh", "-c", "umask 077; exec \"$@\"", "sh"])
        #expect(try Tree.mode(of: socket) == 0o666)
        #expect(try Tree.mode(of: directory.file("run")) == 0o755)
        for path in ["state", "state/prints", "state/users"] {
            #expect(try Tree.mode(of: directory.file(path)) == 0o700)
        }
        #expect(try daemon.stop() == 0)
        #expect(!FileManager.default.fileExists(atPath: socket))
    }

    @Test("A socket left behind by a daemon that was killed is replaced; one that is in use, or a file, is not")
    func leftBehind() throws {
        let first = try DaemonUnderTest()
        try first.stop(SIGKILL)
        #expect(FileManager.default.fileExists(atPath: first.socketPath))

        let second = try DaemonUnderTest(in: first.directory)
        let third = try RunningProgram.run(
            StartTests.daemon,
            ["--private", "--state-dir", first.directory.file("other"), "--socket", second.socketPath])
        #expect(third.status == 1)
        #expect(third.text.contains("Address already in use"))
        #expect(try second.status().readerState != .none)

        let file = try first.directory.write("something else", to: "file")
        let fourth = try RunningProgram.run(
            StartTests.daemon, ["--private", "--state-dir", first.directory.file("other"), "--socket", file])
        #expect(fourth.status == 1)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "something else")
    }

    @Test("It serves on the socket that systemd hands over, and leaves that where it is")
    func socketOfSystemd() throws {
        let directory = TemporaryDirectory()
        let activator = try Activator(
            in: directory,
            ["--state-dir", directory.file("state"), "--config", try directory.write("", to: "bioauthd.conf")])
        let connection = try activator.connect()
        try connection.send(.status(DaemonUnderTest.account))
        guard case .status(let report) = try connection.receive(within: .seconds(20)) else {
            throw DaemonUnderTest.Unexpected()
        }
        #expect(report.daemonVersion == Release.version)
        activator.program.send(SIGTERM)
        #expect(try activator.program.wait() == 0)
        #expect(FileManager.default.fileExists(atPath: activator.socketPath))
    }

    @Test("A service manager that watches hears again and again that the loop turns")
    func watchdog() throws {
        let daemon = try DaemonUnderTest(environment: ["WATCHDOG_USEC": "100000"])
        for _ in 1...3 { #expect(daemon.waitForState("WATCHDOG=1")) }
    }

    @Test("A socket from systemd of another type, or together with --private, is refused")
    func wrongSocketOfSystemd() throws {
        let directory = TemporaryDirectory()
        let state = ["--state-dir", directory.file("state")]
        let configuration = ["--config", try directory.write("", to: "bioauthd.conf")]

        let stream = try Activator(in: directory, name: "stream", type: [], state + configuration)
        #expect(try stream.refusal().contains("one listening Unix socket of type SOCK_SEQPACKET"))
        let two = try Activator(
            in: directory, name: "one", type: ["--seqpacket", "-l", directory.file("two")], state + configuration)
        #expect(try two.refusal().contains("one listening Unix socket of type SOCK_SEQPACKET"))
        let isPrivate = try Activator(in: directory, name: "private", ["--private"] + state)
        #expect(try isPrivate.refusal().contains("--private doesn't take a socket from systemd"))
    }

    // MARK: What it refuses

    @Test(
        "It refuses what would mix private mode with the system, and what it doesn't know",
        arguments: [
            Refusal(["--private", "--socket", "SOCKET"], says: "--private must not use /var/lib/bioauthd"),
            Refusal(["--private", "--state-dir", "STATE"], says: "--private must not use /run/bioauthd/bioauthd.sock"),
            Refusal(
                ["--private", "--state-dir", "STATE", "--socket", "SOCKET", "--config", "/etc/bioauthd/bioauthd.conf"],
                says: "--private must not use /etc/bioauthd/bioauthd.conf"),
            Refusal(
                ["--private", "--state-dir", "/var/lib/bioauthd/below", "--socket", "SOCKET"],
                says: "--private must not use /var/lib/bioauthd/below"),
            Refusal(
                ["--private", "--state-dir", "/tmp/../var/./lib//bioauthd", "--socket", "SOCKET"],
                says: "--private must not use"),
            Refusal(
                ["--private", "--state-dir", "STATE", "--socket", "LINK/bioauthd/x.sock"],
                says: "--private must not"),
            Refusal(["--private", "--state-dir", "DANGLING", "--socket", "SOCKET"], says: "--private must not use"),
            Refusal(
                ["--state-dir", "STATE", "--socket", "SOCKET"], environment: ["FP_VIRTUAL_IMAGE": "/nowhere"],
                says: "FP_VIRTUAL_IMAGE is set"),
            Refusal(
                ["--state-dir", "STATE", "--socket", "SOCKET"], environment: ["FP_DRIVERS_WHITELIST": ""],
                says: "FP_DRIVERS_WHITELIST is set"),
            Refusal(["--private", "--frobnicate"], says: "--frobnicate"),
            Refusal(
                ["--private", "--state-dir", "STATE", "--socket", "SOCKET", "more"],
                says: "unexpected argument: more"),
            Refusal(
                ["--private", "--state-dir", "STATE", "--socket", "SOCKET", "--config", "MISSING"],
                says: "No such file"),
            Refusal(
                ["--private", "--state-dir", "STATE", "--socket", "SOCKET", "--config", "BAD"],
                says: "BAD:2: unknown key"),
        ])
    func refuses(_ refusal: Refusal) throws {
        let directory = TemporaryDirectory()
        try FileManager.default.createSymbolicLink(atPath: directory.file("LINK"), withDestinationPath: "/run")
        try FileManager.default.createSymbolicLink(
            atPath: directory.file("DANGLING"), withDestinationPath: "/var/lib/bioauthd")
        try directory.write("[lockout]\ndelay = 3\n", to: "BAD")
        let arguments = refusal.arguments.map { argument in
            ["STATE", "SOCKET", "LINK", "DANGLING", "MISSING", "BAD"].contains { argument.hasPrefix($0) }
                ? directory.file(argument) : argument
        }
        let (status, text) = try RunningProgram.run(StartTests.daemon, arguments, environment: refusal.environment)
        #expect(status == 2)
        #expect(text.contains(refusal.says), "\(text)")
        #expect(!FileManager.default.fileExists(atPath: directory.file("STATE")))
        #expect(!FileManager.default.fileExists(atPath: directory.file("SOCKET")))
    }

    struct Refusal: CustomTestStringConvertible {
        let arguments: [String]
        let environment: [String: String]
        let says: String
        var testDescription: String { (environment.map { "\($0)=\($1)" } + arguments).joined(separator: " ") }

        init(_ arguments: [String], environment: [String: String] = [:], says: String) {
            self.arguments = arguments
            self.environment = environment
            self.says = says
        }
    }

    @Test(
        "A relative path in one of the system's directories is one of the system's",
        .enabled(if: isRoot, "needs root"))
    func relativePath() throws {
        let directory = TemporaryDirectory()
        let script = """
            mount -t tmpfs none /var/lib && mkdir /var/lib/bioauthd && cd /var/lib/bioauthd && exec "$@"
            """
        let (status, text) = try RunningProgram.run(
            "/usr/bin/unshare",
            ["--mount", "sh", "-c", script, "sh", StartTests.daemon, "--private"]
                + ["--state-dir", "below", "--socket", directory.file("socket")])
        #expect(status == 2)
        #expect(text.contains("--private must not use below"), "\(text)")
    }

    @Test("A state directory that others may look into is refused")
    func openDirectory() throws {
        let directory = TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.file("state/users"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        let (status, text) = try RunningProgram.run(
            StartTests.daemon,
            ["--private", "--state-dir", directory.file("state"), "--socket", directory.file("bioauthd.sock")])
        #expect(status == 1)
        #expect(text.contains("mode 0700"), "\(text)")
    }

    // MARK: Without a reader

    @Test("Without a reader it starts all the same, and says that there is none")
    func noReader() throws {
        let daemon = try DaemonUnderTest(hasReader: false)
        let report = try daemon.status()
        #expect(report.readerState == .none)
        #expect(report.reader == nil)
        #expect(try daemon.denial() == .noReader)
        #expect(try daemon.enroll(synthetic: 1) == .refused(Denial(.noReader)))
        #expect(try daemon.stop() == 0)
    }
}

/// `systemd-socket-activate`: listens, and becomes the daemon at the first connection.
private struct Activator {
    let program: RunningProgram
    let socketPath: String

    init(
        in directory: TemporaryDirectory, name: String = "socket", type: [String] = ["--seqpacket"],
        _ arguments: [String]
    ) throws {
        socketPath = directory.file(name)
        program = try RunningProgram(
            "/usr/bin/systemd-socket-activate", type + ["-l", socketPath, Built.program("bioauthd")] + arguments)
        let (program, line) = (program, "Listening on \(socketPath) ")
        #expect(eventually { program.text.contains(line) })
    }

    func connect() throws -> DaemonConnection { try DaemonConnection(path: socketPath) }

    /// What it says when a connection makes it start the daemon, which ends at once.
    func refusal() throws -> String {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        if (try? connect()) == nil { connectStream(descriptor) }
        #expect(try program.wait() == 2)
        return program.text
    }

    private func connectStream(_ descriptor: Int32) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socketPath.utf8) }
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(connected == 0)
    }
}
