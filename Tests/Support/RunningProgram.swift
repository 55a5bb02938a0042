import Foundation
import Synchronization

/// A program that a test started: its output is collected, and it doesn't outlive the test.
///
/// It has a process group of its own, and the signals as a shell starts it with.
public final class RunningProgram: Sendable {
    public let pid: Int32
    /// How it ended, once it is known that it has: from then on its number may be another program's.
    private let status = Mutex<Int32?>(nil)
    private let output: Output

    /// Starts it. Its standard output and standard error go together.
    public init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        var all = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FP_") && $0.key != "NOTIFY_SOCKET" }
        all["SWIFT_BACKTRACE"] = "enable=no"
        // A pipe would be passed on to whatever program another test starts at this moment.
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw POSIXError(.EMFILE) }
        let (reading, writing) = (ends[0], ends[1])
        defer { close(writing) }
        output = Output(of: reading)
        pid = try RunningProgram.spawn(path, arguments, all.merging(environment) { $1 }, output: writing)
        output.collect()
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String: String], output: Int32
    ) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

        var words = ([path] + arguments).map { strdup($0) }
        var variables = environment.map { strdup("\($0.key)=\($0.value)") }
        defer { for word in words + variables { free(word) } }
        words.append(nil)
        variables.append(nil)
        var pid: Int32 = 0
        let failure = posix_spawn(&pid, path, &actions, &attributes, words, variables)
        guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
        return pid
    }

    /// What it has written so far.
    public var text: String { output.text }

    public func send(_ signal: Int32) {
        status.withLock { if $0 == nil { kill(pid, signal) } }
    }

    /// Waits for its end, and for that of its output.
    ///
    /// - Returns: its exit status, or 128 and the signal that ended it.
    @discardableResult
    public func wait(seconds: Int = 30) throws -> Int32 {
        guard eventually(within: .seconds(seconds), { end() != nil }), output.waitForEnd(seconds: seconds) else {
            throw StillRunning(log: text)
        }
        return end()!
    }

    private func end() -> Int32? {
        status.withLock { status in
            var raw: Int32 = 0
            guard status == nil, waitpid(pid, &raw, WNOHANG) == pid else { return status }
            status = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + (raw & 0x7F)
            return status
        }
    }

    public struct StillRunning: Error { public let log: String }

    deinit {
        send(SIGKILL)
        _ = try? wait(seconds: 5)
    }

    /// Runs a program to its end.
    public static func run(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], seconds: Int = 30
    ) throws -> (status: Int32, text: String) {
        let program = try RunningProgram(path, arguments, environment: environment)
        let status = try program.wait(seconds: seconds)
        return (status, program.text)
    }
}

/// What a program writes, collected in a thread of its own.
private final class Output: Sendable {
    private let descriptor: Int32
    private let collected = Mutex(Data())
    private let ended = DispatchSemaphore(value: 0)

    /// Takes the descriptor over.
    init(of descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    func collect() {
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                collected.withLock { $0.append(contentsOf: buffer[..<count]) }
            }
            ended.signal()
        }
    }

    var text: String { collected.withLock { String(decoding: $0, as: UTF8.self) } }

    /// Whether everybody who could write has gone.
    func waitForEnd(seconds: Int) -> Bool {
        guard ended.wait(timeout: .now() + .seconds(seconds)) == .success else { return false }
        ended.signal()
        return true
    }
}
