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
        // In a namespace of its own, all of it ends when the test does, however that is.
        let nspawn = "setpriv --pdeathsig KILL unshare --pid --fork --kill-child --mount-proc systemd-nspawn"
        let options = ["--quiet", "--boot", "--register=no", "--keep-unit", "--console=pipe"]
        let names = ["--directory=\(root)", "--machine=bioauth-\(getpid())", "--hostname=\(BootedSystem.name)"]
        let bound = shared.map { "--bind=\($0.value):\($0.key)" }
        let command = "exec \(nspawn) --bind=\"$(tty)\":/dev/console \"$@\""
        console = try InteractiveProgram(
            ["/bin/sh", "-c", command, "sh"] + options + names + bound, onTerminal: true)
        try console.expect(BootedSystem.loginPrompt, seconds: 120)
        first = try BootedSystem.child(of: BootedSystem.child(of: console.pid))
    }

    private static func child(of parent: pid_t) throws -> pid_t {
        let children = try String(contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8)
        guard let child = children.split(separator: " ").first.flatMap({ pid_t($0) }) else {
            throw Wrong("systemd-nspawn has no child")
        }
        return child
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
