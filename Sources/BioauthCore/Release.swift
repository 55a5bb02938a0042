/// What the programs of one release agree on.
public enum Release {
    /// What `--version` and `status` tell.
    public static let version = "0.1.0"
    /// Where the daemon listens on an installed system.
    public static let socket = "/run/bioauthd/bioauthd.sock"

    /// Where `bioauth-password` listens that belongs to a daemon: `password.sock` beside its socket.
    public static func passwordSocket(besideDaemonAt path: String) -> String {
        path.lastIndex(of: "/").map { path[...$0] + "password.sock" } ?? "password.sock"
    }
}
