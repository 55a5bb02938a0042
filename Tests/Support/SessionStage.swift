import Foundation

/// Has a program see this process, and others, in login sessions: it gets a mount namespace in which their control groups
/// are files of the test's, on a machine that systemd booted. Root alone can do that.
public final class SessionStage {
    public let directory: TemporaryDirectory
    private let pids: [pid_t]

    /// - Parameter pids: the processes whose place is to be set.
    public init(in directory: TemporaryDirectory, for pids: [pid_t] = [getpid()]) throws {
        self.directory = directory
        self.pids = pids
        for pid in pids { try place(pid, in: "/system.slice/test.service") }
        try FileManager.default.createDirectory(atPath: directory.file("users"), withIntermediateDirectories: true)
    }

    /// What the program is to be started under.
    public var wrapper: [String] {
        let script = """
            set -e
            mount -t tmpfs tmpfs /run
            mkdir -p /run/systemd/system /run/systemd/users
            mount --bind "$1" /run/systemd/users
            shift
            while [ "$1" != -- ]; do mount --bind "$2" "/proc/$1/cgroup"; shift 2; done
            shift
            exec "$@"
            """
        return ["/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", script, "sh"]
            + [directory.file("users")] + pids.flatMap { ["\($0)", file(of: $0)] } + ["--"]
    }

    /// Puts a process into a session.
    public func place(_ pid: pid_t = getpid(), inSession id: String, of uid: uid_t = getuid()) throws {
        try place(pid, in: "/user.slice/user-\(uid).slice/session-\(id).scope")
    }

    /// Puts a process under a user's own manager.
    public func placeUnderManager(_ pid: pid_t = getpid(), of uid: uid_t = getuid()) throws {
        try place(pid, in: "/user.slice/user-\(uid).slice/user@\(uid).service/app.slice/app.scope")
    }

    /// Puts a process into a control group.
    public func place(_ pid: pid_t = getpid(), in group: String) throws {
        // As it reads with one hierarchy, and with systemd's beside others.
        try write("1:name=systemd:\(group)\n0::\(group)\n", to: file(of: pid))
    }

    /// Says which session is a user's display session; nil: none.
    public func setDisplaySession(_ id: String?, of uid: uid_t = getuid()) throws {
        try write(
            id.map { "NAME=user\nSTATE=active\nDISPLAY=\($0)\n" } ?? "NAME=user\n", to: directory.file("users/\(uid)"))
    }

    private func file(of pid: pid_t) -> String { directory.file("cgroup-\(pid)") }

    /// In place: another file would not be the one that is mounted.
    private func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }
}
