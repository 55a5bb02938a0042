import Foundation
import TestSupport

/// A program that runs beside the tests, with every signal as it is at first: in the threads that tests run on some
/// are blocked, and Foundation's `Process` would hand that on.
final class SpawnedProgram {
    let pid: pid_t

    /// - Parameters:
    ///   - command: a program that is searched for in PATH, and its arguments.
    ///   - output: where standard output and standard error go.
    init(_ command: [String], output: Int32) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        for other in Int32(3)..<256 { posix_spawn_file_actions_addclose(&actions, other) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var spawned: pid_t = 0
        let failure = posix_spawnp(&spawned, command[0], &actions, &attributes, &arguments, environ)
        guard failure == 0 else { throw POSIXError(.init(rawValue: failure) ?? .ENOENT) }
        pid = spawned
    }

    /// Waits for its end; its exit code, or 128 and the signal that ended it.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + status & 0x7f
    }
}

/// Runs a program to its end; standard output and standard error in one.
func run(_ command: [String]) throws -> (code: Int32, text: String) {
    let pipe = Pipe()
    let program = try SpawnedProgram(command, output: pipe.fileHandleForWriting.fileDescriptor)
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return (program.wait(), text)
}

struct Impatience: Error {
    let what: String
}

/// Waits for what must become true within some seconds.
func waitUntil(_ what: String, seconds: Double = 10, _ condition: () -> Bool) throws {
    guard eventually(within: .seconds(seconds), condition) else { throw Impatience(what: what) }
}

let isRoot = geteuid() == 0
