import BioauthClient
import BioauthCore
import BioauthWire
import Glibc
import TestSupport
import Testing

/// Where a touch makes no sense, by logind's word: the real daemon beside a logind that is played. The peer is this process,
/// in whichever session a test puts it.
@Suite("Sessions and the lid", .enabled(if: isRoot, "only root can put a process into a session for another's eyes"))
struct SessionTests {
    let directory = TemporaryDirectory()
    let logind: PlayedLogind
    let stage: SessionStage
    /// A process that began after this one.
    let younger: RunningProgram
    let me = DaemonUnderTest.account

    init() throws {
        logind = try PlayedLogind(in: directory)
        younger = try RunningProgram("/usr/bin/sleep", ["300"])
        stage = try SessionStage(in: directory, for: [getpid(), getppid(), younger.pid])
    }

    /// A daemon that knows finger 1, asked from session c1 in front at this machine.
    private func daemon(tellsOfLid: Bool = true) throws -> DaemonUnderTest {
        try logind.start(sessions: ["c1"], tellsOfLid: tellsOfLid)
        try stage.place(inSession: "c1")
        return try start()
    }

    private func start() throws -> DaemonUnderTest {
        try DaemonUnderTest.enrolled(in: directory, environment: logind.environment, under: stage.wrapper)
    }

    /// Why a request is denied before anybody was prompted; nil when it is prompted.
    private func cause(
        _ daemon: DaemonUnderTest, _ service: String = "sudo", tty: String? = nil, agent: Int32? = nil
    ) throws -> Cause? {
        let connection = try daemon.request(service, tty: tty, agent: agent)
        let answer = try connection.next()
        if answer.isPrompt { return nil }
        guard let cause = denial(answer) else { throw DaemonUnderTest.Unexpected(answer) }
        return cause
    }

    /// Whether it comes to be so, once a change has gone round.
    private func settles(_ daemon: DaemonUnderTest, _ service: String = "sudo", on expected: Cause?) throws -> Bool {
        try eventually { try cause(daemon, service) == expected }
    }

    private func denial(_ message: DaemonMessage) -> Cause? {
        guard case .verdict(.denied(let denial)) = message else { return nil }
        return denial.cause
    }

    // MARK: Where it comes from

    @Test("A touch is taken from the session in front at this machine") func atTheMachine() throws {
        let daemon = try daemon()
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
        #expect(eventually { daemon.log.contains("session=c1") })
    }

    @Test("A remote session, and one without a seat, get no prompt; a console without a seat does") func remote() throws
    {
        let daemon = try daemon()
        try logind.change("c1", "'Remote': <true>")
        #expect(try settles(daemon, on: .remoteSession))
        #expect(try cause(daemon, "i3lock") == .remoteSession)
        #expect(eventually { daemon.log.contains("cause=remoteSession") })
        #expect(daemon.log.contains("authentication denied: \(me.name) at "))
        #expect(daemon.log.contains(", remoteSession "))
        try logind.change("c1", "'Remote': <false>")
        #expect(try settles(daemon, on: nil))
        try logind.unseat("c1")
        try logind.change("c1", "'TTY': <'pts/99999'>")
        #expect(try settles(daemon, on: .remoteSession))
        try logind.change("c1", "'TTY': <'console'>")
        #expect(try settles(daemon, on: nil))
    }

    @Test(
        "A container's console is a terminal like others, and known all the same", .enabled(if: SessionStage.hasConsole)
    )
    func console() throws {
        let daemon = try daemon()
        try logind.unseat("c1")
        try logind.change("c1", "'TTY': <'\(stage.consoleName)'>")
        #expect(try settles(daemon, on: nil))
        try logind.change("c1", "'TTY': <'pts/99999'>")
        #expect(try settles(daemon, on: .remoteSession))
        try stage.place(in: "/system.slice/console-getty.service")
        #expect(try cause(daemon, "login", tty: "/dev/\(stage.consoleName)") == nil)
        #expect(try cause(daemon, "login", tty: "/dev/pts/99999") == .sessionUnknown)
    }

    @Test("Who asks what would become of a request hears it, and where it comes from") func examined() throws {
        let daemon = try daemon()
        func examination(_ service: String = "sudo") throws -> Examination {
            guard case .examination(let told) = try daemon.ask(.examine(me, service: service, tty: nil)) else {
                throw DaemonUnderTest.Unexpected()
            }
            return told
        }
        let here = Session(id: "c1", isRemote: false, isActive: true, isLocked: false)
        let told = try examination()
        #expect(
            told
                == Examination(
                    serviceClass: .privilege, denial: nil, origin: .session(here), isLidShut: false,
                    isReaderBuiltIn: true, readerState: told.readerState, domainState: told.domainState))
        #expect(told.readerState != nil && told.readerState != ReaderState.none)
        #expect(try examination("sshd").serviceClass == nil)
        #expect(try examination("sshd").denial == Denial(.serviceDisabled))
        try logind.lid(isShut: true)
        #expect(try eventually { try examination().isLidShut })
        #expect(try examination().denial == Denial(.lidClosed))
        try logind.lid(isShut: false)
        try logind.change("c1", "'LockedHint': <true>")
        #expect(try eventually { try examination().denial == Denial(.sessionLocked) })
        #expect(try examination("i3lock").denial == nil)
        // Nobody was asked for anything.
        #expect(!daemon.log.contains("authentication"))
    }

    @Test("A session that isn't in front gets no prompt, its locker neither") func inactive() throws {
        let daemon = try daemon()
        try logind.change("c1", "'Active': <false>")
        #expect(try settles(daemon, on: .sessionInactive))
        for service in ["bioauthctl", "i3lock"] { #expect(try cause(daemon, service) == .sessionInactive) }
        try logind.change("c1", "'Active': <true>")
        #expect(try settles(daemon, on: nil))
    }

    @Test("In a locked session only its locker is armed") func lockedBefore() throws {
        let daemon = try daemon()
        try logind.change("c1", "'LockedHint': <true>")
        #expect(try settles(daemon, on: .sessionLocked))
        #expect(try cause(daemon, "bioauthctl") == .sessionLocked)
        #expect(try cause(daemon, "i3lock") == nil)
        guard case .refused(let denial) = try daemon.enroll(.leftIndex, synthetic: 2) else {
            Issue.record("a finger was enrolled behind a locked screen")
            return
        }
        #expect(denial.cause == .sessionLocked)
    }

    @Test("A process under its user's manager stands where the user does") func userManager() throws {
        let daemon = try daemon()
        try stage.placeUnderManager()
        #expect(try cause(daemon) == .sessionUnknown)
        try stage.setDisplaySession("c1")
        #expect(try cause(daemon) == nil)
        try logind.change("c1", "'Remote': <true>")
        #expect(try settles(daemon, on: .remoteSession))
    }

    @Test("A service outside all sessions gets no prompt, a login at this machine's own terminal does") func outside()
        throws
    {
        let daemon = try daemon()
        try stage.place(in: "/system.slice/cron.service")
        for service in ["sudo", "i3lock", "polkit-1"] {
            #expect(try cause(daemon, service, tty: "tty1") == .sessionUnknown)
        }
        #expect(try cause(daemon, "login", tty: "/dev/tty1") == nil)
        #expect(try cause(daemon, "gdm-fingerprint", tty: ":0") == nil)
        #expect(try cause(daemon, "login", tty: "pts/99999") == .sessionUnknown)
        #expect(try cause(daemon, "login") == .sessionUnknown)
    }

    @Test("A greeter's own session logs people in") func greeter() throws {
        let daemon = try daemon()
        try logind.change("c1", "'Class': <'greeter'>")
        #expect(try cause(daemon, "lightdm", tty: ":0") == nil)
    }

    @Test("polkit's helper stands where the agent does that it was started for") func agentOfPolkit() throws {
        let daemon = try daemon()
        try stage.place(in: "/system.slice/polkit-agent-helper@1.service")
        #expect(try cause(daemon, "polkit-1") == .sessionUnknown)
        try stage.place(getppid(), inSession: "c1")
        #expect(try cause(daemon, "polkit-1", agent: getppid()) == nil)
        // One that began after the helper has only got the number of the agent, who is gone.
        try stage.place(younger.pid, inSession: "c1")
        #expect(try cause(daemon, "polkit-1", agent: younger.pid) == .backgroundProcess)
        #expect(try cause(daemon, "polkit-1", agent: .max) == .sessionUnknown)
        try logind.change("c1", "'Remote': <true>")
        #expect(try eventually { try cause(daemon, "polkit-1", agent: getppid()) == .remoteSession })
    }

    @Test("Whom a process asks for is root's word alone") func agentOfNobody() throws {
        let daemon = try daemon()
        try stage.place(in: "/system.slice/somebody.service")
        try stage.place(getppid(), inSession: "c1")
        let connection = try daemon.connect(as: stranger)
        let request = Authenticate(
            account: Account(uid: stranger, name: "nobody"), service: "sudo", agentPID: getppid())
        try connection.send(.authenticate(request))
        #expect(denial(try connection.next()) == .sessionUnknown)
    }

    @Test("A session that opens a moment before it asks is known") func newSession() throws {
        let daemon = try daemon()
        try stage.place(inSession: "c2")
        #expect(try cause(daemon) == .sessionUnknown)
        try logind.open("c2")
        #expect(try cause(daemon) == nil)
        let waiting = try daemon.prompted()
        try logind.close("c2")
        #expect(denial(try waiting.next()) == .sessionUnknown)
    }

    // MARK: What changes meanwhile

    @Test("A screen that is locked ends what was asked for in front of it, and its locker goes on")
    func lockedMeanwhile() throws {
        let daemon = try daemon()
        let sudo = try daemon.prompted()
        try logind.change("c1", "'LockedHint': <true>")
        #expect(denial(try sudo.next()) == .sessionLocked)
        let locker = try daemon.prompted("i3lock")
        try daemon.touch(1)
        #expect(try locker.next() == .verdict(.allowed(.rightIndex)))
    }

    @Test("A screen that is locked ends an enrolment") func lockedWhileEnrolling() throws {
        let daemon = try daemon()
        let connection = try daemon.connect()
        try connection.send(.enroll(me, .leftIndex, nil))
        while try !connection.next().isPrompt {}
        try logind.change("c1", "'LockedHint': <true>")
        #expect(try connection.next() == .refused(Denial(.sessionLocked)))
    }

    @Test("What was asked for in a session that goes to the background ends; its locker rests until it is back")
    func background() throws {
        let daemon = try daemon()
        let sudo = try daemon.prompted()
        try logind.change("c1", "'Active': <false>")
        #expect(denial(try sudo.next()) == .sessionInactive)

        try logind.change("c1", "'Active': <true>, 'LockedHint': <true>")
        #expect(try settles(daemon, on: .sessionLocked))
        let locker = try daemon.prompted("i3lock")
        try logind.change("c1", "'Active': <false>")
        #expect(try locker.next() == .waiting(Wait(cause: .resting)))
        try logind.change("c1", "'Active': <true>")
        #expect(try locker.next().isPrompt)
    }

    @Test("Whoever presses a key at the machine is noticed, and nobody who works from afar") func activity() throws {
        let daemon = try daemon()
        try logind.open("c2")
        try logind.change("c2", "'Remote': <true>, 'IdleHint': <true>")
        try logind.change("c2", "'IdleHint': <false>")
        try logind.change("c1", "'IdleHint': <true>, 'LockedHint': <true>")
        #expect(try settles(daemon, on: .sessionLocked))
        let told = "Somebody is at the machine"
        #expect(!daemon.log.contains(told))
        try logind.change("c1", "'IdleHint': <false>")
        #expect(eventually { daemon.log.contains(told) })
    }

    // MARK: The lid

    @Test("Under a shut lid nobody is prompted, and what waits for a touch ends; the locker rests until it opens")
    func lid() throws {
        let daemon = try daemon()
        let sudo = try daemon.prompted()
        try logind.lid(isShut: true)
        #expect(denial(try sudo.next()) == .lidClosed)
        #expect(try cause(daemon) == .lidClosed)
        #expect(try cause(daemon, "i3lock") == .lidClosed)
        try logind.lid(isShut: false)
        #expect(try settles(daemon, on: nil))
        let locker = try daemon.prompted("i3lock")
        try logind.lid(isShut: true)
        #expect(try locker.next() == .waiting(Wait(cause: .resting)))
        try logind.lid(isShut: false)
        #expect(try locker.next().isPrompt)
    }

    @Test("The lid is seen to although logind doesn't tell of it") func quietLid() throws {
        let daemon = try daemon(tellsOfLid: false)
        try logind.lidQuietly(isShut: true)
        #expect(try cause(daemon) == .lidClosed)
        try logind.lidQuietly(isShut: false)
        let sudo = try daemon.prompted()
        try logind.lidQuietly(isShut: true)
        #expect(denial(try sudo.next()) == .lidClosed)
    }

    // MARK: Logind itself

    @Test("A restart of logind ends nothing, and what it says afterwards holds") func restart() throws {
        let daemon = try daemon()
        let sudo = try daemon.prompted()
        try logind.stop()
        // What is asked meanwhile waits for it.
        let other = try daemon.request("bioauthctl")
        try logind.start(sessions: ["c1"])
        guard case .waiting(let wait) = try other.next(), wait.cause == .queued else {
            Issue.record("the other request was not let in")
            return
        }
        try logind.change("c1", "'LockedHint': <true>")
        #expect(denial(try sudo.next()) == .sessionLocked)
        #expect(denial(try other.next()) == .sessionLocked)
        try logind.change("c1", "'LockedHint': <false>")
        #expect(try settles(daemon, on: nil))
    }

    @Test("A restart of the message bus is survived") func busRestart() throws {
        let daemon = try daemon()
        #expect(try cause(daemon) == nil)
        try logind.restartBus()
        try logind.start(sessions: ["c1"])
        try logind.change("c1", "'LockedHint': <true>")
        #expect(try settles(daemon, on: .sessionLocked))
        try logind.change("c1", "'LockedHint': <false>")
        #expect(try settles(daemon, on: nil))
    }

    @Test("Without logind no finger is taken on a system that has one, until it comes") func absent() throws {
        try stage.place(inSession: "c1")
        let daemon = try start()
        #expect(try cause(daemon) == .sessionUnknown)
        #expect(eventually { daemon.log.contains("systemd-logind doesn't answer") })
        try logind.start(sessions: ["c1"])
        #expect(try settles(daemon, on: nil))
    }

    @Test("A logind that goes for good ends what waits for a touch") func gone() throws {
        let daemon = try daemon()
        let sudo = try daemon.prompted()
        try logind.stop()
        #expect(denial(try sudo.next()) == .sessionUnknown)
        #expect(try cause(daemon) == .sessionUnknown)
    }

    // MARK: The touch that unlocked the screen

    @Test("It does for apps of that session until that is locked again, or goes to the back")
    func screenUnlocked() throws {
        let daemon = try daemon()
        func reused() throws -> Bool {
            let said = try daemon.authenticate(
                Authenticate(account: me, service: "bioauthctl", interaction: false, reuse: .seconds(300)))
            return said == [.verdict(.allowed(.rightIndex))]
        }
        func unlock() throws {
            try logind.change("c1", "'LockedHint': <true>")
            #expect(try settles(daemon, on: .sessionLocked))
            #expect(try daemon.verdict(service: "i3lock", touches: [1]) == .allowed(.rightIndex))
            // Not before the locker has gone.
            #expect(try !reused())
            try logind.change("c1", "'LockedHint': <false>")
            #expect(try settles(daemon, on: nil))
            #expect(try reused())
        }
        try unlock()
        try logind.change("c1", "'LockedHint': <true>")
        #expect(try settles(daemon, on: .sessionLocked))
        // By a password, say.
        try logind.change("c1", "'LockedHint': <false>")
        #expect(try settles(daemon, on: nil))
        #expect(try !reused())

        try unlock()
        try logind.change("c1", "'Active': <false>")
        #expect(try settles(daemon, on: .sessionInactive))
        try logind.change("c1", "'Active': <true>")
        #expect(try settles(daemon, on: nil))
        #expect(try !reused())
    }
}
