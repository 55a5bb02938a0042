import Glibc

/// What the program is told by its environment.
enum Environment {
    /// Where the translations are; `BIOAUTH_LOCALEDIR` names another place, for a build that isn't installed.
    static var localeDirectory: String {
        getenv("BIOAUTH_LOCALEDIR").map { String(cString: $0) } ?? "/usr/share/locale"
    }
}
