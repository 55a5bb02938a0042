import Foundation
import Glibc
import Testing

/// The module and its host, built from `pam/`, plain and with sanitizers.
enum Build: String, Sendable {
    case plain
    /// AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer.
    case address
    case thread

    static let pam = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: "pam")

    private static let plainDirectory = Result { try make(.plain, sanitize: "") }
    private static let addressDirectory = Result { try make(.address, sanitize: "address,undefined") }
    private static let threadDirectory = Result { try make(.thread, sanitize: "thread") }

    /// Where `pam_bioauth.so` and `pam-host` are; built when first asked for.
    func directory() throws -> String {
        switch self {
        case .plain: try Build.plainDirectory.get()
        case .address: try Build.addressDirectory.get()
        case .thread: try Build.threadDirectory.get()
        }
    }

    private static func make(_ build: Build, sanitize: String) throws -> String {
        let directory = pam.deletingLastPathComponent().appending(path: "build/module-tests-\(build.rawValue)").path
        let make = Process()
        make.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        make.arguments = [
            "make", "--silent", "-C", pam.path, "all", "BUILD=\(directory)", "SANITIZE=\(sanitize)",
            "LOCALEDIR=\(pam.deletingLastPathComponent().path)/build/locale",
        ]
        make.environment = ProcessInfo.processInfo.environment.filter { !["MAKEFLAGS", "MFLAGS"].contains($0.key) }
        make.standardOutput = FileHandle.standardError
        try make.run()
        make.waitUntilExit()
        guard make.terminationStatus == 0 else { throw BuildFailure(build: build) }
        return directory
    }

    struct BuildFailure: Error { let build: Build }
}

/// A line that the host prints (see the top of `pam/tests/host.c`).
struct Event: Decodable, Sendable {
    let at: Int64
    let thread: Int
    let round: Int
    let event: String
    let text: String?
    let name: String?
    let took: Int64?
    let signal: String?
    let descriptors: Int?
    let mask: Bool?
    let dispositions: Bool?
    let terminal: Bool?
    let pending: String?

    var isMessage: Bool { event == "info" || event == "error" }
}

/// One run of the host.
struct Run: Sendable {
    let events: [Event]
    let log: String
    let status: Int32
    let signalled: Bool

    /// The PAM codes of all calls, by name.
    var results: [String] { events.compactMap { $0.event == "result" ? $0.name : nil } }
    /// What the person was told, in order, `error` before what came as an error.
    var told: [String] { events.filter(\.isMessage).map { ($0.event == "error" ? "error: " : "") + ($0.text ?? "") } }
    var took: Duration { .nanoseconds(events.last { $0.event == "result" }?.took ?? .max) }
    var end: Event? { events.last { $0.event == "end" } }
}

/// A private directory with a PAM stack and room for sockets.
final class Stage: Sendable {
    let directory: String
    let build: Build
    /// How the module keeps the password live meanwhile.
    let password: String

    init(_ build: Build = .address, password: String = "later") throws {
        self.build = build
        self.password = password
        var template = Array("/tmp/bioauth-module-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
        directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    var socket: String { directory + "/daemon.sock" }
    var passwordSocket: String { directory + "/password.sock" }

    /// A line of a stack: the module with its socket and these options.
    func module(_ options: String = "", control: String = "required") throws -> String {
        "auth \(control) \(try build.directory())/pam_bioauth.so socket=\(socket) password=\(password) \(options)"
    }

    func write(stack lines: [String], service: String) throws {
        try (lines.joined(separator: "\n") + "\n").write(
            toFile: directory + "/" + service, atomically: false, encoding: .utf8)
    }

    /// Runs a stack (the module alone, with these options, unless lines are given) with the script at the other end.
    func run(
        _ options: String = "", stack: [String]? = nil, service: String = "test", user: String? = "root",
        arguments: [String] = [], wrapper: [String] = [], input: FileHandle? = nil,
        onEvent: (Event, pid_t) -> Void = { _, _ in }
    ) throws -> Run {
        try write(stack: stack ?? [try module(options)], service: service)
        let command =
            wrapper + ["\(try build.directory())/pam-host", "--confdir", directory, "--service", service, "--log"]
            + (user.map { ["--user", $0] } ?? []) + arguments
        return try Stage.execute(command, input: input, onEvent: onEvent)
    }

    static func execute(_ command: [String], input: FileHandle?, onEvent: (Event, pid_t) -> Void) throws -> Run {
        let host = Process()
        let output = Pipe()
        let log = FileManager.default.temporaryDirectory.appending(path: "bioauth-module-\(UUID().uuidString).log")
        try Data().write(to: log)
        defer { try? FileManager.default.removeItem(at: log) }
        host.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        host.arguments = command
        host.environment = [
            "PATH": "/usr/bin:/bin", "LC_ALL": "C", "ASAN_OPTIONS": "detect_leaks=1:exitcode=99",
            "TSAN_OPTIONS": "exitcode=98:suppressions=\(Build.pam.path)/tests/tsan.supp",
            "UBSAN_OPTIONS": "print_stacktrace=1",
        ]
        host.standardOutput = output
        host.standardError = try FileHandle(forWritingTo: log)
        host.standardInput = input ?? FileHandle.nullDevice
        try host.run()
        try? output.fileHandleForWriting.close()
        let pid = host.processIdentifier
        let watchdog = DispatchWorkItem { kill(pid, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: watchdog)
        defer { watchdog.cancel() }

        var events: [Event] = []
        let stream = fdopen(dup(output.fileHandleForReading.fileDescriptor), "r")
        defer { fclose(stream) }
        var line: UnsafeMutablePointer<CChar>?
        var size = 0
        defer { free(line) }
        while getline(&line, &size, stream) > 0, let line {
            let event = try JSONDecoder().decode(Event.self, from: Data(String(cString: line).utf8))
            events.append(event)
            onEvent(event, pid)
        }
        host.waitUntilExit()
        return Run(
            events: events, log: (try? String(contentsOf: log, encoding: .utf8)) ?? "", status: host.terminationStatus,
            signalled: host.terminationReason == .uncaughtSignal)
    }

    /// Runs with `script` at the daemon's socket, and expects that nothing is left behind in the host.
    func run(
        _ options: String = "", against script: @escaping @Sendable (Connection) -> Void, arguments: [String] = [],
        onEvent: (Event, pid_t) -> Void = { _, _ in }
    ) throws -> (run: Run, received: [Request]) {
        let peer = try Peer(at: socket, script: script)
        defer { peer.stop() }
        let run = try self.run(options, arguments: arguments, onEvent: onEvent)
        peer.stop()
        return (run, peer.received)
    }
}

/// That the run returned these codes and left nothing behind in the host: no descriptor, memory, mask or disposition.
func expect(_ run: Run, _ results: String..., location: SourceLocation = #_sourceLocation) {
    #expect(run.results == results, sourceLocation: location)
    #expect(!run.signalled, "\(run.log)", sourceLocation: location)
    #expect(run.status == (results.allSatisfy { $0 == "PAM_SUCCESS" } ? 0 : 1), "\(run.log)", sourceLocation: location)
    #expect(run.end?.descriptors == 0 && run.end?.mask == true, sourceLocation: location)
    #expect(run.end?.dispositions == true && run.end?.terminal == true, sourceLocation: location)
}
