import BioauthCore
import Foundation
import TestSupport
import Testing

/// Each locker of a screen, with a person in front of it: it hands over what was typed, and an empty line means the finger.
///
/// Not here: physlock takes a real virtual console; GDM, SDDM, LightDM and greetd take a seat and a graphics card; KDE's
/// and GNOME's lockers are part of their whole desktops; hyprlock isn't in Debian 12.
@Suite(.enabled(if: isRoot, "mounts, and programs that change their user, take root"))
struct LockerTests {
    @Test(arguments: Locker.all)
    func `Enter and the right finger`(locker: Locker) throws {
        let machine = try Machine()
        let screen = try locker.screen(on: machine)
        let program = try locker.lock(screen, on: machine)
        try machine.daemon.waitFor(.prompted) { try screen.press("Return") }
        try machine.daemon.touch(1)
        try program.expect("over 0")
    }

    @Test(arguments: Locker.all)
    func `the password at once`(locker: Locker) throws {
        let machine = try Machine()
        let screen = try locker.screen(on: machine)
        let program = try locker.lock(screen, on: machine)
        try screen.type(Machine.password)
        try screen.press("Return")
        try program.expect("over 0")
        #expect(try machine.requests().isEmpty)
    }

    @Test(arguments: Locker.all)
    func `a line taken back, then the finger`(locker: Locker) throws {
        let machine = try Machine()
        let screen = try locker.screen(on: machine)
        let program = try locker.lock(screen, on: machine)
        try screen.type("horse")
        try screen.takeBack()
        try machine.daemon.waitFor(.prompted) { try screen.press("Return") }
        try machine.daemon.touch(1)
        try program.expect("over 0")
    }

    @Test(arguments: Locker.all)
    func `the wrong finger three times, then the password`(locker: Locker) throws {
        let machine = try Machine()
        let screen = try locker.screen(on: machine)
        let program = try locker.lock(screen, on: machine)
        try machine.mistake(times: 3, at: locker, program, on: screen)
        try screen.type(Machine.password)
        try screen.press("Return")
        try program.expect("over 0")
        // The empty answer wasn't tried as a password: that would have taken two seconds.
        #expect(try machine.passwordTurns() == 1)
    }

    @Test(arguments: Locker.all)
    func `locked out, also for others; the password, checked as the owner, clears that`(locker: Locker) throws {
        let machine = try Machine()
        let screen = try locker.screen(on: machine)
        let program = try locker.lock(screen, on: machine)
        try machine.mistake(times: 3, at: locker, program, on: screen)
        try machine.mistake(times: 2, at: locker, program, on: screen)
        #expect(try machine.daemon.denial(Machine.owner) == .lockedOut)
        try screen.type(Machine.password)
        try screen.press("Return")
        try program.expect("over 0")
        #expect(try machine.daemon.denial(Machine.owner, touches: [1]) == nil)
    }

    @Test func `xsecurelock as Debian builds it asks as common-auth, which is no locker's name: the password`() throws {
        let machine = try Machine()
        let locker = Locker(
            description: "xsecurelock", command: "XSS_SLEEP_LOCK_FD=3 XSECURELOCK_AUTH_TIMEOUT=60 xsecurelock",
            sleeps: true)
        let screen = try locker.screen(on: machine)
        let program = try locker.lock(screen, on: machine)
        try screen.type(Machine.password)
        try screen.press("Return")
        try program.expect("over 0")
        #expect(try machine.requests().isEmpty)
    }

    @Test(arguments: Locker.all)
    func `without the daemon, the password`(locker: Locker) throws {
        let machine = try Machine(hasDaemon: false)
        let screen = try locker.screen(on: machine)
        let program = try locker.lock(screen, on: machine)
        try screen.type(Machine.password)
        try screen.press("Return")
        try program.expect("over 0")
    }
}

extension Machine {
    /// Presses Enter, and touches with a stranger's finger until that is enough.
    fileprivate func mistake(
        times: Int, at locker: Locker, _ program: InteractiveProgram, on screen: any Screen
    ) throws {
        try daemon.waitFor(.prompted) { try screen.press("Return") }
        try daemon.waitFor(.mismatched, times: times) {
            for impression in 0..<times { try daemon.touch(2, impression) }
        }
        try locker.waitForRefusal(by: program, on: screen)
    }
}
