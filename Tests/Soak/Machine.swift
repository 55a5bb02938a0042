import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import TestSupport

/// What a run is played on: the real daemon, started again on what the last one kept, its readers, and, for root, a logind
/// that is played.
final class Machine {
    let directory = TemporaryDirectory()
    var readers: [PlayedReader]
    private(set) var daemon: DaemonUnderTest
    /// Whether a reader of this daemon's was told to hang.
    var hasHung = false
    /// What the daemons wrote that are gone.
    private(set) var logs: [String] = []
    let logind: PlayedLogind?
    private let stage: SessionStage?
    private let configuration: String
    let clock: WallClock

    private static let session = "c1"

    /// - Parameter services: each with its class's name.
    init(services: [String: String]) throws {
        readers = PlayedReader.Kind.allCases.map { [directory] in PlayedReader($0, in: directory) }
        // A lockout ends by the password alone. A reader that closes soon is opened often.
        configuration = """
            [lockout]
            delay-seconds=3600
            [reader]
            keep-warm-seconds=1
            [services]
            \(services.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "\n"))

            """
        try Machine.enrolled.get().lay(in: directory.file("state"))
        if isRoot {
            let logind = try PlayedLogind(in: directory)
            let stage = try SessionStage(in: directory)
            try stage.place(inSession: Machine.session)
            try logind.start(sessions: [Machine.session])
            (self.logind, self.stage) = (logind, stage)
        } else {
            (logind, stage) = (nil, nil)
        }
        clock = try WallClock(in: directory)
        daemon = try Machine.start(in: directory, readers, configuration, clock, logind, stage)
    }

    private static func start(
        in directory: TemporaryDirectory, _ readers: [PlayedReader], _ configuration: String, _ clock: WallClock? = nil,
        _ logind: PlayedLogind? = nil, _ stage: SessionStage? = nil
    ) throws -> DaemonUnderTest {
        var variables = ["FP_DRIVERS_WHITELIST": readers.map(\.driver).joined(separator: ":")]
        for reader in readers where reader.isPluggedIn { variables[reader.variable.0] = reader.variable.1 }
        for more in [clock?.environment, logind?.environment] { variables.merge(more ?? [:]) { $1 } }
        return try DaemonUnderTest(
            in: directory, configuration: configuration, hasReader: false, environment: variables,
            under: stage?.wrapper ?? [])
    }

    /// Starts another daemon in the place of one that has ended.
    func startDaemon() throws {
        logs.append(daemon.log)
        daemon = try Machine.start(in: directory, readers, configuration, clock, logind, stage)
        for at in readers.indices {
            readers[at].hasFinger = false
            readers[at].isHung = false
            readers[at].isToHang = false
        }
        hasHung = false
    }

    /// Has the daemon see a process in the session in front at the machine.
    func seat(_ pid: pid_t) throws {
        try stage?.show(pid, inSession: Machine.session, to: daemon.program.pid)
    }

    /// What each plugged-in reader is doing.
    func readerStates() throws -> [String: ReaderState] {
        guard case .readers(let entries) = try daemon.ask(.readers(Person.people[0].account)) else {
            throw DaemonUnderTest.Unexpected()
        }
        return Dictionary(entries.map { ($0.driver, $0.state) }) { $1 }
    }

    /// What the daemon has open: the files' names, and how many of each kind of what has none.
    func descriptors() throws -> [String: Int] {
        let directory = "/proc/\(daemon.program.pid)/fd"
        var counts: [String: Int] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
            // One that was open for the listing alone may be gone.
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(name)")
            if let target { counts[String(target.prefix { $0 != "[" }), default: 0] += 1 }
        }
        return counts
    }

    // MARK: Where everybody is enrolled already

    /// Enrolled once by a real daemon, for all runs of this process.
    private static let enrolled = Result {
        let directory = TemporaryDirectory()
        let readers = PlayedReader.Kind.allCases.map { PlayedReader($0, in: directory) }
        let daemon = try Machine.start(in: directory, readers, "")
        for person in Person.all {
            for reader in readers where person.readers.contains(reader.kind) {
                try enroll(person, at: reader, daemon)
            }
            try daemon.givePassword(person.account)
        }
        guard try daemon.stop() == 0 else { throw DaemonUnderTest.Unexpected() }
        return try Tree(daemon.stateDirectory)
    }

    private static func enroll(_ person: Person, at reader: PlayedReader, _ daemon: DaemonUnderTest) throws {
        let connection = try daemon.connect()
        try connection.send(.enroll(person.account, .rightIndex, nil, reader: reader.driver))
        var impression = 0
        while true {
            switch try connection.receive(within: .seconds(20)) {
            case .done: return
            case .enrolling(let stage, let stages, _) where stage < stages:
                impression += 1
                let isTaken = eventually {
                    reader.touch(person.finger, impression: impression, stays: false)
                }
                guard isTaken else { throw DaemonUnderTest.Unexpected() }
            case .enrolling, .prompt, .waiting: break
            case let message: throw DaemonUnderTest.Unexpected(message)
            }
        }
    }
}
