import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

/// What the subcommands answer, from the real daemon and a virtual reader.
@Suite("Answers") struct AnswerTests {
    let daemon: DaemonUnderTest
    let command: Command
    let account = DaemonUnderTest.account

    init() throws {
        daemon = try DaemonUnderTest()
        command = Command(socketPath: daemon.socketPath)
    }

    /// Enrols through the program, with a touch for each stage it shows.
    private func enroll(_ synthetic: Int, _ arguments: [String]) throws -> InteractiveProgram {
        let program = try command.start(["enroll"] + arguments)
        for stage in 0..<5 {
            try program.expect("Stage \(stage) of 5: \(stage == 0 ? "swipe over the reader" : "swipe again")\n")
            try daemon.touch(synthetic, stage)
        }
        return program
    }

    @Test("Enroll, list, verify, delete")
    func roundTrip() throws {
        #expect(try command.run("list").status == 1)
        let enrolling = try enroll(1, ["--finger", "left-thumb"])
        #expect(try enrolling.wait() == 0)
        #expect(enrolling.output.hasPrefix("Enrolling the left thumb of \(account.name).\n"))
        #expect(enrolling.output.hasSuffix("Enrolled: left thumb. Try it with: bioauthctl verify\n"))

        let list = try command.run("list", "--json")
        #expect(list.status == 0)
        let prints = try #require(try list.json["prints"] as? [[String: Any]])
        #expect(prints.count == 1)
        #expect(prints[0]["finger"] as? String == "left-thumb")
        #expect(prints[0]["driver"] as? String == "virtual_image")
        #expect(prints[0]["damaged"] as? Bool == false)
        let today = Date.now.formatted(.iso8601.year().month().day())
        #expect((prints[0]["enrolled"] as? String).map { $0 <= today && $0 >= "2026" } == true)
        #expect(try command.run("list").output.hasPrefix("left-thumb    "))

        try daemon.givePassword()
        let verifying = try command.start(["verify"])
        try verifying.expect("Swipe your left thumb over the fingerprint reader.\n")
        try daemon.touch(2)
        try verifying.expect("No match: 2 tries left.\n")
        try daemon.touch(1)
        #expect(try verifying.wait() == 0)
        #expect(verifying.output.hasSuffix("Recognised: left thumb.\n"))

        let again = try command.run("enroll", "--finger", "left-thumb")
        #expect(again.status == 1)
        #expect(again.output == "")
        #expect(again.errors.contains("delete"))

        #expect(try command.run("delete", "--finger", "right-thumb").status == 1)
        let deleted = try command.run("delete", "--finger", "left-thumb", "--json")
        #expect(deleted.status == 0)
        #expect(try deleted.json["deleted"] as? Bool == true)
        #expect(try deleted.json["finger"] as? String == "left-thumb")
        #expect(try command.run("list").status == 1)
        #expect(try command.run("verify", "--json").json["allowed"] as? Bool == false)
    }

    @Test("Without a name the first free finger is taken; a finger that is known is refused")
    func freeFinger() throws {
        #expect(try daemon.enroll(synthetic: 1) == .done(nil))
        let program = try command.start(["enroll", "--json"])
        // One touch more than before: it is compared with the print that there is.
        for stage in 0..<6 {
            try program.expect("Stage \(stage) of 6", on: .errors)
            try daemon.touch(2, stage)
        }
        #expect(try program.wait() == 0)
        #expect(program.output.contains(#""enrolled":true,"finger":"left-index""#))
        #expect(program.errors.hasPrefix("Enrolling the left index finger"))

        let duplicate = try command.start(["enroll"])
        try duplicate.expect("Stage 0 of 6")
        try daemon.touch(2, 9)
        #expect(try duplicate.wait() == 1)
        #expect(duplicate.errors.contains("enrolled already, under another name"))
    }

    @Test("Status: lockout, the time left, the password's age, and root's way out")
    func status() throws {
        #expect(try daemon.enroll(synthetic: 1) == .done(nil))
        let fresh = try command.run("status", "--json")
        #expect(fresh.status == 0)
        #expect(try denials(fresh) == ["app", "privilege", "lock", "login"].map { [$0, "passwordNeverGiven"] })
        #expect(try fresh.json["password_age"] is NSNull)
        let reader = try #require(try fresh.json["reader"] as? [String: Any])
        #expect(reader["driver"] as? String == "virtual_image")

        try daemon.givePassword()
        _ = try daemon.authenticate(touches: [2, 3, 4])
        _ = try daemon.authenticate(touches: [5, 6])
        let locked = try command.run("status", "--json")
        #expect(try locked.json["mismatches"] as? Int == 5)
        #expect(try denials(locked) == ["app", "privilege", "lock", "login"].map { [$0, "lockedOut"] })
        let left = try #require(
            ((try locked.json["standings"] as? [[String: Any]])?[0]["denial"] as? [String: Any])?["ends_in"] as? Double)
        #expect((1...30).contains(left))
        #expect((try locked.json["password_age"] as? Double).map { (0...60).contains($0) } == true)
        let words = try command.run("status").output
        #expect(words.contains("For services that are on: Too many touches didn't match"))
        #expect(words.contains(/Time left: [0-9]+ seconds?\./))

        let verify = try command.run("verify", "--json")
        #expect(verify.status == 1)
        #expect((try verify.json["denial"] as? [String: Any])?["code"] as? Int == -8)

        let unlocked = try command.run("unlock")
        #expect(unlocked.status == 0)
        #expect(unlocked.output.hasPrefix("The lockout of \(account.name) is cleared."))
        #expect(try command.run("status").output.contains("For services that are on: a finger is accepted."))
    }

    private func denials(_ result: Command.Result) throws -> [[String]] {
        try #require(try result.json["standings"] as? [[String: Any]]).map { standing in
            [
                standing["class"] as? String ?? "",
                (standing["denial"] as? [String: Any])?["cause"] as? String ?? "none",
            ]
        }
    }

    @Test("A damaged print is named, and is deleted like any other")
    func damagedPrint() throws {
        #expect(try daemon.enroll(synthetic: 1) == .done(nil))
        let files = try #require(FileManager.default.enumerator(atPath: daemon.stateDirectory)?.allObjects as? [String])
        let file = try #require(files.first { $0.hasSuffix("right-index") })
        try "no print".write(toFile: "\(daemon.stateDirectory)/\(file)", atomically: true, encoding: .utf8)
        #expect(try command.run("list").output.contains("damaged, matches nothing"))
        #expect((try command.run("list", "--json").json["prints"] as? [[String: Any]])?[0]["damaged"] as? Bool == true)
        #expect(try command.run("status").output.contains("Damaged prints: 1"))
        #expect(try command.run("delete", "--all").status == 0)
        #expect(try command.run("list").status == 1)
    }

    @Test("^C and SIGTERM cancel an enrolment: nothing is enrolled, and the reader is free", arguments: [2, 15])
    func cancel(signal: Int32) throws {
        let program = try command.start(["enroll", "--finger", "left-ring"])
        try program.expect("Stage 0 of 5")
        try daemon.touch(1, 0)
        try program.expect("Stage 1 of 5")
        program.send(signal)
        #expect(try program.wait() == 1)
        #expect(program.errors == "bioauthctl: Cancelled.\n")
        #expect(try command.run("list").status == 1)
        #expect(try enroll(1, []).wait() == 0)
    }

    @Test("Watch shows what happens as it happens, and ends with 3 when the daemon goes")
    func watch() throws {
        let watching = try command.start(["watch", "--json"])
        let forPeople = try command.start(["watch"])
        // Watching begins when the daemon has read that: from then on nothing is missed.
        repeat { _ = try command.run("unlock") } while watching.output.isEmpty && !watching.reads(milliseconds: 100)
        #expect(try daemon.enroll(synthetic: 1) == .done(nil))
        try daemon.givePassword()
        _ = try daemon.authenticate(touches: [2, 1])
        try daemon.stop()
        #expect(try watching.wait() == 3)
        var events = try watching.output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        // The last line tells why it ended.
        #expect((events.popLast()?["error"] as? [String: Any])?["cause"] is String)
        let kinds = events.compactMap { $0["event"] as? String }.filter { $0 != "unlocked" }
        // Whether the reader has to be opened, and waited for, first, depends on how fast that goes.
        let expected = [
            "asked", "prompted", "enrolled", "password-given", "asked", "prompted", "mismatched", "allowed",
        ]
        #expect(kinds.filter { $0 != "reader-ready" && $0 != "waiting" }.starts(with: expected), "\(kinds)")
        let times = events.compactMap { ($0["time"] as? NSNumber)?.doubleValue }
        #expect(times.count == events.count && times == times.sorted())
        #expect(times.allSatisfy { abs($0 - Date.now.timeIntervalSince1970) < 120 }, "\(times)")
        let allowed = try #require(events.first { $0["event"] as? String == "allowed" })
        #expect(allowed["service"] as? String == "sudo")
        #expect(allowed["class"] as? String == "privilege")
        #expect(allowed["finger"] as? String == "right-index")
        #expect((allowed["account"] as? [String: Any])?["uid"] as? Int == Int(account.uid))
        #expect(watching.errors.contains("bioauthd"))

        #expect(try forPeople.wait() == 3)
        #expect(forPeople.output.contains(/[0-9]{2}:[0-9]{2}:[0-9]{2}  finger matched: [^\n]*sudo \(privilege\)/))
    }

    @Test("Watch shows each event in words, and the day when it changes")
    func watchWords() throws {
        let evening: UInt64 = 1_774_997_999_000
        let (reader, account) = ("Reader", Account(uid: 1000, name: "user"))
        let events = [
            WatchEvent(kind: .lidShut, time: evening),
            WatchEvent(kind: .awake, time: evening + 28_800_000, lasted: .seconds(28_800)),
            WatchEvent(kind: .readerFailed, time: evening + 28_800_000, cause: .readerBusy, reader: reader),
            WatchEvent(kind: .readerReady, time: evening + 28_801_000, reader: reader),
            WatchEvent(kind: .readerFailed, time: evening + 28_801_000, cause: .readerHot, reader: reader),
            WatchEvent(
                kind: .readerReady, time: evening + 28_801_000, cause: .readerHot, reader: reader, lasted: .seconds(90)),
            WatchEvent(
                kind: .switchedOff, time: evening + 28_801_000, account: account, service: "vault", switchKind: .app),
        ]
        let daemon = try ScriptedDaemon { peer in
            _ = try peer.receive()
            for event in events { try peer.send(.event(event)) }
        }
        let watch = try Command(socketPath: daemon.path, environment: ["TZ": "UTC"]).run("watch")
        #expect(watch.status == 3)
        #expect(
            watch.output == """
                22:59:59  lid shut
                2026-04-01
                06:59:59  computer is awake: after 8 hours
                06:59:59  reader failed: Reader, Another program has the fingerprint reader.
                07:00:00  reader ready: Reader
                07:00:00  reader too hot: Reader
                07:00:00  reader has cooled down: Reader, after 90 seconds
                07:00:00  turned off: user, the app vault

                """)
    }

    @Test("Watch goes on with the next daemon after a reader was lost, whatever else the last one told before it ended")
    func watchOutlasts() throws {
        let lives = Lives([
            [
                WatchEvent(kind: .readerLost, time: 0, reader: "Reader"),
                WatchEvent(kind: .denied, time: 0, service: "sudo", cause: .readerFailed),
            ], [WatchEvent(kind: .readerReady, time: 0, reader: "Reader")],
        ])
        let daemon = try ScriptedDaemon { peer in
            _ = try peer.receive()
            for event in lives.next() { try peer.send(.event(event)) }
        }
        let watch = try Command(socketPath: daemon.path).run("watch", "--json")
        let told = try watch.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])["event"] as? String
        }
        // The second says nothing of another.
        #expect(told == ["reader-lost", "denied", "reader-ready", nil])
        #expect(watch.status == 3)
    }

    /// What one daemon after the other tells.
    private final class Lives: @unchecked Sendable {
        // Only the scripted daemon's one thread takes from it.
        private var left: ArraySlice<[WatchEvent]>
        init(_ lives: [[WatchEvent]]) { left = lives[...] }
        func next() -> [WatchEvent] { left.popFirst() ?? [] }
    }

    @Test("Watch ends with 0 when it is interrupted")
    func watchInterrupted() throws {
        let watching = try command.start(["watch"])
        repeat { _ = try command.run("unlock") } while watching.output.isEmpty && !watching.reads(milliseconds: 100)
        watching.send(SIGINT)
        #expect(try watching.wait() == 0)
    }

    @Test("Without a reader: status says so, and nothing can be told")
    func noReader() throws {
        let bare = try DaemonUnderTest(hasReader: false)
        let command = Command(socketPath: bare.socketPath)
        let status = try command.run("status", "--json")
        #expect(status.status == 3)
        #expect((try status.json["reader"] as? [String: Any])?["state"] as? String == "none")
        #expect(try command.run("status").output.contains("Reader: none"))
        #expect(try command.run("enroll", "--finger", "left-thumb").status == 3)
        try bare.givePassword()
        #expect(try command.run("verify").status == 3)
    }

    @Test(
        "Anybody else may ask about themselves alone",
        .enabled(if: getuid() == 0, "it takes root to have another account ask"))
    func otherAccount() throws {
        let other = try Command.byNobody(socketPath: daemon.socketPath, in: daemon.directory)
        #expect(try other.run("status").status == 0)
        for arguments in [["status"], ["list"], ["verify"], ["unlock"], ["delete", "--all"]] {
            let program = try other.start(arguments + ["--user", account.name, "--json"])
            #expect(try program.wait() == 1)
            #expect(program.output.contains("notPermitted"))
        }
        // No terminal, no password, no change.
        let own = try other.run("enroll", "--finger", "left-thumb", "--json")
        #expect(own.status == 1)
        #expect(own.output.contains("freshPasswordNeeded"))
    }
}
