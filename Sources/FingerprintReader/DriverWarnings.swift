import CGLib
import Glibc

/// Keeps out of the log what drivers warn of: one in trouble says the same at each try, and whoever uses the reader tells
/// once what came of it. What is worse than a warning is told as ever, and so is what other libraries say.
///
/// Call it once, before anything is logged.
public func silenceDrivers() {
    g_log_set_writer_func(
        { level, fields, count, _ in
            let isSerious = level.rawValue & (G_LOG_LEVEL_ERROR.rawValue | G_LOG_LEVEL_CRITICAL.rawValue) != 0
            let isDrivers = UnsafeBufferPointer(start: fields, count: Int(count)).contains {
                strcmp($0.key, "GLIB_DOMAIN") == 0
                    && strncmp($0.value.assumingMemoryBound(to: CChar.self), "libfprint", 9) == 0
            }
            if isDrivers && !isSerious { return G_LOG_WRITER_HANDLED }
            return g_log_writer_default(level, fields, count, nil)
        }, nil, nil)
}
