import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

@Suite("Enrolling, listing, deleting") struct EnrollmentTests {
    private static let account = DaemonUnderTest.account
    private static let other = Account(uid: 4242, name: "other")

    @Test("A print is enrolled, listed and deleted, and is nobody's but its owner's to read")
    func lifecycle() throws {
        let daemon = try DaemonUnderTest()
        #expect(try daemon.ask(.list(EnrollmentTests.account)) == .prints([]))
        #expect(try daemon.enroll(.leftThumb, synthetic: 1) == .done(nil))

        guard case .prints(let prints) = try daemon.ask(.list(EnrollmentTests.account)) else {
            throw DaemonUnderTest.Unexpected()
        }
        #expect(prints.map(\.finger) == [.leftThumb])
        #expect(prints[0].driver == "virtual_image")
        #expect(!prints[0].damaged)
        #expect(prints[0].enrolled == Date.now.formatted(.iso8601.year().month().day()))
        #expect(try Tree.mode(of: daemon.print(.leftThumb)) == 0o600)
        var folder = (daemon.print(.leftThumb) as NSString).deletingLastPathComponent
        while folder != daemon.directory.path {
            #expect(try Tree.mode(of: folder) == 0o700, "\(folder)")
            folder = (folder as NSString).deletingLastPathComponent
        }

        #expect(try daemon.ask(.delete(EnrollmentTests.account, .rightThumb, nil)) == .refused(Denial(.noSuchPrint)))
        #expect(try daemon.ask(.delete(EnrollmentTests.account, .leftThumb, nil)) == .done(nil))
        #expect(try daemon.ask(.list(EnrollmentTests.account)) == .prints([]))
        #expect(!FileManager.default.fileExists(atPath: daemon.print(.leftThumb)))
        try daemon.givePassword()
        #expect(try daemon.denial() == .notEnrolled)
        #expect(try daemon.ask(.delete(EnrollmentTests.account, nil, nil)) == .refused(Denial(.noSuchPrint)))
    }

    @Test("Each stage is told, a scan that doesn't count with its reason")
    func stages() throws {
        let daemon = try DaemonUnderTest()
        let connection = try daemon.connect()
        try connection.send(.enroll(EnrollmentTests.account, .rightIndex, nil))
        var heard: [DaemonMessage] = []
        var retried = false
        while heard.last != .done(nil) {
            heard.append(try connection.receive(within: .seconds(20)))
            guard case .enrolling(let stage, let stages, _)? = heard.last, stage < stages else { continue }
            if stage == 2 && !retried {
                retried = true
                try daemon.person.retry(2)
            } else {
                try daemon.touch(1, stage)
            }
        }
        let told = heard.compactMap { message -> [Int]? in
            guard case .enrolling(let stage, let stages, let retry) = message else { return nil }
            return [stage, stages, retry.map { Int($0.rawValue) } ?? -1]
        }
        #expect(told == [[0, 5, -1], [1, 5, -1], [2, 5, -1], [2, 5, 2], [3, 5, -1], [4, 5, -1], [5, 5, -1]])
    }

    @Test("Who leaves, or cancels, in the middle of an enrolment has enrolled nothing, and the reader is free")
    func leaves() throws {
        let daemon = try DaemonUnderTest.enrolled()
        for leaves in [true, false] {
            let connection = try daemon.connect()
            try connection.send(.enroll(EnrollmentTests.account, .leftIndex, nil))
            for impression in 0..<3 {
                try connection.receive { if case .enrolling(impression, 6, nil) = $0 { true } else { false } }
                try daemon.touch(2, impression)
            }
            try connection.receive { if case .enrolling(3, 6, nil) = $0 { true } else { false } }
            if !leaves {
                try connection.send(.cancel(.person))
                try connection.receive { $0 == .refused(Denial(.personCancelled)) }
            }
        }
        // The touch that comes at once may still be the enrolment's; a person touches again.
        let connection = try daemon.connect()
        try connection.send(.authenticate(Authenticate(account: EnrollmentTests.account, service: "sudo")))
        try connection.receive { if case .prompt = $0 { true } else { false } }
        var verdict: DaemonMessage?
        for _ in 0..<3 where verdict == nil {
            try daemon.touch(1)
            verdict = try? connection.receive(within: .seconds(4))
        }
        #expect(verdict == .verdict(.allowed(.rightIndex)))
        #expect(try daemon.status().prints == 1)
        #expect(!FileManager.default.fileExists(atPath: daemon.print(.leftIndex)))
    }

    @Test("All of an account's prints are deleted at once, and nobody else's")
    func deleteAll() throws {
        let daemon = try DaemonUnderTest.enrolled()
        #expect(try daemon.enroll(.leftIndex, synthetic: 2) == .done(nil))
        #expect(try daemon.enroll(EnrollmentTests.other, synthetic: 3) == .done(nil))
        #expect(try daemon.ask(.delete(EnrollmentTests.account, nil, nil)) == .done(nil))
        #expect(try daemon.ask(.list(EnrollmentTests.account)) == .prints([]))
        #expect(try daemon.status(of: EnrollmentTests.other).prints == 1)
    }

    @Test("A print that is there is never overwritten, also not by one of two enrolments at once")
    func neverOverwritten() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let before = try Data(contentsOf: URL(filePath: daemon.print(.rightIndex)))
        #expect(try daemon.enroll(synthetic: 2) == .refused(Denial(.printExists)))
        #expect(try Data(contentsOf: URL(filePath: daemon.print(.rightIndex))) == before)

        let second = try daemon.connect()
        let connection = try daemon.connect()
        try connection.send(.enroll(EnrollmentTests.account, .leftIndex, nil))
        try connection.receive { if case .enrolling = $0 { true } else { false } }
        try second.send(.enroll(EnrollmentTests.account, .leftIndex, nil))
        try second.receive { if case .waiting = $0 { true } else { false } }
        for impression in 0..<6 {
            try daemon.touch(2, impression)
            try connection.receive { if case .enrolling(impression + 1, 6, nil) = $0 { true } else { false } }
        }
        #expect(try connection.receive(within: .seconds(20)) == .done(nil))
        let enrolled = try Data(contentsOf: URL(filePath: daemon.print(.leftIndex)))
        let end = try second.receive {
            switch $0 {
            case .refused: true
            case .enrolling: true
            default: false
            }
        }
        #expect(end == .refused(Denial(.printExists)))
        #expect(try Data(contentsOf: URL(filePath: daemon.print(.leftIndex))) == enrolled)
    }

    @Test("Whatever lies where the print would isn't overwritten, and can be deleted")
    func somethingInTheWay() throws {
        let daemon = try DaemonUnderTest.enrolled()
        try FileManager.default.createSymbolicLink(atPath: daemon.print(.leftIndex), withDestinationPath: "nowhere")
        try FileManager.default.createDirectory(atPath: daemon.print(.leftThumb), withIntermediateDirectories: false)
        #expect(try daemon.enroll(.leftIndex, synthetic: 2) == .refused(Denial(.printExists)))
        #expect(try daemon.enroll(.leftThumb, synthetic: 2) == .refused(Denial(.printExists)))
        // A directory is nothing that the daemon made: it stays, and keeps nothing else from being deleted.
        #expect(try daemon.ask(.delete(EnrollmentTests.account, nil, nil)) == .refused(Denial(.storageFailed)))
        let left = try FileManager.default.contentsOfDirectory(
            atPath: (daemon.print(.leftThumb) as NSString).deletingLastPathComponent)
        #expect(left == ["left-thumb"])
    }

    // MARK: Duplicates

    @Test("A finger that is enrolled already is refused, and told apart: the person's own, or another account's")
    func duplicates() throws {
        let daemon = try DaemonUnderTest.enrolled()
        #expect(try daemon.enroll(.leftIndex, synthetic: 1) == .refused(Denial(.duplicatePrint)))
        #expect(try daemon.enroll(EnrollmentTests.other, synthetic: 1) == .refused(Denial(.duplicateOfAnotherAccount)))
        #expect(try daemon.status(of: EnrollmentTests.other).prints == 0)
        #expect(try daemon.enroll(EnrollmentTests.other, synthetic: 2) == .done(nil))
        #expect(try daemon.enroll(.leftIndex, synthetic: 2) == .refused(Denial(.duplicateOfAnotherAccount)))
    }

    @Test("Where it is permitted one finger serves two accounts, each for itself; a person's own is refused still")
    func permittedDuplicates() throws {
        let daemon = try DaemonUnderTest.enrolled(configuration: "[enrollment]\none-finger-one-account = false\n")
        #expect(try daemon.enroll(EnrollmentTests.other, .leftThumb, synthetic: 1) == .done(nil))
        #expect(try daemon.enroll(.leftIndex, synthetic: 1) == .refused(Denial(.duplicatePrint)))
        try daemon.givePassword(EnrollmentTests.other)
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
        #expect(try daemon.verdict(EnrollmentTests.other, touches: [1]) == .allowed(.leftThumb))
    }

    // MARK: Whose a print is

    @Test("Another account's print that was moved matches nothing, and is listed as damaged")
    func movedPrint() throws {
        let daemon = try DaemonUnderTest.enrolled()
        #expect(try daemon.enroll(EnrollmentTests.other, .leftIndex, synthetic: 2) == .done(nil))
        try FileManager.default.moveItem(
            atPath: daemon.print(.leftIndex, of: EnrollmentTests.other), toPath: daemon.print(.leftIndex))
        #expect(try daemon.authenticate(touches: [2, 1]).contains(.mismatch(triesLeft: 2)))
        let report = try daemon.status()
        #expect(report.prints == 1)
        #expect(report.damagedPrints == 1)
    }

    @Test("A print under another finger's name matches nothing")
    func renamedPrint() throws {
        let daemon = try DaemonUnderTest.enrolled()
        try FileManager.default.moveItem(atPath: daemon.print(.rightIndex), toPath: daemon.print(.leftIndex))
        #expect(try daemon.denial() == .notEnrolled)
        #expect(try daemon.status().damagedPrints == 1)
    }

    @Test("A number that was given to somebody else inherits nothing: no print, no count, no password")
    func recycledNumber() throws {
        let daemon = try DaemonUnderTest.enrolled()
        #expect(try daemon.denial(touches: [2, 3, 4]) == .mismatchesUsedUp)
        #expect(try daemon.status().mismatches == 3)

        let newcomer = Account(uid: EnrollmentTests.account.uid, name: "newcomer")
        let report = try daemon.status(of: newcomer)
        #expect(report.mismatches == 0)
        #expect(report.passwordAge == nil)
        #expect(report.prints == 0)
        #expect(report.standings.allSatisfy { $0.denial == Denial(.passwordNeverGiven) })
        try daemon.givePassword(newcomer)
        #expect(try daemon.denial(newcomer) == .notEnrolled)

        // The one before has lost what was kept: there is one file to a number.
        #expect(try daemon.denial() == .passwordNeverGiven)
    }

    // MARK: While somebody waits

    @Test("The print that matched goes first from then on")
    func matchedGoesFirst() throws {
        let daemon = try DaemonUnderTest.enrolled()
        #expect(try daemon.enroll(.leftIndex, synthetic: 2) == .done(nil))
        let long = Date(timeIntervalSinceNow: -1000)
        for (finger, at) in [(Finger.rightIndex, long), (.leftIndex, long - 1000)] {
            try FileManager.default.setAttributes([.modificationDate: at], ofItemAtPath: daemon.print(finger))
        }
        #expect(try daemon.verdict(touches: [2]) == .allowed(.leftIndex))
        // Told before it is done: whatever is asked next comes after.
        _ = try daemon.status()
        #expect(try modified(daemon.print(.leftIndex)) > Date(timeIntervalSinceNow: -100))
        #expect(try modified(daemon.print(.rightIndex)) < Date(timeIntervalSinceNow: -900))
    }

    private func modified(_ path: String) throws -> Date {
        try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as! Date
    }

    @Test("A print that is deleted while the reader waits for it lets nobody in any more")
    func deletedWhileArmed() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let connection = try daemon.connect()
        try connection.send(.authenticate(Authenticate(account: EnrollmentTests.account, service: "sudo")))
        try connection.receive { if case .prompt = $0 { true } else { false } }
        #expect(eventually { (try? daemon.status().readerState) == .scanning })
        #expect(try daemon.ask(.delete(EnrollmentTests.account, nil, nil)) == .done(nil))
        try daemon.touch(1)
        let end = try connection.receive { if case .verdict = $0 { true } else { false } }
        #expect(end == .verdict(.denied(Denial(.notEnrolled))))
        #expect(try daemon.status().mismatches == 0)
    }
}
