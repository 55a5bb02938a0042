import BioauthCore
import BioauthWire
import Glibc
import TestSupport
import Testing

/// Touch harvesting, with real PAM hosts in process groups of their own.
@Suite("Whom a touch is not for", .enabled(if: PAMHost.isBuilt, "the module isn't built: make module"))
struct TouchContentionTests {
    let daemon: DaemonUnderTest
    let host: PAMHost

    init() throws {
        daemon = try DaemonUnderTest()
        #expect(try daemon.enroll(synthetic: 1) == .done(nil))
        try daemon.givePassword()
        host = try PAMHost(
            stack: "auth required MODULE socket=\(daemon.socketPath) password=first", in: daemon.directory)
    }

    private func sudo(_ more: [String] = []) throws -> RunningProgram {
        try RunningProgram(Built.host, host.arguments(user: DaemonUnderTest.account.name, answers: [""], more))
    }

    @Test("Two sudos of one person from different process groups: neither gets the finger, both are told, both end")
    func contention() throws {
        var first: RunningProgram?
        var second: RunningProgram?
        try daemon.waitFor(.prompted) { first = try sudo() }
        try daemon.waitFor(.waiting, cause: .contended, times: 2) { second = try sudo() }
        let (one, two) = (try #require(first), try #require(second))
        try one.wait()
        try two.wait()
        for (program, rival) in [(one, two), (two, one)] {
            #expect(PAMHost.lines(program.text).last { $0.event == "result" }?.name == "PAM_AUTH_ERR")
            #expect(program.text.contains("\(rival.pid)"), "it names the other: \(program.text)")
            #expect(program.text.contains("Two programs asked for your finger, so neither got it. Use your password."))
        }
        #expect(try daemon.status().mismatches == 0)
    }

    @Test("Whoever remains is asked for afresh, and only then gets the finger")
    func survivor() throws {
        var first: RunningProgram?
        var second: RunningProgram?
        try daemon.waitFor(.prompted) { first = try sudo() }
        try daemon.waitFor(.waiting, cause: .contended, times: 2) { second = try sudo() }
        try daemon.waitFor(.prompted) { try #require(first).send(SIGKILL) }
        try daemon.touch(1)
        let survivor = try #require(second)
        try survivor.wait()
        #expect(PAMHost.lines(survivor.text).last { $0.event == "result" }?.name == "PAM_SUCCESS")
    }

    @Test(
        "Who tries su to another's account gives way to its owner, and hears nothing of how it stands",
        .enabled(if: isRoot, "needs root, to be somebody else"))
    func another() throws {
        func su() throws -> RunningProgram {
            // As a set-uid program: root's by its effective uid, the stranger's by its real one.
            try RunningProgram(
                "/usr/bin/setpriv",
                ["--ruid=\(stranger)", Built.host] + host.arguments(user: DaemonUnderTest.account.name, answers: [""]))
        }
        var foreign: RunningProgram?
        try daemon.waitFor(.prompted) { foreign = try su() }
        var own: RunningProgram?
        try daemon.waitFor(.prompted) { own = try sudo() }
        let other = try #require(foreign)
        try other.wait()
        #expect(PAMHost.lines(other.text).last { $0.event == "result" }?.name == "PAM_AUTH_ERR")
        #expect(!other.text.contains("index"), "the finger isn't named: \(other.text)")
        try daemon.touch(1)
        let owner = try #require(own)
        try owner.wait()
        #expect(PAMHost.lines(owner.text).last { $0.event == "result" }?.name == "PAM_SUCCESS")

        for finger in 11...15 {
            let request = Authenticate(account: DaemonUnderTest.account, service: "sudo", tries: 1)
            _ = try daemon.authenticate(request, touches: [finger])
        }
        let later = try su()
        try later.wait()
        #expect(!later.text.contains("\"event\":\"error\""), "\(later.text)")
        #expect(daemon.log.contains("cause=lockedOut"))
    }

    @Test("A sudo in the background of its terminal gets no finger and disturbs nobody")
    func background() throws {
        var first: RunningProgram?
        try daemon.waitFor(.prompted) { first = try sudo() }
        let hidden = host.arguments(user: DaemonUnderTest.account.name, answers: [""]).map { "'\($0)'" }.joined(
            separator: " ")
        try daemon.waitFor(.denied, cause: .backgroundProcess) {
            // A job of its own on a terminal whose foreground belongs to the shell.
            let script = "set -m; '\(Built.host)' \(hidden) & wait"
            _ = try RunningProgram.run(
                "/usr/bin/script", ["--quiet", "--command", "/bin/bash -c \"\(script)\"", "/dev/null"])
        }
        try daemon.touch(1)
        let visible = try #require(first)
        try visible.wait()
        #expect(PAMHost.lines(visible.text).last { $0.event == "result" }?.name == "PAM_SUCCESS")
    }
}
