import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire
import Foundation
import SyntheticFingers
import TestSupport
import Testing

@Suite("What is kept of accounts") struct LockoutStateTests {
    private static let account = DaemonUnderTest.account

    @Test(
        "A lockout, and the password that ended one, outlive the daemon, however it ended",
        arguments: [SIGTERM, SIGKILL])
    func restart(_ signal: Int32) throws {
        let configuration = "[lockout]\nmismatches-per-delay = 2\nmismatches-until-password = 3\n"
        var daemon = try DaemonUnderTest.enrolled(configuration: configuration)
        guard case .denied(let began) = try daemon.verdict(touches: [2, 3]) else { throw DaemonUnderTest.Unexpected() }
        #expect(began.cause == .lockedOut)
        #expect(began.lockoutBegan)
        try daemon.stop(signal)

        daemon = try DaemonUnderTest(in: daemon.directory, configuration: configuration)
        guard case .denied(let goesOn) = try daemon.verdict() else { throw DaemonUnderTest.Unexpected() }
        #expect(goesOn.cause == .lockedOut)
        #expect(!goesOn.lockoutBegan)
        #expect(try #require(goesOn.endsIn) < #require(began.endsIn))
        #expect(try daemon.status().mismatches == 2)

        try daemon.givePassword()
        try daemon.stop(signal)
        daemon = try DaemonUnderTest(in: daemon.directory, configuration: configuration)
        #expect(try daemon.status().mismatches == 0)
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
    }

    @Test("A match clears the count for good")
    func match() throws {
        let daemon = try DaemonUnderTest.enrolled()
        #expect(try daemon.verdict(touches: [2, 3, 1]) == .allowed(.rightIndex))
        // The person doesn't wait for the disk, but whatever is asked next does.
        #expect(try daemon.status().mismatches == 0)
        try daemon.stop(SIGKILL)
        #expect(try DaemonUnderTest(in: daemon.directory).status().mismatches == 0)
    }

    @Test("Root clears a lockout, and with it no more than that")
    func unlock() throws {
        let daemon = try DaemonUnderTest.enrolled(configuration: "[lockout]\nmismatches-per-delay = 1\n")
        #expect(try daemon.denial(touches: [2]) == .lockedOut)
        #expect(try daemon.ask(.unlock(LockoutStateTests.account)) == .done(nil))
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))

        let other = Account(uid: 4242, name: "other")
        #expect(try daemon.ask(.unlock(other)) == .done(nil))
        #expect(try daemon.status(of: other).standings.allSatisfy { $0.denial == Denial(.passwordNeverGiven) })
    }

    // MARK: Damage

    enum Damage: CaseIterable {
        case empty, truncated, random, changed, checkless, oversized, link, pipe
        // Whole, and with the right check sum.
        case nameless, negative, senseless, delayOfNothing, switchOfNoKind, switchOfNoName, switchNeitherOnNorOff
        case switchesTooMany

        func inflict(on path: String) throws {
            let good = try Data(contentsOf: URL(filePath: path))
            let text = String(decoding: good, as: UTF8.self)
            var random = SplitMix64(11)
            try FileManager.default.removeItem(atPath: path)
            switch self {
            case .empty: try Data().write(to: URL(filePath: path))
            case .truncated: try good.prefix(good.count / 2).write(to: URL(filePath: path))
            case .random: try Data(random.bytes(300)).write(to: URL(filePath: path))
            case .changed: try text.replacing("mismatches=", with: "mismatches=1").write(toFile: path)
            case .checkless: try text.prefix(upTo: text.firstRange(of: "\n[check]")!.lowerBound).write(toFile: path)
            case .oversized: try (good + Data(repeating: 10, count: 1 << 16)).write(to: URL(filePath: path))
            case .link:
                try good.write(to: URL(filePath: path + ".target"))
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".target")
            case .pipe: #expect(mkfifo(path, 0o600) == 0)
            case .nameless: try checked("[account]\nuid=\(getuid())\n[lockout]\nmismatches=0\n").write(toFile: path)
            case .negative: try checked(account + "mismatches=-1\n").write(toFile: path)
            case .senseless: try checked(account + "mismatches=a few\n").write(toFile: path)
            case .delayOfNothing:
                try checked(account + "mismatches=0\ndelay-boot=x\ndelay-ends=5\n").write(toFile: path)
            case .switchOfNoKind: try checked(switches(["door off sudo"])).write(toFile: path)
            case .switchOfNoName: try checked(switches(["service off"])).write(toFile: path)
            case .switchNeitherOnNorOff: try checked(switches(["service ajar sudo"])).write(toFile: path)
            case .switchesTooMany:
                try checked(switches((0...Limits.switches).map { "app on \($0)" })).write(toFile: path)
            }
        }

        private var account: String {
            "[account]\nuid=\(getuid())\nname=\(DaemonUnderTest.account.name)\n[lockout]\n"
        }

        private func switches(_ values: [String]) -> String {
            account + "mismatches=0\n[switches]\n" + values.enumerated().map { "\($0)=\($1)\n" }.joined()
        }

        private func checked(_ body: String) -> String { body + "\n[check]\nsha256=\(sha256(Array(body.utf8)))\n" }
    }

    @Test("A damaged state costs the finger until the password, and nothing else does away with it")
    func damaged() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let account = LockoutStateTests.account
        for damage in Damage.allCases {
            try damage.inflict(on: daemon.state())

            #expect(try daemon.denial() == .stateDamaged, "\(damage)")
            #expect(try daemon.ask(.unlock(account)) == .refused(Denial(.stateDamaged)), "\(damage)")
            #expect(try daemon.status().standings.allSatisfy { $0.denial == Denial(.stateDamaged) }, "\(damage)")
            #expect(try daemon.ask(.passwordUseful(account, service: "sudo")) == .passwordAdvice(useful: true))

            try daemon.givePassword()
            #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex), "\(damage)")
        }
        #expect(eventually { daemon.log.contains("\(account.uid).state can't be used") })
        // The password's time was put in the link's place, not where that led.
        #expect(
            try FileManager.default.attributesOfItem(atPath: daemon.state())[.type] as? FileAttributeType
                == .typeRegular)
    }

    @Test("What lies in a state's place and can't be replaced costs the finger, and the password doesn't count")
    func directory() throws {
        let daemon = try DaemonUnderTest.enrolled()
        try FileManager.default.removeItem(atPath: daemon.state())
        try FileManager.default.createDirectory(atPath: daemon.state(), withIntermediateDirectories: false)
        #expect(try daemon.denial() == .stateDamaged)
        #expect(throws: DaemonUnderTest.Unexpected.self) { try daemon.givePassword() }
        #expect(try daemon.denial() == .stateDamaged)
        try FileManager.default.removeItem(atPath: daemon.state())
        try daemon.givePassword()
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
    }

    @Test("Another account's state gives nothing, be it that of the same number or of another")
    func foreign() throws {
        let daemon = try DaemonUnderTest.enrolled()
        for other in [Account(uid: LockoutStateTests.account.uid, name: "before"), Account(uid: 4242, name: "other")] {
            try daemon.givePassword(other)
            #expect(rename(daemon.state(of: other), daemon.state()) == 0)
            #expect(try daemon.denial() == .passwordNeverGiven)
            try daemon.givePassword()
            #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
        }
    }

    @Test("A mismatch whose file can't be read at that moment ends the finger, and is counted when it can be")
    func owed() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let kept = daemon.state() + ".kept"
        let connection = try daemon.connect()
        try connection.send(.authenticate(Authenticate(account: LockoutStateTests.account, service: "sudo")))
        try connection.receive { if case .prompt = $0 { true } else { false } }
        #expect(rename(daemon.state(), kept) == 0)
        #expect(symlink("nowhere", daemon.state()) == 0)
        try daemon.touch(9)
        try connection.receive {
            if case .verdict(.denied(let denial)) = $0 { denial.cause == .stateDamaged } else { false }
        }
        #expect(rename(kept, daemon.state()) == 0)
        _ = try daemon.verdict(touches: [8, 8, 8])
        #expect(try daemon.status().mismatches == 4)
    }

    @Test("A state that may not be read costs the finger until the password", .enabled(if: isRoot, "needs root"))
    func unreadable() throws {
        let directory = TemporaryDirectory()
        try DaemonUnderTest.layEnrolledState(in: directory.file("state"))
        let paths = try FileManager.default.subpathsOfDirectory(atPath: directory.path).map { directory.file($0) }
        for path in paths + [directory.path] { #expect(chown(path, stranger, stranger) == 0) }
        let daemon = try DaemonUnderTest(
            in: directory,
            under: ["/usr/bin/setpriv", "--reuid=\(stranger)", "--regid=\(stranger)", "--clear-groups"])
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
        #expect(chmod(daemon.state(), 0) == 0)
        #expect(try daemon.denial() == .stateDamaged)
        try daemon.givePassword()
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
        #expect(try Tree.mode(of: daemon.state()) == 0o600)
    }
}

extension StringProtocol {
    fileprivate func write(toFile path: String) throws { try write(toFile: path, atomically: false, encoding: .utf8) }
}
