import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

@Suite("Reloading and stopping") struct StopTests {
    @Test("SIGTERM tells everybody who waits, closes, removes the socket and exits with 0")
    func tellsEverybody() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let account = DaemonUnderTest.account
        let prompted = try daemon.connect()
        try prompted.send(.authenticate(Authenticate(account: account, service: "sudo")))
        try prompted.receive { if case .prompt = $0 { true } else { false } }
        let queued = try daemon.connect()
        try queued.send(.authenticate(Authenticate(account: account, service: "sudo")))
        try queued.receive { if case .waiting = $0 { true } else { false } }
        let enrolling = try daemon.connect()
        try enrolling.send(.enroll(account, .leftThumb, nil))
        try enrolling.receive { if case .waiting = $0 { true } else { false } }
        let idle = try daemon.connect()
        try idle.send(.list(account))
        _ = try idle.receive(within: .seconds(10))
        let silent = try daemon.connect()
        // Accepted before those that came later are.
        _ = try daemon.status()

        daemon.program.send(SIGTERM)
        #expect(daemon.waitForState("STOPPING=1"))
        let stopping = Denial(.daemonStopping)
        #expect(try prompted.receive(within: .seconds(10)) == .verdict(.denied(stopping)))
        #expect(try queued.receive(within: .seconds(10)) == .verdict(.denied(stopping)))
        #expect(try enrolling.receive(within: .seconds(10)) == .refused(stopping))
        try prompted.expect(.problem(.stopping))
        try queued.expect(.problem(.stopping))
        try enrolling.expect(.problem(.stopping))
        try idle.expect(.problem(.stopping))
        try silent.expect(.problem(.stopping))
        try prompted.expect(.daemonGone)
        #expect(try daemon.program.wait() == 0)
        #expect(!FileManager.default.fileExists(atPath: daemon.socketPath))
    }

    @Test("SIGINT stops it as well, and another signal changes nothing")
    func interrupted() throws {
        let daemon = try DaemonUnderTest()
        let watching = try daemon.connect()
        try watching.send(.watch)
        _ = try daemon.status()
        daemon.program.send(SIGINT)
        daemon.program.send(SIGHUP)
        daemon.program.send(SIGTERM)
        try watching.expect(.problem(.stopping))
        #expect(try daemon.program.wait() == 0)
    }

    @Test("It stops although the finger is on the reader")
    func fingerOnReader() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let connection = try daemon.connect()
        try connection.send(.authenticate(Authenticate(account: DaemonUnderTest.account, service: "sudo")))
        try connection.receive { if case .prompt = $0 { true } else { false } }
        try daemon.person.finger(on: true)
        #expect(try daemon.stop() == 0)
        #expect(try connection.receive(within: .seconds(10)) == .verdict(.denied(Denial(.daemonStopping))))
    }

    @Test("SIGHUP puts a good configuration in force, and a bad one not at all")
    func reload() throws {
        let daemon = try DaemonUnderTest.enrolled(configuration: "[services]\nsudo = off\n")
        #expect(try daemon.denial() == .serviceDisabled)

        let watching = try daemon.connect()
        try watching.send(.watch)
        _ = try daemon.status()
        try daemon.reload("[services]\nmake = privilege\n")
        #expect(try daemon.denial(touches: [1]) == nil)
        #expect(try daemon.denial(service: "make", touches: [1]) == nil)
        try watching.receive { if case .event(let event) = $0 { event.kind == .reloaded } else { false } }

        try daemon.reload("[services]\nsudo = off\n[lockout]\nmismatches-per-delay = many\n")
        #expect(
            eventually {
                daemon.log.contains("bioauthd.conf:4: mismatches-per-delay takes a whole number from 1 to 20")
            })
        #expect(eventually { daemon.log.contains("the one before stays in force") })
        #expect(try daemon.denial(service: "make", touches: [1]) == nil)

        // The file it was told to read is gone: that is not the same as an empty one.
        try FileManager.default.removeItem(atPath: daemon.directory.file("bioauthd.conf"))
        try daemon.reload(nil)
        #expect(try daemon.denial(service: "make", touches: [1]) == nil)
        #expect(try daemon.stop() == 0)
    }

    @Test("A configuration that forbids what waits for a touch ends it") func forbidding() throws {
        let daemon = try DaemonUnderTest.enrolled(configuration: "[services]\nmake = privilege\n")
        let login = try daemon.prompted("login")
        let sudo = try daemon.request()
        let make = try daemon.request("make")
        try daemon.reload("[services]\nsudo = off\n")
        let denied = DaemonMessage.verdict(.denied(Denial(.serviceDisabled)))
        try sudo.receive { $0 == denied }
        try make.receive { $0 == denied }
        try daemon.touch(1)
        #expect(try login.next() == .verdict(.allowed(.rightIndex)))
    }
}
