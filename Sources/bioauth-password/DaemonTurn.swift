import BioauthCore
import BioauthSystem
import BioauthWire

/// The connection to the daemon on which one password has its turn and its result is told.
struct DaemonTurn: ~Copyable {
    /// How long the daemon may take for an answer; a write to disk is in it.
    static let patience: Duration = .seconds(1)

    private let socket: SeqpacketSocket

    /// Connects to the daemon's socket.
    init(path: String) throws(Failure) {
        do {
            socket = try .connected(to: path)
        } catch {
            throw .unavailable("\(error)")
        }
    }

    /// Asks for the turn. From now on the password counts as a wrong one until `report` says otherwise.
    ///
    /// - Returns: nil to go on; else how long no password of this account is tried.
    func take(for account: Account, peerUID: UInt32) throws(Failure) -> Duration? {
        switch try answer(to: .passwordTurn(account, peerUID: peerUID)) {
        case .done:
            return nil
        case .refused(let denial):
            if denial.cause == .passwordDelayed, let time = denial.endsIn { return time }
            throw .unavailable("daemon refused the turn: \(denial.cause)")
        case let other:
            throw .unavailable("daemon answered the turn with \(other)")
        }
    }

    /// Tells how it went. When this returns, the daemon has it on disk.
    ///
    /// - Returns: the ticket, if one was wanted and given.
    func report(right: Bool, wantsTicket: Bool) throws(Failure) -> Ticket? {
        switch try answer(to: .passwordResult(right: right, wantsTicket: wantsTicket)) {
        case .done(let ticket): return ticket
        case .refused(let denial): throw .unavailable("daemon refused the result: \(denial.cause)")
        case let other: throw .unavailable("daemon answered the result with \(other)")
        }
    }

    private func answer(to message: ClientMessage) throws(Failure) -> DaemonMessage {
        let end = Instant(nanoseconds: BootClock.now()) + DaemonTurn.patience
        do {
            guard case .sent = try socket.send(message.encoded()) else { throw Failure.unavailable("daemon is gone") }
            while true {
                switch try socket.receive(limit: Limits.messageBytes) {
                case .message(let bytes):
                    // A type that this build doesn't know is passed over.
                    do { return try DaemonMessage(decoding: bytes) } catch WireError.unknownType {}
                case .oversized: throw WireError.oversized
                case .closed: throw Failure.unavailable("daemon is gone")
                case .nothing:
                    let left = (end - Instant(nanoseconds: BootClock.now())).wireMilliseconds
                    guard try socket.waitReadable(milliseconds: Int32(clamping: left)) else {
                        throw Failure.unavailable("daemon did not answer in time")
                    }
                }
            }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .unavailable("daemon: \(error)")
        }
    }
}
