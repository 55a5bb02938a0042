import BioauthCore
import Foundation
import SyntheticFingers
import TestSupport

/// The peer: fprintd and pam_fprintd, on a virtual reader and a bus of their own.
final class Fprintd: Subject {
    /// Where the peer's parts are, as `prepare.sh` found them.
    struct Parts {
        let daemon, module, enroll, bus, libraries, version: String
    }

    let stacks: String
    let probe: Probe?
    let environment: [String: String]
    let person: VirtualReader
    private let parts: Parts
    private let bus: PrivateBus
    private let directory = TemporaryDirectory()

    static let name = "net.reactivated.Fprint"

    /// - Parameters:
    ///   - prints: the directory of another one's prints, to begin with.
    ///   - staysForEver: it doesn't exit after 30 idle seconds.
    init(_ tools: Tools, _ parts: Parts, prints: String? = nil, staysForEver: Bool = true, hasProbe: Bool = true) throws
    {
        self.parts = parts
        let state = directory.file("state")
        if let prints {
            try FileManager.default.copyItem(atPath: prints, toPath: state)
        } else {
            try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        }
        probe = hasProbe ? try Probe(library: tools.probe, in: directory.path) : nil
        let reader = directory.file("reader")
        let command = staysForEver ? "\(parts.daemon) --no-timeout" : parts.daemon
        let service = try directory.write(
            "[D-BUS Service]\nName=\(Fprintd.name)\nExec=\(command)\nUser=\(Account.own.name)\n",
            to: "services/\(Fprintd.name).service")
        for name in ["sudo", "login"] {
            try directory.write("auth required \(parts.module) max-tries=1\n", to: "pam.d/\(name)")
        }
        stacks = directory.file("pam.d")
        person = VirtualReader(socketPath: reader)
        let libraries = ["LD_LIBRARY_PATH": parts.libraries]
        let variables = [
            "FP_VIRTUAL_IMAGE": reader, "FP_DRIVERS_WHITELIST": "virtual_image", "STATE_DIRECTORY": state,
        ]
        bus = try PrivateBus(
            parts.bus, in: directory, services: (service as NSString).deletingLastPathComponent,
            environment: libraries.merging(variables) { $1 }.merging(probe?.environment ?? [:]) { $1 })
        // polkit is played by this process, which allows everything at once: that is quicker than polkitd, to the peer's
        // advantage. Starting fprintd goes without systemd for the same reason.
        try bus.connection.playPolkit()
        environment = libraries.merging([
            "PATH": "/usr/bin:/bin", "DBUS_SYSTEM_BUS_ADDRESS": bus.address,
        ]) { $1 }
        try start()
    }

    deinit { try? stop() }

    var prints: String { directory.file("state") }

    /// Waits until it has closed the reader, which it does after it has answered: before that nobody else may use it.
    ///
    /// It doesn't exit as long as somebody who claimed the reader is on the bus: so it is claimed in passing.
    func rest() throws {
        let device = "/net/reactivated/Fprint/Device/0"
        try bus.visit { visitor in
            try waitUntil("the peer to be free") {
                (try? visitor.call(Fprintd.name, device, "\(Fprintd.name).Device.Claim", "('',)")) != nil
            }
            try visitor.call(Fprintd.name, device, "\(Fprintd.name).Device.Release")
        }
    }

    /// Starts it, as any question does.
    func start() throws { try ask() }

    /// Asks for the account's fingers, on a connection of its own.
    func listFingers() throws {
        try bus.visit { visitor in
            _ = try visitor.call(
                Fprintd.name, "/net/reactivated/Fprint/Device/0", "\(Fprintd.name).Device.ListEnrolledFingers",
                "('\(Account.own.name)',)")
        }
    }

    /// A question that needs no reader.
    func ask() throws {
        try bus.ask(Fprintd.name, "/net/reactivated/Fprint/Manager", "\(Fprintd.name).Manager.GetDevices")
    }

    var isRunning: Bool {
        get throws { try bus.hasOwner(Fprintd.name) }
    }

    var pid: pid_t {
        get throws { try bus.process(of: Fprintd.name) }
    }

    /// Ends it; the next question starts it again.
    func stop() throws {
        guard try isRunning else { return }
        let pid = try pid
        kill(pid, SIGTERM)
        try waitUntil("fprintd to end") { kill(pid, 0) != 0 }
    }

    /// Enrols a synthetic finger for the account that the benchmark runs as.
    func enroll(_ finger: Finger, synthetic number: Int) throws {
        let name = finger.name.hasSuffix("thumb") ? finger.name : finger.name + "-finger"
        let program = try Child(parts.enroll, ["-f", name, Account.own.name], environment: environment)
        let impatient = VirtualReader(socketPath: person.socketPath, patience: .milliseconds(300))
        let hand = Hand(number)
        let deadline = monotonicNow() + 60_000_000_000
        var said: [String] = []
        while monotonicNow() < deadline {
            var entry = pollfd(fd: program.output, events: Int16(POLLIN), revents: 0)
            if poll(&entry, 1, 0) > 0 {
                if let lines = try program.lines() {
                    said += lines
                    continue
                }
                program.reap()
                guard said.contains(where: { $0.contains("enroll-completed") }) else { break }
                return
            }
            do { try impatient.touch(hand.touch()) } catch VirtualReaderError.notReached {}
        }
        throw Trouble("the peer did not enrol: \(said)")
    }
}
