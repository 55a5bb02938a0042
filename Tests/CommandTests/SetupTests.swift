import Foundation
import TestSupport
import Testing

/// `bioauthctl setup` on systems below directories of their own.
@Suite("Setup") struct SetupTests {
    @Test("It shows the exact change, and changes nothing unless told to")
    func shows() throws {
        let system = try System()
        let shown = try system.setup()
        #expect(shown.status == 0)
        #expect(
            shown.output.hasPrefix(
                """
                --- \(system.directory.path)/etc/pam.d/sudo
                +++ \(system.directory.path)/etc/pam.d/sudo
                @@ -1,4 +1,6 @@
                 #%PAM-1.0
                \u{20}
                +\(System.finger) @include common-auth
                +\(System.report) @include common-account

                """))
        #expect(shown.output.contains("Nothing has been changed."))
        #expect(try system.text("sudo") == System.sudo)
        #expect(!FileManager.default.fileExists(atPath: system.directory.file("var")))
    }

    @Test("It applies it, once, and undoes it byte for byte")
    func roundTrip() throws {
        let system = try System()
        try system.write(System.sudo, to: "sudo", mode: 0o640)
        let done = try system.setup("--apply")
        #expect(done.status == 0)
        #expect(done.output.contains("Keep a root shell open"))
        #expect(try system.text("sudo") == System.wiredSudo)
        #expect(try Tree.mode(of: system.directory.file("etc/pam.d/sudo")) == 0o640)
        #expect(try Tree.mode(of: system.directory.file("var/lib/bioauthd/pam")) == 0o700)

        let again = try system.setup("--apply")
        #expect(again.status == 0 && again.output.contains("There is nothing to do."))

        #expect(try system.setup("--undo").output.contains("-\(System.finger)"))
        #expect(try system.text("sudo") == System.wiredSudo)
        #expect(try system.setup("--undo", "--apply").status == 0)
        #expect(try system.text("sudo") == System.sudo)
        #expect(try Tree.mode(of: system.directory.file("etc/pam.d/sudo")) == 0o640)
        #expect(try system.names == ["common-account", "common-auth", "sudo"])

        let nothing = try system.setup("--undo", "--apply")
        #expect(nothing.status == 0 && nothing.output == "There is no line to take out.\n")
    }

    @Test("From a file that was changed meanwhile it takes just our lines, and never puts an old copy over it")
    func changedMeanwhile() throws {
        let system = try System()
        #expect(try system.setup("--apply").status == 0)
        try system.write(System.wiredSudo + "auth optional pam_group.so\n", to: "sudo")
        #expect(try system.setup("--undo", "--apply").status == 0)
        #expect(try system.text("sudo") == System.sudo + "auth optional pam_group.so\n")
        // What was kept is of no use any more: it must not come back later.
        #expect(try system.setup("--apply").status == 0)
        #expect(try system.setup("--undo", "--apply").status == 0)
        #expect(try system.text("sudo") == System.sudo + "auth optional pam_group.so\n")
    }

    @Test("What a package put there instead stays")
    func replacedMeanwhile() throws {
        let system = try System()
        #expect(try system.setup("--apply").status == 0)
        try system.write("@include common-auth\n", to: "sudo")
        #expect(try system.setup("--undo", "--apply").output == "There is no line to take out.\n")
        #expect(try system.text("sudo") == "@include common-auth\n")
    }

    @Test("Lines written by hand go, too")
    func byHand() throws {
        let text = "auth sufficient pam_bioauth.so timeout=5\nauth required pam_unix.so\n"
        let system = try System(["sudo": text, "other": "auth required pam_deny.so\n"])
        #expect(try system.setup("--undo", "--apply").status == 0)
        #expect(try system.text("sudo") == "auth required pam_unix.so\n")
    }

    @Test("A line that was there before setup goes as well")
    func oneByHand() throws {
        let text = "\(System.finger)auth required pam_unix.so\n"
        let system = try System(["sudo": text])
        #expect(try system.setup("--apply").status == 0)
        #expect(try system.text("sudo") == text + System.report)
        #expect(try system.setup("--undo", "--apply").status == 0)
        #expect(try system.text("sudo") == "auth required pam_unix.so\n")
    }

    @Test(
        "Ended at whatever moment, it leaves each file whole, and what it did can be undone",
        arguments: [SIGINT, SIGKILL])
    func ended(signal: Int32) throws {
        let services = ["sudo", "su", "login", "doas", "polkit-1", "vlock"]
        let system = try System(Dictionary(uniqueKeysWithValues: services.map { ($0, System.sudo) }))
        for delay in stride(from: 0, to: 60, by: 4) {
            let program = try RunningProgram(Command.path, ["setup", "--root", system.directory.path, "--apply"])
            // From before it begins to after its end: whenever it comes, what follows must hold.
            _ = poll(nil, 0, Int32(delay))
            program.send(signal)
            try program.wait()
            for service in services { #expect([System.sudo, System.wiredSudo].contains(try system.text(service))) }
            #expect(try system.setup("--undo", "--apply").status == 0)
            for service in services { #expect(try system.text(service) == System.sudo) }
        }
        // What a killed one was writing at that moment may be left beside the file, under a name that no program has.
        let named = try system.names.filter { !$0.contains(".") }
        #expect(named == (services + ["common-account", "common-auth"]).sorted())
    }

    @Test("A package's own file is left alone: the one that counts instead comes and goes")
    func vendorsFile() throws {
        let system = try System([:])
        try system.directory.write(System.sudo, to: "usr/lib/pam.d/polkit-1")
        #expect(try system.setup("--apply").status == 0)
        #expect(try system.text("polkit-1") == System.wiredSudo)
        #expect(
            try String(contentsOfFile: system.directory.file("usr/lib/pam.d/polkit-1"), encoding: .utf8) == System.sudo)
        #expect(try system.setup("--undo", "--apply").status == 0)
        #expect(try system.names == ["common-account", "common-auth"])
    }

    @Test(
        "A service that can't have it is told, and then nothing at all is done",
        arguments: [
            ("sshd", "senseless"), ("frobnicate", "notListed"), ("su", "noFile"), ("doas", "noPassword"),
            ("vlock", "noPlace"), ("i3lock", "link"), ("swaylock", "unreadable"), ("login", "flawed"),
        ])
    func refused(service: String, reason: String) throws {
        let system = try System()
        try system.write(System.sudo, to: "sshd")
        try system.write("auth required pam_permit.so\n", to: "doas")
        try system.write("auth sufficient pam_unix.so\nauth required pam_deny.so\n", to: "vlock")
        try system.write("auth required pam_unix.so \\", to: "swaylock")
        try system.write("auth required pam_bioauth.so\nauth required pam_unix.so\n", to: "login")
        try FileManager.default.createSymbolicLink(
            atPath: system.directory.file("etc/pam.d/i3lock"), withDestinationPath: "sudo")
        let result = try system.setup("--apply", "--json", "--service", "sudo", "--service", service)
        #expect(result.status == 1)
        let refusals = try #require(try result.json["refused"] as? [[String: Any]])
        #expect(refusals.map { $0["service"] as? String } == [service])
        #expect(refusals.map { $0["reason"] as? String } == [reason])
        #expect(try system.text("sudo") == System.sudo)
    }

    @Test("Links that lead nowhere, in a circle, or to a directory are no services, and in nobody's way")
    func strayLinks() throws {
        let system = try System()
        for (name, target) in [("nowhere", "nothing"), ("circle", "circle"), ("directory", "..")] {
            try FileManager.default.createSymbolicLink(
                atPath: system.directory.file("etc/pam.d/\(name)"), withDestinationPath: target)
        }
        #expect(try system.setup("--apply").status == 0)
        #expect(try system.text("sudo") == System.wiredSudo)
        #expect(try system.setup("--undo", "--apply").status == 0)
        #expect(try system.text("sudo") == System.sudo)
    }

    @Test("What would do it is told whole")
    func command() throws {
        let system = try System()
        let shown = try system.setup("--service", "sudo")
        #expect(
            shown.output.hasSuffix(
                "Nothing has been changed. To do it: sudo bioauthctl setup --root \(system.directory.path) --service sudo --apply\n"
            ))
    }

    @Test("Where there is no system nothing is said to be done, and where there are no PAM files neither")
    func noSystem() throws {
        let system = try System()
        let nowhere = try Command().run("setup", "--undo", "--apply", "--root", system.directory.file("nowhere"))
        #expect(nowhere.status == 1 && nowhere.errors.contains("There is no such directory: "))
        let bare = try Command().run("setup", "--undo", "--apply", "--root", system.directory.file("usr"))
        #expect(bare.status == 1 && bare.errors.contains("PAM's files can't be read: "))
    }

    @Test("Another system's files aren't changed where a link leads out of it, or where others may put one")
    func foreignTree() throws {
        let (system, other) = (try System(), try System())
        let directory = system.directory.file("etc/pam.d")
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory)
        #expect(try system.setup("--apply").errors.contains("\(directory) is a link, or others may write there"))
        #expect(try system.text("sudo") == System.sudo)
        try FileManager.default.removeItem(atPath: directory)
        try FileManager.default.createSymbolicLink(
            atPath: directory, withDestinationPath: other.directory.file("etc/pam.d"))
        let result = try system.setup("--apply")
        #expect(result.status == 1 && result.errors.contains("\(directory) is a link, or others may write there"))
        #expect(try other.text("sudo") == System.sudo)
    }

    @Test("A service whose lines are in a file that it includes is told how else to switch it off")
    func included() throws {
        let system = try System()
        try system.write(System.wiredSudo.replacing("common-auth", with: "base"), to: "su")
        try system.write("auth required pam_unix.so\n", to: "base")
        try system.write("auth include su\n", to: "su-l")
        let result = try system.setup("--undo", "--apply", "--service", "su-l")
        #expect(result.status == 1)
        #expect(result.output.contains("su-l: the lines are in su, which it includes."))
        #expect(result.output.contains("su-l=off"))
    }

    @Test("A line of ours that can't be taken out makes it fail")
    func linesLeft() throws {
        let system = try System()
        try system.directory.write(System.wiredSudo, to: "etc/elsewhere")
        try FileManager.default.createSymbolicLink(
            atPath: system.directory.file("etc/pam.d/su"), withDestinationPath: "../elsewhere")
        let result = try system.setup("--undo", "--apply")
        #expect(result.status == 1)
        #expect(result.output.contains("su: it is a link to ../elsewhere"))
    }

    @Test("Without the module no line is put in, and lines are taken out all the same")
    func noModule() throws {
        let system = try System()
        #expect(try system.setup("--apply").status == 0)
        try FileManager.default.removeItem(atPath: system.directory.file("usr/lib/security/pam_bioauth.so"))
        #expect(try system.setup("--undo", "--apply").status == 0)
        #expect(try system.text("sudo") == System.sudo)
        let result = try system.setup("--apply")
        #expect(result.status == 1 && result.output.contains("pam_bioauth.so: the PAM module is not installed."))
        #expect(try system.text("sudo") == System.sudo)
    }

    @Test("Two runs at once: the second changes nothing")
    func twoAtOnce() throws {
        let system = try System()
        #expect(try system.setup("--apply", "--service", "sudo").status == 0)
        let lock = open(system.directory.file("var/lib/bioauthd/pam/lock"), O_RDWR | O_CLOEXEC)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        let result = try system.setup("--undo", "--apply")
        #expect(result.status == 3 && result.errors.contains("Another bioauthctl setup is running."))
        #expect(try system.text("sudo") == System.wiredSudo)
    }

    @Test("Who isn't root may look, and change nothing", .enabled(if: isRoot, "needs root, to be somebody else"))
    func notRoot() throws {
        let system = try System()
        let nobody = try Command.byNobody(socketPath: nil, in: system.directory)
        #expect(try system.setup(by: nobody).output.contains("+\(System.finger)"))
        let result = try system.setup("--apply", by: nobody)
        #expect(result.status == 1 && result.errors.hasPrefix("bioauthctl: "))
        #expect(try system.text("sudo") == System.sudo)
    }

    @Test("On a full disk each file stays whole", .enabled(if: isRoot, "needs root, to mount one"))
    func fullDisk() throws {
        let system = try System()
        let script = """
            mount -t tmpfs -o size=16k,mode=0755 none "$0/etc" && mkdir "$0/etc/pam.d" && cp "$0/seed"/* "$0/etc/pam.d"
            cat /dev/zero > "$0/etc/filler"
            "$@"; echo "status $?"; cat "$0/etc/pam.d/sudo"; ls "$0/etc/pam.d"
            """
        try FileManager.default.moveItem(
            atPath: system.directory.file("etc/pam.d"), toPath: system.directory.file("seed"))
        let run = try RunningProgram.run(
            "/usr/bin/unshare",
            [
                "--mount", "sh", "-c", script, system.directory.path, Command.path, "setup", "--root",
                system.directory.path,
            ]
                + ["--apply"], environment: ["LC_ALL": "C.UTF-8", "LANGUAGE": ""])
        #expect(run.text.contains("No space left on device"))
        #expect(run.text.hasSuffix("status 1\n\(System.sudo)common-account\ncommon-auth\nsudo\n"))
    }
}
