import BioauthCore
import BioauthDaemon
import BioauthSystem
import Glibc

/// Where things lie on an installed system.
enum Installation {
    static let localeDirectory = "/usr/share/locale"
    static let stateDirectory = "/var/lib/bioauthd"
    /// Nothing of private mode may touch what lies below these.
    static let directories = ["/etc/bioauthd", "/run/bioauthd", "/var/lib/bioauthd"]
}

/// The command line of `bioauthd`, and what it may and may not combine.
struct Options {
    let configuration: String?
    let stateDirectory: String
    let isPrivate: Bool
    let isDebugging: Bool
    /// Where `bioauth-password` is: beside the daemon's own socket.
    var passwordSocket: String { Release.passwordSocket(besideDaemonAt: socketPath) }
    private let socketPath: String
    private let ownsSocket: Bool
    private let handedOver: [Int32]

    /// Why the daemon won't start.
    struct Refusal: Error {
        let messages: [String]

        init(_ messages: String...) { self.messages = messages }
        init(messages: [String]) { self.messages = messages }
    }

    private static let known: [CommandLineOptions.Option] = [
        .init("config", .text("FILE"), help: tr("read the configuration from FILE and FILE.d/*.conf")),
        .init("state-dir", .text("DIR"), help: tr("keep prints and lockout state in DIR")),
        .init("socket", .text("PATH"), help: tr("listen at PATH, unless systemd hands over a socket")),
        .init(
            "private", .flag,
            help: tr("for demos and tests: permit virtual readers, and take this user's word for root's")),
        .init("debug", .flag, help: tr("log more")),
        .init("version", .flag, help: tr("show the version and exit")),
    ]

    /// The options, or the end: 0 after `--version` and `--help`, 2 when they are wrong.
    static func parsedOrExit() -> Options {
        do {
            return try Options(Array(CommandLine.arguments.dropFirst()))
        } catch {
            for message in error.messages { sayOnStandardError("bioauthd: \(message)") }
            exit(2)
        }
    }

    private init(_ arguments: [String]) throws(Refusal) {
        let parsed: CommandLineOptions
        do {
            parsed = try CommandLineOptions(
                arguments, program: "bioauthd", options: Options.known, usage: "",
                summary: tr("Fingerprint authentication: owns the reader, keeps the lockout, answers allow or deny."),
                details: tr("Signals: SIGHUP reads the configuration again, SIGTERM stops. See bioauthd(8)."),
                domain: Words.domain)
        } catch {
            throw Refusal(error.message)
        }
        if parsed.has("version") {
            print("bioauthd \(Release.version)")
            exit(0)
        }
        if let extra = parsed.arguments.first { throw Refusal(tr("unexpected argument: %1").filled(extra)) }
        isPrivate = parsed.has("private")
        isDebugging = parsed.has("debug")
        configuration = parsed.text("config") ?? (isPrivate ? nil : Configuration.systemFile)
        stateDirectory = parsed.text("state-dir") ?? Installation.stateDirectory
        socketPath = parsed.text("socket") ?? Release.socket
        do {
            handedOver = try ServiceManager.takeListeningSockets()
        } catch {
            throw Refusal("\(error)")
        }
        ownsSocket = handedOver.isEmpty
        try checkPrivacy()
    }

    /// Private mode and the real system keep apart: virtual readers are for the one, system paths for the other.
    private func checkPrivacy() throws(Refusal) {
        guard isPrivate else {
            if let name = Options.virtualReaderVariable() {
                throw Refusal(tr("%1 is set: virtual readers are for --private alone").filled(name))
            }
            return
        }
        guard ownsSocket else { throw Refusal(tr("--private doesn't take a socket from systemd")) }
        for path in [configuration, stateDirectory, socketPath].compactMap(\.self) {
            guard !Options.isOfSystem(path) else {
                throw Refusal(tr("--private must not use %1: give --state-dir and --socket elsewhere").filled(path))
            }
        }
    }

    /// libfprint's variables that bring in a virtual reader or choose drivers.
    private static func virtualReaderVariable() -> String? {
        var at = environ
        while let entry = at.pointee {
            let name = String(cString: entry).prefix { $0 != "=" }
            if name.hasPrefix("FP_") { return String(name) }
            at += 1
        }
        return nil
    }

    /// Whether a path leads below one of the system's directories, through whatever links; a link that leads nowhere
    /// may come to lead there.
    private static func isOfSystem(_ path: String) -> Bool {
        var existing = path.hasPrefix("/") ? path : "./" + path
        var rest = ""
        var resolved = realPath(existing)
        while resolved == nil, let slash = existing.lastIndex(of: "/"), slash > existing.startIndex {
            if isLink(existing) { return true }
            rest = String(existing[slash...]) + rest
            existing = String(existing[..<slash])
            resolved = realPath(existing)
        }
        let whole = (resolved ?? existing) + rest
        let isNormal = !whole.split(separator: "/").contains("..")
        // By bytes: a slash may join with what follows it into one character.
        return !isNormal
            || Installation.directories.contains { (whole + "/").utf8.starts(with: ($0 + "/").utf8) }
    }

    private static func isLink(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFLNK
    }

    private static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    // MARK: What they come to

    func settings() throws(Refusal) -> Settings {
        guard let configuration else { return Settings() }
        do {
            return try Configuration.load(configuration, mustExist: configuration != Configuration.systemFile)
        } catch {
            throw Refusal(messages: error.problems.map(\.description))
        }
    }

    /// Whether systemd-logind is asked for sessions and the lid. In private mode only on a bus of one's own, so that a demo
    /// runs in whatever session somebody has.
    var asksLogind: Bool {
        Logind.isExpected && (!isPrivate || getenv("DBUS_SYSTEM_BUS_ADDRESS") != nil)
    }

    /// systemd's socket, or one of our own.
    func socket() throws -> SeqpacketSocket {
        guard let first = handedOver.first else {
            try Directory.make(socketDirectory, mode: 0o755)
            return try SeqpacketSocket.listening(at: socketPath, mode: 0o666, backlog: 4096)
        }
        guard handedOver.count == 1, ServiceManager.isListeningSeqpacket(first) else {
            throw Refusal(tr("systemd must hand over one listening Unix socket of type SOCK_SEQPACKET"))
        }
        return SeqpacketSocket(FileDescriptor(owning: first))
    }

    /// The file of a socket of our own, as it is now; nil where systemd has handed one over.
    func ownSocketFile() -> SocketFile? { ownsSocket ? SocketFile(socketPath) : nil }

    /// A socket's file, known by more than its name: another daemon may have put its own there meanwhile.
    struct SocketFile {
        private let path: String
        private let identity: stat

        init?(_ path: String) {
            var identity = stat()
            guard lstat(path, &identity) == 0 else { return nil }
            self.path = path
            self.identity = identity
        }

        func remove() {
            guard let now = SocketFile(path)?.identity else { return }
            if now.st_dev == identity.st_dev && now.st_ino == identity.st_ino { unlink(path) }
        }
    }

    private var socketDirectory: String {
        guard let slash = socketPath.lastIndex(of: "/") else { return "." }
        return slash == socketPath.startIndex ? "/" : String(socketPath[..<slash])
    }
}
