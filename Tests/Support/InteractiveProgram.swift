import Foundation

/// A running program that a test talks to as a person would: what it writes is read as it comes, keys are typed.
///
/// It is always in a session of its own, with a terminal or without one, so that the terminal the tests run on is never
/// asked. For one thread.
public final class InteractiveProgram {
    public let pid: pid_t
    /// Everything written so far to standard output, and to standard error where there is no terminal.
    public var output: String { String(decoding: outputData, as: UTF8.self) }
    public var errors: String { String(decoding: errorData, as: UTF8.self) }
    /// The terminal's other end; -1 without one.
    public private(set) var terminal: Int32
    private var sources: [(descriptor: Int32, path: ReferenceWritableKeyPath<InteractiveProgram, Data>)] = []
    private var outputData = Data()
    private var errorData = Data()
    /// How far `expect` has read.
    private var expected: [Stream: Int] = [:]
    private var status: Int32?
    /// What must last as long as it does.
    public var surroundings: AnyObject?

    /// - Parameters:
    ///   - command: the path and what follows it.
    ///   - onTerminal: whether all three standard streams are a terminal of its own, which controls it.
    public init(_ command: [String], onTerminal: Bool = false, environment: [String: String] = [:]) throws {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setflags(
            &attributes, InteractiveProgram.newSession | Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
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
            // Its other end is never open here: what another test starts meanwhile could inherit it.
            terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            var (number, locked) = (Int32(-1), Int32(0))
            guard terminal >= 0, ioctl(terminal, InteractiveProgram.ptyLock, &locked) == 0,
                ioctl(terminal, InteractiveProgram.ptyNumber, &number) == 0
            else { throw POSIXError(.ENXIO) }
            sources = [(terminal, \.outputData)]
            // The first terminal that the leader of a new session opens becomes the one that controls it.
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/pts/\(number)", O_RDWR, 0)
            posix_spawn_file_actions_adddup2(&actions, 0, 1)
            posix_spawn_file_actions_adddup2(&actions, 0, 2)
        } else {
            terminal = -1
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            for (number, path) in [(Int32(1), \InteractiveProgram.outputData), (2, \InteractiveProgram.errorData)] {
                var ends: [Int32] = [-1, -1]
                let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
                guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw POSIXError(.EMFILE) }
                child.append(ends[1])
                sources.append((ends[0], path))
                posix_spawn_file_actions_adddup2(&actions, ends[1], number)
            }
        }

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
        for source in sources where source.descriptor != terminal { close(source.descriptor) }
        if terminal >= 0 { close(terminal) }
    }

    public struct Missing: Error {
        public let text: String
        public let output: String
        public let errors: String

        public init(text: String, output: String, errors: String) {
            (self.text, self.output, self.errors) = (text, output, errors)
        }
    }

    public enum Stream {
        case output, errors
    }

    /// Waits until a stream (the terminal is `output`) shows a text, after what was waited for on it before.
    public func expect(_ text: String, on stream: Stream = .output, seconds: Double = 20) throws {
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
    public func reads(milliseconds: Int) -> Bool {
        read(until: Date(timeIntervalSinceNow: Double(milliseconds) / 1000))
    }

    /// Types keys at the terminal. `\u{3}` is ^C, `\u{1A}` is ^Z.
    public func type(_ keys: String) {
        var bytes = Array(keys.utf8)
        write(terminal, &bytes, bytes.count)
    }

    /// Waits until a program in front sleeps in waiting for keys. On some programs a key, or a signal, that comes between
    /// the question and that is lost.
    public func waitForReader() throws {
        let group = tcgetpgrp(terminal)
        let isRead = eventually {
            let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) }
            return (processes ?? []).contains {
                guard getpgid($0) == group,
                    let sleep = try? String(contentsOfFile: "/proc/\($0)/wchan", encoding: .utf8)
                else { return false }
                // In read(2), or in poll(2) and select(2).
                return sleep == "wait_woken" || sleep.hasPrefix("poll_schedule_timeout")
            }
        }
        guard isRead else { throw Missing(text: "a reader", output: output, errors: errors) }
    }

    /// The person closes the window.
    public func hangUp() {
        sources.removeAll { $0.descriptor == terminal }
        close(terminal)
        terminal = -1
    }

    public func send(_ signal: Int32) { kill(pid, signal) }

    /// Whether the terminal shows what is typed.
    public var echoes: Bool {
        var attributes = termios()
        tcgetattr(terminal, &attributes)
        return attributes.c_lflag & tcflag_t(ECHO) != 0
    }

    /// How the terminal is set, byte by byte, to be compared.
    public var terminalSettings: [UInt8] {
        var attributes = termios()
        tcgetattr(terminal, &attributes)
        return withUnsafeBytes(of: &attributes) { [UInt8]($0) }
    }

    /// Waits for its end.
    ///
    /// - Returns: its exit status, or 128 and the signal that ended it.
    @discardableResult
    public func wait(seconds: Double = 20) throws -> Int32 {
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
    /// TIOCSPTLCK and TIOCGPTN, which Swift can't make of their macros.
    private static let ptyLock: UInt = 0x4004_5431
    private static let ptyNumber: UInt = 0x8004_5430
}
