import BioauthCore
import Foundation
import TestSupport

/// A client, seen from outside.
final class ClientProcess {
    let service: String
    let person: Person
    let kind: Client.Kind
    var isEnrollment: Bool { if case .enrolling = kind { true } else { false } }
    private let program: RunningProgram
    /// How much of what it said has been read.
    private var read = 0
    private(set) var heard: [Heard] = []

    /// Starts it; it waits for `go`.
    init(_ client: Client, _ person: Person) throws {
        service = client.service
        self.person = person
        kind = client.kind
        program = try RunningProgram(Built.program("bioauth-soak"), client.arguments)
    }

    /// Whether it asks for somebody who comes in by it.
    var isEntering: Bool { ["lock", "login"].contains { service.hasPrefix($0) } }
    var pid: pid_t { program.pid }
    var isReady: Bool { program.text.hasPrefix(Heard.ready.line) }
    var hasEnded: Bool { heard.last?.isEnd ?? false }

    /// What it has heard since the last look.
    func news() -> [Heard] {
        let text = program.text
        let new = text.utf8.dropFirst(read)
        guard let end = new.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        read = text.utf8.distance(from: text.startIndex, to: end) + 1
        let lines = text[new.startIndex..<end].split(separator: "\n").map { Heard(line: $0) }.filter { $0 != .ready }
            // What a host says of itself after its transaction.
            .filter { kind != .host || $0 != .other("end") }
        heard += lines
        return lines
    }

    func go() { program.send(SIGUSR2) }
    /// Takes its request back; a host of PAM can only leave.
    func cancel() { program.send(kind == .host ? SIGTERM : SIGUSR1) }
    func leave() { program.send(SIGTERM) }
    func freeze() { program.send(SIGSTOP) }
    func thaw() { program.send(SIGCONT) }
    func kill() { program.send(SIGKILL) }
}
