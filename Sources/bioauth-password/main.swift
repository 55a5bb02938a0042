import BioauthCore
import BioauthSystem
import BioauthWire
import CLinux
import Glibc

let log = Log(level: .info)

func fail(_ message: String, status: Int32 = 1) -> Never {
    log.write(.error, message)
    exit(status)
}

/// Ends the process after so long, whatever a PAM module or a name service does: PAM has no deadline of its own, and
/// clients wait for 30 seconds.
func limitLifetime(seconds: UInt32 = 28) {
    signal(SIGALRM) { _ in
        let words: StaticString = "No answer: PAM took too long\n"
        _ = write(STDERR_FILENO, words.utf8Start, words.utf8CodeUnitCount)
        _exit(1)
    }
    // Whoever started this may have it blocked.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGALRM)
    sigprocmask(SIG_UNBLOCK, &signals, nil)
    alarm(seconds)
}

/// Answers the one connection that the service manager handed over.
func serve(_ invocation: Invocation) throws {
    let socket = try acceptedConnection()
    let (uid, pid) = try socket.peer()
    let exchange = PasswordExchange(
        peer: Peer(uid: uid, pid: pid, isRoot: uid == 0 || (invocation.isPrivate && uid == geteuid())),
        daemonPath: invocation.daemonPath, pamDirectory: invocation.pamDirectory)
    let outcome = try exchange.run(on: socket)
    let sent = try socket.send(outcome.answer.encoded())
    record(outcome, peer: exchange.peer)
    guard case .sent = sent else { throw Failure.noAnswer("the peer is gone") }
}

/// The descriptor that came with the start, if it is what it must be: one connected Unix socket that keeps messages apart.
func acceptedConnection() throws -> SeqpacketSocket {
    let descriptors = try ServiceManager.takeListeningSockets()
    guard descriptors.count == 1 else { throw Failure.noAnswer("to be started by systemd with one connection") }
    func option(_ name: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptors[0], SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }
    guard option(SO_DOMAIN) == AF_UNIX, option(SO_TYPE) == Int32(SOCK_SEQPACKET.rawValue), option(SO_ACCEPTCONN) == 0
    else { throw Failure.noAnswer("descriptor 3 is no connection of type SOCK_SEQPACKET") }
    return SeqpacketSocket(FileDescriptor(owning: descriptors[0]))
}

/// One entry in the log for each decision.
func record(_ outcome: PasswordExchange.Outcome, peer: Peer) {
    // That somebody asks whether there is one is nothing to keep: programs do, again and again.
    var level = LogLevel.info
    if case .passwordPresence = outcome.answer { level = .debug }
    log.write(
        level, "Password \(outcome.word)" + (outcome.why.map { ": \($0)" } ?? ""),
        fields: [
            "USER": outcome.account?.name, "UID": outcome.account.map { String($0.uid) },
            "PEER_UID": String(peer.uid), "PEER_PID": String(peer.pid), "OUTCOME": outcome.word,
        ])
}

let invocation: Invocation
do {
    invocation = try Invocation(Array(CommandLine.arguments.dropFirst()))
} catch {
    fail("bioauth-password: \(error.message)", status: 2)
}
if invocation.wantsVersion {
    print("bioauth-password \(Release.version)")
    exit(0)
}
guard clinux_refuse_dumps() == 0 else { fail("\(SystemError("refusing core dumps", errno: errno))") }
limitLifetime()
do {
    try serve(invocation)
} catch {
    fail("No answer: \(error)")
}
