import Foundation
import TestSupport

/// What a daemon costs that nobody asks anything: each side alone, for what both map would count for neither.
///
/// - Parameter waits: also looks again after a minute in which nothing happened.
func memoryRows(_ rig: Rig, waits: Bool) throws -> [Row] {
    let ours = try memoryOfOurs(rig, waits)
    let peer = try memoryOfPeer(rig, waits)
    let goal = Row.Goal.ratio(1 / 1.5, "at most 1.5 times the peer's")
    var rows = [
        Row("private memory, started and idle", "KiB", ours.started, peer: peer?.started, goal: goal),
        Row("private memory, idle after \(rig.rounds) matches", "KiB", ours.used, peer: peer?.used, goal: goal),
    ]
    if waits {
        let note = peer.map { $0.later == 0 ? "the peer has exited" : "the peer still runs" }
        rows.append(Row("private memory, after 60 s idle", "KiB", ours.later, peer: peer?.later, note: note))
    }
    return rows
}

private func memoryOfOurs(_ rig: Rig, _ waits: Bool) throws -> Memory {
    let bioauthd = try rig.bioauthd(keepWarm: 0, hasProbe: false)
    return try Memory(of: bioauthd, rig, waits: waits) { bioauthd.daemon.program.pid }
}

private func memoryOfPeer(_ rig: Rig, _ waits: Bool) throws -> Memory? {
    guard let fprintd = try rig.fprintd(staysForEver: false, hasProbe: false) else { return nil }
    return try Memory(of: fprintd, rig, waits: waits) { try fprintd.isRunning ? fprintd.pid : nil }
}

/// One daemon's private memory in KiB, each after five seconds in which nobody asked; 0 where it has exited.
private struct Memory {
    let started: Double
    let used: Double
    let later: Double?

    init(of daemon: any Subject, _ rig: Rig, waits: Bool, pid: () throws -> pid_t?) throws {
        func after(seconds: Int32) throws -> Double {
            poll(nil, 0, seconds * 1000)
            return try pid().map { try privateMemory(of: $0) } ?? 0
        }
        started = try after(seconds: 5)
        let hand = Hand(Rig.fingers[0].1, from: 100)
        for _ in 0..<rig.rounds { _ = try rig.letIn(daemon, hand) }
        try daemon.rest()
        used = try after(seconds: 5)
        later = waits ? try after(seconds: 55) : nil
    }
}
