import BioauthCore
import Foundation

/// Who asks.
enum Program {
    /// The name that the program is listed by: that of its file, by the kernel's word. What it was called by (`argv[0]`) would be
    /// its caller's choice.
    static let name: String = {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count)
        guard length > 0 else { return unnamed }
        var file = String(decoding: path[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
        // Of a program that was replaced while it runs.
        let deleted = " (deleted)"
        if file.hasSuffix(deleted) { file.removeLast(deleted.count) }
        let name = String(file.split(separator: "/").last ?? "").asLabel
        return name.isEmpty ? unnamed : name
    }()

    private static let unnamed = "unnamed"

    /// The account of the person who runs it: the real user's, in a set-uid program too. Nil: there is none of that number.
    static var account: Account? {
        let uid = getuid()
        if let known = accounts.withLock({ $0[uid] }) { return known }
        guard let name = name(of: uid) else { return nil }
        let account = Account(uid: uid, name: name)
        accounts.withLock { $0[uid] = account }
        return account
    }

    /// Asking for a name may take a network's time: once is enough.
    private static let accounts = Locked<[uid_t: Account]>([:])

    private static func name(of uid: uid_t) -> String? {
        var buffer = [CChar](repeating: 0, count: 16384)
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        guard getpwuid_r(uid, &entry, &buffer, buffer.count, &found) == 0, let found else { return nil }
        let name = String(cString: found.pointee.pw_name)
        return name.isEmpty || name.utf8.count > Limits.nameBytes ? nil : name
    }
}
