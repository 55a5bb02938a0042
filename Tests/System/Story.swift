import Foundation
import SyntheticFingers
import TestSupport

/// What a person lives through with the package, from installing it to its last trace.
final class Story {
    private let root: String
    private let shared: [String: String]
    private let reader: VirtualReader
    /// The reader that hangs.
    let device: VirtualDevice
    private var running: BootedSystem?

    /// Finger 1 is the person's.
    static let own = 1
    static let person = "person"
    static let shellPrompt = "\(person)@\(BootedSystem.name):~$ "
    /// In each prompt for the finger, however it begins and goes on.
    static let fingerPrompt = "right index finger"
    private var impression = 0

    init(root: String, packages: String, reader: String) {
        self.root = root
        shared = ["/packages": packages, "/reader": reader]
        device = VirtualDevice(path: reader + "/device")
        self.reader = VirtualReader(socketPath: reader + "/socket", patience: .seconds(60))
    }

    func tell() throws {
        try begin("A Debian boots that knows nothing of bioauthd") {
            try boot()
            try system.root(
                "useradd --create-home --shell /bin/bash --groups sudo --password '\(KnownPassword.crypted)' \(Story.person)"
            )
        }
        let before = try stacks()
        try begin("The package is installed: its services run, and PAM is as it was") {
            try install("now", as: nil)
            try require(try stacks() == before, "the installation has changed PAM")
            try lookAround()
        }
        try begin("An administrator turns it on") {
            try system.root("bioauthctl setup && bioauthctl setup --apply")
            let stack = try system.root(
                "grep -v '^#' /etc/pam.d/common-auth | grep . | sed 's/[[:space:]]\\+/ /g; s/ $//'")
            try require(stack == Story.stack, "common-auth is\n\(stack)")
        }

        try begin("After a boot login wants the password, and asks for no finger") { try logInByPassword() }
        try begin("The person enrols a finger with their password") { try enroll() }
        try begin("... and logs in again by touch alone") {
            try logOut()
            try logInByFinger()
        }
        try begin("sudo is answered by touch") { try sudoByFinger() }
        try begin("... or by the password, typed where the finger is asked for") {
            console.type("sudo -k id -u\n")
            try console.expect(Story.fingerPrompt)
            try answerPassword("\n0\r\n")
            try console.expect(Story.shellPrompt)
        }
        try begin("The doctor finds that a touch works") { try examine(expecting: 0) }
        try begin("A daemon that hangs is started anew, and so is one that is killed again and again") {
            try surviveTrouble()
            try sudoByFinger()
        }
        try begin("The machine sleeps while a sudo waits: the reader is closed before, and asks afresh after") {
            try letSleep()
            try sleep()
        }
        try begin("A reader that hangs for good has the daemon started anew") {
            try hang()
            try sudoByFinger()
        }
        try begin("A stranger locks the finger out") { try lockOut() }
        try begin("... which the doctor finds, too") { try examine(expecting: 1) }
        try begin("... also after a reboot: login wants the password, which clears the lockout") {
            try system.root("systemctl reboot")
            try system.waitForEnd(isReboot: true)
            try boot()
            try require(try mismatches() == 5, "the mismatches are forgotten")
            try logInByPassword()
            try require(try eventually { try mismatches() == 0 }, "the password has cleared nothing")
            try sudoByFinger()
        }

        try begin("The package is upgraded while a sudo waits for the finger: that goes on to the password") {
            console.type("sudo -k id -u\n")
            try console.expect(Story.fingerPrompt)
            let (sockets, daemon) = (try socketsBegan(), try daemonPID())
            try install("later", as: "+later")
            try require(try daemonPID() != daemon, "the old daemon runs on")
            try require(try socketsBegan() == sockets, "the sockets were closed meanwhile")
            try console.expect("assword")
            try answerPassword("\n0\r\n")
            try console.expect(Story.shellPrompt)
            try sudoByFinger()
        }
        try begin("It isn't removed while PAM has a line of it in a place that isn't its to change") {
            try refuseToRemove()
        }
        try begin("It is removed, with a line that somebody wrote by hand: PAM is as it was, and the password logs in")
        {
            try system.root("sed -i '1i \(Story.foreignLine)' /etc/pam.d/su")
            try system.root("apt-get remove -y bioauthd")
            try require(try stacks() == before, "PAM is not as it was")
            try require(try modulesLines().isEmpty, "PAM still names the module")
            try require(try !system.root("ls /var/lib/bioauthd/prints").isEmpty, "the prints are gone already")
            try logOut()
            try logInByPassword()
            console.type("sudo -k id -u\n")
            try console.expect("assword")
            try answerPassword("\n0\r\n")
            try console.expect(Story.shellPrompt)
        }
        try begin("It is purged: nothing is left") {
            try system.root("apt-get purge -y bioauthd")
            let left = try system.root(
                "find / -xdev -name '*bioauth*' ! -path '/proc/*' ! -path '*/bioauthd.service.d' ! -path '/var/log/*'")
            try require(left.isEmpty, "these are left:\n\(left)")
            try system.root("systemctl poweroff")
            try system.waitForEnd(isReboot: false)
        }
        say("Everything went as it should.")
    }

    /// The console, and the journal where it can still be had.
    var whatHappened: String {
        func told(_ command: String) -> String { (try? running?.attempt(command))?.text ?? "" }
        let decisions = "-o json --output-fields=MESSAGE,BIOAUTH_SERVICE,BIOAUTH_OUTCOME,BIOAUTH_CAUSE,BIOAUTH_SESSION"
        return """
            The console:
            \(running?.console.output.suffix(4000) ?? "")
            The journal:
            \(told("journalctl -b --no-pager -n 60"))
            bioauthd's decisions:
            \(told("journalctl -b --no-pager -n 20 -t bioauthd \(decisions) | sed 's/\"__[^,]*,//g'"))
            """
    }

    // MARK: The system

    var system: BootedSystem { running! }
    var console: InteractiveProgram { system.console }

    private func begin(_ what: String, _ step: () throws -> Void) throws {
        say(what)
        try step()
    }

    private func boot() throws { running = try BootedSystem(root: root, shared: shared) }

    private func install(_ package: String, as suffix: String?) throws {
        try system.root("apt-get install -y /packages/\(package).deb")
        let version = try system.root("dpkg-query -W -f '${Version}' bioauthd")
        try require(suffix.map(version.hasSuffix) ?? true, "version \(version) is installed")
        for unit in ["bioauthd.service", "bioauthd.socket", "bioauth-password.socket"] {
            try system.root("systemctl is-active \(unit) && systemctl is-enabled \(unit)")
        }
    }

    private func lookAround() throws {
        for (path, expected) in [
            ("/run/bioauthd", "755 root:root"), ("/run/bioauthd/bioauthd.sock", "666 root:root"),
            ("/run/bioauthd/password.sock", "666 root:root"), ("/var/lib/bioauthd", "700 root:root"),
        ] {
            let found = try system.root("stat -c '%a %U:%G' \(path)")
            try require(found == expected + "\n", "\(path) is \(found)")
        }
        try system.root(
            "systemctl stop bioauthd.service bioauthd.socket bioauth-password.socket; test -d /run/bioauthd")
        try system.root("systemctl start bioauthd.socket bioauth-password.socket bioauthd.service")
        // What the daemon sees of the system's files, and that it is there to be seen at all.
        let view = "/proc/$(systemctl show -P MainPID bioauthd)/root"
        try system.root(
            "ls \(view)/etc/bioauthd/bioauthd.conf \(view)/run/dbus/system_bus_socket \(view)/run/systemd/sessions")
        try system.root("! ls \(view)/etc/shadow \(view)/run/systemd/private 2>&1")
        try system.root("systemctl reload bioauthd")
        try require(
            try eventually { try system.root("journalctl -u bioauthd").contains("The configuration was read again") },
            "the configuration wasn't read again")
        try system.root("test \"$(bioauthctl status --json | grep -o '\"reader\":[^,]*')\"")
        try require(try system.root("journalctl -u bioauthd").contains("serves"), "the daemon's journal is empty")
    }

    private func surviveTrouble() throws {
        // A watchdog that is as patient as the shipped one, but for its time.
        let own = "/run/systemd/system/bioauthd.service.d"
        try system.root("mkdir -p \(own) && printf '[Service]\\nWatchdogSec=2\\n' > \(own)/watchdog.conf")
        try system.root("systemctl daemon-reload && systemctl restart bioauthd")
        // More often than systemd would start a service that says nothing about it.
        for signal in ["STOP", "KILL", "KILL", "KILL", "KILL", "KILL", "KILL"] {
            let before = try daemonPID()
            try system.root("kill -\(signal) \(before)")
            let isBack = try eventually(within: .seconds(60)) {
                let now = try daemonPID()
                let isActive = try system.attempt("systemctl is-active bioauthd").status == 0
                return isActive && now != before
            }
            try require(isBack, "after SIG\(signal) the daemon didn't come back")
        }
        try system.root("rm -r \(own) && systemctl daemon-reload && systemctl restart bioauthd")
    }

    /// What `pam-auth-update` makes of the profiles.
    private static let stack = """
        auth [success=2 conv_err=die abort=die auth_err=die default=ignore] pam_bioauth.so
        auth [success=1 default=ignore] pam_unix.so nullok try_first_pass
        auth requisite pam_deny.so
        auth required pam_permit.so
        auth optional pam_bioauth.so report

        """

    private func modulesLines() throws -> String {
        try system.root("grep -rn '^[^#]*pam_bioauth' /etc/pam.conf /etc/pam.d || true")
    }

    func daemonPID() throws -> String { try system.root("systemctl show --value -p MainPID bioauthd.service") }

    private func socketsBegan() throws -> String {
        try system.root(
            "systemctl show --value -p ActiveEnterTimestampMonotonic bioauthd.socket bioauth-password.socket")
    }

    private func refuseToRemove() throws {
        try system.root(
            "mv /etc/pam.d/su /etc/su && ln -s ../su /etc/pam.d/su && sed -i '1i \(Story.foreignLine)' /etc/su")
        let (status, text) = try system.attempt("apt-get remove -y bioauthd")
        try require(status != 0 && text.contains("/etc/pam.d/su:1:\(Story.foreignLine)"), "it was removed:\n\(text)")
        try system.root("dpkg --verify bioauthd && systemctl is-active bioauthd.service bioauthd.socket")
        try system.root("sed -i 1d /etc/su && mv /etc/su /etc/pam.d/su")
        try system.root("bioauthctl setup --apply")
        try sudoByFinger()
    }

    private static let foreignLine = "auth sufficient pam_bioauth.so"

    private func stacks() throws -> String { try system.root("cat $(ls -d /etc/pam.d/* | grep -v bioauth-password)") }

    // MARK: The person

    private func logInByPassword() throws {
        console.type(Story.person + "\n")
        try console.expect("assword")
        try answerPassword(Story.shellPrompt)
    }

    func answerPassword(_ answer: String) throws {
        // Keys that come before the terminal is set for them would be thrown away.
        try require(eventually { !console.echoes }, "the password is shown")
        console.type(KnownPassword.text + "\n")
        try console.expect(answer)
    }

    private func logOut() throws {
        console.type("exit\n")
        try console.expect(BootedSystem.loginPrompt)
    }

    private func logInByFinger() throws {
        console.type(Story.person + "\n")
        try console.expect(Story.fingerPrompt)
        try touch(Story.own)
        try console.expect(Story.shellPrompt)
    }

    private func enroll() throws {
        console.type("bioauthctl enroll --finger right-index\n")
        try console.expect("Password of \(Story.person): ")
        try answerPassword("Stage")
        for _ in 1...5 { try touch(Story.own) }
        try console.expect("Enrolled")
        try console.expect(Story.shellPrompt)
    }

    private func sudoByFinger() throws {
        console.type("sudo -k id -u\n")
        try console.expect(Story.fingerPrompt)
        try touch(Story.own)
        try console.expect("\n0\r\n")
        try console.expect(Story.shellPrompt)
    }

    private func examine(expecting status: Int) throws {
        console.type("bioauthctl doctor; echo \"The doctor ends with $?.\"\n")
        try console.expect("The doctor ends with \(status).")
        try console.expect(Story.shellPrompt)
    }

    /// Five mismatches in a row: three in one sudo, two in the next.
    private func lockOut() throws {
        for strangers in [[3, 4, 5], [6, 7]] {
            console.type("sudo -k id -u\n")
            try console.expect(Story.fingerPrompt)
            for (place, stranger) in strangers.enumerated() {
                try touch(stranger)
                try console.expect(place < strangers.count - 1 ? "Not recognised" : "Too many")
            }
            try leavePasswordPrompt()
        }
        try require(try mismatches() == 5, "there should be 5 mismatches")
        console.type("sudo -k id -u\n")
        try console.expect("rests for")
        try leavePasswordPrompt()
    }

    private func leavePasswordPrompt() throws {
        try console.expect("[sudo] password for \(Story.person): ")
        try require(eventually { !console.echoes }, "the password would be shown")
        // ^D, which waits for sudo; a ^C just before it reads would be forgotten.
        console.type("\u{4}")
        try console.expect(Story.shellPrompt)
    }

    func touch(_ finger: Int) throws {
        impression += 1
        try reader.touch(SyntheticFinger(number: finger).impression(impression))
    }

    private func mismatches() throws -> Int {
        let status = try system.root("bioauthctl status --user \(Story.person)")
        let line = status.split(separator: "\n").first { $0.hasPrefix("Mismatches in a row: ") }
        return line.flatMap { Int($0.split(separator: " ").last!) } ?? -1
    }
}
