import Foundation
import TestSupport

/// `bioauthctl`, built beside the tests.
struct Command {
    var socketPath: String?
    var environment: [String: String] = [:]
    /// What stands before it: `setpriv` with its options.
    var launcher: [String] = []
    var path = Command.path

    static let path = Built.program("bioauthctl")

    /// To be run by the account nobody; by a copy, because the build may lie where that may not look.
    static func byNobody(socketPath: String?, in directory: TemporaryDirectory) throws -> Command {
        let copy = directory.file("bioauthctl")
        // By another process: one that a test forks meanwhile would inherit the open copy, and it couldn't be executed.
        _ = try RunningProgram.run("/usr/bin/install", ["-m", "755", path, copy])
        return Command(
            socketPath: socketPath, launcher: ["/usr/bin/setpriv", "--reuid=nobody", "--clear-groups"], path: copy)
    }

    func start(_ arguments: [String], onTerminal: Bool = false) throws -> InteractiveProgram {
        try InteractiveProgram(
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
                else { throw InteractiveProgram.Missing(text: "one line of JSON", output: output, errors: errors) }
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
