import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation
import TestSupport
import Testing

/// Several of libfprint's virtual readers at one daemon. Those that take words for fingers compare one print at a time
/// (`virtual_device`), or keep prints themselves (`virtual_device_storage`).
@Suite("Several readers") struct SeveralReadersTests {
    let daemon: DaemonUnderTest
    let walker: WordReader
    let keeper: WordReader
    let me = DaemonUnderTest.account
    let other = Account(uid: 4242, name: "other")

    init() throws {
        let directory = TemporaryDirectory()
        walker = WordReader(socketPath: directory.file("walker"))
        keeper = WordReader(socketPath: directory.file("keeper"))
        daemon = try DaemonUnderTest(
            in: directory, configuration: "[reader]\nprefer=virtual_device;virtual_device_storage;\n",
            environment: [
                "FP_DRIVERS_WHITELIST": "virtual_image:virtual_device:virtual_device_storage",
                "FP_VIRTUAL_DEVICE": walker.socketPath, "FP_VIRTUAL_DEVICE_STORAGE": keeper.socketPath,
            ])
        for account in [me, other] { try daemon.givePassword(account) }
    }

    private func readers(of account: Account) throws -> [String: ReaderEntry] {
        guard case .readers(let entries) = try daemon.ask(.readers(account)) else {
            throw DaemonUnderTest.Unexpected()
        }
        return Dictionary(uniqueKeysWithValues: entries.map { ($0.driver, $0) })
    }

    /// Enrols the finger that a word stands for.
    private func enroll(
        _ account: Account, _ finger: Finger, _ word: String, at person: WordReader, _ reader: String
    ) throws {
        let connection = try daemon.connect()
        try connection.send(.enroll(account, finger, nil, reader: reader))
        while true {
            switch try connection.receive(within: .seconds(20)) {
            case .done: return
            case .enrolling(let stage, let stages, _) where stage < stages: try person.touch(word)
            case .enrolling, .prompt, .waiting: break
            case let message: throw DaemonUnderTest.Unexpected(message)
            }
        }
    }

    private func ask(_ account: Account, _ service: String = "sudo") throws -> DaemonConnection {
        let connection = try daemon.connect()
        try connection.send(.authenticate(Authenticate(account: account, service: service)))
        return connection
    }

    /// The next prompt, past what goes before it.
    private func prompt(_ connection: borrowing DaemonConnection) throws -> Prompt {
        while true {
            switch try connection.receive(within: .seconds(20)) {
            case .prompt(let prompt): return prompt
            case .waiting: break
            case let message: throw DaemonUnderTest.Unexpected(message)
            }
        }
    }

    private static let walkerName = "Virtual device for debugging"
    private static let keeperName = "Virtual device with storage and identification for debugging"

    @Test("Each is listed, with why it serves the account or doesn't")
    func list() throws {
        let before = try readers(of: me)
        #expect(before.count == 3)
        #expect(before.values.allSatisfy { !$0.serves && $0.criterion == .prints && $0.prints == 0 && $0.isBuiltIn })
        try enroll(me, .leftIndex, "left", at: keeper, "virtual_device_storage")
        var after = try readers(of: me)
        #expect(after["virtual_device_storage"]?.serves == true)
        #expect(after["virtual_device_storage"]?.criterion == .prints)
        #expect(after["virtual_device"]?.serves == false)
        try enroll(me, .leftIndex, "left", at: walker, SeveralReadersTests.walkerName)
        after = try readers(of: me)
        #expect(after["virtual_device"].map { [$0.serves, $0.criterion == .preference] } == [true, true])
        #expect(after["virtual_device_storage"].map { [$0.serves, $0.criterion == .preference] } == [false, true])
        #expect(after["virtual_image"]?.criterion == .prints)
        #expect(try readers(of: other).values.allSatisfy { !$0.serves })
    }

    @Test("An enrolment at a reader that isn't there is refused, and one without a name goes to the preferred one")
    func enrolling() throws {
        let connection = try daemon.connect()
        try connection.expect(.refused(Denial(.noReader)), to: .enroll(me, .leftIndex, nil, reader: "elsewhere"))
        try connection.send(.enroll(me, .leftIndex, nil))
        #expect(try prompt(connection).reader == SeveralReadersTests.walkerName)
    }

    @Test("Two people are served at two readers at once, each by their own touch")
    func atOnce() throws {
        try enroll(me, .leftIndex, "left", at: walker, "virtual_device")
        try enroll(other, .rightIndex, "right", at: keeper, "virtual_device_storage")
        let mine = try ask(me)
        let others = try ask(other)
        #expect(try prompt(mine).reader == SeveralReadersTests.walkerName)
        #expect(try prompt(others).reader == SeveralReadersTests.keeperName)
        try keeper.touch("right")
        #expect(try others.receive(within: .seconds(20)) == .verdict(.allowed(.rightIndex)))
        try walker.touch("left")
        #expect(try mine.receive(within: .seconds(20)) == .verdict(.allowed(.leftIndex)))
    }

    @Test(
        "Two sudos of one person contend, also where they would go to two readers",
        .enabled(if: PAMHost.isBuilt, "the module isn't built: make module"))
    func contention() throws {
        try enroll(me, .leftIndex, "left", at: walker, "virtual_device")
        try enroll(me, .leftIndex, "left", at: keeper, "virtual_device_storage")
        let mine = try ask(me)
        #expect(try prompt(mine).reader == SeveralReadersTests.walkerName)
        try daemon.reload("[reader]\nprefer=virtual_device_storage;\n")
        // Who has been asked stays; the next goes where it is told.
        #expect(try readers(of: me)["virtual_device_storage"]?.serves == true)
        let host = try PAMHost(
            stack: "auth required MODULE socket=\(daemon.socketPath) password=first", in: daemon.directory)
        let rival = try RunningProgram(Built.host, host.arguments(user: me.name, answers: [""]))
        defer { rival.send(SIGKILL) }
        guard case .waiting(let wait) = try mine.receive(within: .seconds(20)) else {
            throw DaemonUnderTest.Unexpected()
        }
        #expect(wait.cause == .contended)
    }

    @Test("When its reader is pulled out, a request goes on at another that has the person's print")
    func unplugging() throws {
        try enroll(me, .leftIndex, "left", at: walker, "virtual_device")
        try enroll(me, .rightThumb, "right", at: keeper, "virtual_device_storage")
        try enroll(other, .leftIndex, "other", at: walker, "virtual_device")
        let mine = try ask(me)
        #expect(try prompt(mine).reader == SeveralReadersTests.walkerName)
        let others = try ask(other, "login")
        #expect(try prompt(others).reader == SeveralReadersTests.walkerName)
        try walker.unplug()
        let again = try prompt(mine)
        #expect(again.reader == SeveralReadersTests.keeperName)
        #expect(again.again)
        try others.receive { $0 == .verdict(.denied(Denial(.readerUnplugged))) }
        try keeper.touch("right")
        #expect(try mine.receive(within: .seconds(20)) == .verdict(.allowed(.rightThumb)))
        #expect(try readers(of: me).count == 2)
    }

    @Test(
        "One that hangs for good has the daemon started anew, but not under the finger of who is served at another")
    func lost() throws {
        try enroll(me, .leftIndex, "left", at: keeper, "virtual_device_storage")
        try enroll(other, .rightIndex, "right", at: walker, "virtual_device")
        let mine = try ask(me)
        #expect(try prompt(mine).reader == SeveralReadersTests.keeperName)
        let others = try ask(other)
        #expect(try prompt(others).reader == SeveralReadersTests.walkerName)
        let device = VirtualDevice(path: keeper.socketPath)
        try device.tell("SET_CANCELLATION_ENABLED 0")
        try device.tell("SLEEP 600000")
        try mine.send(.cancel(.person))
        try mine.receive { $0 == .verdict(.denied(Denial(.personCancelled))) }
        // Whoever waits for the one that hangs is told at once.
        let waiting = try ask(me, "login")
        try waiting.receive { $0 == .verdict(.denied(Denial(.readerFailed))) }
        #expect(try daemon.status(of: other).readerState == .scanning)
        try walker.touch("right")
        #expect(try others.receive(within: .seconds(20)) == .verdict(.allowed(.rightIndex)))
        #expect(daemon.waitForState("STATUS=The reader no longer answers"))
        #expect(try daemon.program.wait() == 1)
    }

    // MARK: Print by print

    @Test("A reader without identification is asked print by print, and a match anywhere clears the count")
    func walk() throws {
        try enroll(me, .leftIndex, "left", at: walker, "virtual_device")
        try enroll(me, .rightThumb, "right", at: walker, "virtual_device")
        let mine = try ask(me)
        let first = try #require(try prompt(mine).finger)
        let words: [Finger: String] = [.leftIndex: "left", .rightThumb: "right"]
        let second: Finger = first == .leftIndex ? .rightThumb : .leftIndex
        try walker.touch(words[second]!)
        let next = try prompt(mine)
        #expect(next.finger == second)
        #expect(next.again && next.triesLeft == 3)
        #expect(try daemon.status().mismatches == 1, "it is on disk at once")
        try walker.touch(words[second]!)
        #expect(try mine.receive(within: .seconds(20)) == .verdict(.allowed(second)))
        #expect(try daemon.status().mismatches == 0)
        // What matched last goes first.
        #expect(try prompt(try ask(me)).finger == second)
    }

    @Test("For a print that can't be compared no touch is spent, and the person is asked for the next one by name")
    func passedOver() throws {
        try enroll(me, .leftIndex, "left", at: walker, "virtual_device")
        try enroll(me, .rightThumb, "right", at: walker, "virtual_device")
        let mine = try ask(me)
        let first = try #require(try prompt(mine).finger)
        try walker.fail(6)
        let next = try prompt(mine)
        #expect(next.again && next.finger != first && next.triesLeft == 3)
        try walker.touch(next.finger == .leftIndex ? "left" : "right")
        #expect(try mine.receive(within: .seconds(20)) == .verdict(.allowed(try #require(next.finger))))
    }

    @Test("A walk through all prints is one mismatch, and so is one that is broken off")
    func mismatches() throws {
        try enroll(me, .leftIndex, "left", at: walker, "virtual_device")
        try enroll(me, .rightThumb, "right", at: walker, "virtual_device")
        let mine = try ask(me)
        let first = try prompt(mine).finger
        for round in 1...2 {
            try walker.touch("stranger")
            let next = try prompt(mine)
            #expect(next.again && next.finger != first)
            try walker.touch("stranger")
            #expect(try mine.receive(within: .seconds(20)) == .mismatch(triesLeft: 3 - round))
            let afresh = try prompt(mine)
            #expect(afresh.again && afresh.finger == first && afresh.triesLeft == 3 - round)
            #expect(try daemon.status().mismatches == round)
        }
        try walker.touch("stranger")
        #expect(try prompt(mine).again)
        try mine.send(.cancel(.person))
        try mine.receive { $0 == .verdict(.denied(Denial(.personCancelled))) }
        #expect(try daemon.status().mismatches == 3)
    }
}
