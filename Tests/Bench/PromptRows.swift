import BioauthCore
import Foundation
import TestSupport

/// The password and the finger at once: how soon each counts, by the way in which the module keeps the password live.
func promptRows(_ rig: Rig) throws -> [Row] {
    let bioauthd = try rig.bioauthd()
    let hand = Hand(Rig.fingers[0].1, from: 200)
    var prompted: [Double] = []
    var entered: [Double] = []
    var matched: [Seat: [Double]] = [:]
    for _ in 0..<rig.rounds {
        let typed = try Seat.terminal.typePassword(on: bioauthd)
        prompted.append(typed.prompted)
        entered.append(typed.entered)
        for seat in Seat.allCases { matched[seat, default: []].append(try seat.letIn(on: bioauthd, rig, hand)) }
    }
    return [
        Row(
            "pam_authenticate called → prompt on the terminal", "ms", prompted.median, goal: .under(5, "ms"),
            note: prompted.spread),
        Row(
            "Enter behind a password → the password module's turn", "ms", entered.median, goal: .under(2, "ms"),
            note: entered.spread),
    ]
        + Seat.allCases.map { seat in
            let times = matched[seat] ?? []
            return Row(
                "match callback → pam_authenticate returned, \(seat.rawValue)", "ms", times.median,
                goal: .under(2, "ms"), note: times.spread)
        }
}

/// Where a person meets the module, on a terminal of their own.
private enum Seat: String, CaseIterable {
    case terminal = "prompt on a terminal"
    case locker = "after an empty answer"
    case dialog = "beside a dialog"

    private var service: String {
        switch self {
        case .terminal: "su"
        case .locker: "i3lock"
        case .dialog: "polkit-1"
        }
    }

    /// Starts a transaction, and waits until the person is asked for a touch.
    private func start(on bioauthd: Bioauthd) throws -> InteractiveProgram {
        try bioauthd.rest()
        _ = bioauthd.probe?.events()
        let host = try InteractiveProgram(
            [
                Built.host, "--confdir", bioauthd.stacks, "--service", service, "--user", Account.own.name,
                "--conversation", "input",
            ], onTerminal: true)
        if self == .locker {
            try host.expect("\"ask\"")
            host.type("\n")
        }
        try host.expect("across the fingerprint reader")
        return host
    }

    private static func result(of host: InteractiveProgram) throws -> PAMHost.Line {
        try host.wait()
        guard let line = PAMHost.lines(host.output.replacing("\r\n", with: "\n")).last(where: { $0.event == "result" })
        else {
            throw Trouble("pam-host ended without a result: \(host.output)")
        }
        return line
    }

    /// Milliseconds from the call to the prompt, and from Enter to the return with a password.
    func typePassword(on bioauthd: Bioauthd) throws -> (prompted: Double, entered: Double) {
        let host = try start(on: bioauthd)
        let prompted = monotonicNow()
        host.type("secret")
        let enter = monotonicNow()
        host.type("\n")
        let result = try Seat.result(of: host)
        return ((prompted - (result.at - (result.took ?? 0))).milliseconds, (result.at - enter).milliseconds)
    }

    /// Milliseconds from libfprint's callback to the return.
    func letIn(on bioauthd: Bioauthd, _ rig: Rig, _ hand: Hand) throws -> Double {
        guard let probe = bioauthd.probe else { throw Trouble("no probe") }
        for _ in 0..<5 {
            let host = try start(on: bioauthd)
            var events: [Probe.Event] = []
            try waitUntil("the reader to want a finger") {
                events += probe.events()
                return events.contains { $0.kind == .armed }
            }
            try bioauthd.person.touch(hand.touch())
            let result = try Seat.result(of: host)
            events += probe.events()
            if result.name == "PAM_SUCCESS", let match = events.last(where: { $0.kind == .matched }) {
                return (result.at - match.at).milliseconds
            }
        }
        throw Trouble("the enrolled finger was not recognised five times in a row")
    }
}
