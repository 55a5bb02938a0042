import Glibc

/// Signals that reach the program as bytes in a pipe instead of ending or stopping it, as long as this lives.
///
/// One at a time. A signal that was ignored stays ignored: whoever started the program meant it.
struct CaughtSignals: ~Copyable {
    private var before: [(number: Int32, action: sigaction)] = []
    /// Readable when a signal has come.
    let descriptor: Int32

    /// What ends a program on its terminal.
    static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    init(_ wanted: [Int32]) {
        var ends: [Int32] = [-1, -1]
        // Without a pipe (no descriptor left) signals end the program as ever.
        if pipe(&ends) != 0 { ends = [-1, -1] }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        descriptor = ends[0]
        signalPipe = ends[1]
        for number in wanted where ends[0] >= 0 {
            var old = sigaction()
            sigaction(number, nil, &old)
            if isIgnored(old) { continue }
            var action = sigaction()
            action.__sigaction_handler.sa_handler = writeToSignalPipe
            sigaction(number, &action, nil)
            before.append((number, old))
        }
    }

    deinit {
        for (number, var old) in before { sigaction(number, &old, nil) }
        close(descriptor)
        close(signalPipe)
        signalPipe = -1
    }

    /// The next signal that has come, or nil.
    func next() -> Int32? {
        var byte: UInt8 = 0
        return read(descriptor, &byte, 1) == 1 ? Int32(byte) : nil
    }

    /// Waits for one, for so long at most.
    func come(within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) != 0
    }

    /// Stops the process as the signal would have; returns when it goes on. The signal is caught again then.
    func stop(by number: Int32) {
        var (old, standard) = (sigaction(), sigaction())
        standard.__sigaction_handler.sa_handler = SIG_DFL
        sigaction(number, &standard, &old)
        raise(number)
        sigaction(number, &old, nil)
    }
}

/// The pipe's writing end. Set while no handler is installed; the handler only reads it.
nonisolated(unsafe) private var signalPipe: Int32 = -1

/// The handler: `write` is safe in one, and errno is the interrupted code's.
private func writeToSignalPipe(_ number: Int32) {
    let failure = errno
    var byte = UInt8(truncatingIfNeeded: number)
    write(signalPipe, &byte, 1)
    errno = failure
}

private func isIgnored(_ action: sigaction) -> Bool {
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
}
