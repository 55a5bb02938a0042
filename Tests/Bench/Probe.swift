import Foundation

/// The reading end of what `native/probe.c` tells from within a daemon.
final class Probe {
    enum Kind: Int64 {
        /// The reader begins to want a finger.
        case armed = 1
        case finger = 2
        /// libfprint told the daemon that the finger is none of those it was compared with.
        case compared = 3
        case matched = 4
    }

    struct Event {
        let kind: Kind
        /// Nanoseconds on CLOCK_MONOTONIC.
        let at: Int64
    }

    let descriptor: Int32
    private let path: String
    private let library: String

    init(library: String, in directory: String) throws {
        path = directory + "/probe"
        self.library = library
        guard mkfifo(path, 0o600) == 0 else { throw Trouble("mkfifo \(path): \(errorWords())") }
        // Open for writing too, so that it never comes to an end.
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Trouble("open \(path): \(errorWords())") }
    }

    deinit { close(descriptor) }

    /// What the daemon is to be started with.
    var environment: [String: String] { ["LD_PRELOAD": library, "BENCH_PROBE": path] }

    /// Everything told since the last call; doesn't wait.
    func events() -> [Event] {
        var events: [Event] = []
        while true {
            var record: [Int64] = [0, 0]
            guard read(descriptor, &record, 16) == 16 else { return events }
            if let kind = Kind(rawValue: record[0]) { events.append(Event(kind: kind, at: record[1])) }
        }
    }
}
