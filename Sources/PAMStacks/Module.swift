/// A module and its options, and what it is to us.
public struct Module: Hashable, Sendable {
    public let path: String
    public let arguments: [String]

    public init(path: String, arguments: [String] = []) {
        self.path = path
        self.arguments = arguments
    }

    public enum Kind: Sendable {
        /// Ours, asking for a touch.
        case finger
        /// Ours, handing a right password on.
        case report
        /// Checks a password.
        case password
        /// Another's, asking for a touch.
        case otherFinger
        case deny
        case permit
        case other
    }

    /// The file's name: `pam_unix.so`.
    public var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    public var kind: Kind {
        switch name {
        case "pam_bioauth.so": arguments.contains("report") ? .report : .finger
        case "pam_deny.so": .deny
        case "pam_permit.so": .permit
        case _ where Module.passwords.contains(name): .password
        case _ where Module.otherFingers.contains(name): .otherFinger
        default: .other
        }
    }

    private static let passwords: Set = [
        "pam_unix.so", "pam_unix_auth.so", "pam_sss.so", "pam_ldap.so", "pam_krb5.so", "pam_winbind.so",
        "pam_systemd_home.so", "pam_userdb.so", "pam_tcb.so", "pam_pwdb.so", "pam_radius_auth.so", "pam_tacplus.so",
        "pam_mysql.so", "pam_pgsql.so", "pam_kanidm.so", "pam_himmelblau.so", "pam_aad.so", "pam_lsass.so",
        "pam_vas3.so", "pam_centrifydc.so", "pam_extrausers.so", "pam_heimdal.so", "pam_matrix.so",
    ]

    private static let otherFingers: Set = ["pam_fprintd.so", "pam_fprint.so", "pam_fprintd_grosshack.so"]
}
