import BioauthCore
import TestSupport
import Testing

/// A sudo that somebody leaves at its question, and a locker that needs the reader.
@Suite(.enabled(if: isRoot, "mounts, and programs that change their user, take root"))
struct ContentionTests {
    @Test func `the locker has the reader at once, and the sudo asks afresh when the screen is unlocked`() throws {
        let machine = try Machine()
        let sudo = try TerminalHost.sudo.start(on: machine)
        try sudo.expectFingerPrompt()
        let screen = try Locker.i3lock.screen(on: machine)
        let locker = try Locker.i3lock.lock(screen, on: machine)
        try machine.daemon.waitFor(.prompted) { try screen.press("Return") }
        try sudo.expect("has the fingerprint reader. Wait until it has ended.")
        #expect(sudo.output.contains("i3lock"))
        // What the sudo's own person does at the locker is for the locker alone.
        try machine.daemon.touch(1)
        try locker.expect("over 0")
        try sudo.expectFingerPrompt()
        try machine.daemon.touch(1)
        #expect(try TerminalHost.sudo.expectWelcome(sudo))
    }

    @Test func `the password is live all the while`() throws {
        let machine = try Machine()
        let sudo = try TerminalHost.sudo.start(on: machine)
        try sudo.expectFingerPrompt()
        let screen = try Locker.i3lock.screen(on: machine)
        let locker = try Locker.i3lock.lock(screen, on: machine)
        try machine.daemon.waitFor(.prompted) { try screen.press("Return") }
        try sudo.expect("Wait until it has ended.")
        sudo.type(Machine.password + "\n")
        #expect(try TerminalHost.sudo.expectWelcome(sudo))
        try machine.daemon.touch(1)
        try locker.expect("over 0")
    }
}
