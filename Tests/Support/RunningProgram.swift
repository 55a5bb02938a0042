import Foundation
import Synchronization

/// A program that a test started: its output is collected, and it doesn't outlive the test.
public final class RunningProgram: @unchecked Sendable {
    // `process` is set up before it is shared, and Foundation's Process may be used from any thread after that;
    // `collected` is guarded by its mutex.
    private let process = Process()
    private let output = Pipe()
    private let collected = Mutex(Data())
    private let ended = DispatchSemaphore(value: 0)

    /// Starts it. Its standard output and standard error go together.
    public init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        var all = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FP_") && $0.key != "NOTIFY_SOCKET" }
        all["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = all.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try output.fileHandleForWriting.close()
        let reading = output.fileHandleForReading
        Thread.detachNewThread { [self] in
            while let data = try? reading.read(upToCount: 65536), !data.isEmpty {
                collected.withLock { $0.append(data) }
            }
            process.waitUntilExit()
            ended.signal()
        }
    }

    public var pid: Int32 { process.processIdentifier }

    /// What it has written so far.
    public var text: String { collected.withLock { String(decoding: $0, as: UTF8.self) } }

    public func send(_ signal: Int32) { kill(pid, signal) }

    /// Waits for its end.
    ///
    /// - Returns: its exit status, or 128 and the signal that ended it.
    @discardableResult
    public func wait(seconds: Int = 30) throws -> Int32 {
        guard ended.wait(timeout: .now() + .seconds(seconds)) == .success else { throw StillRunning() }
        ended.signal()
        return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    }

    public struct StillRunning: Error {}

    deinit {
        if process.isRunning { kill(pid, SIGKILL) }
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
