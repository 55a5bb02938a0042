import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

/// Apps that would do with the touch that unlocked the screen.
@Suite("The touch that unlocked the screen") struct ScreenUnlockTests {
    let me = DaemonUnderTest.account

    private func start() throws -> DaemonUnderTest {
        try .enrolled(configuration: "[services]\nvault = app\n[lockout]\nmismatches-per-delay = 3\n")
    }

    /// What an app hears that lets nobody be prompted.
    private func reused(
        _ daemon: DaemonUnderTest, _ service: String = "vault", account: Account? = nil,
        _ change: (inout Authenticate) -> Void = { _ in }
    ) throws -> [DaemonMessage] {
        var request = Authenticate(
            account: account ?? me, service: service, interaction: false, reuse: .seconds(300))
        change(&request)
        return try daemon.authenticate(request)
    }

    private let allowed = [DaemonMessage.verdict(.allowed(.rightIndex))]
    private let forbidden = [DaemonMessage.verdict(.denied(Denial(.interactionForbidden)))]

    private func unlock(_ daemon: DaemonUnderTest) throws {
        #expect(try daemon.verdict(service: "i3lock", touches: [1]) == .allowed(.rightIndex))
    }

    @Test("It does for an app that says so, as often as it asks, and nobody is prompted")
    func reuse() throws {
        let daemon = try start()
        #expect(try reused(daemon) == forbidden)
        try unlock(daemon)
        for _ in 0..<3 { #expect(try reused(daemon) == allowed) }
        #expect(try reused(daemon) { $0.interaction = true } == allowed)
        #expect(eventually { daemon.log.contains("authentication allowed by the touch that unlocked the screen") })
    }

    @Test("An app that wants a touch of its own gets one")
    func ownTouch() throws {
        let daemon = try start()
        try unlock(daemon)
        #expect(try reused(daemon) { $0.reuse = .zero } == forbidden)
        // The person is giving the app its permission: that takes a touch.
        #expect(try reused(daemon) { $0.isPermitted = true } == forbidden)
    }

    @Test("It does for no other class of service", arguments: ["sudo", "login", "i3lock", "polkit-1"])
    func classes(service: String) throws {
        let daemon = try start()
        try unlock(daemon)
        #expect(try reused(daemon, service) == forbidden)
    }

    @Test("No other touch is one", arguments: ["sudo", "login", "vault"])
    func touches(service: String) throws {
        let daemon = try start()
        #expect(try daemon.verdict(service: service, touches: [1]) == .allowed(.rightIndex))
        #expect(try reused(daemon) == forbidden)
    }

    @Test("A locker that asks again ends it, also one that gets no answer")
    func lockedAgain() throws {
        let daemon = try start()
        try unlock(daemon)
        #expect(try reused(daemon) == allowed)
        _ = try daemon.authenticate(Authenticate(account: me, service: "swaylock", interaction: false))
        #expect(try reused(daemon) == forbidden)
        try unlock(daemon)
        #expect(try reused(daemon) == allowed)
    }

    @Test("While another locker still waits the screen isn't unlocked")
    func twoLockers() throws {
        let daemon = try start()
        let other = try daemon.connect()
        try other.send(.authenticate(Authenticate(account: me, service: "swaylock", timeout: .seconds(60))))
        while true { if case .prompt = try other.receive(within: .seconds(20)) { break } }
        let first = try daemon.connect()
        try first.send(.authenticate(Authenticate(account: me, service: "i3lock", timeout: .seconds(60))))
        while true { if case .waiting = try first.receive(within: .seconds(20)) { break } }
        try daemon.touch(1)
        while true { if case .verdict = try other.receive(within: .seconds(20)) { break } }
        #expect(try reused(daemon) == forbidden)
    }

    @Test("A finger that doesn't match ends it, whoever asked for that")
    func mismatch() throws {
        let daemon = try start()
        try unlock(daemon)
        _ = try daemon.authenticate(Authenticate(account: me, service: "sudo", tries: 1), touches: [2])
        #expect(try reused(daemon) == forbidden)
    }

    @Test("A lockout stands in its way")
    func lockout() throws {
        let daemon = try start()
        #expect(try daemon.denial(touches: [2, 3, 4]) == .lockedOut)
        guard case .verdict(.denied(let denial))? = try reused(daemon).last else { throw DaemonUnderTest.Unexpected() }
        // What it is told is why it would not be prompted either.
        #expect(denial.cause == .interactionForbidden)
        #expect(try daemon.ask(.unlock(me)) == .done(nil))
        #expect(try reused(daemon) == forbidden)
    }

    @Test("A change of the prints ends it, and so does the loss of that print")
    func prints() throws {
        let daemon = try start()
        try unlock(daemon)
        #expect(try daemon.enroll(.leftIndex, synthetic: 2) == .done(nil))
        #expect(try reused(daemon) == forbidden)
        try unlock(daemon)
        #expect(try daemon.ask(.delete(me, .leftIndex, nil)) == .done(nil))
        #expect(try reused(daemon) == forbidden)
        #expect(try daemon.enroll(.leftIndex, synthetic: 2) == .done(nil))
        try unlock(daemon)
        try FileManager.default.removeItem(atPath: daemon.print(.rightIndex))
        #expect(try reused(daemon) == forbidden)
    }

    @Test("Another daemon knows of none")
    func restart() throws {
        let daemon = try start()
        try unlock(daemon)
        try daemon.stop()
        let again = try DaemonUnderTest(in: daemon.directory, configuration: "[services]\nvault = app\n")
        #expect(try reused(again) == forbidden)
    }

    @Test("It is the person's own", .enabled(if: isRoot, "another account's peer can be had by root alone"))
    func another() throws {
        let daemon = try start()
        try unlock(daemon)
        let nobody = Account(uid: stranger, name: "nobody")
        #expect(try reused(daemon, account: nobody) == forbidden)
        let connection = try daemon.connect(as: stranger)
        try connection.send(
            .authenticate(Authenticate(account: nobody, service: "vault", interaction: false, reuse: .seconds(300))))
        #expect(try connection.receive(within: .seconds(10)) == .verdict(.denied(Denial(.interactionForbidden))))
    }
}
