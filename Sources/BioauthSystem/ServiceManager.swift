import CSystemd
import Glibc

/// The service manager that started this process, if one did (`sd-daemon`).
public enum ServiceManager {
    /// The listening sockets it handed over, non-blocking whatever it made them. Empty when there are none.
    public static func takeListeningSockets() throws(SystemError) -> [Int32] {
        let count = sd_listen_fds(1)
        guard count >= 0 else { throw SystemError("sd_listen_fds", errno: -count) }
        let sockets = (0..<count).map { SD_LISTEN_FDS_START + $0 }
        for socket in sockets {
            let flags = fcntl(socket, F_GETFL)
            guard flags >= 0, fcntl(socket, F_SETFL, flags | O_NONBLOCK) == 0 else { throw .last("fcntl") }
        }
        return sockets
    }

    /// Whether a descriptor is a listening Unix socket of type `SOCK_SEQPACKET`.
    public static func isListeningSeqpacket(_ descriptor: Int32) -> Bool {
        sd_is_socket_unix(descriptor, Int32(SOCK_SEQPACKET.rawValue), 1, nil, 0) > 0
    }

    /// How often it wants to hear `WATCHDOG=1` at least, in milliseconds (`sd_watchdog_enabled`); nil: it doesn't watch.
    public static var watchdogMilliseconds: UInt32? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        return UInt32(clamping: microseconds / 1000)
    }

    /// Tells it how things stand: `READY=1`, `STOPPING=1`, `WATCHDOG=1`. No manager: no effect.
    public static func notify(_ state: String) {
        sd_notify(0, state)
    }
}

private let SD_LISTEN_FDS_START: Int32 = 3
