import Foundation
import TestSupport

/// How long a person waits: from the call to the prompt and to the armed reader, and from the match to the answer.
func touchRows(_ rig: Rig) throws -> [Row] {
    let closed = try rig.bioauthd(keepWarm: 0)
    let warm = try rig.bioauthd()
    let peer = try rig.fprintd()
    let leaving = try rig.fprintd()
    let hand = Hand(Rig.fingers[0].1, from: 100)

    var ofClosed = Times()
    var ofWarm = Times()
    var ofPeer = Times()
    var ofLeaving = Times()
    for _ in 0..<rig.rounds {
        ofClosed.add(
            try rig.letIn(closed, hand) {
                try closed.rest()
                // As most requests find it: nobody has asked it anything for a while.
                poll(nil, 0, 3000)
            })
        ofWarm.add(try rig.letIn(warm, hand))
        if let peer { ofPeer.add(try rig.letIn(peer, hand)) }
        if let leaving { ofLeaving.add(try rig.letIn(leaving, hand) { try leaving.stop() }) }
    }
    return [
        Row(
            "pam_authenticate called → prompt, reader closed before, idle for 3 s", "ms", ofClosed.prompted.median,
            peer: ofPeer.prompted.median,
            goal: .and(.under(2, "ms"), .ratio(40, "at least 40 times faster than the peer")),
            note: ofClosed.prompted.spread),
        Row(
            "pam_authenticate called → prompt, reader warm", "ms", ofWarm.prompted.median,
            peer: ofPeer.prompted.median, note: ofWarm.prompted.spread),
        Row(
            "match callback → pam_authenticate returned", "ms", ofWarm.answered.median, peer: ofPeer.answered.median,
            goal: .under(1, "ms"), note: ofWarm.answered.spread),
        Row(
            "finger on the reader → match callback, libfprint's own time", "ms", ofWarm.recognized.median,
            peer: ofPeer.recognized.median, note: ofWarm.recognized.spread),
        Row(
            "pam_authenticate called → reader armed, warm (peer: running)", "ms", ofWarm.armed.median,
            peer: ofPeer.armed.median, goal: .ratio(1, "no later than the peer"), note: ofWarm.armed.spread),
        Row(
            "pam_authenticate called → reader armed, closed (peer: running)", "ms", ofClosed.armed.median,
            peer: ofPeer.armed.median, goal: .ratio(1, "no later than the peer"), note: ofClosed.armed.spread),
        Row(
            "pam_authenticate called → reader armed, closed (peer: exited)", "ms", ofClosed.armed.median,
            peer: ofLeaving.armed.median, goal: .ratio(1, "no later than the peer"), note: ofClosed.armed.spread),
    ]
}

/// What a series of transactions took, in milliseconds.
struct Times {
    private(set) var prompted: [Double] = []
    private(set) var armed: [Double] = []
    /// From the match to the return.
    private(set) var answered: [Double] = []
    /// From the finger on the reader to the end of the comparison, all of it libfprint's.
    private(set) var recognized: [Double] = []

    mutating func add(_ transaction: Transaction) {
        if let at = transaction.prompted { prompted.append((at - transaction.called).milliseconds) }
        if let at = transaction.armed { armed.append((at - transaction.called).milliseconds) }
        if let at = transaction.compared { answered.append((transaction.returned - at).milliseconds) }
        if let finger = transaction.finger, let at = transaction.compared {
            recognized.append((at - finger).milliseconds)
        }
    }
}
