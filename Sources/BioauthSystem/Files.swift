import CGLib
import Glibc

/// Small files, read and written whole.
public enum SmallFile {
    /// The file's bytes.
    ///
    /// - Parameter followingLinks: whether the path may be a symbolic link.
    /// - Throws: `SystemError` of open or read; EFBIG when it has more than `limit` bytes; ELOOP for a symbolic link.
    public static func read(_ path: String, limit: Int, followingLinks: Bool = false) throws(SystemError) -> [UInt8] {
        let raw = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followingLinks ? 0 : O_NOFOLLOW))
        guard raw >= 0 else { throw .last("open \(path)") }
        let descriptor = FileDescriptor(owning: raw)
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count <= limit {
            let got = try retrying("read \(path)") {
                bytes.withUnsafeMutableBytes { Glibc.read(descriptor.raw, $0.baseAddress! + count, $0.count - count) }
            }
            if got == 0 { return Array(bytes[..<count]) }
            count += got
        }
        throw SystemError("read \(path)", errno: EFBIG)
    }

    /// Writes the file whole, durably and atomically (`g_file_set_contents_full`): after a crash it is the old one or
    /// the new one, and once this returned it is the new one.
    public static func write(_ bytes: [UInt8], to path: String, mode: mode_t) throws(SystemError) {
        var error: UnsafeMutablePointer<GError>?
        let flags = GFileSetContentsFlags(
            rawValue: G_FILE_SET_CONTENTS_CONSISTENT.rawValue | G_FILE_SET_CONTENTS_DURABLE.rawValue)
        let written = bytes.withUnsafeBytes {
            g_file_set_contents_full(
                path, $0.baseAddress?.assumingMemoryBound(to: CChar.self), gssize($0.count), flags, Int32(mode), &error)
        }
        guard written == 0 else { return }
        throw SystemError("write \(path)", freeing: error)
    }

    /// Writes a file as `write` does, in the place of one that is there or was: with its permissions and its owner,
    /// whatever the umask is.
    public static func write(_ bytes: [UInt8], to path: String, like facts: FileFacts) throws(SystemError) {
        let mask = umask(0)
        defer { umask(mask) }
        try write(bytes, to: path, mode: facts.mode & 0o777)
        guard let now = FileFacts(path) else { throw .last("stat \(path)") }
        guard (now.owner, now.group) != (facts.owner, facts.group) else { return }
        if lchown(path, facts.owner, facts.group) < 0 { throw .last("chown \(path)") }
    }

    /// Renames a file within its directory and makes that durable. What lies there under the new name is replaced.
    public static func move(_ path: String, to new: String) throws(SystemError) {
        if rename(path, new) < 0 { throw .last("rename \(path)") }
        try Directory.sync(Directory.parent(of: path))
    }

    /// Removes a file and makes that durable. One that isn't there is no error.
    public static func remove(_ path: String) throws(SystemError) {
        if unlink(path) < 0 && errno != ENOENT { throw .last("unlink \(path)") }
        try Directory.sync(Directory.parent(of: path))
    }

    /// Sets the file's time of change to now: an ordering that costs no write and may be lost.
    public static func touch(_ path: String) {
        utimensat(AT_FDCWD, path, nil, AT_SYMLINK_NOFOLLOW)
    }

    /// Whether anything lies at the path, if only a link that leads nowhere.
    public static func isThere(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0
    }

    /// The file's time of change in nanoseconds since 1970, or nil when there is no such regular file.
    public static func changed(_ path: String) -> Int64? {
        var info = stat()
        guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(info.st_mtim.tv_sec) * 1_000_000_000 + Int64(info.st_mtim.tv_nsec)
    }
}

public enum Directory {
    /// The names in a directory without `.` and `..`, sorted. One that isn't there is empty.
    public static func names(in path: String) throws(SystemError) -> [String] {
        guard let stream = opendir(path) else {
            if errno == ENOENT { return [] }
            throw .last("opendir \(path)")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Makes a directory and those above it that are missing, with these permissions whatever the umask is.
    public static func make(_ path: String, mode: mode_t) throws(SystemError) {
        if mkdir(path, mode) == 0 {
            guard chmod(path, mode) == 0 else { throw .last("chmod \(path)") }
            return try sync(parent(of: path))
        }
        if errno == ENOENT && path.contains("/") {
            try make(parent(of: path), mode: mode)
            return try make(path, mode: mode)
        }
        var info = stat()
        if errno == EEXIST, stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFDIR { return }
        throw SystemError("mkdir \(path)", errno: errno == 0 ? ENOTDIR : errno)
    }

    /// Makes a directory that is this user's alone, or makes sure that one is.
    ///
    /// - Throws: EPERM when it is somebody else's, or others may look into it.
    public static func makePrivate(_ path: String) throws(SystemError) {
        try make(path, mode: 0o700)
        var info = stat()
        guard lstat(path, &info) == 0 else { throw .last("stat \(path)") }
        guard info.st_mode & S_IFMT == S_IFDIR, info.st_uid == geteuid(), info.st_mode & 0o077 == 0 else {
            throw SystemError("\(path) must be a directory of its user's alone (mode 0700)", errno: EPERM)
        }
    }

    /// Makes a directory that is new and this user's alone, for as long as it is needed (`g_dir_make_tmp`).
    public static func makeTemporary() throws(SystemError) -> String {
        var error: UnsafeMutablePointer<GError>?
        guard let path = g_dir_make_tmp("bioauth-XXXXXX", &error) else {
            throw SystemError("make a temporary directory", freeing: error)
        }
        defer { g_free(path) }
        return String(cString: path)
    }

    /// Removes a directory and what is in it, as far as that can be done. Links are removed, not followed.
    public static func removeAll(_ path: String) {
        for name in (try? names(in: path)) ?? [] {
            let child = "\(path)/\(name)"
            if FileFacts(child)?.kind == .directory { removeAll(child) } else { unlink(child) }
        }
        rmdir(path)
    }

    /// The absolute path of a directory, without links in it (`realpath`); nil where there is none.
    public static func real(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        let found = String(cString: real)
        return FileFacts(found)?.kind == .directory ? found : nil
    }

    /// What a symbolic link names; nil for everything else.
    public static func linkTarget(_ path: String) -> String? {
        guard let target = g_file_read_link(path, nil) else { return nil }
        defer { g_free(target) }
        return String(cString: target)
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func sync(_ path: String) throws(SystemError) {
        let raw = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard raw >= 0 else { throw .last("open \(path)") }
        let descriptor = FileDescriptor(owning: raw)
        _ = try retrying("fsync \(path)") { fsync(descriptor.raw) }
    }
}

extension SystemError {
    /// What GLib's file functions failed with: they tell the errno in a code of their own.
    fileprivate init(_ action: String, freeing error: UnsafeMutablePointer<GError>?) {
        defer { if let error { g_error_free(error) } }
        let number = [EACCES, EPERM, EROFS, ENOSPC, ENOENT, ENOTDIR, EISDIR, ELOOP, EMFILE, ENFILE].first {
            error.map { $0.pointee.code } == gint(g_file_error_from_errno($0).rawValue)
        }
        if let number {
            self.init(action, errno: number)
        } else {
            self.init(error.map { String(cString: $0.pointee.message) } ?? action, errno: EIO)
        }
    }
}
