import Foundation
import TestSupport

/// A wall clock that can be set, for programs that are started with its library; their other clocks go right.
final class WallClock {
    private let path: String
    private var offset: Int64 = 0

    /// Built once for all.
    private static let library = Result {
        let directory = TemporaryDirectory()
        let path = directory.file("clock.so")
        let (status, text) = try RunningProgram.run(
            "/usr/bin/gcc", ["-shared", "-fPIC", "-Wall", "-Wextra", "-o", path, "\(Built.package)/Tests/Soak/clock.c"])
        guard status == 0 else { throw NotBuilt(text: text) }
        return (directory, path)
    }

    private struct NotBuilt: Error { let text: String }

    let environment: [String: String]

    /// One that goes right.
    init(in directory: TemporaryDirectory) throws {
        path = directory.file("clock")
        environment = ["LD_PRELOAD": try WallClock.library.get().1, "CLOCK_OFFSET": path]
        try write()
    }

    func jump(seconds: Int) throws {
        offset += Int64(seconds)
        try write()
    }

    /// In place, and never shorter: who uses it has the file's memory before it.
    private func write() throws {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        defer { close(file) }
        let size = MemoryLayout.size(ofValue: offset)
        guard pwrite(file, &offset, size, 0) == size else { throw POSIXError(.EIO) }
    }
}
