import BioauthCore
import BioauthWire
import Foundation
import TestSupport

/// People at one reader, each with a finger enrolled there, and whatever asks for their fingers through PAM. The word
/// that stands for a person's finger is their account's name.
final class Household {
    let daemon: DaemonUnderTest
    let device: VirtualDevice
    let people: [Account]
    private let passwd: String

    /// - Parameter count: how many they are.
    init(of count: Int, lockout: String = "delay-seconds = 3600") throws {
        (daemon, device) = try DaemonUnderTest.onWords(configuration: "[lockout]\n\(lockout)\n")
        people = (1...count).map { Account(uid: 4300 + UInt32($0), name: "bioauth-\($0)") }
        let systems = try String(contentsOfFile: "/etc/passwd", encoding: .utf8)
        let lines = people.map { "\($0.name):x:\($0.uid):\($0.uid)::/:/bin/false\n" }
        passwd = try daemon.directory.write(systems + lines.joined(), to: "passwd")
        for person in people {
            try daemon.enroll(person, word: person.name, at: device)
            try daemon.givePassword(person)
        }
    }

    /// Somebody's finger on the reader, once it is awaited.
    func touch(_ person: Account) throws { try device.tell("SCAN \(person.name)") }

    func touchByStranger() throws { try device.tell("SCAN stranger") }

    func mismatches(of person: Account) throws -> Int { try daemon.status(of: person).mismatches }

    /// A host that asks for somebody's finger, with the real module, in a process group of its own.
    ///
    /// - Parameter options: the module's.
    func host(
        _ person: Account, _ service: String = "sudo", _ options: String = "max-tries=1"
    ) throws -> RunningProgram {
        let host = try PAMHost(
            service: service,
            stack: "auth required MODULE socket=\(daemon.socketPath) password=later \(options)",
            in: daemon.directory)
        // As it sees this machine, the people have accounts. The shell gives way to it: its process is the host's.
        let script = "mount --bind \"$1\" /etc/passwd; shift; exec \"$@\""
        return try RunningProgram(
            "/usr/bin/unshare",
            ["--mount", "--propagation", "private", "/bin/sh", "-c", script, "sh", passwd, Built.host]
                + host.arguments(user: person.name))
    }

    /// The same, once the person has been asked for a touch.
    func prompted(
        _ person: Account, _ service: String = "sudo", _ options: String = "max-tries=1"
    ) throws -> RunningProgram {
        var host: RunningProgram?
        try daemon.waitFor(.prompted) { host = try self.host(person, service, options) }
        return host!
    }
}

extension RunningProgram {
    /// What a host showed its person, in order.
    var shown: [String] {
        PAMHost.lines(text).filter { $0.event == "info" || $0.event == "error" }.compactMap(\.text)
    }

    /// How often that included an invitation to touch the reader.
    var prompts: Int { shown.count { $0.contains("fingerprint reader with your") || $0.contains("across") } }

    /// Waits for a host's end.
    ///
    /// - Returns: what its call came to, by PAM's name.
    func result() throws -> String? {
        try wait()
        return PAMHost.lines(text).last { $0.event == "result" }?.name
    }
}
