import Foundation
import TestSupport

/// What a daemon costs that nobody asks anything.
///
/// - Parameter waits: also looks again after a minute in which nothing happened.
func memoryRows(_ rig: Rig, waits: Bool) throws -> [Row] {
    let bioauthd = try rig.bioauthd(keepWarm: 0, hasProbe: false)
    let peer = try rig.fprintd(staysForEver: false, hasProbe: false)
    var rows: [Row] = []
    func row(_ name: String, _ peers: Double?, note: String? = nil, goal: Row.Goal? = nil) throws {
        try bioauthd.rest()
        let value = try privateMemory(of: bioauthd.daemon.program.pid)
        rows.append(Row(name, "KiB", value, peer: peers, goal: goal, note: note))
    }
    func ofPeer() throws -> Double? { try peer.map { try privateMemory(of: $0.pid) } }

    let goal = Row.Goal.ratio(1 / 1.5, "at most 1.5 times the peer's")
    try row("private memory, started and idle", try ofPeer(), goal: goal)
    let hand = Hand(Rig.fingers[0].1, from: 100)
    for _ in 0..<rig.rounds {
        _ = try rig.letIn(bioauthd, hand)
        if let peer { _ = try rig.letIn(peer, hand) }
    }
    try row("private memory, idle after \(rig.rounds) matches", try ofPeer(), goal: goal)

    guard waits else { return rows }
    poll(nil, 0, 60_000)
    var after: Double?
    if let peer { after = try peer.isRunning ? try privateMemory(of: peer.pid) : 0 }
    try row(
        "private memory, after 60 s idle", after,
        note: after.map { $0 == 0 ? "the peer has exited" : "the peer still runs" })
    return rows
}
