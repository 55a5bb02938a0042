import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation
import TestSupport
import Testing

/// The value that shows a program whether the person's prints are those of another time.
@Suite("Domain state") struct DomainStateTests {
    @Test("It stays over a restart, matches, mismatches and passwords, and while no reader is there")
    func stays() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let state = try #require(try daemon.domainState())
        #expect(try daemon.domainState() == state)
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
        #expect(try daemon.denial(touches: [2, 3, 4]) == .mismatchesUsedUp)
        try daemon.givePassword()
        #expect(try daemon.domainState() == state)
        let waiting = try daemon.connect()
        try waiting.send(.authenticate(Authenticate(account: DaemonUnderTest.account, service: "sudo")))
        while true { if case .prompt = try waiting.receive(within: .seconds(20)) { break } }
        try daemon.waitFor(.readerRemoved) { try daemon.person.unplug() }
        #expect(try daemon.domainState() == state)
        try daemon.stop()
        #expect(try DaemonUnderTest(in: daemon.directory).domainState() == state)
    }

    @Test("It changes with each print that is added or taken away, also where the same fingers are left")
    func changes() throws {
        let daemon = try DaemonUnderTest()
        #expect(try daemon.domainState() == nil)
        var states: [[UInt8]?] = []
        func note() throws { states.append(try daemon.domainState()) }
        #expect(try daemon.enroll(.rightIndex, synthetic: 1) == .done(nil))
        try note()
        #expect(try daemon.enroll(.leftIndex, synthetic: 2) == .done(nil))
        try note()
        #expect(try daemon.ask(.delete(DaemonUnderTest.account, .leftIndex, nil)) == .done(nil))
        try note()
        #expect(try daemon.enroll(.leftIndex, synthetic: 2) == .done(nil))
        try note()
        // By hand.
        try FileManager.default.removeItem(atPath: daemon.print(.leftIndex))
        try note()
        #expect(Set(states).count == 5 && !states.contains(nil))
        #expect(states.allSatisfy { $0?.count == 32 })
        #expect(try daemon.ask(.delete(DaemonUnderTest.account, nil, nil)) == .done(nil))
        #expect(try daemon.domainState() == nil)
    }

    @Test("An enrolment that fails changes nothing")
    func failed() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let state = try daemon.domainState()
        let answer = try daemon.enroll(.leftIndex, synthetic: 1)
        #expect(answer == .refused(Denial(.duplicatePrint)))
        #expect(try daemon.domainState() == state)
    }

    @Test("It is another for another service, and on another machine with the same prints")
    func differs() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let state = try #require(try daemon.domainState())
        #expect(try daemon.domainState("su") != state)
        let other = TemporaryDirectory()
        try DaemonUnderTest.layEnrolledState(in: other.file("state"))
        // What that one keeps of the account is its own.
        try FileManager.default.removeItem(atPath: "\(other.file("state"))/users/\(DaemonUnderTest.account.uid).state")
        let there = try #require(try DaemonUnderTest(in: other).domainState())
        #expect(there != state)
    }

    @Test("One that is missing is made, and is the same from then on")
    func made() throws {
        let daemon = try DaemonUnderTest.enrolled()
        try daemon.stop()
        try FileManager.default.removeItem(atPath: daemon.state())
        let again = try DaemonUnderTest(in: daemon.directory)
        let state = try #require(try again.domainState())
        try again.stop(SIGKILL)
        #expect(try DaemonUnderTest(in: daemon.directory).domainState() == state)
    }

    @Test("While the account's state is damaged there is none; once that is mended there is a new one")
    func damaged() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let state = try daemon.domainState()
        try Data("damaged".utf8).write(to: URL(fileURLWithPath: daemon.state()))
        #expect(try daemon.domainState() == nil)
        // Enrolling goes on.
        #expect(try daemon.enroll(.leftIndex, synthetic: 2) == .done(nil))
        try daemon.givePassword()
        let mended = try #require(try daemon.domainState())
        #expect(mended != state)
        #expect(try daemon.domainState() == mended)
    }

    @Test("A print that couldn't be told of is not kept")
    func unwritable() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let users = daemon.stateDirectory + "/users"
        try FileManager.default.moveItem(atPath: users, toPath: users + ".away")
        try daemon.directory.write("not a directory", to: "blocked")
        try FileManager.default.createSymbolicLink(atPath: users, withDestinationPath: daemon.directory.file("blocked"))
        #expect(try daemon.enroll(.leftIndex, synthetic: 2) == .refused(Denial(.storageFailed)))
        #expect(!FileManager.default.fileExists(atPath: daemon.print(.leftIndex)))
        // What has to go goes.
        #expect(try daemon.ask(.delete(DaemonUnderTest.account, nil, nil)) == .done(nil))
    }
}

extension DaemonUnderTest {
    fileprivate func domainState(_ service: String = "sudo") throws -> [UInt8]? {
        let answer = try ask(.examine(DaemonUnderTest.account, service: service, tty: nil))
        guard case .examination(let examination) = answer else { throw Unexpected(answer) }
        return examination.domainState
    }
}
