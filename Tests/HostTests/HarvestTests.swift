import BioauthCore
import Foundation
import TestSupport
import Testing

/// Somebody who runs programs as the owner, and waits for a touch that the owner means for something else.
@Suite(.enabled(if: isRoot, "mounts, and programs that change their user, take root"))
struct HarvestTests {
    let machine: Machine

    init() throws { machine = try Machine() }

    /// What a hidden sudo is for.
    private var loot: String { machine.directory.file("loot") }
    private var isRobbed: Bool { FileManager.default.fileExists(atPath: loot) }

    @Test func `a hidden sudo in the background of the owner's terminal gets nothing, and disturbs nothing`() throws {
        let shell = try machine.shell()
        shell.type("sudo -k touch \(loot) > /dev/null 2>&1 &\n")
        try shell.expect(Machine.shellPrompt)
        shell.type("sudo -k id -un\n")
        try shell.expectFingerPrompt()
        try machine.daemon.touch(1)
        try shell.expect("root\r\n")
        #expect(!shell.output.contains("asks for your finger too"))
        #expect(!isRobbed)
        #expect(try eventually { try machine.requests().count == 1 })
    }

    @Test func `a hidden sudo that came first, and stands in the background since`() throws {
        let shell = try machine.shell()
        shell.type("sudo -k touch \(loot)\n")
        try shell.expectFingerPrompt()
        shell.type("\u{1A}")
        try TerminalHost.sudo.expectQuestion(shell)
        shell.type("\u{1A}")
        try shell.expect(Machine.shellPrompt)
        shell.type("bg > /dev/null 2>&1; sudo -k id -un\n")
        try shell.expectFingerPrompt()
        try machine.daemon.touch(1)
        try shell.expect("root\r\n")
        #expect(!shell.output.contains("asks for your finger too"))
        #expect(!isRobbed)
    }

    @Test(arguments: [true, false])
    func `a hidden sudo on a terminal of its own: neither gets the finger`(hiddenFirst: Bool) throws {
        func start(_ command: [String]) throws -> InteractiveProgram {
            let sudo = try machine.start(["sudo", "-k"] + command)
            try sudo.expect(": ")
            return sudo
        }
        let early = hiddenFirst ? try start(["touch", loot]) : nil
        let visible = try machine.start("sudo", "-k", "id", "-un")
        let hidden = try early ?? start(["touch", loot])
        try visible.expect("asks for your finger too, so neither gets it")
        #expect(visible.output.contains("sudo on /dev/pts/"))
        #expect(visible.output.contains("(process \(hidden.pid))"))
        // The reader waits for nobody.
        #expect(try eventually { try machine.daemon.status().readerState == .ready })
        hidden.send(SIGKILL)
        _ = try hidden.wait()
        try visible.expectFingerPrompt()
        try machine.daemon.touch(1)
        #expect(try TerminalHost.sudo.expectWelcome(visible))
        #expect(!isRobbed)
    }

    @Test(arguments: [true, false])
    func `somebody else's su for the owner gives way to the owner's own sudo`(hiddenFirst: Bool) throws {
        func startHidden() throws -> InteractiveProgram {
            try machine.start(["su", Machine.owner.name, "-c", "touch \(loot)"], as: Machine.other.name)
        }
        let early = hiddenFirst ? try startHidden() : nil
        try early?.expectFingerPrompt()
        let visible = try machine.start("sudo", "-k", "id", "-un")
        try visible.expectFingerPrompt()
        let hidden = try early ?? startHidden()
        try TerminalHost.su.expectQuestion(hidden)
        try machine.daemon.touch(1)
        #expect(try TerminalHost.sudo.expectWelcome(visible))
        #expect(!isRobbed)
    }

    /// Locks the screen with i3lock, as the desktop does: it tells logind.
    private func lock(_ machine: Machine) throws -> (screen: any Screen, program: InteractiveProgram) {
        let screen = try Locker.i3lock.screen(on: machine)
        let program = try Locker.i3lock.lock(screen, on: machine)
        try machine.logind!.change(machine.session!, "'LockedHint': <true>")
        return (screen, program)
    }

    /// Unlocks it with a touch.
    private func unlock(_ lock: (screen: any Screen, program: InteractiveProgram), _ machine: Machine) throws {
        try machine.daemon.waitFor(.prompted) { try lock.screen.press("Return") }
        try machine.daemon.touch(1)
        try lock.program.expect("over 0")
    }

    @Test func `a hidden sudo from before the screen was locked: the touch that unlocks is the locker's`() throws {
        let machine = try Machine(hasSession: true)
        let loot = machine.directory.file("loot")
        let hidden = try machine.start("sudo", "-k", "touch", loot)
        try hidden.expectFingerPrompt()
        let locked = try lock(machine)
        // It has had its time: it may try the password.
        try TerminalHost.sudo.expectQuestion(hidden)
        try unlock(locked, machine)
        #expect(!FileManager.default.fileExists(atPath: loot))
        #expect(try machine.requests().contains { $0.contains("service=sudo") && $0.contains("cause=sessionLocked") })
    }

    @Test func `hidden ones while the screen is locked get no finger, and disturb nothing`() throws {
        let machine = try Machine(hasSession: true)
        let loot = machine.directory.file("loot")
        let locked = try lock(machine)
        let hidden = try (0..<2).map { _ in try machine.start("sudo", "-k", "touch", loot) }
        for hidden in hidden {
            try TerminalHost.sudo.expectQuestion(hidden)
            #expect(!hidden.output.contains("finger"))
        }
        try unlock(locked, machine)
        #expect(!FileManager.default.fileExists(atPath: loot))
    }

    @Test func `a hidden sudo while the locker waits for the touch`() throws {
        let machine = try Machine(hasSession: true)
        let loot = machine.directory.file("loot")
        let locked = try lock(machine)
        try machine.daemon.waitFor(.prompted) { try locked.screen.press("Return") }
        let hidden = try machine.start("sudo", "-k", "touch", loot)
        try TerminalHost.sudo.expectQuestion(hidden)
        try machine.daemon.touch(1)
        try locked.program.expect("over 0")
        #expect(!FileManager.default.fileExists(atPath: loot))
    }
}
