import Foundation
import TestSupport

/// A Debian of its own, booted whole with systemd-nspawn: the person at its console, and root's commands in it.
///
/// Its console is `/dev/console`, and so a seat's, as logind sees it: with a terminal of nspawn's own it would be just some
/// pseudo-terminal.
final class BootedSystem {
    let console: InteractiveProgram
    /// Its first process, as this machine counts.
    private let first: pid_t

    /// Boots it, until somebody can log in.
    ///
    /// - Parameter shared: directories of this machine by their paths in it.
    init(root: String, shared: [String: String]) throws {
        let bound = shared.map { "--bind=\($0.value):\($0.key)" }
        console = try InteractiveProgram(
            [
                "/bin/sh", "-c", "exec setpriv --pdeathsig KILL systemd-nspawn --bind=\"$(tty)\":/dev/console \"$@\"",
                "sh",
            ]
                + ["--quiet", "--directory=\(root)", "--boot", "--register=no", "--keep-unit", "--console=pipe"]
                + ["--machine=bioauth-\(getpid())", "--hostname=\(BootedSystem.name)"] + bound,
            onTerminal: true)
        try console.expect(BootedSystem.loginPrompt, seconds: 120)
        let children = try String(contentsOfFile: "/proc/\(console.pid)/task/\(console.pid)/children", encoding: .utf8)
        guard let child = children.split(separator: " ").first.flatMap({ pid_t($0) }) else {
            throw Wrong("systemd-nspawn has no child")
        }
        first = child
    }

    static let name = "tested"
    static let loginPrompt = "\(name) login: "

    /// Runs a command as root in it, from outside, and gives what it printed.
    ///
    /// - Throws: `Wrong` when it fails.
    @discardableResult
    func root(_ command: String) throws -> String {
        let (status, text) = try attempt(command)
        guard status == 0 else { throw Wrong("\(command) ended with \(status):\n\(text)") }
        return text
    }

    func attempt(_ command: String) throws -> (status: Int32, text: String) {
        let path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        return try RunningProgram.run(
            "/usr/bin/nsenter",
            ["--target=\(first)", "--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd"]
                + ["/usr/bin/env", "-i", path, "DEBIAN_FRONTEND=noninteractive", "/bin/sh", "-c", command],
            seconds: 120)
    }

    /// Waits for its end after it was told to reboot or to power off.
    func waitForEnd(isReboot: Bool) throws {
        let status = try console.wait(seconds: 120)
        guard status == (isReboot ? 133 : 0) else { throw Wrong("systemd-nspawn ended with \(status)") }
    }
}

/// Something that should have been otherwise.
struct Wrong: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    guard condition else { throw Wrong(what()) }
}

/// Tells how far the story is, at once also where nobody looks at a terminal.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
