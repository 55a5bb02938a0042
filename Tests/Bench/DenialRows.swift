import BioauthCore
import TestSupport

/// How long it takes to be told that there is nothing to touch.
func denialRows(_ rig: Rig) throws -> [Row] {
    let bioauthd = try rig.bioauthd()
    let locked = try rig.bioauthd(lockout: "mismatches-per-delay=1\ndelay-seconds=3600")
    let peer = try rig.fprintd()
    let lockingOut = try Transaction.run(
        on: locked, user: Account.own.name, touches: [Hand(Rig.stranger).touch()])
    guard lockingOut.result == "PAM_MAXTRIES" else { throw Trouble("a stranger led to \(lockingOut)") }

    var notEnrolled: [Double] = []
    var lockedOut: [Double] = []
    var ofPeer: [Double] = []
    func took(_ subject: any Subject, _ user: String) throws -> Double {
        let transaction = try Transaction.run(on: subject, user: user)
        guard transaction.result == "PAM_AUTHINFO_UNAVAIL", transaction.armed == nil else {
            throw Trouble("a denial was expected, and this came: \(transaction)")
        }
        return (transaction.returned - transaction.called).milliseconds
    }
    let other = Account.own.name == "nobody" ? "daemon" : "nobody"
    for _ in 0..<rig.rounds {
        notEnrolled.append(try took(bioauthd, other))
        lockedOut.append(try took(locked, Account.own.name))
        if let peer { ofPeer.append(try took(peer, other)) }
    }
    return [
        Row(
            "a denial without a reader: not enrolled", "ms", notEnrolled.median, peer: ofPeer.median,
            goal: .under(1, "ms"), note: notEnrolled.spread),
        Row(
            "a denial without a reader: locked out", "ms", lockedOut.median, goal: .under(1, "ms"),
            note: "\(lockedOut.spread); the peer has no lockout"),
    ]
}
