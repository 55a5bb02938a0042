/// What the programs of one release agree on.
public enum Release {
    /// What `--version` and `status` tell.
    public static let version = "0.1.0"
    /// Where the daemon listens on an installed system; the password's own socket is beside it.
    public static let socket = "/run/bioauthd/bioauthd.sock"
}
