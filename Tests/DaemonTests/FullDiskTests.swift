import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

@Suite("A full disk", .enabled(if: isRoot, "needs root, to mount one")) struct FullDiskTests {
    /// A daemon whose state is on a small disk of its own, in a mount namespace that is seen through `/proc`.
    private struct Small {
        let daemon: DaemonUnderTest
        private var disk: String { "/proc/\(daemon.program.pid)/root\(daemon.stateDirectory)" }

        init(configuration: String? = nil) throws {
            let directory = TemporaryDirectory()
            try DaemonUnderTest.layEnrolledState(in: directory.file("seed"))
            let script = """
                mkdir "$0" && mount -t tmpfs -o size=128k,mode=0700 none "$0" && cp -a "$0/../seed/." "$0" && exec "$@"
                """
            daemon = try DaemonUnderTest(
                in: directory, configuration: configuration,
                under: ["/usr/bin/unshare", "--mount", "sh", "-c", script, directory.file("state")])
        }

        func fill() throws {
            let descriptor = open("\(disk)/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            let block = [UInt8](repeating: 0, count: 4096)
            while write(descriptor, block, block.count) > 0 {}
            #expect(errno == ENOSPC)
        }

        func makeRoom() throws { try FileManager.default.removeItem(atPath: "\(disk)/filler") }

        func names(_ folder: String) throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: "\(disk)/\(folder)").sorted()
        }
    }

    @Test("A mismatch that can't be recorded ends the finger until it can be, and is not forgotten")
    func mismatch() throws {
        let small = try Small()
        let daemon = small.daemon
        #expect(try daemon.authenticate(touches: [2, 1]).contains(.mismatch(triesLeft: 2)))
        #expect(try daemon.status().mismatches == 0)
        try small.fill()

        let said = try daemon.authenticate(touches: [2])
        #expect(!said.contains { if case .mismatch = $0 { true } else { false } })
        #expect(said.last == .verdict(.denied(Denial(.stateNotWritable))))
        #expect(try daemon.denial() == .stateNotWritable)
        let report = try daemon.status()
        #expect(report.mismatches == 1)
        #expect(report.standings.allSatisfy { $0.denial == Denial(.stateNotWritable) })
        // Nobody else is concerned, and nothing is left behind.
        let other = Account(uid: 4242, name: "other")
        #expect(try daemon.denial(other) == .notEnrolled)
        #expect(try small.names("users") == ["\(getuid()).state"])

        try small.makeRoom()
        #expect(try daemon.status().standings.allSatisfy { $0.denial == nil })
        #expect(try daemon.status().mismatches == 1)
        #expect(
            try daemon.authenticate(touches: [3, 1]).suffix(2) == [
                .mismatch(triesLeft: 2), .verdict(.allowed(.rightIndex)),
            ])
        #expect(try daemon.status().mismatches == 0)
    }

    @Test("A password, or root's word, that can't be recorded doesn't count")
    func password() throws {
        let small = try Small(configuration: "[lockout]\nmismatches-per-delay = 1\ndelay-seconds = 3600\n")
        let daemon = small.daemon
        #expect(try daemon.denial(touches: [2]) == .lockedOut)
        try small.fill()
        #expect(throws: DaemonUnderTest.Unexpected.self) { try daemon.givePassword() }
        #expect(try daemon.ask(.unlock(DaemonUnderTest.account)) == .refused(Denial(.stateNotWritable)))
        #expect(try daemon.denial() == .lockedOut)

        try small.makeRoom()
        #expect(try daemon.denial() == .lockedOut)
        #expect(try daemon.status().mismatches == 1)
        try daemon.givePassword()
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
    }

    @Test("An enrolment that can't be kept is refused at its end, and leaves nothing behind")
    func enrollment() throws {
        let small = try Small()
        let before = try small.names("prints")
        try small.fill()
        #expect(try small.daemon.enroll(.leftIndex, synthetic: 2) == .refused(Denial(.storageFailed)))
        #expect(try small.names("prints") == before)
        try small.makeRoom()
        #expect(try small.daemon.enroll(.leftIndex, synthetic: 2) == .done(nil))
    }

    @Test("A switch that can't be kept isn't turned, by whomever, and an app's yes is asked for again")
    func switches() throws {
        let small = try Small()
        let daemon = small.daemon
        let account = DaemonUnderTest.account
        let off = ClientMessage.setSwitch(
            SwitchChange(account: account, service: "bioauthctl", subject: Switch(.service, "sudo"), isOn: false))
        let app = Authenticate(account: account, service: "chat", isApp: true, isPermitted: true)
        try small.fill()
        #expect(try daemon.ask(off) == .refused(.stateNotWritable))
        #expect(try daemon.ask(.switches(account)) == .switches([]))
        // The finger is none the worse for it.
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
        #expect(try daemon.authenticate(app, touches: [1]).last == .verdict(.allowed(.rightIndex)))
        #expect(
            try daemon.authenticate(Authenticate(account: account, service: "chat", isApp: true)) == [
                .denied(.permissionUnasked)
            ])
        #expect(try small.names("users") == ["\(getuid()).state"])

        try small.makeRoom()
        #expect(try daemon.ask(.switches(account)) == .switches([]))
        #expect(try daemon.ask(off) == .done(nil))
        #expect(try daemon.denial() == .serviceDisabled)
    }
}
