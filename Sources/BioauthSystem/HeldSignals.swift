import Glibc

/// Holds back the signals that would end this thread's process, and the programs it starts, as long as this lives. They
/// come when it goes.
public struct HeldSignals: ~Copyable {
    private var before = sigset_t()

    public init() {
        var ending = sigset_t()
        sigemptyset(&ending)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE] { sigaddset(&ending, number) }
        pthread_sigmask(SIG_BLOCK, &ending, &before)
    }

    deinit {
        var mask = before
        pthread_sigmask(SIG_SETMASK, &mask, nil)
    }
}
