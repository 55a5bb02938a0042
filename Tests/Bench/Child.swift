import Foundation

/// A program that is watched while it runs: its standard output can be waited for together with other descriptors.
///
/// It is in a session of its own, and so never in the background of a terminal, wherever the benchmark was started.
final class Child {
    let pid: pid_t
    let output: Int32
    private var unread: [UInt8] = []
    private var isReaped = false

    /// POSIX_SPAWN_SETSID of <spawn.h>, which Swift doesn't see.
    private static let ownSession: Int16 = 0x80

    /// - Parameter environment: all of it.
    init(_ path: String, _ arguments: [String], environment: [String: String]) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Trouble("pipe: \(errorWords())") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setflags(&attributes, Child.ownSession)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
            close(ends[1])
        }
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + variables { free(word) } }
        var pid: pid_t = 0
        let failure = posix_spawn(&pid, path, &actions, &attributes, &words, &variables)
        guard failure == 0 else {
            close(ends[0])
            throw Trouble("\(path): \(String(cString: strerror(failure)))")
        }
        self.pid = pid
        output = ends[0]
    }

    /// What it has written since the last call, in whole lines; nil once it has closed its output.
    ///
    /// Blocks until there is something to read: call it when the descriptor is readable.
    func lines() throws -> [String]? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = read(output, &buffer, buffer.count)
        if count < 0 && errno != EINTR { throw Trouble("read: \(errorWords())") }
        if count == 0 { return nil }
        unread += buffer[..<max(count, 0)]
        guard let end = unread.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        defer { unread.removeSubrange(...end) }
        return String(decoding: unread[..<end], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    func end(_ signal: Int32 = SIGKILL) {
        guard !isReaped else { return }
        kill(pid, signal)
        reap()
    }

    func reap() {
        guard !isReaped else { return }
        while waitpid(pid, nil, 0) < 0 && errno == EINTR {}
        isReaped = true
    }

    deinit {
        end()
        close(output)
    }
}

/// Why something could not be measured.
struct Trouble: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

func errorWords() -> String { String(cString: strerror(errno)) }

/// Nanoseconds on CLOCK_MONOTONIC, the clock of the probe and of `pam-host`.
func monotonicNow() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Looks every two milliseconds whether something has come true.
func waitUntil(_ what: String, seconds: Int = 20, _ isTrue: () throws -> Bool) throws {
    let deadline = monotonicNow() + Int64(seconds) * 1_000_000_000
    while try !isTrue() {
        guard monotonicNow() < deadline else { throw Trouble("\(what): not within \(seconds) s") }
        poll(nil, 0, 2)
    }
}
