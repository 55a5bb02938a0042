import BioauthCore
import BioauthWire
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LocalAuthentication

/// How the ways in stand, and being told of it, with the real daemon.
@Suite struct EnvironmentTests {
    /// Remembers what it is told.
    private final class Watcher: NSObject, LAEnvironment.Observer, Sendable {
        let told = Mutex<[(old: LAEnvironment.State, new: LAEnvironment.State)]>([])

        func environment(_ environment: LAEnvironment, stateDidChangeFromOldState oldState: LAEnvironment.State) {
            let new = environment.state
            told.withLock { $0.append((oldState, new)) }
        }

        var count: Int { told.withLock { $0.count } }
        var last: LAEnvironment.State? { told.withLock { $0.last?.new } }
    }

    private func isSeen(_ watcher: Watcher, _ condition: (LAEnvironment.State) -> Bool) -> Bool {
        eventually(within: .seconds(30)) { watcher.last.map(condition) ?? false }
    }

    @Test func `it tells of the finger and the password`() throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let environment = LAEnvironment(socketPath: daemon.socketPath)
        let state = environment.state
        let biometry = try #require(state.biometry)
        #expect(biometry.isUsable && biometry.isEnrolled && !biometry.isLockedOut)
        #expect(biometry.biometryType == .touchID && !biometry.builtInSensorInaccessible)
        #expect(biometry.stateHash == daemon.context().domainState.biometry.stateHash)
        #expect(biometry.localizedName == "Fingerprint" && biometry.iconSystemName == "touchid")
        #expect(state.userPassword?.localizedName == "Password" && state.companions.isEmpty)
        #expect(state.allMechanisms.count == 2 && state == environment.state)
    }

    @Test func `observers hear of enrolments, deletions and lockouts`() throws {
        let daemon = try DaemonUnderTest.listingThisProgram(more: "[lockout]\nmismatches-per-delay = 3\n")
        let environment = LAEnvironment(socketPath: daemon.socketPath)
        let watcher = Watcher()
        environment.addObserver(watcher)
        let first = try #require(environment.state.biometry?.stateHash)
        #expect(try daemon.enroll(.leftIndex, synthetic: 2) == .done(nil))
        #expect(isSeen(watcher) { $0.biometry.map { $0.stateHash != first && $0.isUsable } ?? false })
        #expect(try daemon.denial(service: Program.name, touches: [3, 4, 5]) == .lockedOut)
        #expect(isSeen(watcher) { $0.biometry.map { $0.isLockedOut && !$0.isUsable } ?? false })
        #expect(try daemon.ask(.unlock(DaemonUnderTest.account)) == .done(nil))
        #expect(isSeen(watcher) { $0.biometry.map { !$0.isLockedOut && $0.isUsable } ?? false })
        #expect(try daemon.ask(.delete(DaemonUnderTest.account, nil, nil)) == .done(nil))
        #expect(isSeen(watcher) { $0.biometry.map { !$0.isEnrolled && $0.stateHash.isEmpty } ?? false })
        // Each is told from what the one before had led to.
        let told = watcher.told.withLock { $0 }
        for (one, next) in zip(told, told.dropFirst()) { #expect(one.new == next.old) }
        #expect(told.allSatisfy { $0.old != $0.new })
        environment.removeObserver(watcher)
    }

    @Test func `observers hear that a lockout has run out`() throws {
        let daemon = try DaemonUnderTest.listingThisProgram(
            more: "[lockout]\nmismatches-per-delay = 3\ndelay-seconds = 5\n")
        let environment = LAEnvironment(socketPath: daemon.socketPath)
        let watcher = Watcher()
        environment.addObserver(watcher)
        #expect(try daemon.denial(service: Program.name, touches: [3, 4, 5]) == .lockedOut)
        #expect(isSeen(watcher) { $0.biometry?.isUsable ?? false })
        #expect(watcher.told.withLock { $0.contains { $0.new.biometry?.isLockedOut ?? false } })
    }

    @Test func `observers hear that the daemon has gone, and that it is back`() throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let environment = LAEnvironment(socketPath: daemon.socketPath)
        let watcher = Watcher()
        environment.addObserver(watcher)
        try daemon.stop()
        #expect(isSeen(watcher) { $0.allMechanisms.isEmpty })
        let again = try DaemonUnderTest(
            in: daemon.directory, configuration: "[services]\n\(Program.name) = app\n")
        #expect(isSeen(watcher) { $0.biometry?.isUsable ?? false })
        #expect(try again.enroll(.leftIndex, synthetic: 2) == .done(nil))
        let count = watcher.count
        #expect(try again.ask(.delete(DaemonUnderTest.account, nil, nil)) == .done(nil))
        #expect(eventually(within: .seconds(30)) { watcher.count > count })
    }

    @Test func `who doesn't observe any more, or is gone, is told nothing, and nothing is held`() throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let environment = LAEnvironment(socketPath: daemon.socketPath)
        let staying = Watcher()
        weak var gone: Watcher?
        do {
            let leaving = Watcher()
            gone = leaving
            environment.addObserver(leaving)
        }
        #expect(gone == nil)
        let removed = Watcher()
        environment.addObserver(removed)
        environment.addObserver(staying)
        environment.addObserver(staying)
        environment.removeObserver(removed)
        let before = environment.state
        #expect(try daemon.enroll(.leftIndex, synthetic: 2) == .done(nil))
        #expect(isSeen(staying) { $0 != before })
        #expect(staying.count == 1 && removed.count == 0)
        environment.removeObserver(staying)
        #expect(try daemon.ask(.delete(DaemonUnderTest.account, nil, nil)) == .done(nil))
        // Nobody watches: it is asked for.
        #expect(environment.state.biometry?.isEnrolled == false)
        #expect(staying.count == 1)
    }

    @Test(.enabled(if: isRoot, "only root can put a process into a session for another's eyes"))
    func `observers hear of the lid and of their session`() throws {
        let directory = TemporaryDirectory()
        let logind = try PlayedLogind(in: directory)
        try logind.start(sessions: ["c1"])
        let stage = try SessionStage(in: directory)
        try stage.place(inSession: "c1")
        let daemon = try DaemonUnderTest.enrolled(
            in: directory, configuration: "[services]\n\(Program.name) = app\n", environment: logind.environment,
            under: stage.wrapper)
        let environment = LAEnvironment(socketPath: daemon.socketPath)
        let watcher = Watcher()
        environment.addObserver(watcher)
        #expect(environment.state.biometry?.isUsable == true)
        try logind.lid(isShut: true)
        #expect(isSeen(watcher) { $0.biometry.map { $0.builtInSensorInaccessible && !$0.isUsable } ?? false })
        try logind.lid(isShut: false)
        #expect(isSeen(watcher) { $0.biometry.map { !$0.builtInSensorInaccessible && $0.isUsable } ?? false })
        try logind.change("c1", "'LockedHint': <true>")
        #expect(isSeen(watcher) { $0.biometry?.isUsable == false })
        try logind.change("c1", "'LockedHint': <false>")
        #expect(isSeen(watcher) { $0.biometry?.isUsable == true })
    }
}
