import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

/// A night of a reader's, and what can be read of it in the morning: the real daemon beside a logind and a journald that
/// are played, on libfprint's virtual device with storage.
@Suite("A reader's night", .enabled(if: isRoot, "only root can put a process into a session for another's eyes"))
struct NightTests {
    private let directory = TemporaryDirectory()
    private let logind: PlayedLogind
    private let stage: SessionStage
    private let device: VirtualDevice
    /// The directory of the device's socket: without it the device can't be opened.
    private let place: String
    private let me = DaemonUnderTest.account

    init() throws {
        logind = try PlayedLogind(in: directory)
        stage = try SessionStage(in: directory)
        try stage.place(inSession: "c1")
        place = directory.file("place")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        device = VirtualDevice(path: "\(place)/device")
        try logind.start(sessions: ["c1"])
    }

    private func daemon() throws -> DaemonUnderTest {
        let variables = [
            "FP_DRIVERS_WHITELIST": "virtual_device_storage", "FP_VIRTUAL_DEVICE_STORAGE": "\(place)/device",
        ]
        return try DaemonUnderTest(
            in: directory, hasReader: false, environment: variables.merging(logind.environment) { $1 },
            under: stage.wrapper + PlayedJournal.wrapper(in: directory))
    }

    private func watch(_ daemon: DaemonUnderTest) throws -> InteractiveProgram {
        let watch = try InteractiveProgram([Built.program("bioauthctl"), "watch", "--socket", daemon.socketPath])
        try showsWhatHappens(watch, daemon)
        return watch
    }

    /// Waits until what happens is shown.
    private func showsWhatHappens(_ watch: InteractiveProgram, _ daemon: DaemonUnderTest) throws {
        let before = watch.output.count
        let isShown = try eventually {
            try daemon.givePassword()
            return watch.reads(milliseconds: 100) && watch.output.count > before
        }
        #expect(isShown)
    }

    /// Takes away what the device needs to be opened, or gives it back.
    private func devicesPlace(isThere: Bool) throws {
        let away = directory.file("away")
        try FileManager.default.moveItem(atPath: isThere ? away : place, toPath: isThere ? place : away)
    }

    private func enroll(_ daemon: DaemonUnderTest) throws {
        let connection = try daemon.connect()
        try connection.send(.enroll(me, .rightIndex, nil))
        var answer = try connection.receive(within: .seconds(20))
        while answer != .done(nil) {
            if case .enrolling(let stage, let stages, _) = answer, stage < stages { try device.tell("SCAN right") }
            answer = try connection.receive(within: .seconds(20))
        }
    }

    /// Somebody may be prompted before: what the device is told then it doesn't understand.
    private func waitUntilArmed(_ daemon: DaemonUnderTest) throws {
        #expect(try eventually { try daemon.status().readerState == .scanning })
    }

    /// The lines that tell of something, without what is different each time.
    private func story(_ text: String, _ isTold: (Substring) -> Bool) -> [String] {
        text.split(separator: "\n").filter(isTold).map {
            String($0)
                .replacing(#/^[0-9:]{8} {2}/#, with: "")
                .replacing(#/[0-9]+ ?(ms|s|seconds?)\b/#, with: "T")
                .replacing(#/tried ([0-9]+ times?|once)/#, with: "tried N times")
                .replacing(#/bioauth_(peer_pid|duration_ms|failures)=[0-9]+ ?/#, with: "")
                .replacing("bioauth_", with: "")
        }
    }

    @Test("is told once and whole, to whoever watches and in the journal") func night() throws {
        let daemon = try daemon()
        #expect(try eventually { try daemon.status().readerState == .ready && logind.isDelayed() })
        let watch = try watch(daemon)
        try enroll(daemon)

        // The lid is shut, and the machine sleeps until somebody opens it. The reader takes its time.
        try logind.lid(isShut: true)
        try watch.expect("lid shut")
        try logind.prepareForSleep(true)
        #expect(try eventually { try !logind.isDelayed() })
        try devicesPlace(isThere: false)
        try logind.lid(isShut: false)
        try watch.expect("lid opened")
        try logind.prepareForSleep(false)
        try watch.expect("reader failed")
        #expect(eventually { daemon.log.components(separatedBy: "could not be opened:").count > 3 })
        try devicesPlace(isThere: true)
        try watch.expect("reader ready again")

        // It serves; then it errs, and again before it has served.
        for errors in [0, 2] {
            let sudo = try daemon.prompted()
            for _ in 0..<errors {
                try waitUntilArmed(daemon)
                try device.tell("ERROR 0")
                #expect(try sudo.next() == .waiting(Wait(cause: .readerFailed)))
                #expect(try sudo.next().isPrompt(again: true))
            }
            try waitUntilArmed(daemon)
            try device.tell("SCAN right")
            #expect(try sudo.next() == .verdict(.allowed(.rightIndex)))
            try watch.expect("finger matched")
        }
        try watch.expect("reader ready again")

        // A finger comes and goes, and nothing is told of it.
        let second = try daemon.prompted()
        try waitUntilArmed(daemon)
        try device.tell("FINGER 1")
        try device.tell("FINGER 0")
        #expect(try second.next() == .waiting(Wait(cause: .readerFailed)))
        #expect(try second.next().isPrompt(again: true))
        try watch.expect("reader ready again")

        // It doesn't even let itself be cancelled.
        try waitUntilArmed(daemon)
        try device.tell("SET_CANCELLATION_ENABLED 0")
        try device.tell("SLEEP 600000")
        try second.send(.cancel(.person))
        try watch.expect("no longer answers", seconds: 30)
        #expect(try daemon.program.wait() == 1)
        let seen = watch.output

        // Whoever watches sees what comes after that, too.
        let next = try self.daemon()
        try showsWhatHappens(watch, next)
        try logind.lid(isShut: true)
        try watch.expect("lid shut")

        let name = "Virtual device with storage and identification for debugging"
        let refused = "Error binding to address (GUnixSocketAddress): No such file or directory"
        let unspecified = "An unspecified error occurred!"
        let asked = "\(me.name), sudo (privilege)"
        #expect(
            story(seen) { !$0.contains("password given") } == [
                "asks for a finger: \(me.name), enroll (app), right index finger",
                "asked for a touch: \(me.name), enroll (app), \(name)",
                "finger enrolled: \(me.name), enroll (app), right index finger",
                "lid shut",
                "computer goes to sleep",
                "lid opened",
                "computer is awake: after T",
                "reader failed: \(name), \(refused)",
                "reader ready again: \(name), after T, tried N times in vain",
                "asks for a finger: \(asked)",
                "asked for a touch: \(asked), \(name)",
                "finger matched: \(asked), right index finger",
                "asks for a finger: \(asked)",
                "asked for a touch: \(asked), \(name)",
                "reader failed: \(name), \(unspecified)",
                "waits: \(asked), The fingerprint reader doesn't work.",
                "reader ready again: \(name), after T, tried N times in vain",
                "asked for a touch: \(asked), \(name)",
                "reader failed: \(name), \(unspecified)",
                "waits: \(asked), The fingerprint reader doesn't work.",
                "asked for a touch: \(asked), \(name)",
                "finger matched: \(asked), right index finger",
                "reader ready again: \(name), after T, tried N times in vain",
                "asks for a finger: \(asked)",
                "asked for a touch: \(asked), \(name)",
                "reader failed: \(name), it took too long",
                "waits: \(asked), The fingerprint reader doesn't work.",
                "reader ready again: \(name), after T, tried N times in vain",
                "asked for a touch: \(asked), \(name)",
                "no finger: \(asked), Cancelled.",
                "reader no longer answers, so bioauthd starts anew: \(name)",
            ])

        let reader = "reader=\(name) driver=virtual_device_storage"
        let failed = "event=reader-failed \(reader) cause=readerFailed"
        let again = "event=reader-ready \(reader) cause=readerFailed "
        func decision(_ what: String, at service: String, _ serviceClass: String, _ outcome: String) -> String {
            "5 \(what) user=\(me.name) uid=\(me.uid) service=\(service) class=\(serviceClass) session=c1 "
                + "peer_uid=\(me.uid) reader=\(name) outcome=\(outcome) "
        }
        let sudoAllowed = decision(
            "authentication allowed: \(me.name) at sudo", at: "sudo", "privilege", "allowed")
        #expect(
            story(daemon.log) { $0.contains("bioauth_event=") || $0.contains("bioauth_outcome=") } == [
                "5 Reader found: \(name) (virtual_device_storage) event=reader-added \(reader)",
                "5 Reader ready: \(name) event=reader-ready \(reader)",
                decision("finger enrolled: \(me.name) at enroll", at: "enroll", "app", "allowed"),
                "5 The lid is shut event=lid-shut",
                "5 The machine is about to sleep event=sleeping",
                "5 The lid is open event=lid-opened",
                "5 The machine is awake (after T) event=awake ",
                "4 Reader fails: \(name) could not be opened (\(refused)); it is tried again \(failed) reason=\(refused)",
                "5 Reader ready again: \(name) (after T, tried N times in vain) \(again)",
                sudoAllowed,
                "4 Reader fails: \(name) could not be used (\(unspecified)); it is tried again \(failed) "
                    + "reason=\(unspecified)",
                "5 Reader ready again: \(name) (after T, tried N times in vain) \(again)",
                "4 Reader fails: \(name) could not be used (\(unspecified)); it is tried again \(failed) "
                    + "reason=\(unspecified)",
                sudoAllowed,
                "5 Reader ready again: \(name) (after T, tried N times in vain) \(again)",
                "4 Reader fails: \(name) could not be used (it took too long); it is tried again \(failed)",
                "5 Reader ready again: \(name) (after T, tried N times in vain) \(again)",
                decision(
                    "authentication denied: \(me.name) at sudo, personCancelled", at: "sudo", "privilege",
                    "denied cause=personCancelled"),
                "3 Reader no longer answers: \(name); bioauthd has to be started anew event=reader-lost \(reader) "
                    + "cause=readerFailed",
            ])
    }
}
