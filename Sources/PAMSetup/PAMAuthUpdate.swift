import BioauthSystem
import PAMStacks

/// Debian's `pam-auth-update`, which writes the common files from profiles.
struct PAMAuthUpdate {
    private let root: String
    private static let program = "/usr/sbin/pam-auth-update"
    private static let profileDirectory = "/usr/share/pam-configs"
    static let profiles = ["bioauth", "bioauth-report"]
    private static let environment = [
        "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", "HOME=/",
    ]

    /// Nil where that isn't the system's way, or our profiles are not installed.
    init?(root: String) {
        self.root = root
        guard SmallFile.isThere(PAMAuthUpdate.program),
            PAMAuthUpdate.profiles.allSatisfy(has)
        else { return nil }
    }

    /// The profiles that are on.
    var enabled: Set<String> {
        var names: Set<String> = []
        for type in ["auth", "account", "password", "session", "session-noninteractive"] {
            let bytes = (try? SmallFile.read("\(root)/var/lib/pam/\(type)", limit: 1 << 20)) ?? []
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix("Module: ") {
                names.insert(String(line.dropFirst("Module: ".count)))
            }
        }
        return names
    }

    /// Whether there is such a profile.
    func has(_ profile: String) -> Bool { SmallFile.isThere("\(root)\(PAMAuthUpdate.profileDirectory)/\(profile)") }

    /// What a run would make of the service files: the names of those that it changes, and what is in them then. It works
    /// on copies, with a database of its own for its questions.
    func rehearse(_ arguments: [String]) throws(SystemError) -> (changed: ServiceFiles, said: String) {
        // It doesn't take long, and leaves nothing behind.
        let signals = HeldSignals()
        defer { extendLifetime(signals) }
        let copy = try Directory.makeTemporary()
        defer { Directory.removeAll(copy) }
        for directory in [PAMTree.own, PAMAuthUpdate.profileDirectory, "/var/lib/pam"] {
            try Directory.make(copy + directory, mode: 0o700)
            for name in try Directory.names(in: root + directory) {
                let path = "\(directory)/\(name)"
                guard directory != PAMTree.own || name.hasPrefix("common-"),
                    FileFacts(root + path)?.kind != .directory
                else { continue }
                let bytes = try SmallFile.read(root + path, limit: 1 << 20, followingLinks: true)
                try SmallFile.write(bytes, to: copy + path, mode: 0o600)
            }
        }
        let before = try PAMTree(root: copy).files
        let run = try ChildProcess(
            [PAMAuthUpdate.program, "--root", copy] + arguments,
            environment: PAMAuthUpdate.environment + [try PAMAuthUpdate.ownDatabase(in: copy)])
        let after = try PAMTree(root: copy).files
        return (after.filter { $0.value != before[$0.key] }, run.said)
    }

    /// The run itself. What it did shows in the files.
    ///
    /// - Returns: what it said.
    func run(_ arguments: [String]) throws(SystemError) -> String {
        if root.isEmpty {
            return try ChildProcess([PAMAuthUpdate.program] + arguments, environment: PAMAuthUpdate.environment).said
        }
        // Another system's files; the questions' database is that of this one, and stays untouched.
        let directory = try Directory.makeTemporary()
        defer { Directory.removeAll(directory) }
        return try ChildProcess(
            [PAMAuthUpdate.program, "--root", root] + arguments,
            environment: PAMAuthUpdate.environment + [try PAMAuthUpdate.ownDatabase(in: directory)]
        ).said
    }

    /// The variable by which debconf(7) finds a configuration that keeps its files in the directory.
    private static func ownDatabase(in directory: String) throws(SystemError) -> String {
        func database(_ name: String) -> String {
            "Name: \(name)\nDriver: File\nMode: 600\nFilename: \(directory)/\(name)\n"
        }
        let text = "Config: config\nTemplates: templates\n\n\(database("config"))\n\(database("templates"))"
        try SmallFile.write(Array(text.utf8), to: "\(directory)/debconf.conf", mode: 0o600)
        return "DEBCONF_SYSTEMRC=\(directory)/debconf.conf"
    }
}

extension ChildProcess {
    /// What a person would have seen.
    fileprivate var said: String {
        let lines =
            (output + errors).split(separator: "\n").map(String.init) + (status == 0 ? [] : ["status \(status)"])
        return lines.joined(separator: "\n")
    }
}
