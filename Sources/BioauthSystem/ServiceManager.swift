import CSystemd
import Glibc

/// The service manager that started this process, if one did (`sd-daemon`).
public enum ServiceManager {
    /// The listening sockets it handed over, with their names. Empty when there are none.
    public static func takeListeningSockets() throws(SystemError) -> [Int32] {
        let count = sd_listen_fds(1)
        guard count >= 0 else { throw SystemError("sd_listen_fds", errno: -count) }
        return (0..<count).map { SD_LISTEN_FDS_START + $0 }
    }

    /// Whether a descriptor is a listening Unix socket of type `SOCK_SEQPACKET`.
    public static func isListeningSeqpacket(_ descriptor: Int32) -> Bool {
        sd_is_socket_unix(descriptor, Int32(SOCK_SEQPACKET.rawValue), 1, nil, 0) > 0
    }

    /// Tells it how things stand: `READY=1`, `STOPPING=1`, `STATUS=…`. No manager: no effect.
    public static func notify(_ state: String) {
        sd_notify(0, state)
    }
}

private let SD_LISTEN_FDS_START: Int32 = 3
