import BioauthClient
import BioauthCore
import BioauthWire
import CFprint
import CGLib
import Foundation
import TestSupport

/// Whether start-up and a touch cost more where many users are enrolled.
func enrolledRows(_ rig: Rig) throws -> [Row] {
    let few = try Place(rig, users: 10)
    let many = try Place(rig, users: 10_000)
    var ofFew = Times()
    var ofMany = Times()
    var starts: (few: [Double], many: [Double]) = ([], [])
    for _ in 0..<rig.rounds {
        starts.few.append(try few.start())
        starts.many.append(try many.start())
    }
    let hand = Hand(Rig.fingers[0].1, from: 100)
    for _ in 0..<rig.rounds {
        ofFew.add(try rig.letIn(few.bioauthd!, hand))
        ofMany.add(try rig.letIn(many.bioauthd!, hand))
    }
    /// The same: no more than a tenth above, or a tenth of a millisecond, or than every fourth time with ten users.
    func row(_ name: String, _ many: [Double], _ few: [Double]) -> Row {
        guard let reference = few.median else { return Row(name, "ms", nil) }
        let quartile = few.sorted()[few.count * 3 / 4]
        return Row(
            name + ", 10,000 users", "ms", many.median,
            goal: .init(words: "as with 10: \(String(format: "%.3f", reference)) ms") { value, _ in
                value <= max(reference * 1.1, reference + 0.1, quartile)
            }, note: many.spread)
    }
    return [
        row("start-up until ready", starts.many, starts.few),
        row("pam_authenticate called → prompt", ofMany.prompted, ofFew.prompted),
        row("pam_authenticate called → reader armed", ofMany.armed, ofFew.armed),
        row("match callback → pam_authenticate returned", ofMany.answered, ofFew.answered),
    ]
}

/// A state directory with so many enrolled users, the benchmark's own account among them.
private final class Place {
    private let rig: Rig
    private let directory: TemporaryDirectory
    private(set) var bioauthd: Bioauthd?

    init(_ rig: Rig, users: Int) throws {
        self.rig = rig
        directory = TemporaryDirectory()
        let first = try Bioauthd(rig.tools, in: directory, prints: rig.ours.one, hasProbe: false)
        let others = (1..<users).map { Account(uid: 200_000 + UInt32($0), name: "user\($0)") }
        try Place.enroll(others, like: .own, below: first.prints)
        let connection = try first.daemon.connect()
        for account in others {
            try connection.send(.passwordTurn(account, peerUID: Account.own.uid))
            guard case .done = try connection.receive(within: .seconds(10)) else { throw Trouble("no turn") }
            try connection.send(.passwordResult(right: true, wantsTicket: false))
            guard case .done = try connection.receive(within: .seconds(10)) else { throw Trouble("no result") }
        }
        try first.daemon.stop()
    }

    /// Starts the daemon there afresh.
    ///
    /// - Returns: milliseconds until it said that it was ready.
    func start() throws -> Double {
        try bioauthd?.daemon.stop()
        bioauthd = nil
        for name in ["probe", "reader"] { unlink(directory.file(name)) }
        let begin = monotonicNow()
        let started = try Bioauthd(rig.tools, in: directory)
        bioauthd = started
        return (started.ready - begin).milliseconds
    }

    /// Gives others the print that one account has: as libfprint would have written it, had they enrolled that finger.
    private static func enroll(_ others: [Account], like one: Account, below directory: String) throws {
        let files = FileManager.default
        let home = "\(directory)/\(one.uid)"
        let file = try files.subpathsOfDirectory(atPath: home).first {
            var isDirectory: ObjCBool = false
            return files.fileExists(atPath: "\(home)/\($0)", isDirectory: &isDirectory) && !isDirectory.boolValue
        }
        guard let file else { throw Trouble("\(home) has no print") }
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: "\(home)/\(file)")))
        var error: UnsafeMutablePointer<GError>?
        guard let print = fp_print_deserialize(bytes, gsize(bytes.count), &error) else {
            throw Trouble("\(home)/\(file) can't be read")
        }
        defer { g_object_unref(UnsafeMutableRawPointer(print)) }
        for account in others {
            fp_print_set_username(print, account.name)
            var data: UnsafeMutablePointer<guchar>?
            var count: gsize = 0
            guard fp_print_serialize(print, &data, &count, &error) != 0, let data else {
                throw Trouble("a print can't be written")
            }
            defer { g_free(data) }
            let path = "\(directory)/\(account.uid)/\(file)"
            try files.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            guard
                files.createFile(
                    atPath: path, contents: Data(bytes: data, count: Int(count)), attributes: [.posixPermissions: 0o600]
                )
            else { throw Trouble("\(path) can't be written") }
        }
    }
}
