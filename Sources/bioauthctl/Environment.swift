import Glibc

/// What this build assumes of the system it runs on.
enum Environment {
    static let version = "0.1.0"
    static let configurationFile = "/etc/bioauthd/bioauthd.conf"

    /// Where the translations are; `BIOAUTH_LOCALEDIR` names another place for a build that isn't installed.
    static var localeDirectory: String {
        getenv("BIOAUTH_LOCALEDIR").map { String(cString: $0) } ?? "/usr/share/locale"
    }
}
