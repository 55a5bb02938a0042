import Foundation

/// Has a program see this process, and others, in login sessions: it gets a mount namespace in which their control groups
/// are files of the test's, on a machine that systemd booted. Root alone can do that.
public final class SessionStage {
    public let directory: TemporaryDirectory
    private let pids: [pid_t]
    /// Both ends of the terminal that is the machine's console to the program.
    private let console: (primary: Int32, terminal: Int32)

    /// - Parameter pids: the processes whose place is to be set.
    public init(in directory: TemporaryDirectory, for pids: [pid_t] = [getpid()]) throws {
        self.directory = directory
        self.pids = pids
        var (primary, terminal): (Int32, Int32) = (-1, -1)
        guard openpty(&primary, &terminal, nil, nil, nil) == 0 else { throw POSIXError(.ENXIO) }
        // Nobody else's program has it open.
        for end in [primary, terminal] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        console = (primary, terminal)
        // `ttyname` keeps one name for all threads.
        var name = [CChar](repeating: 0, count: 64)
        guard ttyname_r(terminal, &name, name.count) == 0 else { throw POSIXError(.ENOTTY) }
        consoleName = name.withUnsafeBufferPointer { String(String(cString: $0.baseAddress!).dropFirst("/dev/".count)) }
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
            [ ! -e /dev/console ] || mount --bind "$2" /dev/console
            shift 2
            while [ "$1" != -- ]; do mount --bind "$2" "/proc/$1/cgroup"; shift 2; done
            shift
            exec "$@"
            """
        return ["/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", script, "sh"]
            + [directory.file("users"), "/dev/\(consoleName)"] + pids.flatMap { ["\($0)", file(of: $0)] } + ["--"]
    }

    deinit {
        close(console.primary)
        close(console.terminal)
    }

    /// Whether the program can be given a console, which takes that there is one.
    public static let hasConsole = FileManager.default.fileExists(atPath: "/dev/console")

    /// The terminal that is the machine's console to the program, by its other name: `pts/3`, as in a container.
    public let consoleName: String

    /// Puts a process into a session.
    public func place(_ pid: pid_t = getpid(), inSession id: String, of uid: uid_t = getuid()) throws {
        try place(pid, in: "/user.slice/user-\(uid).slice/session-\(id).scope")
    }

    /// Has a program that runs already see one more process in a session.
    ///
    /// - Parameter program: what the wrapper was put around.
    public func show(_ pid: pid_t, inSession id: String, of uid: uid_t = getuid(), to program: pid_t) throws {
        try place(pid, inSession: id, of: uid)
        let (status, text) = try RunningProgram.run(
            "/usr/bin/nsenter",
            ["--mount=/proc/\(program)/ns/mnt", "/bin/mount", "--bind", file(of: pid), "/proc/\(pid)/cgroup"])
        guard status == 0 else { throw NotShown(log: text) }
    }

    public struct NotShown: Error { public let log: String }

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
