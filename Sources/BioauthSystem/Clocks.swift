import CSystemd
import Glibc

/// The clock that counts from boot, suspended time included (`CLOCK_BOOTTIME`).
public enum BootClock {
    /// Nanoseconds since boot.
    public static func now() -> Int64 { read(CLOCK_BOOTTIME) }

    /// Nanoseconds that the machine has been suspended for since boot. A little more where the
    /// process was interrupted: the clocks can't be read at one moment.
    public static func slept() -> Int64 {
        // Whatever comes between the two readings makes it more.
        (0..<5).map { _ in
            let awake = read(CLOCK_MONOTONIC)
            return now() - awake
        }.min() ?? 0
    }

    /// The kernel's identity of this boot (`sd_id128_get_boot`): 32 hexadecimal digits.
    public static func bootID() throws(SystemError) -> String {
        var id = sd_id128_t()
        let result = sd_id128_get_boot(&id)
        guard result >= 0 else { throw SystemError("sd_id128_get_boot", errno: -result) }
        return withUnsafeBytes(of: &id) { bytes in
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
}

/// The wall clock, which anybody with the right to may have set to anything.
public enum WallClock {
    /// Nanoseconds since 1970.
    public static func now() -> Int64 { read(CLOCK_REALTIME) }
}

private func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
