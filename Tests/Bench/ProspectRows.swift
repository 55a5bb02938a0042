import BioauthCore
import Foundation
import LocalAuthentication
import TestSupport

/// Asking ahead, as a Swift program does it: whether a policy can be evaluated. The peer's nearest thing is the list of the
/// account's fingers, asked for on the bus by a program that has just come to it, as ours connects each time.
func prospectRows(_ rig: Rig) throws -> [Row] {
    let ready = try rig.bioauthd()
    let locked = try rig.bioauthd(lockout: "mismatches-per-delay=1\ndelay-seconds=3600")
    _ = try Transaction.run(on: locked, user: Account.own.name, touches: [Hand(Rig.stranger).touch()])
    let empty = try Bioauthd(rig.tools)
    let peer = try rig.fprintd()
    let places: [(name: String, daemon: Bioauthd, code: LAError.Code?)] = [
        ("a finger would do", ready, nil), ("locked out", locked, .biometryLockout),
        ("not enrolled", empty, .biometryNotEnrolled),
    ]
    var times = [[Double]](repeating: [], count: places.count)
    var ofPeer: [Double] = []
    for _ in 0..<rig.rounds {
        for (at, place) in places.enumerated() {
            let context = LAContext(socketPath: place.daemon.daemon.socketPath)
            var error: NSError?
            let start = monotonicNow()
            context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error)
            times[at].append((monotonicNow() - start).milliseconds)
            guard (error as? LAError)?.code == place.code else {
                throw Trouble("\(place.name) was expected, and this came: \(error.map { "\($0)" } ?? "nothing")")
            }
        }
        if let peer {
            let start = monotonicNow()
            try peer.listFingers()
            ofPeer.append((monotonicNow() - start).milliseconds)
        }
    }
    return places.indices.map { at in
        Row(
            "canEvaluatePolicy: \(places[at].name)", "ms", times[at].median,
            peer: at == 0 ? ofPeer.median : nil, goal: .under(1, "ms"), note: times[at].spread)
    }
}
