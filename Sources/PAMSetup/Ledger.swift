import BioauthSystem
import Glibc
import PAMStacks

/// What was there before we changed a file, and what we wrote: kept until that is undone.
struct Ledger {
    private let directory: String

    static let systemDirectory = "/var/lib/bioauthd/pam"

    struct Entry {
        /// What was there; nil: nothing.
        let before: ServiceFile?
        let facts: FileFacts
        /// SHA-256 of what we wrote.
        let written: String
    }

    init(root: String) {
        directory = root + Ledger.systemDirectory
    }

    /// Makes the directory, root's alone, and takes the lock that two runs at once would both want.
    func lock() throws(SystemError) -> FileLock {
        try Directory.makePrivate(directory)
        return try FileLock("\(directory)/lock")
    }

    /// Nil when there is none, or it can't be made sense of.
    func entry(_ name: String) -> Entry? {
        guard let bytes = try? SmallFile.read(record(name), limit: 1 << 16), let file = try? KeyFile(bytes),
            let written = file.string("file", "written-sha256"), let existed = file.boolean("file", "existed"),
            let mode = file.integer("file", "mode"), let owner = file.integer("file", "owner"),
            let group = file.integer("file", "group")
        else { return nil }
        var before: ServiceFile?
        if existed {
            guard let bytes = try? SmallFile.read(copy(name), limit: 1 << 20),
                sha256(bytes) == file.string("file", "before-sha256")
            else { return nil }
            before = ServiceFile(bytes)
        }
        let facts = FileFacts(
            mode: mode_t(clamping: mode), owner: uid_t(clamping: owner), group: gid_t(clamping: group))
        return Entry(before: before, facts: facts, written: written)
    }

    /// Writes down what is there and what comes. Before the change itself, so that a crash between the two loses nothing.
    func enter(_ name: String, before: ServiceFile?, facts: FileFacts, written: [UInt8]) throws(SystemError) {
        let file = KeyFile()
        file.set("file", "existed", before == nil ? "false" : "true")
        file.set("file", "mode", facts.mode)
        file.set("file", "owner", facts.owner)
        file.set("file", "group", facts.group)
        file.set("file", "written-sha256", sha256(written))
        if let before {
            file.set("file", "before-sha256", sha256(before.bytes))
            try SmallFile.write(before.bytes, to: copy(name), mode: 0o600)
        }
        try SmallFile.write(file.bytes(), to: record(name), mode: 0o600)
    }

    /// Forgets it, if there is one.
    func remove(_ name: String) throws(SystemError) {
        for path in [record(name), copy(name)] where SmallFile.isThere(path) { try SmallFile.remove(path) }
    }

    // MARK: pam-auth-update

    /// The profiles that ours turned off, by conflicting with them.
    var displaced: [String] {
        guard let bytes = try? SmallFile.read(profiles, limit: 1 << 16), let file = try? KeyFile(bytes) else {
            return []
        }
        return (file.string("profiles", "displaced") ?? "").split(separator: "/").map(String.init)
    }

    /// - Parameter names: of files, and so without a slash; none: forgets them.
    func setDisplaced(_ names: [String]) throws(SystemError) {
        guard !names.isEmpty else {
            if SmallFile.isThere(profiles) { try SmallFile.remove(profiles) }
            return
        }
        let file = KeyFile()
        file.set("profiles", "displaced", names.joined(separator: "/"))
        try SmallFile.write(file.bytes(), to: profiles, mode: 0o600)
    }

    private var profiles: String { "\(directory)/profiles" }

    // MARK: Names

    /// The names of the files that there are entries of.
    var names: [String] {
        ((try? Directory.names(in: directory)) ?? []).filter { $0.hasSuffix(".record") }.map { String($0.dropLast(7)) }
    }

    private func record(_ name: String) -> String { "\(directory)/\(name).record" }
    private func copy(_ name: String) -> String { "\(directory)/\(name).before" }
}
