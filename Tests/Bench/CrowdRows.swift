import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import TestSupport

/// A thousand root connections at once: what they are told, what they cost, and what they do to the next request.
func crowdRows(_ rig: Rig) throws -> [Row] {
    var rows: [Row] = []
    let bioauthd = try rig.bioauthd(hasProbe: false)
    let pid = bioauthd.daemon.program.pid
    let under5 = Row.Goal.under(5, "ms")

    let crowd = Crowd(1000, at: bioauthd, asking: .touch)
    rows += crowd.rows("1,000 root requests at once")
    // What a daemon that has just started has lying about is used up by then.
    let before = try privateMemory(of: pid)
    let more = Crowd(1000, at: bioauthd, asking: .touch)
    let each = (try privateMemory(of: pid) - before) / 1000
    rows.append(Row("private memory for each of 1,000 more root requests", "KiB", each, goal: .under(32, "KiB")))
    try more.leave(until: 1000)

    func prompts(_ name: String, _ service: String, behind waiting: Int) throws -> Row {
        let taken = try (0..<rig.rounds).map { _ in try prompt(bioauthd, service, behind: waiting) }
        return Row(name, "ms", taken.median, goal: under5, note: taken.spread)
    }
    rows.append(try prompts("a root login's prompt, 1,000 root requests in line", "login", behind: 1000))
    try crowd.leave()

    var afterwards: [Double] = []
    for _ in 0..<rig.rounds {
        try Crowd(1000, at: bioauthd, asking: .touch).leave(until: nil)
        afterwards.append(try prompt(bioauthd, "sudo", behind: 0))
    }
    rows.append(
        Row(
            "a root sudo's prompt when 1,000 root requests leave that moment", "ms", afterwards.median,
            note: afterwards.spread))

    let idle = Crowd(1000, at: bioauthd, asking: .status)
    rows.append(try prompts("a prompt, 1,000 root connections that asked their status", "sudo", behind: 0))
    try idle.leave()

    guard getuid() == 0 else {
        print("left out: the same behind a crowd of other users, for which the benchmark has to be root")
        return rows
    }
    let strangers = try Strangers(at: bioauthd)
    rows.append(
        Row(
            "connections that others hold open", "", Double(strangers.admitted),
            goal: Row.Goal(words: "root's share left free") { value, _ in
                Int(value) <= Limits.connections - Limits.connectionsForRoot
            }, note: "\(strangers.refused) more were refused by rule"))
    let behind = Crowd(1000, at: bioauthd, asking: .touch)
    rows += behind.rows("1,000 root requests at once behind that crowd")
    rows.append(try prompts("a root login's prompt behind both crowds", "login", behind: 1000))
    try behind.leave()
    return rows
}

/// From `pam_authenticate` called to the prompt, of a request that is given up as soon as it has it.
private func prompt(_ bioauthd: Bioauthd, _ service: String, behind waiting: Int) throws -> Double {
    let transaction = try Transaction.run(on: bioauthd, user: Account.own.name, service: service, endsAtPrompt: true)
    guard let prompted = transaction.prompted else { throw Trouble("no prompt: \(transaction)") }
    try waitUntil("the request to be gone") { try bioauthd.daemon.status().waiting <= waiting }
    return (prompted - transaction.called).milliseconds
}

/// One connection of a crowd.
private final class Member {
    enum Outcome { case answered, refused, lost }

    private let connection: DaemonConnection?

    /// Connects and asks; fails silently, which `outcome` tells.
    init(_ socketPath: String, _ messages: [ClientMessage]) {
        connection = try? DaemonConnection(path: socketPath)
        for message in messages { try? connection?.send(message) }
    }

    /// What the first answer is.
    func outcome() -> Outcome {
        do throws(ConnectionError) {
            while true {
                switch try connection?.receive(within: .seconds(20)) {
                case .prompt, .waiting, .status: return .answered
                case .event: continue
                default: return .lost
                }
            }
        } catch {
            return error == .problem(.tooMany) ? .refused : .lost
        }
    }
}

/// Connections that this process makes at once.
private final class Crowd {
    enum Question { case touch, status }

    private let bioauthd: Bioauthd
    private var members: [Member]
    private let outcomes: [Member.Outcome]
    private let milliseconds: Double

    init(_ count: Int, at bioauthd: Bioauthd, asking question: Question) {
        self.bioauthd = bioauthd
        let message: ClientMessage =
            switch question {
            case .touch: .authenticate(Authenticate(account: .own, service: "sudo", timeout: .seconds(300)))
            case .status: .status(.own)
            }
        let begin = monotonicNow()
        members = (0..<count).map { _ in Member(bioauthd.daemon.socketPath, [message]) }
        outcomes = members.map { $0.outcome() }
        milliseconds = (monotonicNow() - begin).milliseconds
    }

    func rows(_ name: String) -> [Row] {
        func count(_ outcome: Member.Outcome) -> Int { outcomes.count { $0 == outcome } }
        let all = Row.Goal(words: "all answered or refused by rule") { _, _ in count(.lost) == 0 }
        return [
            Row(
                name + ", answered", "", Double(count(.answered)), goal: all,
                note: "\(count(.refused)) refused, \(count(.lost)) lost"),
            Row(name + ", until the last was", "ms", milliseconds),
        ]
    }

    /// - Parameter others: how many the daemon knows of once it has noticed, which is waited for; nil: at once.
    func leave(until others: Int? = 0) throws {
        members.removeAll()
        guard let others else { return }
        try waitUntil("the crowd to be gone") { try bioauthd.daemon.status().waiting == others }
    }
}

/// Connections of users who are not root, more of them than there is room for; each watches, and so may stay.
final class Strangers {
    private static let firstUID = 100_000
    private static let each = Limits.connectionsPerUser + 1

    private let users: [Child]
    private(set) var admitted = 0
    private(set) var refused = 0

    init(at bioauthd: Bioauthd) throws {
        let count = (Limits.connections - Limits.connectionsForRoot) / Limits.connectionsPerUser + 3
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        users = try (0..<count).map {
            try Child(
                program, [Invocation.stranger, bioauthd.daemon.socketPath, "\(Strangers.firstUID + $0)"],
                environment: bioauthd.environment)
        }
        for user in users {
            let words = try (user.lines()?.first ?? "").split(separator: " ").compactMap { Int($0) }
            guard words.count == 2 else { throw Trouble("a stranger said nothing") }
            admitted += words[0]
            refused += words[1]
        }
    }

    /// One of them, in a process of its own: says how many connections were admitted and how many refused, and keeps
    /// those it has until it is ended.
    static func beOne(socketPath: String, uid: uid_t) throws -> Never {
        guard setgid(uid) == 0, setuid(uid) == 0 else { throw Trouble("setuid: \(errorWords())") }
        let members = (0..<each).map { _ in
            Member(socketPath, [.watch, .status(Account(uid: uid, name: "stranger"))])
        }
        let outcomes = members.map { $0.outcome() }
        print(outcomes.count { $0 == .answered }, outcomes.count { $0 == .refused })
        fflush(nil)
        while true { withExtendedLifetime(members) { _ = pause() } }
    }
}
