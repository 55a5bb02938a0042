import BioauthCore
import Foundation
import TestSupport
import Testing

/// The example package, which is built against the product as a user would: every way an evaluation ends, as a view-model
/// written for a phone sees it.
@Suite(.enabled(if: isRoot, "mounts, and programs of other accounts, take root"))
struct ExampleTests {
    private static let vault = Built.package + "/.build/example/debug/vault"
    private static let touch = "touch: Swipe your right index finger over the fingerprint reader."

    private func vault(
        _ machine: Machine, _ arguments: String..., as account: String = Machine.owner.name
    ) throws -> InteractiveProgram {
        try #require(FileManager.default.isExecutableFile(atPath: ExampleTests.vault), "`make test` builds it")
        return try machine.start([ExampleTests.vault] + arguments, as: account)
    }

    private func listing(_ more: String = "") throws -> Machine {
        try Machine(configuration: "[services]\nvault = app\n" + more)
    }

    @Test func `success`() throws {
        let machine = try listing()
        let vault = try vault(machine, "unlock")
        try vault.expect("state: unlocking\r\n")
        try vault.expect(ExampleTests.touch + " [Not now]\r\n")
        try machine.daemon.touch(1)
        try vault.expect("closed\r\n")
        try vault.expect("posted: 1\r\n")
        try vault.expect("biometry: Touch ID\r\n")
        #expect(vault.output.contains("state: unlocked\r\n"))
        #expect(try vault.wait() == 0)
    }

    @Test func `mismatches, then again for as long as that may help`() throws {
        let machine = try listing()
        let vault = try vault(machine, "patiently")
        try vault.expect(ExampleTests.touch)
        for left in ["2 tries", "1 try"] {
            try machine.daemon.touch(2)
            try vault.expect("touch: No match: \(left) left. [Not now | Use passcode]\r\n")
        }
        try machine.daemon.touch(3)
        try vault.expect("closed\r\n")
        try vault.expect(ExampleTests.touch + " [Not now]\r\n")
        try machine.daemon.touch(1)
        try vault.expect("biometry")
        #expect(vault.output.contains("state: failed(\"Not recognised.\")\r\n"))
        #expect(vault.output.contains("state: unlocked\r\n"))
    }

    @Test func `cancelled by the person`() throws {
        let machine = try listing()
        let vault = try vault(machine, "patiently")
        try vault.expect(ExampleTests.touch)
        vault.type("cancel\n")
        try vault.expect("biometry")
        #expect(vault.output.contains("state: locked\r\n") && !vault.output.contains("posted"))
    }

    @Test func `the fallback, with a new context`() throws {
        let machine = try listing()
        let vault = try vault(machine, "passcode")
        try vault.expect(ExampleTests.touch)
        // Not offered yet.
        vault.type("fallback\n")
        try machine.daemon.touch(2)
        try vault.expect("[Not now | Use passcode]")
        vault.type("fallback\n")
        try vault.expect(ExampleTests.touch + " [Cancel | Enter password]\r\n")
        vault.type("fallback\n")
        try vault.expect("password: Give the password of \(Machine.owner.name). [Cancel]\r\n")
        vault.type("password wrong\n")
        try vault.expect("password: That is not the password. Try again. [Cancel]\r\n")
        vault.type("password \(Machine.password)\n")
        try vault.expect("posted: 2\r\n")
        #expect(vault.output.contains("state: passcodeOffered(\"You chose the passcode.\")\r\n"))
    }

    @Test func `lockout, which the password ends`() throws {
        let machine = try listing("[lockout]\nmismatches-per-delay = 1\ndelay-seconds = 3600\n")
        let vault = try vault(machine, "passcode")
        try vault.expect(ExampleTests.touch)
        try machine.daemon.touch(2)
        try vault.expect("finger is locked. Give the password of \(Machine.owner.name). [Cancel]\r\n")
        vault.type("password \(Machine.password)\n")
        try vault.expect("posted: 2\r\n")
        #expect(vault.output.contains("state: passcodeOffered(\"Too many tries.\")\r\n"))
        let again = try self.vault(machine, "unlock")
        try again.expect(ExampleTests.touch)
        try machine.daemon.touch(1)
        try again.expect("posted: 1\r\n")
    }

    @Test func `no finger enrolled`() throws {
        let machine = try listing()
        let vault = try vault(machine, "passcode", as: Machine.other.name)
        try vault.expect("password: The account has no print that this reader knows. Give the password")
        vault.type("password \(Machine.password)\n")
        try vault.expect("posted: 2\r\n")
        #expect(vault.output.contains("state: passcodeOffered(\"No finger is enrolled.\")\r\n"))
    }

    @Test func `no finger enrolled, and no password set`() throws {
        let machine = try listing()
        let name = Machine.other.name
        try machine.replaceLine(of: name, in: "etc/shadow", with: "\(name):!:20000::::::")
        let vault = try vault(machine, "passcode", as: name)
        try vault.expect("biometry")
        #expect(vault.output.contains("state: failed(\"Set a passcode first.\")\r\n"))
        #expect(!vault.output.contains("password:"))
    }

    @Test func `no daemon`() throws {
        let machine = try Machine(hasDaemon: false)
        let vault = try vault(machine, "passcode")
        try vault.expect("biometry: Passcode\r\n")
        #expect(vault.output.contains("state: passcodeOffered(\"bioauthd is not running.\")\r\n"))
        #expect(!vault.output.contains("password:"))
    }

    @Test func `withdrawn while it is asked`() throws {
        let machine = try listing()
        let vault = try vault(machine, "lock-while-asking")
        try vault.expect("closed\r\n")
        try vault.expect("biometry")
        #expect(vault.output.contains("state: locked\r\n"))
        #expect(try eventually { try machine.daemon.status(of: Machine.owner).waiting == 0 })
    }

    /// As long as it takes: nobody comes.
    @Test func `timeout`() throws {
        let machine = try listing()
        let vault = try vault(machine, "unlock")
        try vault.expect(ExampleTests.touch)
        try vault.expect("closed\r\n", seconds: 180)
        try vault.expect("biometry")
        #expect(vault.output.contains("state: locked\r\n"))
        #expect(machine.daemon.log.contains("authentication denied: \(Machine.owner.name) at vault, timedOut"))
    }

    @Test func `a person is asked once whether the program may ask for their finger, and is taken at their word`()
        throws
    {
        let machine = try Machine()
        for isAllowed in [true, false] {
            let account = isAllowed ? Machine.owner : Machine.other
            if !isAllowed {
                try machine.daemon.enroll(account, synthetic: 7)
                try machine.daemon.givePassword(account)
            }
            let first = try vault(machine, "unlock", as: account.name)
            try first.expect("permission: May vault ask for your finger? [Not now]\r\n")
            first.type(isAllowed ? "allow\n" : "refuse\n")
            if isAllowed {
                try first.expect(ExampleTests.touch)
                try machine.daemon.touch(1)
            }
            try first.expect("biometry")
            let second = try vault(machine, "unlock", as: account.name)
            if isAllowed {
                try second.expect(ExampleTests.touch)
                try machine.daemon.touch(1)
            }
            try second.expect("biometry")
            for vault in [first, second] {
                #expect(vault.output.contains(isAllowed ? "state: unlocked\r\n" : "state: passcodeOffered("))
            }
            #expect(!second.output.contains("permission:"))
        }
    }

    @Test func `the app's own lock is turned on by a touch and off by the password, and by nothing else`() throws {
        let machine = try listing()
        let on = try vault(machine, "lock-switch", "on")
        try on.expect(ExampleTests.touch)
        try machine.daemon.touch(1)
        try on.expect("lock: on\r\n")
        for click in ["cancel", "fallback"] {
            let off = try vault(machine, "lock-switch", "off")
            try off.expect(ExampleTests.touch)
            off.type(click + "\n")
            if click == "fallback" {
                try off.expect("password: ")
                off.type("password \(Machine.password)\n")
            }
            try off.expect(click == "cancel" ? "lock: Cancelled.\r\n" : "lock: off\r\n")
            let show = try vault(machine, "lock-switch", "show")
            try show.expect(click == "cancel" ? "lock: on\r\n" : "lock: off\r\n")
        }
    }

    @Test func `a program that runs as root for somebody else turns no switch by itself`() throws {
        let machine = try listing()
        let command = ["setpriv", "--ruid=\(Machine.owner.uid)", ExampleTests.vault, "lock-switch", "on"]
        let vault = try machine.start(command, as: "root")
        try vault.expect(ExampleTests.touch)
        vault.type("cancel\n")
        try vault.expect("lock: Cancelled.\r\n")
        let show = try self.vault(machine, "lock-switch", "show")
        try show.expect("lock: off\r\n")
    }

    @Test func `the README's program, on the terminal`() throws {
        let machine = try listing()
        let touched = try vault(machine, "ask")
        try touched.expect("vault: open the vault\r\n")
        try touched.expect("Swipe your right index finger over the fingerprint reader.\r\n")
        try machine.daemon.touch(1)
        try touched.expect("open\r\n")
        let typed = try vault(machine, "ask")
        try typed.expect("Or type the password and press Enter.\r\n")
        typed.type(Machine.password + "\r")
        try typed.expect("open\r\n")
        let left = try vault(machine, "ask")
        try left.expect("Or type the password and press Enter.\r\n")
        left.type("\u{4}")
        try left.expect("another time, then\r\n")
    }

    @Test func `the README shows that program`() throws {
        let source = try String(
            contentsOfFile: Built.package + "/Tests/Example/Sources/vault/Ask.swift", encoding: .utf8)
        let body = try #require(source.split(separator: "func ask() async {\n").last).dropLast("}\n".count)
        let lines = body.split(separator: "\n").map { $0.hasPrefix("    ") ? $0.dropFirst(4) : $0 }
        let readme = try String(contentsOfFile: Built.package + "/README.md", encoding: .utf8)
        #expect(readme.contains(lines.joined(separator: "\n")))
    }
}
