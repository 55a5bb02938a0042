import BioauthCore
import Foundation
import TestSupport

/// Accounts that exist in a mount namespace of the program's own, each with what follows its name in /etc/shadow.
enum SystemAccount: UInt32, CaseIterable {
    case usual = 4201
    case empty, locked, noPassword, accountExpired, passwordExpired, passwordInactive, mustChange, neverSet
    /// Its hash is where hashes were before there was a shadow file.
    case old
    /// As directory services have it: known, with its password elsewhere.
    case elsewhere

    /// Nil: it has no entry there.
    var shadow: String? {
        switch self {
        case .usual: "\(KnownPassword.crypted):20000::::::"
        case .empty: ":20000::::::"
        case .locked: "!\(KnownPassword.crypted):20000::::::"
        case .noPassword: "*:20000::::::"
        case .accountExpired: "\(KnownPassword.crypted):20000:::::10000:"
        case .passwordExpired: "\(KnownPassword.crypted):10000:0:90:7:::"
        case .passwordInactive: "\(KnownPassword.crypted):10000:0:90:7:1::"
        case .mustChange: "\(KnownPassword.crypted):0::::::"
        case .neverSet: "!!:20000::::::"
        case .old, .elsewhere: nil
        }
    }

    var account: Account { Account(uid: rawValue, name: "bioauth-\(self)") }

    /// Whether a password could open it, as far as the files tell.
    var isSet: Bool? {
        switch self {
        case .usual, .accountExpired, .passwordExpired, .passwordInactive, .mustChange, .old: true
        case .empty, .locked, .noPassword, .neverSet: false
        case .elsewhere: nil
        }
    }

    static let alias = Account(uid: 4201, name: "bioauth-alias")
    static let second = Account(uid: 4299, name: "bioauth-empty")

    /// `bioauth-password` as it is installed: not in private mode, with the service file that is shipped, or another.
    static func service(in directory: TemporaryDirectory, stack: String? = nil) throws -> PasswordService {
        // And a second name of the first one's number, and a second number of the second one's name.
        let passwd =
            allCases.map {
                let field = $0 == .old ? KnownPassword.crypted : $0 == .elsewhere ? "*" : "x"
                return "\($0.account.name):\(field):\($0.rawValue):4200::/nonexistent:/bin/false\n"
            }.joined()
            + "\(alias.name):x:\(alias.uid):4200::/nonexistent:/bin/false\n"
            + "\(second.name):x:\(second.uid):4200::/nonexistent:/bin/false\n"
        let shadow =
            allCases.compactMap { kind in kind.shadow.map { "\(kind.account.name):\($0)\n" } }.joined()
            + "\(alias.name):\(KnownPassword.crypted):20000::::::\n"
        try directory.write(passwd, to: "passwd")
        try directory.write(shadow, to: "shadow", mode: 0o640)
        let shipped = try String(contentsOfFile: Built.package + "/pam/bioauth-password.pam", encoding: .utf8)
        try directory.write(stack ?? shipped, to: "pam.d/bioauth-password")
        let mounts = """
            mount --bind "$0/passwd" /etc/passwd && mount --bind "$0/shadow" /etc/shadow && \
            mount --bind "$0/pam.d" /etc/pam.d && exec "$@"
            """
        return try PasswordService(
            in: directory, launcher: ["unshare", "--mount", "sh", "-c", mounts, directory.path])
    }
}
