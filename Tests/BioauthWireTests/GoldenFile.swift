import BioauthCore
import BioauthWire
import Foundation

/// One line of golden.txt, whose head tells what the lines mean.
struct GoldenVector: CustomStringConvertible, Sendable {
    enum Meaning: Sendable {
        /// The bytes are read as this message, and, where they are a writer's own, written from it.
        case message(GoldenMessage, isWriters: Bool)
        case refused
        case unknownType
    }

    let name: String
    let bytes: [UInt8]
    let meaning: Meaning

    var description: String { name }

    static let all: [GoldenVector] = {
        let file = Bundle.module.url(forResource: "golden", withExtension: "txt")!
        let lines = try! String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        return lines.filter { !$0.hasPrefix("#") }.map { GoldenVector(line: String($0)) }
    }()

    static let messages: [GoldenVector] = all.filter { if case .message = $0.meaning { true } else { false } }

    /// Tests/Fuzz/seeds.txt: names and bytes.
    static func fuzzSeeds() throws -> [String: [UInt8]] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fuzz/seeds.txt")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
        return Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let parts = line.components(separatedBy: " | ")
                return (parts[0], [UInt8](hex: parts[1].filter { $0 != " " }))
            })
    }

    private init(line: String) {
        let parts = line.components(separatedBy: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " ")) }
        name = parts[0]
        bytes = [UInt8](hex: parts[1])
        switch parts[2].first {
        case "!": meaning = .refused
        case "?": meaning = .unknownType
        case "~": meaning = .message(GoldenMessage(String(parts[2].dropFirst())), isWriters: false)
        default: meaning = .message(GoldenMessage(parts[2]), isWriters: true)
        }
    }
}

/// A message as golden.txt tells it: a name, and fields by name.
struct GoldenMessage: Sendable {
    let name: String
    let fields: [String: String]

    init(_ text: String) {
        let parts = text.components(separatedBy: "; ")
        name = parts[0]
        fields = Dictionary(
            uniqueKeysWithValues: parts.dropFirst().map { part in
                let (key, value) = (part.prefix { $0 != "=" }, part.drop { $0 != "=" }.dropFirst())
                return (String(key), String(value))
            })
    }

    /// The value that these words stand for; nil if they stand for none. A password's place is not told.
    var value: AnyMessage? {
        switch name {
        case "authenticate":
            guard let account, let service = fields["service"], let tries: Int = number("tries"),
                let policy = number("policy").flatMap(Authenticate.Policy.init), let timeout: Int = number("timeout")
            else { return nil }
            return .client(
                .authenticate(
                    Authenticate(
                        account: account, service: service, tty: fields["tty"], remoteHost: fields["remoteHost"],
                        reason: fields["reason"], policy: policy, interaction: flag("interaction"),
                        timeout: .milliseconds(timeout), tries: tries, fingerOnly: flag("fingerOnly"),
                        agentPID: number("agentPID"))))
        case "cancel":
            return number("cancelReason").flatMap(CancelReason.init).map { .client(.cancel($0)) }
        case "passwordUseful":
            guard let account, let service = fields["service"] else { return nil }
            return .client(.passwordUseful(account, service: service))
        case "password":
            guard let account else { return nil }
            return .client(.password(account, secret: 0..<0, wantsTicket: flag("wantsTicket")))
        case "prompt":
            guard let scan = number("scan").flatMap(ScanType.init), let left: Int = number("triesLeft") else {
                return nil
            }
            return .daemon(
                .prompt(
                    Prompt(
                        scan: scan, finger: finger, reader: fields["reader"] ?? "", triesLeft: left,
                        again: flag("again"))))
        case "retry":
            return number("retry").flatMap(RetryReason.init).map { .daemon(.retry($0)) }
        case "mismatch":
            return number("triesLeft").map { .daemon(.mismatch(triesLeft: $0)) }
        case "waiting":
            guard let cause else { return nil }
            let other = fields["otherService"].map {
                Asker(service: $0, tty: fields["otherTTY"], pid: number("otherPID") ?? -1)
            }
            return .daemon(.waiting(Wait(cause: cause, place: number("place"), endsIn: endsIn, other: other)))
        case "verdict":
            if flag("allowed") { return finger.map { .daemon(.verdict(.allowed($0))) } }
            return cause.map {
                .daemon(.verdict(.denied(Denial($0, endsIn: endsIn, lockoutBegan: flag("lockoutBegan")))))
            }
        case "passwordVerdict":
            if flag("right") {
                return .daemon(.passwordVerdict(.right(fields["ticket"].flatMap { Ticket(bytes: [UInt8](hex: $0)) })))
            }
            switch cause {
            case .passwordWrong: return .daemon(.passwordVerdict(.wrong))
            case .passwordDelayed: return endsIn.map { .daemon(.passwordVerdict(.delayed($0))) }
            default: return .daemon(.passwordVerdict(.unavailable))
            }
        case "passwordAdvice":
            return .daemon(.passwordAdvice(useful: flag("useful")))
        case "problem":
            return number("problem").flatMap(Problem.init).map { .daemon(.problem($0)) }
        default:
            return nil
        }
    }

    func number<N: FixedWidthInteger>(_ field: String) -> N? { fields[field].flatMap { N($0) } }

    func flag(_ field: String) -> Bool { fields[field] == "1" }

    private var account: Account? {
        guard let uid: UInt32 = number("uid"), let name = fields["name"] else { return nil }
        return Account(uid: uid, name: name)
    }

    private var finger: Finger? { number("finger").flatMap(Finger.init) }
    private var cause: Cause? { number("cause").flatMap(Cause.init) }
    private var endsIn: Duration? { number("endsIn").map { (left: UInt32) in .milliseconds(left) } }
}

extension [UInt8] {
    init(hex: String) {
        self = stride(from: 0, to: hex.utf8.count, by: 2).map { place in
            UInt8(hex.dropFirst(place).prefix(2), radix: 16)!
        }
    }
}
