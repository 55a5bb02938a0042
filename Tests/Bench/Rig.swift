import BioauthCore
import Foundation
import TestSupport

/// What all measurements share: the tools, and fingers that are enrolled once with each side.
final class Rig {
    let tools: Tools
    let rounds: Int
    let ours: Prints
    /// The peer and its prints, or why there are none.
    let peer: Result<(parts: Fprintd.Parts, prints: Prints), Trouble>

    /// The account's fingers: the synthetic finger's number for each.
    static let fingers: [(Finger, Int)] = [
        (.rightIndex, 3), (.rightMiddle, 4), (.rightRing, 5), (.leftIndex, 6), (.leftMiddle, 7),
    ]
    /// A finger that nobody has enrolled.
    static let stranger = 20

    /// Directories of prints, as either daemon keeps them.
    struct Prints {
        /// The first finger alone.
        let one: String
        let all: String
    }

    private let directory = TemporaryDirectory()

    init(_ tools: Tools, rounds: Int) throws {
        self.tools = tools
        self.rounds = rounds
        let directory = directory
        func keep(_ path: String, as name: String) throws -> String {
            let copy = directory.file(name)
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            return copy
        }

        let bioauthd = try Bioauthd(tools)
        for (finger, number) in Rig.fingers {
            guard case .done = try bioauthd.daemon.enroll(.own, finger, synthetic: number) else {
                throw Trouble("\(finger.name) was refused")
            }
            if finger == Rig.fingers[0].0 { _ = try keep(bioauthd.prints, as: "ours-one") }
        }
        ours = Prints(one: directory.file("ours-one"), all: try keep(bioauthd.prints, as: "ours-all"))

        peer = Result {
            let parts = try tools.peer.get()
            let fprintd = try Fprintd(tools, parts)
            for (finger, number) in Rig.fingers {
                try fprintd.enroll(finger, synthetic: number)
                if finger == Rig.fingers[0].0 { _ = try keep(fprintd.prints, as: "peer-one") }
            }
            return (parts, Prints(one: directory.file("peer-one"), all: try keep(fprintd.prints, as: "peer-all")))
        }.mapError { $0 as? Trouble ?? Trouble("\($0)") }
    }

    /// A peer of its own for one measurement; nil when there is none.
    func fprintd(all: Bool = false, staysForEver: Bool = true, hasProbe: Bool = true) throws -> Fprintd? {
        guard case .success(let peer) = peer else { return nil }
        return try Fprintd(
            tools, peer.parts, prints: all ? peer.prints.all : peer.prints.one, staysForEver: staysForEver,
            hasProbe: hasProbe)
    }

    func bioauthd(all: Bool = false, keepWarm: Int = 3600, lockout: String = "", hasProbe: Bool = true) throws
        -> Bioauthd
    {
        try Bioauthd(
            tools, prints: all ? ours.all : ours.one, keepWarm: keepWarm, lockout: lockout, hasProbe: hasProbe)
    }

    /// One transaction in which the enrolled finger is let in: a finger that was not recognised touches again.
    ///
    /// - Parameter prepare: brings the daemon into the state to begin in; without it, it rests.
    func letIn(_ subject: any Subject, _ hand: Hand, after prepare: (() throws -> Void)? = nil) throws -> Transaction {
        var failed: [Transaction] = []
        while failed.count < 5 {
            if let prepare { try prepare() } else { try subject.rest() }
            let transaction = try Transaction.run(on: subject, user: Account.own.name, touches: [hand.touch()])
            if transaction.result == "PAM_SUCCESS" { return transaction }
            failed.append(transaction)
        }
        throw Trouble("the enrolled finger was not recognised five times in a row: \(failed)")
    }
}

extension Int64 {
    /// From nanoseconds.
    var milliseconds: Double { Double(self) / 1_000_000 }
}
