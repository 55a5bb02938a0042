import BioauthSystem
import CLinux
import CPam
import Glibc
import PAMStacks

/// Whether an account has a password at all, by what the system's own files say of it.
enum AccountPassword {
    /// Bytes of PAM's service file; it has some hundreds.
    private static let fileBytes = 1 << 16

    /// False: no password opens it, as it has none or is locked. True: it has one. Nil: only trying can tell.
    ///
    /// Where the service's file names another module than pam_unix, that one may know a password which is in no shadow
    /// file, so that one's "no" is not the last word.
    ///
    /// - Parameter directory: where PAM's service file is.
    static func isSet(of name: String, pamDirectory directory: String, service: String) -> Bool? {
        switch kept(name) {
        case .some(true): true
        case .some(false): asksUnixAlone("\(directory)/\(service)") ? false : nil
        case nil: nil
        }
    }

    /// What shadow(5) has, or passwd(5) where there is no such entry: directory services have none.
    private static func kept(_ name: String) -> Bool? {
        if let entry = getspnam(name) {
            guard let field = entry.pointee.sp_pwdp else { return false }
            defer { clinux_wipe(field, strlen(field)) }
            return isHash(field)
        }
        guard let entry = getpwnam(name), let field = entry.pointee.pw_passwd else { return nil }
        // `x` and `*` name another place there.
        return isHash(field) ? true : field.pointee == 0 ? false : nil
    }

    /// Whether crypt(3) could make this of some password: `!`, `*` and what stands behind them it can't, nor anything
    /// shorter than its oldest form.
    private static func isHash(_ field: UnsafePointer<CChar>) -> Bool {
        let first = UInt8(bitPattern: field.pointee)
        return first != UInt8(ascii: "!") && first != UInt8(ascii: "*") && strlen(field) >= 13
    }

    private static func asksUnixAlone(_ path: String) -> Bool {
        guard let bytes = try? SmallFile.read(path, limit: fileBytes, followingLinks: true) else { return false }
        let file = ServiceFile(bytes)
        let modules = file.statements.filter { $0.facility == nil || $0.facility == .auth }.map { statement in
            if case .module(_, let module) = statement.content { module } else { Module(path: "") }
        }
        return !file.isUnreadable && modules.contains { $0.name == unix }
            && modules.allSatisfy { $0.name == unix || $0.kind == .deny }
    }

    private static let unix = "pam_unix.so"
}
