import Foundation
import TestSupport

/// A running program that a test talks to as a person would: what it writes is read as it comes, keys are typed.
///
/// It is always in a session of its own, with a terminal or without one, so that the terminal the tests run on is never
/// asked. For one thread.
final class Program {
    let pid: pid_t
    /// Everything written so far to standard output, and to standard error where there is no terminal.
    var output: String { String(decoding: outputData, as: UTF8.self) }
    var errors: String { String(decoding: errorData, as: UTF8.self) }
    /// The terminal's other end; -1 without one.
    let terminal: Int32
    private var sources: [(descriptor: Int32, path: ReferenceWritableKeyPath<Program, Data>)] = []
    private var outputData = Data()
    private var errorData = Data()
    /// How far `expect` has read.
    private var expected: [Stream: Int] = [:]
    private var status: Int32?

    /// - Parameters:
    ///   - command: the path and what follows it.
    ///   - onTerminal: whether all three standard streams are a terminal of its own, which controls it.
    init(_ command: [String], onTerminal: Bool = false, environment: [String: String] = [:]) throws {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setflags(
            &attributes, Program.newSession | Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
        // As a shell starts it, whatever the thread that the test runs on blocks and ignores.
        var (all, none) = (sigset_t(), sigset_t())
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer {
            posix_spawnattr_destroy(&attributes)
            posix_spawn_file_actions_destroy(&actions)
        }

        var child: [Int32] = []
        if onTerminal {
            var (master, slave) = (Int32(-1), Int32(-1))
            var name = [CChar](repeating: 0, count: 128)
            guard openpty(&master, &slave, &name, nil, nil) == 0 else { throw POSIXError(.ENXIO) }
            child = [slave]
            terminal = master
            sources = [(master, \.outputData)]
            // The first terminal that the leader of a new session opens becomes the one that controls it.
            let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
            posix_spawn_file_actions_adddup2(&actions, 0, 1)
            posix_spawn_file_actions_adddup2(&actions, 0, 2)
        } else {
            terminal = -1
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            for (number, path) in [(Int32(1), \Program.outputData), (2, \Program.errorData)] {
                var ends: [Int32] = [-1, -1]
                guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
                child.append(ends[1])
                sources.append((ends[0], path))
                posix_spawn_file_actions_adddup2(&actions, ends[1], number)
            }
        }
        for descriptor in child + sources.map(\.descriptor) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

        var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FP_") }
        variables.merge(["LC_ALL": "C.UTF-8", "LANGUAGE": "", "SWIFT_BACKTRACE": "enable=no"]) { $1 }
        variables.merge(environment) { $1 }
        let arguments = command.map { strdup($0) } + [nil]
        let environment = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + environment { free(text) } }
        var started = pid_t()
        let result = posix_spawn(&started, command[0], &actions, &attributes, arguments, environment)
        for descriptor in child { close(descriptor) }
        pid = started
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: result) ?? .EIO) }
    }

    deinit {
        if status == nil {
            kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
        }
        for source in sources { close(source.descriptor) }
    }

    struct Missing: Error {
        let text: String
        let output: String
        let errors: String
    }

    enum Stream {
        case output, errors
    }

    /// Waits until a stream (the terminal is `output`) shows a text, after what was waited for on it before.
    func expect(_ text: String, on stream: Stream = .output, seconds: Double = 20) throws {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while true {
            let data = stream == .output ? outputData : errorData
            if let range = data.range(of: Data(text.utf8), in: expected[stream, default: 0]..<data.count) {
                expected[stream] = range.upperBound
                return
            }
            guard read(until: deadline) else { throw Missing(text: text, output: output, errors: errors) }
        }
    }

    /// Whether it writes something, or ends, within so long.
    func reads(milliseconds: Int) -> Bool { read(until: Date(timeIntervalSinceNow: Double(milliseconds) / 1000)) }

    /// Types keys at the terminal. `\u{3}` is ^C, `\u{1A}` is ^Z.
    func type(_ keys: String) {
        var bytes = Array(keys.utf8)
        write(terminal, &bytes, bytes.count)
    }

    func send(_ signal: Int32) { kill(pid, signal) }

    /// Whether the terminal shows what is typed.
    var echoes: Bool {
        var attributes = termios()
        tcgetattr(terminal, &attributes)
        return attributes.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Waits for its end.
    ///
    /// - Returns: its exit status, or 128 and the signal that ended it.
    @discardableResult
    func wait(seconds: Double = 20) throws -> Int32 {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while read(until: deadline) {}
        guard deadline.timeIntervalSinceNow > 0 else {
            throw Missing(text: "its end", output: output, errors: errors)
        }
        var raw: Int32 = 0
        while waitpid(pid, &raw, 0) < 0 && errno == EINTR {}
        let result = raw & 0x7f == 0 ? (raw >> 8) & 0xff : 128 + (raw & 0x7f)
        status = result
        return result
    }

    /// Reads what comes next; false when nothing more can come, or the deadline has passed.
    private func read(until deadline: Date) -> Bool {
        var entries = sources.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        let left = Int32(max(0, deadline.timeIntervalSinceNow * 1000))
        guard !entries.isEmpty, poll(&entries, nfds_t(entries.count), left) > 0 else { return false }
        for (entry, source) in zip(entries, sources) where entry.revents != 0 {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = Foundation.read(source.descriptor, &buffer, buffer.count)
            if count > 0 {
                self[keyPath: source.path].append(contentsOf: buffer[..<count])
            } else {
                // The end: of a pipe 0, of a terminal that nobody has open any more EIO.
                sources.removeAll { $0.descriptor == source.descriptor }
                if source.descriptor != terminal { close(source.descriptor) }
            }
        }
        return true
    }

    /// POSIX_SPAWN_SETSID of <spawn.h>, which hides it from POSIX programs.
    private static let newSession: Int16 = 0x80
}

/// `bioauthctl`, built beside the tests.
struct Command {
    var socketPath: String?
    var environment: [String: String] = [:]
    /// What stands before it: `setpriv` with its options.
    var launcher: [String] = []
    var path = Command.path

    static let path = Built.program("bioauthctl")

    /// To be run by the account nobody; by a copy, because the build may lie where that may not look.
    static func byNobody(socketPath: String, in directory: TemporaryDirectory) throws -> Command {
        let copy = directory.file("bioauthctl")
        // By another process: one that a test forks meanwhile would inherit the open copy, and it couldn't be executed.
        _ = try RunningProgram.run("/usr/bin/install", ["-m", "755", path, copy])
        return Command(
            socketPath: socketPath, launcher: ["/usr/bin/setpriv", "--reuid=nobody", "--clear-groups"], path: copy)
    }

    func start(_ arguments: [String], onTerminal: Bool = false) throws -> Program {
        try Program(
            launcher + [path] + arguments + (socketPath.map { ["--socket", $0] } ?? []), onTerminal: onTerminal,
            environment: environment)
    }

    struct Result {
        let status: Int32
        let output: String
        let errors: String

        /// The one object that `--json` answers with; fails the test where there is anything else.
        var json: [String: Any] {
            get throws {
                let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
                guard lines.count == 2, lines[1].isEmpty,
                    let object = try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any]
                else { throw Program.Missing(text: "one line of JSON", output: output, errors: errors) }
                return object
            }
        }
    }

    func run(_ arguments: String..., seconds: Double = 20) throws -> Result {
        let program = try start(arguments)
        let status = try program.wait(seconds: seconds)
        return Result(status: status, output: program.output, errors: program.errors)
    }
}
