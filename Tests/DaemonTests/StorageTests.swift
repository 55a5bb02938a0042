import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

/// A reader that keeps prints itself: libfprint's virtual device with storage, whose prints are words. It forgets all of them
/// when its process ends.
@Suite("A reader that keeps prints") struct StorageTests {
    private let me = DaemonUnderTest.account

    /// Somebody who enrols the right index finger: the reader waits for the first touch.
    private func enrolling(at desk: KeepingDesk) throws -> DaemonConnection {
        let connection = try desk.daemon.connect()
        try connection.send(.enroll(me, .rightIndex, nil))
        try connection.receive { if case .enrolling(0, _, nil) = $0 { true } else { false } }
        return connection
    }

    @Test("What it keeps is told: whose it is, and what nobody here has; and that is cleared when it is asked for")
    func storage() throws {
        let desk = try KeepingDesk()
        #expect(try desk.storage().prints == [])
        #expect(try desk.enroll(.rightIndex, "right") == .done(nil))
        try desk.person.insert("stranger")
        let (prints, end) = try desk.storage()
        #expect(end == .done(nil))
        #expect(prints.map(\.standing) == [.known, .leftover])
        #expect(prints.map(\.driver) == Array(repeating: "virtual_device_storage", count: 2))
        let (cleared, clearing) = try desk.storage(clearing: prints.map(\.id))
        #expect(clearing == .done(nil))
        #expect(cleared.map { [$0.standing == .leftover, $0.isDeleted] } == [[false, false], [true, true]])
        #expect(try desk.standings() == [.known])
        #expect(try desk.verdict("right") == .allowed(.rightIndex))
    }

    @Test("It is for root alone", .enabled(if: isRoot, "takes root"))
    func whose() throws {
        let desk = try KeepingDesk()
        try desk.daemon.expect(.problem(.notPermitted), to: .storage(reader: nil), as: stranger)
    }

    @Test("It is of readers that keep prints alone, or of one of them")
    func which() throws {
        let desk = try KeepingDesk()
        #expect(try desk.storage(reader: "elsewhere").end == .refused(Denial(.noReader)))
        #expect(try desk.storage(reader: "virtual_device_storage").end == .done(nil))
        let image = try DaemonUnderTest()
        #expect(try image.ask(.storage(reader: nil)) == .refused(Denial(.noReader)))
    }

    @Test("A finger that is deleted is deleted on the reader, too, and may be enrolled again at once")
    func deletion() throws {
        let desk = try KeepingDesk()
        #expect(try desk.enroll(.rightIndex, "right") == .done(nil))
        #expect(try desk.enroll(.leftIndex, "left") == .done(nil))
        #expect(try desk.daemon.ask(.delete(me, .rightIndex, nil)) == .done(nil))
        #expect(try desk.enroll(.rightIndex, "right") == .done(nil))
        #expect(try desk.standings() == [.known, .known])
        // One right behind the other.
        for finger in [Finger.rightIndex, .leftIndex] {
            #expect(try desk.daemon.ask(.delete(me, finger, nil)) == .done(nil))
        }
        #expect(try desk.storage().prints == [])
        #expect(try desk.files("") == [])
        // The reader would know them.
        #expect(try desk.enroll(.rightIndex, "right") == .done(nil))
        #expect(try desk.enroll(.leftIndex, "left") == .done(nil))
    }

    @Test("A deletion that was cut short is finished when the reader is there again")
    func deletionCutShort() throws {
        let directory = TemporaryDirectory()
        let desk = try KeepingDesk(in: directory)
        #expect(try desk.enroll(.rightIndex, "right") == .done(nil))
        let path = "\(desk.daemon.stateDirectory)/prints/\(me.uid)/virtual_device_storage/0"
        try desk.daemon.stop(SIGKILL)
        let print = try Data(contentsOf: URL(filePath: "\(path)/right-index"))
        try FileManager.default.removeItem(atPath: "\(path)/right-index")
        let again = try KeepingDesk(in: directory)
        // As a reader that forgets nothing would have kept it, and as the first step of a deletion leaves it here.
        try again.person.insert("right")
        try print.write(to: URL(filePath: "\(path)/deleting.right-index.0123456789abcdef"))
        guard case .prints(let list) = try again.daemon.ask(.list(me)) else { throw DaemonUnderTest.Unexpected() }
        #expect(list == [])
        #expect(try again.storage().prints.map(\.standing) == [])
        #expect(try again.files("") == [])
    }

    @Test("What an enrolment that was cut short has left on the reader is deleted there, and nothing else")
    func enrollmentCutShort() throws {
        let directory = TemporaryDirectory()
        let desk = try KeepingDesk(in: directory)
        try desk.person.insert("stranger")
        let connection = try enrolling(at: desk)
        try desk.person.touch("right")
        try connection.receive { if case .enrolling(1, _, nil) = $0 { true } else { false } }
        try desk.daemon.stop(SIGKILL)
        #expect(try desk.files("enrolling.") == ["enrolling.right-index"])
        let path = "\(desk.daemon.stateDirectory)/prints/\(me.uid)/virtual_device_storage/0/enrolling.right-index"
        let begun = try Data(contentsOf: URL(filePath: path))
        try FileManager.default.removeItem(atPath: path)
        let again = try KeepingDesk(in: directory)
        // A reader that forgets nothing would have kept what it had, and what the enrolment made.
        for word in ["stranger", "right"] { try again.person.insert(word) }
        try begun.write(to: URL(filePath: path))
        #expect(try again.storage().prints.map(\.standing) == [.leftover])
        #expect(try again.files("enrolling.") == [])
        #expect(try again.enroll(.rightIndex, "right") == .done(nil))
    }

    @Test("Where it can't be told which of them an enrolment has left, nothing is deleted from the reader")
    func notToldApart() throws {
        let directory = TemporaryDirectory()
        let desk = try KeepingDesk(in: directory)
        let connection = try enrolling(at: desk)
        for word in ["one", "another"] { try desk.person.insert(word) }
        try connection.send(.cancel(.person))
        try connection.receive { $0 == .refused(Denial(.personCancelled)) }
        #expect(try desk.standings() == [.leftover, .leftover])
        #expect(try desk.files("enrolling.") == [])
    }

    @Test("What is asked to be cleared is cleared, and nothing that has come since; what an account has stays")
    func clearing() throws {
        let desk = try KeepingDesk()
        #expect(try desk.enroll(.rightIndex, "right") == .done(nil))
        try desk.person.insert("shown")
        let shown = try desk.storage().prints.map(\.id)
        try desk.person.insert("later")
        let (prints, end) = try desk.storage(clearing: shown)
        #expect(end == .done(nil))
        #expect(Set(prints.filter { $0.standing == .leftover }.map(\.isDeleted)) == [false, true])
        #expect(
            prints.filter(\.isDeleted).map(\.id)
                == shown.filter { id in prints.contains { $0.id == id && $0.isDeleted } })
        #expect(try desk.standings() == [.known, .leftover])
        #expect(desk.daemon.log.components(separatedBy: "was deleted from the reader").count == 2)
    }

    @Test("A connection has one such question at a time")
    func tooMany() throws {
        let desk = try KeepingDesk()
        let connection = try desk.daemon.connect()
        for _ in 0..<2 { try connection.send(.storage(reader: nil)) }
        try connection.expect(.problem(.tooMany))
        #expect(try desk.storage().end == .done(nil))
    }

    @Test("A reader that says that it isn't open is opened again, whatever it was doing")
    func notOpen() throws {
        let desk = try KeepingDesk()
        #expect(try desk.enroll(.rightIndex, "right") == .done(nil))
        let connection = try desk.daemon.connect()
        try connection.send(.authenticate(Authenticate(account: me, service: "sudo")))
        try connection.receive { if case .prompt = $0 { true } else { false } }
        try desk.person.fail(2)
        try connection.receive { if case .prompt(let prompt) = $0 { prompt.again } else { false } }
        try desk.person.touch("right")
        try connection.receive { $0 == .verdict(.allowed(.rightIndex)) }
    }

    @Test("An enrolment whose print can't be kept here leaves none on the reader")
    func notKept() throws {
        let desk = try KeepingDesk()
        #expect(try desk.enroll(.leftIndex, "left") == .done(nil))
        let folder = "\(desk.daemon.stateDirectory)/prints/\(me.uid)/virtual_device_storage/0"
        let connection = try desk.daemon.connect()
        try connection.send(.enroll(me, .rightIndex, nil))
        while true {
            let message = try connection.receive(within: .seconds(20))
            if case .enrolling(let stage, let stages, _) = message, stage < stages {
                if stage == stages - 1 {
                    // Nothing can be written where a directory lies.
                    try FileManager.default.createDirectory(
                        atPath: "\(folder)/right-index/in-the-way", withIntermediateDirectories: true)
                }
                // The first of them is compared with the other finger.
                try desk.person.touch("right")
            }
            guard case .refused(let denial) = message else { continue }
            #expect(denial.cause == .storageFailed)
            break
        }
        #expect(try desk.standings() == [.known])
    }

    @Test("Who leaves at the last touch of an enrolment leaves no print on the reader")
    func left() throws {
        let desk = try KeepingDesk()
        do {
            let connection = try desk.daemon.connect()
            try connection.send(.enroll(me, .rightIndex, nil))
            var isLast = false
            while !isLast {
                guard case .enrolling(let stage, let stages, _) = try connection.receive(within: .seconds(20)) else {
                    continue
                }
                isLast = stage == stages - 1
                if !isLast { try desk.person.touch("right") }
            }
            try desk.person.touch("right")
        }
        // Whichever came first: either it was enrolled, on both sides, or it wasn't.
        let standings = try desk.standings()
        guard case .prints(let list) = try desk.daemon.ask(.list(me)) else { throw DaemonUnderTest.Unexpected() }
        #expect(standings == list.map { _ in .known })
        #expect(try desk.files("enrolling.") == [])
    }

    @Test("Prints that the reader has lost are told of, once, and may be enrolled again; nobody is asked for them")
    func lost() throws {
        let directory = TemporaryDirectory()
        let desk = try KeepingDesk(in: directory)
        #expect(try desk.enroll(.rightIndex, "right") == .done(nil))
        #expect(try desk.verdict("right") == .allowed(.rightIndex))
        try desk.daemon.stop()

        let again = try KeepingDesk(in: directory)
        #expect(try again.standings() == [.gone])
        #expect(try again.daemon.denial() == .printGone)
        guard case .prints(let list) = try again.daemon.ask(.list(me)) else { throw DaemonUnderTest.Unexpected() }
        #expect(list.map(\.gone) == [true])
        let status = try again.daemon.status()
        #expect(status.prints == 0 && status.gonePrints == 1)
        #expect(again.daemon.log.components(separatedBy: "A print is no longer on the reader").count == 2)
        #expect(try again.enroll(.rightIndex, "right") == .done(nil))
        #expect(try again.verdict("right") == .allowed(.rightIndex))
        #expect(try again.standings() == [.known])
    }

    @Test(
        "Of a print that the reader has lost its owner hears, and nobody who tries su to the account",
        .enabled(if: isRoot && PAMHost.isBuilt, "needs root, to be somebody else, and the module"))
    func lostToOthers() throws {
        let directory = TemporaryDirectory()
        let before = try KeepingDesk(in: directory)
        #expect(try before.enroll(.rightIndex, "right") == .done(nil))
        try before.daemon.stop()
        let desk = try KeepingDesk(in: directory)
        #expect(try desk.standings() == [.gone])
        let host = try PAMHost(stack: "auth required MODULE socket=\(desk.daemon.socketPath) password=first\n")
        func told(by user: uid_t) throws -> Bool {
            let program = try RunningProgram(
                "/usr/bin/setpriv", ["--ruid=\(user)", Built.host] + host.arguments(user: me.name, answers: [""]))
            try program.wait()
            return program.text.contains("no longer keeps your print")
        }
        #expect(try told(by: me.uid))
        #expect(try !told(by: stranger))
    }

    @Test("A print that the reader loses meanwhile is noticed at the next touch that doesn't match")
    func lostMeanwhile() throws {
        let desk = try KeepingDesk()
        #expect(try desk.enroll(.rightIndex, "right") == .done(nil))
        try desk.person.remove("right")
        try desk.daemon.waitFor(.printGone) {
            let verdict = try desk.verdict("right")
            guard case .denied(let denial) = verdict else { throw DaemonUnderTest.Unexpected() }
            #expect(denial.cause == .printGone)
        }
        #expect(try desk.daemon.status().mismatches == 1)
    }

    @Test(
        "A finger that the reader keeps from elsewhere is refused by that name, and can be enrolled once it is cleared")
    func duplicate() throws {
        let desk = try KeepingDesk()
        try desk.person.insert("right")
        #expect(try desk.enroll(.rightIndex, "right") == .refused(Denial(.duplicateOnReader)))
        #expect(try desk.storage(clearing: try desk.storage().prints.map(\.id)).prints.map(\.isDeleted) == [true])
        #expect(try desk.enroll(.rightIndex, "right") == .done(nil))
    }

    @Test("A reader that doesn't tell what it keeps serves as well, and forgets what is deleted")
    func silent() throws {
        let desk = try KeepingDesk(variable: "FP_VIRTUAL_DEVICE_STORAGE_NO_LIST")
        #expect(try desk.enroll(.rightIndex, "right") == .done(nil))
        #expect(try desk.verdict("right") == .allowed(.rightIndex))
        #expect(try desk.storage().end == .refused(Denial(.noReader)))
        #expect(try desk.daemon.ask(.delete(me, .rightIndex, nil)) == .done(nil))
        #expect(try eventually { try desk.files("") == [] })
        #expect(try desk.enroll(.rightIndex, "right") == .done(nil))
    }

    @Test("A reader that is full says so, and keeps nothing of what was tried")
    func full() throws {
        let desk = try KeepingDesk()
        let connection = try enrolling(at: desk)
        try desk.person.fail(8)
        try connection.receive { $0 == .refused(Denial(.readerFull)) }
        #expect(try desk.storage().prints == [])
        #expect(try desk.files("") == [])
    }

    @Test("While somebody enrols, what the reader keeps can't be asked for")
    func enrolling() throws {
        let desk = try KeepingDesk()
        let connection = try enrolling(at: desk)
        #expect(try desk.storage().end == .refused(Denial(.readerBusy)))
        try connection.send(.cancel(.person))
        try connection.receive { $0 == .refused(Denial(.personCancelled)) }
        #expect(try desk.storage().end == .done(nil))
    }

    @Test("Who is asked for a touch while the reader tells what it keeps is served after it")
    func meanwhile() throws {
        let desk = try KeepingDesk()
        #expect(try desk.enroll(.rightIndex, "right") == .done(nil))
        let connection = try desk.daemon.connect()
        try connection.send(.authenticate(Authenticate(account: me, service: "sudo")))
        try connection.receive { if case .prompt = $0 { true } else { false } }
        #expect(try desk.standings() == [.known])
        try desk.person.touch("right")
        try connection.receive { $0 == .verdict(.allowed(.rightIndex)) }
    }
}
