/// What `--version` and `status` tell.
public enum Release {
    public static let version = "0.1.0"
}
