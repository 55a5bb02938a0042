import Glibc

/// What `lstat` says of a path.
public struct FileFacts: Hashable, Sendable {
    public enum Kind: Sendable {
        case file, directory, link, socket, other
    }

    public let kind: Kind
    /// The permissions, with the set-id bits.
    public let mode: mode_t
    public let owner: uid_t
    public let group: gid_t

    /// What a file is to have.
    public init(mode: mode_t, owner: uid_t, group: gid_t) {
        kind = .file
        self.mode = mode
        self.owner = owner
        self.group = group
    }

    /// Nil when nothing is there, or it may not be looked at.
    public init?(_ path: String) {
        var info = stat()
        guard lstat(path, &info) == 0 else { return nil }
        kind =
            switch info.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .link
            case S_IFSOCK: .socket
            default: .other
            }
        mode = info.st_mode & 0o7777
        owner = info.st_uid
        group = info.st_gid
    }
}
