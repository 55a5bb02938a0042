import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import Synchronization
import TestSupport

/// How long somebody else's question waits while libfprint compares a finger, which it does on the daemon's own thread.
///
/// A stranger touches, so that every print of the account is compared: five fingers, five touches each.
func stallRows(_ rig: Rig) throws -> [Row] {
    let bioauthd = try rig.bioauthd(all: true)
    let peer = try rig.fprintd(all: true)
    let stranger = Hand(Rig.stranger)
    let socketPath = bioauthd.daemon.socketPath

    var ofOurs = Stalls(), ofPeer = Stalls()
    for _ in 0..<rig.rounds {
        try bioauthd.rest()
        try ofOurs.add(bioauthd, stranger) {
            let connection = try DaemonConnection(path: socketPath)
            return {
                try connection.send(.status(.own))
                guard case .status = try connection.receive(within: .seconds(10)) else { throw Trouble("no status") }
            }
        }
        guard case .done = try bioauthd.daemon.ask(.unlock(.own)) else { throw Trouble("unlock failed") }
        if let peer { try ofPeer.add(peer, stranger) { { try peer.ask() } } }
    }
    let note = "one question asked after the other; \(ofOurs.questions) answered, \(ofOurs.lost) lost"
    return [
        Row("stall of a status request by a running match", "ms", ofOurs.worst.median, peer: ofPeer.worst.median,
            note: "the longest while 25 prints are compared; \(ofOurs.worst.spread)"),
        Row("a status request while no match runs", "ms", ofOurs.usual.median, peer: ofPeer.usual.median),
        Row("finger on the reader → compared", "ms", ofOurs.match.median, peer: ofPeer.match.median),
        Row("requests lost while a match runs", "", Double(ofOurs.lost), peer: Double(ofPeer.lost),
            goal: Row.Goal(words: "none") { value, _ in value == 0 }, note: note),
    ]
}

/// What questions that were asked during matches took, in milliseconds.
private struct Stalls {
    private(set) var worst: [Double] = []
    private(set) var usual: [Double] = []
    private(set) var match: [Double] = []
    private(set) var questions = 0
    private(set) var lost = 0

    /// Runs one transaction while a thread asks one question after the other.
    ///
    /// - Parameter connect: gives the question, which is asked on that thread alone.
    mutating func add(
        _ subject: any Subject, _ stranger: Hand, connect: @escaping () throws -> () throws -> Void
    ) throws {
        let touch = stranger.touch()
        let asking = Asking(connect)
        let transaction = try Transaction.run(on: subject, user: Account.own.name, touches: [touch])
        let asked = asking.stop()
        guard transaction.result == "PAM_MAXTRIES", let finger = transaction.finger, let compared = transaction.compared
        else { throw Trouble("a stranger led to \(transaction)") }
        questions += asked.times.count
        lost += asked.lost
        match.append((compared - finger).milliseconds)
        let during = asked.times.filter { $0.end > finger && $0.begin < compared }
        if let longest = during.map({ ($0.end - $0.begin).milliseconds }).max() { worst.append(longest) }
        let before = asked.times.filter { $0.end < finger }.map { ($0.end - $0.begin).milliseconds }
        if let median = before.median { usual.append(median) }
    }
}

/// A thread that asks one question after the other.
private final class Asking: Sendable {
    struct Asked {
        var times: [(begin: Int64, end: Int64)] = []
        var lost = 0
    }

    private let asked = Mutex(Asked())
    private let isStopping = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    init(_ connect: @escaping () throws -> () throws -> Void) {
        // Made here and used on that thread alone.
        nonisolated(unsafe) let connect = connect
        Thread.detachNewThread { [self] in
            defer { ended.signal() }
            do {
                let ask = try connect()
                while !isStopping.load(ordering: .relaxed) {
                    let begin = monotonicNow()
                    try ask()
                    let end = monotonicNow()
                    asked.withLock { $0.times.append((begin, end)) }
                }
            } catch {
                asked.withLock { $0.lost += 1 }
            }
        }
    }

    func stop() -> Asked {
        isStopping.store(true, ordering: .relaxed)
        ended.wait()
        return asked.withLock { $0 }
    }
}
