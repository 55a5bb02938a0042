import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import TestSupport

/// A machine that only the programs started on it see: its accounts, stacks and runtime directory stand in for the
/// system's, in mount namespaces of their own. The daemon, the module and `bioauth-password` on it are the real ones.
///
/// Its stacks are the system's, with what `pam-auth-update` would write into `common-auth` for our profile, and a line
/// that leaves a trace when the password's turn comes.
final class Machine {
    /// Whose finger is enrolled, synthetic finger 1 as the right index finger, and whose password was given.
    static let owner = Account(uid: 4201, name: "bioauth-owner")
    /// Somebody else, of the same password and without a print.
    static let other = Account(uid: 4202, name: "bioauth-other")
    static let password = KnownPassword.text

    let directory = TemporaryDirectory()
    private let running: DaemonUnderTest?
    private let passwordService: RunningProgram

    /// systemd-logind, as it is played, and the session there that the owner's programs are started in, if any.
    let logind: PlayedLogind?
    let session: String?
    /// Has the daemon take this machine for one with sessions.
    private let stage: SessionStage?

    /// The daemon. Only where there is one.
    var daemon: DaemonUnderTest { running! }

    /// - Parameters:
    ///   - configuration: the daemon's.
    ///   - hasDaemon: whether it runs.
    ///   - hasSession: whether the owner has logged in, and the daemon knows sessions.
    init(configuration: String? = nil, hasDaemon: Bool = true, hasSession: Bool = false) throws {
        try Machine.layAccounts(in: directory)
        try Machine.layStacks(in: directory)
        for path in ["run/sudo", "run/bioauthd", "var/log", "var/lib/sudo"] {
            try FileManager.default.createDirectory(
                atPath: directory.file(path), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        }
        // Of a name that no other machine's has: control groups are the system's.
        session = hasSession ? directory.path.components(separatedBy: "-").last! : nil
        logind = hasSession ? try PlayedLogind(in: directory) : nil
        if let session { try logind?.start(sessions: [session]) }
        stage = hasSession ? try SessionStage(in: directory, for: []) : nil
        if hasDaemon {
            try Machine.enrolledState.get().lay(in: directory.file("state"))
            running = try DaemonUnderTest(
                in: directory, configuration: configuration, environment: logind?.environment ?? [:],
                under: stage?.wrapper ?? [])
        } else {
            running = nil
        }
        // Where everybody looks for them, the daemon too.
        try FileManager.default.createSymbolicLink(
            atPath: directory.file("password.sock"), withDestinationPath: directory.file("run/bioauthd/password.sock"))
        try FileManager.default.createSymbolicLink(
            atPath: directory.file("run/bioauthd/bioauthd.sock"),
            withDestinationPath: directory.file("bioauthd.sock"))
        let path = "/run/bioauthd/password.sock"
        let activator = ["systemd-socket-activate", "--accept", "--seqpacket", "--listen", path]
        let command = Machine.entered(directory, as: "root", activator + [Built.program("bioauth-password")])
        passwordService = try RunningProgram(command[0], Array(command.dropFirst()))
        let service = passwordService
        guard eventually({ service.text.contains("Listening on") }) else { throw NotListening(log: service.text) }
        chmod(directory.path + path, 0o666)
    }

    deinit {
        guard let session else { return }
        for hierarchy in ["", "/systemd", "/unified"] {
            let slice = "/sys/fs/cgroup\(hierarchy)/user.slice/user-\(Machine.owner.uid).slice"
            _ = eventually { rmdir("\(slice)/session-\(session).scope") == 0 || errno != EBUSY }
            rmdir(slice)
        }
    }

    struct NotListening: Error { let log: String }

    // MARK: Programs on it

    /// Starts a program, the owner's where nothing else is said, on a terminal of its own.
    ///
    /// - Parameter command: the first is looked up in the path.
    func start(
        _ command: [String], as account: String = Machine.owner.name, onTerminal: Bool = true,
        environment: [String: String] = [:]
    ) throws -> InteractiveProgram {
        let program = try InteractiveProgram(
            Machine.entered(directory, as: account, in: account == Machine.owner.name ? session : nil, command),
            onTerminal: onTerminal,
            environment: ["PS1": Machine.shellPrompt, "HOME": home(of: account), "USER": account].merging(environment) {
                $1
            })
        program.surroundings = self
        return program
    }

    func start(_ command: String...) throws -> InteractiveProgram { try start(command) }

    /// Runs a program of the owner's, without a terminal, to its end, which has to be a good one.
    ///
    /// - Returns: what it wrote.
    func run(_ command: [String], environment: [String: String] = [:]) throws -> String {
        let program = try start(command, onTerminal: false, environment: environment)
        guard try program.wait() == 0 else {
            throw InteractiveProgram.Missing(text: "a good end", output: program.output, errors: program.errors)
        }
        return program.output
    }

    /// A shell at its prompt, on a terminal of its own.
    func shell(as account: String = Machine.owner.name) throws -> InteractiveProgram {
        let shell = try start(["dash", "-i"], as: account)
        try shell.expect(Machine.shellPrompt)
        return shell
    }

    /// How a terminal is set on which nothing has run yet.
    static let freshTerminal = Result {
        let program = try InteractiveProgram(["/bin/true"], onTerminal: true)
        try program.wait()
        return program.terminalSettings
    }

    static let shellPrompt = "ready> "

    private static func entered(
        _ directory: TemporaryDirectory, as account: String, in session: String? = nil, _ command: [String]
    ) -> [String] {
        ["/usr/bin/unshare", "--mount", "\(Built.package)/Tests/HostTests/enter.sh", directory.path, account]
            + [session ?? ""] + command
    }

    // MARK: What lies on it

    /// Where an account may write.
    func home(of account: String) -> String { Machine.home(of: account, in: directory) }

    private static func home(of account: String, in directory: TemporaryDirectory) -> String {
        directory.file("home/\(account)")
    }

    private static func layAccounts(in directory: TemporaryDirectory) throws {
        func add(_ lines: String, to file: String, mode: Int) throws {
            let systems = try String(contentsOfFile: "/" + file, encoding: .utf8)
            try directory.write(systems + lines, to: file, mode: mode)
        }
        let accounts = [owner, other]
        for account in accounts {
            try FileManager.default.createDirectory(
                atPath: directory.file("home/\(account.name)"), withIntermediateDirectories: true)
            guard chown(home(of: account.name, in: directory), account.uid, account.uid) == 0 else {
                throw POSIXError(.EPERM)
            }
        }
        try add(
            accounts.map { "\($0.name):x:\($0.uid):\($0.uid)::\(home(of: $0.name, in: directory)):/bin/dash\n" }
                .joined() + "sshd:x:4203:65534::/run/sshd:/usr/sbin/nologin\n",
            to: "etc/passwd", mode: 0o644)
        try add(
            accounts.map { "\($0.name):\(KnownPassword.crypted):20000::::::\n" }.joined(), to: "etc/shadow",
            mode: 0o640)
        // What checks a password for a locker that runs as its user is of its group.
        var systems = stat()
        guard stat("/etc/shadow", &systems) == 0, chown(directory.file("etc/shadow"), 0, systems.st_gid) == 0 else {
            throw POSIXError(.EPERM)
        }
        try add(accounts.map { "\($0.name):x:\($0.uid):\n" }.joined(), to: "etc/group", mode: 0o644)
        // Debian's defaults.
        try directory.write(
            """
            Defaults env_reset, mail_badpass, use_pty
            Defaults secure_path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
            root ALL=(ALL:ALL) ALL
            \(owner.name) ALL=(ALL:ALL) ALL
            @includedir /etc/sudoers-of-test.d

            """, to: "etc/sudoers", mode: 0o440)
        try directory.write("permit \(owner.name)\n", to: "etc/doas.conf")
    }

    /// Replaces the line of an account or group.
    func replaceLine(of name: String, in file: String, with line: String) throws {
        let path = directory.file(file)
        let lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
        let others = lines.filter { !$0.isEmpty && !$0.hasPrefix(name + ":") }
        try (others + [line, ""]).joined(separator: "\n").write(toFile: path, atomically: false, encoding: .utf8)
    }

    /// How often pam_unix had its turn, with its delay of two seconds after a failure.
    func passwordTurns() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: directory.file(Machine.traces)).count
    }

    private static let traces = "traces"

    private static func layStacks(in directory: TemporaryDirectory) throws {
        try FileManager.default.createDirectory(
            atPath: directory.file("security"), withIntermediateDirectories: true)
        mkdir(directory.file(traces), 0o777)
        chmod(directory.file(traces), 0o777)
        try FileManager.default.copyItem(atPath: Built.module, toPath: directory.file("security/pam_bioauth.so"))
        try directory.write(
            """
            auth [success=3 conv_err=die abort=die auth_err=die default=ignore] pam_bioauth.so
            auth optional pam_exec.so quiet /usr/bin/mktemp -p \(directory.file(traces))
            auth [success=1 default=ignore] pam_unix.so nullok try_first_pass
            auth requisite pam_deny.so
            auth required pam_permit.so
            auth optional pam_bioauth.so report

            """, to: "etc/pam.d/common-auth")
        // Debian's package brings none: without one of its own it is one of many.
        try directory.write("@include common-auth\n", to: "etc/pam.d/xsecurelock")
        // The words as installed.
        try FileManager.default.createDirectory(
            atPath: directory.file("usr/share"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: Built.package + "/build/locale", toPath: directory.file("usr/share/locale"))
        try FileManager.default.copyItem(
            atPath: Built.package + "/pam/bioauth-password.pam", toPath: directory.file("etc/pam.d/bioauth-password"))
    }

    /// What a daemon keeps to which the owner's finger was enrolled, by a real one, once for all tests.
    private static let enrolledState = Result {
        let daemon = try DaemonUnderTest()
        guard case .done = try daemon.enroll(owner, synthetic: 1) else { throw DaemonUnderTest.Unexpected() }
        try daemon.givePassword(owner)
        try daemon.stop()
        return try Tree(daemon.stateDirectory)
    }
}
