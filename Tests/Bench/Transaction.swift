import Foundation
import SyntheticFingers
import TestSupport

/// A fingerprint service under measurement: ours or the peer.
protocol Subject: AnyObject {
    /// The directory with the PAM stacks that ask it.
    var stacks: String { get }
    /// What programs that talk to it need in their environment.
    var environment: [String: String] { get }
    var person: VirtualReader { get }
    /// Nil where the daemon runs without one, to have its memory to itself.
    var probe: Probe? { get }
    /// Waits until the reader is closed, or as far as it goes after a request.
    func rest() throws
}

/// One PAM transaction, as it went. Times are nanoseconds on CLOCK_MONOTONIC.
struct Transaction {
    /// `pam_authenticate` was called.
    private(set) var called: Int64 = 0
    /// The host was given the first message to show.
    private(set) var prompted: Int64?
    /// The reader first wanted a finger.
    private(set) var armed: Int64?
    /// The last finger came to the reader.
    private(set) var finger: Int64?
    /// libfprint told the daemon of the last comparison.
    private(set) var compared: Int64?
    private(set) var isMatch = false
    private(set) var returned: Int64 = 0
    /// The PAM code's name.
    private(set) var result = ""

    private static let patienceMilliseconds: Int64 = 60_000

    /// Runs one through `pam-host`, with these touches, each as soon as the reader wants one.
    ///
    /// - Parameter endsAtPrompt: kills the host when it has shown its first message.
    static func run(
        on subject: any Subject, user: String, service: String = "sudo", touches: [FingerImage] = [],
        endsAtPrompt: Bool = false
    ) throws -> Transaction {
        _ = subject.probe?.events()
        let host = try Child(
            Built.host, ["--confdir", subject.stacks, "--service", service, "--user", user],
            environment: subject.environment)
        var transaction = Transaction()
        var left = touches[...]
        let deadline = monotonicNow() + patienceMilliseconds * 1_000_000
        while true {
            var entries = [
                pollfd(fd: host.output, events: Int16(POLLIN), revents: 0),
                pollfd(fd: subject.probe?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&entries, 2, Int32((deadline - monotonicNow()) / 1_000_000)) > 0 else {
                throw Trouble("a transaction hung, after \(transaction)")
            }
            var wantsFinger = false
            if entries[1].revents != 0 {
                for event in subject.probe?.events() ?? [] {
                    transaction.take(event)
                    wantsFinger = wantsFinger || event.kind == .armed
                }
            }
            if entries[0].revents != 0 {
                guard let lines = try host.lines() else { break }
                for line in PAMHost.lines(lines.joined(separator: "\n")) {
                    let isPrompt = transaction.take(line)
                    if isPrompt && endsAtPrompt { return transaction }
                    wantsFinger = wantsFinger || (isPrompt && subject.probe == nil)
                }
            }
            if wantsFinger, let image = left.popFirst() { try subject.person.touch(image) }
        }
        host.reap()
        for event in subject.probe?.events() ?? [] { transaction.take(event) }
        guard !transaction.result.isEmpty else { throw Trouble("pam-host ended without a result") }
        return transaction
    }

    private mutating func take(_ event: Probe.Event) {
        switch event.kind {
        case .armed: armed = armed ?? event.at
        case .finger: finger = event.at
        case .compared, .matched:
            compared = event.at
            isMatch = event.kind == .matched
        }
    }

    /// - Returns: whether it is the first message to the person.
    private mutating func take(_ line: PAMHost.Line) -> Bool {
        switch line.event {
        case "call":
            called = line.at
        case "info" where prompted == nil:
            prompted = line.at
            return true
        case "result":
            called = line.at - (line.took ?? 0)
            returned = line.at
            result = line.name ?? ""
        default:
            break
        }
        return false
    }
}

/// The finger that is enrolled, and strangers': impressions are made before they are wanted, not while time is taken.
final class Hand {
    private let finger: SyntheticFinger
    private var impression: Int

    init(_ number: Int, from impression: Int = 0) {
        finger = SyntheticFinger(number: number)
        self.impression = impression
    }

    func touch() -> FingerImage {
        defer { impression += 1 }
        return finger.impression(impression)
    }
}
