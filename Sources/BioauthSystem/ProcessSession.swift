import CSystemd
import Glibc

/// Which login session a process belongs to, by the control group it was put into: that follows it through sudo, su and
/// setsid, and no user can leave it.
public enum ProcessSession {
    /// The session of the peer at the other end of a Unix socket (`sd_peer_get_session`).
    public static func id(ofPeer descriptor: Int32, pid: Int32) -> String? {
        text { sd_peer_get_session(descriptor, $0) } ?? displaySession(pid)
    }

    /// The session of a process (`sd_pid_get_session`); for one of a user manager, that user's display session.
    public static func id(of pid: Int32) -> String? {
        text { sd_pid_get_session(pid, $0) } ?? displaySession(pid)
    }

    /// What runs under a user's own manager belongs to the user and to no session: it stands where the user does
    /// (`sd_uid_get_display`).
    private static func displaySession(_ pid: Int32) -> String? {
        var uid = uid_t()
        guard sd_pid_get_owner_uid(pid, &uid) >= 0 else { return nil }
        return text { sd_uid_get_display(uid, $0) }
    }

    private static func text(_ call: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32) -> String? {
        var found: UnsafeMutablePointer<CChar>?
        guard call(&found) >= 0, let found else { return nil }
        defer { free(found) }
        return String(cString: found)
    }
}
