import BioauthCore
import BioauthSystem
import Glibc

/// What the command line asks for.
struct Invocation {
    static let daemonPath = Release.socket
    static let pamDirectory = "/etc/pam.d"

    var daemonPath = Invocation.daemonPath
    var pamDirectory = Invocation.pamDirectory
    /// The own uid counts as root's.
    var isPrivate = false
    var wantsVersion = false

    /// What can't be done, in words.
    struct Refused: Error {
        let message: String
    }

    /// - Throws: `Refused` for an unknown option, an argument, or options that don't go together.
    init(_ arguments: [String]) throws(Refused) {
        let options: CommandLineOptions
        do {
            options = try CommandLineOptions(
                arguments, program: "bioauth-password",
                options: [
                    .init("socket", .text("PATH"), help: "the daemon's socket"),
                    .init("private", .flag, help: "for demos and tests: take this user's word for root's"),
                    .init("pam-dir", .text("DIR"), help: "with --private: where PAM's service files are"),
                    .init("version", .flag, help: "show the version and exit"),
                ],
                usage: "", summary: "Tells bioauthd whether an account's password was given. Started by systemd.",
                domain: Words.domain)
        } catch {
            throw Refused(message: error.message)
        }
        if let argument = options.arguments.first { throw Refused(message: "takes no argument: \(argument)") }
        wantsVersion = options.has("version")
        isPrivate = options.has("private")
        if let path = options.text("socket") { daemonPath = path }
        if let directory = options.text("pam-dir") { pamDirectory = directory }
        if isPrivate && Invocation.isSystemPath(daemonPath) {
            throw Refused(message: "--private is refused with the system's socket: give another with --socket")
        }
        if options.text("pam-dir") != nil && !isPrivate {
            throw Refused(message: "--pam-dir is refused without --private")
        }
    }

    /// Whether the socket is in the system's directory, by whatever name that goes.
    private static func isSystemPath(_ path: String) -> Bool {
        let (given, systems) = (directory(of: path), directory(of: daemonPath))
        if given == systems { return true }
        var (one, other) = (stat(), stat())
        return stat(given, &one) == 0 && stat(systems, &other) == 0 && one.st_dev == other.st_dev
            && one.st_ino == other.st_ino
    }

    private static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}
