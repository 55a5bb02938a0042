import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import Synchronization
import TestSupport

/// How long somebody else's question waits while libfprint compares a finger, which it does on the daemon's own thread.
///
/// Five fingers of the account are enrolled. Each time the one touches that matched longest ago, which ours compares
/// last; then a stranger, whose mismatch ours writes to disk before it goes on.
func stallRows(_ rig: Rig) throws -> [Row] {
    let bioauthd = try rig.bioauthd(all: true)
    let peer = try rig.fprintd(all: true)
    let hands = Rig.fingers.map { Hand($0.1, from: 200) }
    let stranger = Hand(Rig.stranger)
    let socketPath = bioauthd.daemon.socketPath

    var matches = (ours: Stalls(), peers: Stalls())
    var mismatches = (ours: Stalls(), peers: Stalls())
    func measure(_ hand: Hand, _ result: String, _ stalls: inout (ours: Stalls, peers: Stalls)) throws {
        try bioauthd.rest()
        try stalls.ours.add(bioauthd, hand, result) {
            let connection = try DaemonConnection(path: socketPath)
            return {
                try connection.send(.status(.own))
                guard case .status = try connection.receive(within: .seconds(10)) else { throw Trouble("no status") }
            }
        }
        guard let peer else { return }
        try peer.rest()
        try stalls.peers.add(peer, hand, result) { { try peer.ask() } }
    }
    for round in 0..<rig.rounds {
        try measure(hands[round % hands.count], "PAM_SUCCESS", &matches)
        try measure(stranger, "PAM_MAXTRIES", &mismatches)
        guard case .done = try bioauthd.daemon.ask(.unlock(.own)) else { throw Trouble("unlock failed") }
    }
    return [
        Row(
            "stall of a status request by a match", "ms", matches.ours.worst.median, peer: matches.peers.worst.median,
            note: "the longest while up to 25 prints are compared; \(matches.ours.worst.spread)"),
        Row(
            "stall of a status request by a mismatch, written to disk", "ms", mismatches.ours.worst.median,
            peer: mismatches.peers.worst.median,
            note: "the peer keeps no count; \(mismatches.ours.worst.spread)"),
        Row("a status request while nothing runs", "ms", matches.ours.usual.median, peer: matches.peers.usual.median),
        Row(
            "requests lost meanwhile", "", Double(matches.ours.lost + mismatches.ours.lost),
            peer: peer.map { _ in Double(matches.peers.lost + mismatches.peers.lost) },
            goal: Row.Goal(words: "none") { value, _ in value == 0 },
            note: "\(matches.ours.questions + mismatches.ours.questions) were answered"),
    ]
}

/// What questions that were asked during touches took, in milliseconds.
private struct Stalls {
    private(set) var worst: [Double] = []
    private(set) var usual: [Double] = []
    private(set) var questions = 0
    private(set) var lost = 0

    /// Runs one transaction while a thread asks one question after the other.
    ///
    /// - Parameters:
    ///   - result: how it is to end; another end doesn't count.
    ///   - connect: gives the question, which is asked on that thread alone.
    mutating func add(
        _ subject: any Subject, _ hand: Hand, _ result: String, connect: @escaping () throws -> () throws -> Void
    ) throws {
        let touch = hand.touch()
        let asking = Asking(connect)
        let transaction = try Transaction.run(on: subject, user: Account.own.name, touches: [touch])
        let asked = asking.stop()
        questions += asked.times.count
        lost += asked.lost
        guard transaction.result == result, let finger = transaction.finger, let compared = transaction.compared else {
            return
        }
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
