import Foundation
import TestSupport

/// A program that locks the owner's screen, and runs as the owner.
struct Locker: CustomStringConvertible, Sendable {
    let description: String
    /// A shell's words that run it until it has unlocked, and have it close descriptor 3 when it has locked.
    let command: String

    /// Whether the first key only wakes it.
    var sleeps = false

    static let i3lock = Locker(description: "i3lock", command: "XSS_SLEEP_LOCK_FD=3 i3lock --nofork")
    static let xsecurelock = Locker(
        description: "xsecurelock",
        command: "XSS_SLEEP_LOCK_FD=3 XSECURELOCK_PAM_SERVICE=xsecurelock XSECURELOCK_AUTH_TIMEOUT=60 xsecurelock",
        sleeps: true)

    static let swaylock = Locker(
        description: "swaylock",
        command: "exec 3>&-; swaylock --color \(lockedColour) --inside-wrong-color \(wrongColour)")

    static let all = [i3lock, xsecurelock, swaylock]

    /// swaylock can't say when it has locked, and doesn't keep what is typed while PAM is at work. It shows both.
    private static let (lockedColour, wrongColour) = ("336699", "993366")

    func screen(on machine: Machine) throws -> any Screen {
        description == "swaylock" ? try WaylandScreen(on: machine) : try XScreen(on: machine)
    }

    /// Locks the screen, and waits until it is locked.
    func lock(_ screen: any Screen, on machine: Machine) throws -> InteractiveProgram {
        let gate = machine.home(of: Machine.owner.name) + "/locked"
        let words = "mkfifo \(gate); { \(command); } 3> \(gate) & cat \(gate); echo locked; wait $!; echo over $?"
        let program = try machine.start(["sh", "-c", words], onTerminal: false, environment: screen.environment)
        try program.expect("locked")
        if sleeps { try screen.press("space") }
        if let screen = screen as? WaylandScreen { try screen.waitForColour(Locker.lockedColour, at: (0, 0)) }
        return program
    }

    /// Waits until it takes keys again, PAM having refused.
    func waitForRefusal(by program: InteractiveProgram, on screen: any Screen) throws {
        guard let screen = screen as? WaylandScreen else { return }
        try program.expect("pam_authenticate failed", on: .errors)
        // In the circle in the middle, below the word.
        try screen.waitForColour(Locker.wrongColour, at: (WaylandScreen.width / 2, WaylandScreen.height / 2 + 30))
    }
}
