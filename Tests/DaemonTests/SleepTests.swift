import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation
import SyntheticFingers
import TestSupport
import Testing

/// The machine's sleep, by logind's word: the real daemon beside a logind that is played. The peer is this process, in a
/// session in front at the machine.
@Suite("Sleep", .enabled(if: isRoot, "only root can put a process into a session for another's eyes"))
struct SleepTests {
    let directory = TemporaryDirectory()
    let logind: PlayedLogind
    let stage: SessionStage
    let me = DaemonUnderTest.account

    init() throws {
        logind = try PlayedLogind(in: directory)
        stage = try SessionStage(in: directory)
        try stage.place(inSession: "c1")
    }

    private func daemon(preparingForSleep: Bool = false, configuration: String? = nil) throws -> DaemonUnderTest {
        try logind.start(sessions: ["c1"], preparingForSleep: preparingForSleep)
        return try DaemonUnderTest.enrolled(
            in: directory, configuration: configuration, environment: logind.environment, under: stage.wrapper)
    }

    /// A daemon whose reader is open, and for which the machine would wait.
    private func ready() throws -> DaemonUnderTest {
        let daemon = try daemon()
        #expect(try eventually { try logind.isDelayed() })
        #expect(try eventually { try daemon.status().readerState == .ready })
        return daemon
    }

    /// Whether libfprint has the reader open: the virtual one listens for as long.
    private func isOpen(_ daemon: DaemonUnderTest) throws -> Bool {
        // Whole: Foundation takes one page of it for all.
        let sockets = try SmallFile.read("/proc/net/unix", limit: 1 << 22)
        return String(decoding: sockets, as: UTF8.self).contains(daemon.readerPath)
    }

    /// The machine is about to sleep, and does as soon as nobody delays it: no later than logind would wait.
    private func sleep(_ daemon: DaemonUnderTest) throws {
        try logind.prepareForSleep(true)
        #expect(try eventually(within: .seconds(5)) { try !logind.isDelayed() })
        #expect(try !isOpen(daemon), "the machine sleeps with the reader open")
    }

    private func wake(_ daemon: DaemonUnderTest) throws {
        try logind.prepareForSleep(false)
        #expect(try eventually { try logind.isDelayed() })
        #expect(try eventually { try isOpen(daemon) })
    }

    private let suspended = DaemonMessage.waiting(Wait(cause: .suspended))

    // MARK: The reader

    @Test("An idle reader is closed before the machine sleeps, and opened when it is awake, and both are told")
    func idle() throws {
        let daemon = try ready()
        #expect(try logind.inhibitors().contains("'The fingerprint reader is closed first'"))
        try daemon.waitFor(.sleeping) { try sleep(daemon) }
        #expect(try daemon.status().readerState == .closed)
        try daemon.waitFor(.readerReady) { try daemon.waitFor(.awake) { try wake(daemon) } }
        #expect(daemon.log.contains("The machine is about to sleep"))
        #expect(daemon.log.contains("The machine is awake"))
        try sleep(daemon)
        try wake(daemon)
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
    }

    @Test("One that is about to be opened is closed, too")
    func opening() throws {
        let daemon = try daemon(configuration: "[reader]\nkeep-warm-seconds=0\n")
        #expect(try eventually { try logind.isDelayed() && daemon.status().readerState == .closed })
        // The prompt goes first, and the reader is opened meanwhile.
        let sudo = try daemon.prompted()
        try sleep(daemon)
        #expect(try sudo.next() == suspended)
        try wake(daemon)
        #expect(try sudo.next().isPrompt(again: true))
        try daemon.touch(1)
        #expect(try sudo.next() == .verdict(.allowed(.rightIndex)))
    }

    @Test("The machine is held up for as long as the reader is busy, although nobody has it any more") func busy()
        throws
    {
        try logind.start(sessions: ["c1"])
        let device = VirtualDevice(path: directory.file("device"))
        let variables = [
            "FP_DRIVERS_WHITELIST": "virtual_device_storage", "FP_VIRTUAL_DEVICE_STORAGE": directory.file("device"),
        ]
        let daemon = try DaemonUnderTest(
            in: directory, hasReader: false, environment: variables.merging(logind.environment) { $1 },
            under: stage.wrapper)
        let connection = try daemon.connect()
        try connection.send(.enroll(me, .leftIndex, nil))
        try connection.receive { if case .enrolling(0, _, nil) = $0 { true } else { false } }
        try device.tell("SCAN left")
        try connection.receive { if case .enrolling(1, _, nil) = $0 { true } else { false } }
        try device.tell("SET_CANCELLATION_ENABLED 0")
        try device.tell("SLEEP 600000")
        try daemon.waitFor(.sleeping) { try logind.prepareForSleep(true) }
        #expect(try connection.next() == .refused(Denial(.suspended)))
        #expect(try daemon.status().waiting == 0)
        #expect(try logind.isDelayed())
    }

    @Test("Where there is no reader, the machine needn't wait") func none() throws {
        try logind.start(sessions: ["c1"])
        let daemon = try DaemonUnderTest(
            in: directory, hasReader: false, environment: logind.environment, under: stage.wrapper)
        #expect(eventually { daemon.log.contains("systemd-logind answers") })
        #expect(try !logind.isDelayed())
    }

    @Test("A reader that is pulled out isn't waited for") func unplugged() throws {
        let daemon = try ready()
        let sudo = try daemon.prompted()
        try daemon.person.unplug()
        #expect(try sudo.next() == .verdict(.denied(Denial(.readerUnplugged))))
        #expect(try eventually { try !logind.isDelayed() })
    }

    @Test(
        "One that goes just after the machine woke may come back: for a while that ends nothing, and is no lack of one")
    func goesAfterwards() throws {
        let daemon = try ready()
        let sudo = try daemon.prompted()
        try sleep(daemon)
        #expect(try sudo.next() == suspended)
        try wake(daemon)
        #expect(try sudo.next().isPrompt(again: true))
        try daemon.person.unplug()
        let opening = DaemonMessage.waiting(Wait(cause: .readerOpening))
        #expect(try sudo.receive(within: .seconds(5)) == opening)
        let locker = try daemon.request("i3lock")
        #expect(try locker.receive(within: .seconds(5)) == opening)
        // Now it has gone for good.
        #expect(try locker.next() == .verdict(.denied(Denial(.readerUnplugged))))
        #expect(try daemon.denial() == .noReader)
        #expect(try !logind.isDelayed())
    }

    @Test("Without logind all works, and that nothing is known of sleep is said once") func noLogind() throws {
        let daemon = try DaemonUnderTest.enrolled()
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
        #expect(daemon.log.split(separator: "\n").count { $0.contains("sleep are not looked at") } == 1)
    }

    // MARK: Requests

    @Test("Who has been asked for a touch hears that it has to wait, and is asked afresh; nothing is counted")
    func armed() throws {
        let daemon = try ready()
        let sudo = try daemon.prompted()
        try sleep(daemon)
        #expect(try sudo.next() == suspended)
        try wake(daemon)
        #expect(try sudo.next().isPrompt(again: true))
        try daemon.touch(1)
        #expect(try sudo.next() == .verdict(.allowed(.rightIndex)))
        #expect(try daemon.status().mismatches == 0)
    }

    @Test("A finger on the reader doesn't hold up the sleep, and serves nobody after it") func fingerOn() throws {
        let daemon = try ready()
        let sudo = try daemon.prompted()
        try daemon.person.finger(on: true)
        try sleep(daemon)
        #expect(try sudo.next() == suspended)
        try wake(daemon)
        #expect(try sudo.next().isPrompt(again: true))
        try daemon.touch(1)
        #expect(try sudo.next() == .verdict(.allowed(.rightIndex)))
        #expect(try daemon.status().mismatches == 0)
    }

    @Test("Nor does one that stays after its touch was compared") func fingerStays() throws {
        let daemon = try ready()
        let sudo = try daemon.prompted()
        try daemon.person.touch(SyntheticFinger(number: 5).impression(20), lifting: false)
        #expect(try sudo.next() == .mismatch(triesLeft: 2))
        try sleep(daemon)
        #expect(try sudo.next() == suspended)
        try wake(daemon)
        guard case .prompt(let prompt) = try sudo.next() else { throw DaemonUnderTest.Unexpected() }
        #expect(prompt.triesLeft == 2)
        #expect(try daemon.status().mismatches == 1)
    }

    @Test("An enrolment ends, and the next begins from the beginning") func enrolling() throws {
        let daemon = try ready()
        let connection = try daemon.connect()
        try connection.send(.enroll(me, .leftIndex, nil))
        while try !connection.next().isPrompt(again: false) {}
        try sleep(daemon)
        var told = try connection.next()
        if case .enrolling = told { told = try connection.next() }
        #expect(told == .refused(Denial(.suspended)))
        try wake(daemon)
        #expect(try daemon.enroll(.leftIndex, synthetic: 2) == .done(nil))
    }

    @Test("A locker is asked for as soon as the reader is open again, what it suspended only after it")
    func locker() throws {
        let daemon = try ready()
        let sudo = try daemon.prompted()
        let locker = try daemon.prompted("i3lock")
        #expect(try sudo.next() == .waiting(Wait(cause: .suspended, other: locker.asker("i3lock"))))
        try sleep(daemon)
        #expect(try locker.next() == suspended)
        try wake(daemon)
        #expect(try locker.next().isPrompt(again: true))
        try daemon.touch(1)
        #expect(try locker.next() == .verdict(.allowed(.rightIndex)))
        #expect(try sudo.next().isPrompt(again: true))
    }

    @Test("Two requests both wait, and go on in their order") func two() throws {
        let daemon = try ready()
        let first = try daemon.prompted()
        let second = try daemon.request()
        guard case .waiting(let wait) = try second.next(), wait.cause == .queued else {
            throw DaemonUnderTest.Unexpected()
        }
        try sleep(daemon)
        #expect(try first.next() == suspended)
        #expect(try second.next() == suspended)
        try wake(daemon)
        #expect(try first.next().isPrompt(again: true))
        guard case .waiting(let after) = try second.next(), after.cause == .queued, after.place == 1 else {
            throw DaemonUnderTest.Unexpected()
        }
    }

    @Test("Who asks while the machine sleeps waits for its end; an app's request is denied") func meanwhile() throws {
        let daemon = try ready()
        try sleep(daemon)
        let sudo = try daemon.request()
        #expect(try sudo.next() == suspended)
        #expect(try daemon.request("bioauthctl").next() == .verdict(.denied(Denial(.suspended))))
        #expect(try !isOpen(daemon))
        try wake(daemon)
        #expect(try sudo.next().isPrompt(again: false))
    }

    @Test("Who leaves while the machine sleeps is forgotten") func leaves() throws {
        let daemon = try ready()
        var sudo: DaemonConnection? = try daemon.prompted()
        try sleep(daemon)
        #expect(try sudo!.next() == suspended)
        sudo = nil
        #expect(try eventually { try daemon.status().waiting == 0 })
        try wake(daemon)
    }

    // MARK: Logind

    @Test("A daemon that begins while the machine is about to sleep finds that out") func midSleep() throws {
        let daemon = try daemon(preparingForSleep: true)
        let sudo = try daemon.request()
        #expect(try sudo.next() == suspended)
        #expect(try eventually { try !isOpen(daemon) })
        #expect(try !logind.isDelayed())
        try wake(daemon)
        #expect(try sudo.next().isPrompt(again: false))
    }

    @Test("A logind that is started anew in the middle is asked again, and delayed again once the machine is awake")
    func restartAsleep() throws {
        let daemon = try ready()
        let sudo = try daemon.prompted()
        try sleep(daemon)
        #expect(try sudo.next() == suspended)
        try logind.stop()
        try logind.start(sessions: ["c1"], preparingForSleep: true)
        let other = try daemon.request("i3lock")
        #expect(try other.next() == suspended)
        #expect(try !isOpen(daemon))
        try wake(daemon)
        #expect(try other.next().isPrompt(again: false))
    }

    @Test("One that comes back when the machine is awake says so") func restartAwake() throws {
        let daemon = try ready()
        let sudo = try daemon.prompted()
        try sleep(daemon)
        #expect(try sudo.next() == suspended)
        try logind.stop()
        try logind.start(sessions: ["c1"])
        #expect(try eventually { try logind.isDelayed() })
        #expect(try sudo.next().isPrompt(again: true))
    }

    @Test("One that goes for good doesn't leave the reader closed for good") func gone() throws {
        let daemon = try ready()
        try sleep(daemon)
        try daemon.waitFor(.readerReady) { try logind.stop() }
    }
}

extension DaemonConnection {
    /// How this process is told to others.
    fileprivate borrowing func asker(_ service: String) -> Asker { Asker(service: service, tty: nil, pid: getpid()) }
}
