import BioauthWire
import Foundation
import SyntheticFingers
import TestSupport

/// Ours: a daemon in private mode, and the stacks that ask it.
final class Bioauthd: Subject {
    let daemon: DaemonUnderTest
    let probe: Probe?
    let stacks: String
    var environment: [String: String] { ["PATH": "/usr/bin:/bin"] }
    var person: VirtualReader { daemon.person }
    /// When it said that it was ready.
    let ready: Int64
    private let keepsWarm: Bool
    /// How the module keeps the password live in each service's stack.
    private static let modes = [
        "sudo": "later", "login": "later", "su": "tty", "i3lock": "first", "polkit-1": "beside",
    ]

    /// - Parameters:
    ///   - prints: a directory of prints to begin with, as the daemon keeps them.
    ///   - keepWarm: seconds that the reader stays open after its last use.
    ///   - lockout: lines of that group of the configuration.
    init(
        _ tools: Tools, in directory: TemporaryDirectory = TemporaryDirectory(), prints: String? = nil,
        keepWarm: Int = 3600, lockout: String = "", hasProbe: Bool = true
    ) throws {
        if let prints {
            try FileManager.default.createDirectory(
                atPath: directory.file("state"), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try FileManager.default.copyItem(atPath: prints, toPath: directory.file("state/prints"))
        }
        keepsWarm = keepWarm > 0
        probe = hasProbe ? try Probe(library: tools.probe, in: directory.path) : nil
        daemon = try DaemonUnderTest(
            in: directory,
            configuration: """
                [password-first]
                after-boot=false
                maximum-age-hours=0
                [reader]
                keep-warm-seconds=\(keepWarm)
                [lockout]
                \(lockout)
                """,
            environment: probe?.environment ?? [:])
        ready = monotonicNow()
        for (service, password) in Bioauthd.modes {
            try directory.write(
                "auth required \(Built.module) socket=\(daemon.socketPath) max-tries=1 password=\(password)\n",
                to: "pam.d/\(service)")
        }
        stacks = directory.file("pam.d")
        try daemon.givePassword()
        try rest()
    }

    func rest() throws {
        let wanted: ReaderState = keepsWarm ? .ready : .closed
        try waitUntil("the reader to be \(wanted.name)") { try daemon.status().readerState == wanted }
    }

    var prints: String { daemon.stateDirectory + "/prints" }
}
