import BioauthCore
import BioauthDaemon
import Foundation
import TestSupport
import Testing

@Suite("Configuration") struct ConfigurationTests {
    private let directory = TemporaryDirectory()
    private var file: String { directory.file("bioauthd.conf") }

    // MARK: What it takes

    @Test("Every key is read")
    func everyKey() throws {
        try directory.write(
            """
            # a comment
            [lockout]
            mismatches-per-delay = 3
            delay-seconds=60
            mismatches-until-password = 9

            [password-first]
            after-boot = false
            maximum-age-hours = 24
            [enrollment]
            one-finger-one-account = false
            [apps]
            ask-person = false
            [reader]
            keep-warm-seconds = 0
            [services]
            make = privilege
            kiosk = login
            blank = lock
            notes = app
            """, to: "bioauthd.conf")
        let settings = try Configuration.load(file)
        #expect(settings.mismatchesPerDelay == 3)
        #expect(settings.lockoutDelay == .seconds(60))
        #expect(settings.mismatchesUntilPassword == 9)
        #expect(!settings.passwordAfterBoot)
        #expect(settings.passwordMaximumAge == .seconds(24 * 3600))
        #expect(!settings.oneFingerOneAccount)
        #expect(!settings.appsAskPerson)
        #expect(settings.readerKeptWarm == .zero)
        #expect(settings.services["make"] == .privilege)
        #expect(settings.services["kiosk"] == .login)
        #expect(settings.services["blank"] == .lock)
        #expect(settings.services["notes"] == .app)
        #expect(settings.services["sudo"] == .privilege)
    }

    @Test("Where nothing is said, the defaults hold: no file, an empty one, one of comments")
    func defaults() throws {
        #expect(try Configuration.load(file) == Settings())
        try directory.write("", to: "bioauthd.conf")
        #expect(try Configuration.load(file, mustExist: true) == Settings())
        try directory.write("# [lockout]\n\n", to: "bioauthd.conf")
        #expect(try Configuration.load(file) == Settings())
    }

    @Test("A maximum age of 0 hours means any age")
    func anyAge() throws {
        try directory.write("[password-first]\nmaximum-age-hours = 0\n", to: "bioauthd.conf")
        #expect(try Configuration.load(file).passwordMaximumAge == nil)
    }

    @Test(
        "Readers are preferred in the order they are named in",
        arguments: [
            ("", []), (";", nil), (" ", []), ("elan", ["elan"]), ("elan;", ["elan"]),
            ("1-2.3; Stick of Elan ;goodix", ["1-2.3", "Stick of Elan", "goodix"]),
            ("elan;elan", nil), ("elan;;goodix", nil),
            (String(repeating: "n", count: 256), [String(repeating: "n", count: 256)]),
            (String(repeating: "n", count: 257), nil),
        ] as [(String, [String]?)])
    func preference(text: String, readers: [String]?) throws {
        try directory.write("[reader]\nprefer = \(text)\n", to: "bioauthd.conf")
        if let readers {
            #expect(try Configuration.load(file).preferredReaders == readers)
        } else {
            #expect(throws: ConfigurationError.self) { try Configuration.load(file) }
        }
    }

    @Test("A service can be switched off, and its class changed")
    func services() throws {
        try directory.write("[services]\nsudo = off\nunheard-of = off\nlogin = lock\n", to: "bioauthd.conf")
        let settings = try Configuration.load(file)
        #expect(settings.services["sudo"] == nil)
        #expect(settings.servicesOff == ["sudo", "unheard-of"])
        #expect(settings.services["login"] == .lock)
        #expect(settings.services.count == Settings.shippedServices.count - 1)
    }

    @Test("The files of the directory follow the main one in the order of their names, and override it key by key")
    func order() throws {
        try directory.write(
            "[lockout]\nmismatches-per-delay = 2\ndelay-seconds = 10\n[services]\nmake = app\n", to: "bioauthd.conf")
        try directory.write("[lockout]\ndelay-seconds = 20\n", to: "bioauthd.conf.d/10-first.conf")
        try directory.write("[lockout]\ndelay-seconds = 30\n", to: "bioauthd.conf.d/9-last.conf")
        try directory.write("[services]\nmake = off\n", to: "bioauthd.conf.d/20-services.conf")
        try directory.write("[lockout]\ndelay-seconds = 40\n", to: "bioauthd.conf.d/99-not-read.conf~")
        let settings = try Configuration.load(file)
        #expect(settings.mismatchesPerDelay == 2)
        #expect(settings.lockoutDelay == .seconds(30))
        #expect(settings.services["make"] == nil)
        try directory.write("[services]\nmake = lock\n", to: "bioauthd.conf.d/30-services.conf")
        #expect(try Configuration.load(file).servicesOff.isEmpty)
    }

    @Test("The directory is read where the main file is missing")
    func directoryAlone() throws {
        try directory.write("[lockout]\ndelay-seconds = 20\n", to: "bioauthd.conf.d/local.conf")
        #expect(try Configuration.load(file).lockoutDelay == .seconds(20))
    }

    @Test("A key that stands twice has its last value, and a group may stand twice")
    func twice() throws {
        try directory.write(
            "[lockout]\ndelay-seconds = 10\ndelay-seconds = 20\n[reader]\nkeep-warm-seconds = 1\n"
                + "[lockout]\nmismatches-per-delay = 2\n", to: "bioauthd.conf")
        let settings = try Configuration.load(file)
        #expect(settings.lockoutDelay == .seconds(20))
        #expect(settings.mismatchesPerDelay == 2)
    }

    @Test("The edges of each range are taken, and what lies beyond them is not")
    func edges() throws {
        for (group, key, range) in [
            ("lockout", "mismatches-per-delay", 1...20), ("lockout", "delay-seconds", 1...3600),
            ("password-first", "maximum-age-hours", 0...8760), ("reader", "keep-warm-seconds", 0...3600),
        ] {
            for value in [range.lowerBound, range.upperBound] {
                #expect(problems("[\(group)]\n\(key) = \(value)\n") == [], "\(key) = \(value)")
            }
            for value in ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "99999999999999999999"] {
                let takes =
                    "\(key) takes a whole number from \(range.lowerBound) to \(range.upperBound), not \"\(value)\""
                #expect(problems("[\(group)]\n\(key) = \(value)\n") == ["bioauthd.conf:2: \(takes)"])
            }
        }
    }

    // MARK: What it doesn't take

    @Test(
        "What is wrong is told with its file and its line",
        arguments: [
            ("[lockout]\ndelay-seconds = -1\n", "2: delay-seconds takes a whole number from 1 to 3600, not \"-1\""),
            ("[lockout]\ndelay-seconds = +5\n", "2: delay-seconds takes a whole number from 1 to 3600, not \"+5\""),
            ("[lockout]\ndelay-seconds = 5s\n", "2: delay-seconds takes a whole number from 1 to 3600, not \"5s\""),
            ("[lockout]\ndelay-seconds =\n", "2: delay-seconds takes a whole number from 1 to 3600, not \"\""),
            (
                "[lockout]\n\n# so long\n  delay-seconds  = ٣\n",
                "4: delay-seconds takes a whole number from 1 to 3600, not \"٣\""
            ),
            ("[password-first]\nafter-boot = yes\n", "2: after-boot takes true or false, not \"yes\""),
            ("[password-first]\nafter-boot = True\n", "2: after-boot takes true or false, not \"True\""),
            ("[lockout]\ndelay = 5\n", "2: unknown key delay in [lockout]"),
            ("[lockout]\nafter-boot = true\n", "2: unknown key after-boot in [lockout]"),
            ("\n[lock]\ndelay-seconds = 5\n", "2: unknown group [lock]"),
            ("[Lockout]\n", "1: unknown group [Lockout]"),
            ("[services]\nsudo = root\n", "2: sudo takes login, lock, privilege, app or off, not \"root\""),
            ("[services]\nsudo =\n", "2: sudo takes login, lock, privilege, app or off, not \"\""),
            ("[services]\nbioauth-password = app\n", "2: bioauth-password never gets a finger"),
            ("[services]\nbioauth-password = off\n", "2: bioauth-password never gets a finger"),
            (
                "[lockout]\ndelay-seconds = 0\ndelay-seconds = 5000\n",
                "3: delay-seconds takes a whole number from 1 to 3600, not \"5000\""
            ),
            (
                "[reader]\r\n\r\nkeep-warm-seconds = ever\r\n",
                "3: keep-warm-seconds takes a whole number from 0 to 3600, not \"ever\""
            ),
            ("[lockout]\ndelay-seconds\t= 0\n", "2: delay-seconds takes a whole number from 1 to 3600, not \"0\""),
            ("[lockout]\ndelay seconds = 1\n", "2: unknown key delay seconds in [lockout]"),
            ("[reader]\nx = 1\n[lockout]\nx = 1\n[reader]\ny = 1\n", "2: unknown key x in [reader]"),
        ])
    func wrong(_ text: String, _ problem: String) {
        #expect(problems(text).first == "bioauthd.conf:\(problem)")
    }

    @Test(
        "What isn't a key file at all is an error at its first bad line",
        arguments: [
            ("delay-seconds = 5\n", 1), ("[lockout\n", 1), ("\n# so\n[lockout]\nfive\n[services]\nsix\n", 4),
            ("[lockout]\n= 5\n", 2), ("[lockout]\ndelay-seconds = 5\n[]\n[services]\n", 3), ("[reader]\nx", 2),
        ])
    func noKeyFile(_ text: String, _ line: Int) {
        let problems = problems(text)
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("bioauthd.conf:\(line): ") ?? false, "\(problems)")
    }

    @Test("Every problem of every file is told at once")
    func allAtOnce() throws {
        try directory.write("[lockout]\ndelay = 1\n", to: "bioauthd.conf.d/a.conf")
        try directory.write("[lockout]\ndelay-seconds = none\n", to: "bioauthd.conf.d/b.conf")
        #expect(
            problems("[lockout]\nx = 1\n[surprise]\n").sorted() == [
                "a.conf:2: unknown key delay in [lockout]",
                "b.conf:2: delay-seconds takes a whole number from 1 to 3600, not \"none\"",
                "bioauthd.conf:2: unknown key x in [lockout]", "bioauthd.conf:3: unknown group [surprise]",
            ])
    }

    @Test("A lockout until the password that comes before the first delay is an error")
    func contradiction() {
        #expect(
            problems("[lockout]\nmismatches-per-delay = 5\nmismatches-until-password = 4\n") == [
                "bioauthd.conf: [lockout] mismatches-until-password is less than mismatches-per-delay"
            ])
    }

    @Test("Text that isn't UTF-8 is an error wherever it stands, with its line")
    func notUTF8() throws {
        for (bytes, line) in [
            ("[services]\n", 2), ("[services]\nsudo = ", 2), ("[lockout]\ndelay-seconds = 5\n[", 3), ("# ", 1),
        ] {
            try (Data(bytes.utf8) + [0xE9, 0x0A]).write(to: URL(filePath: file))
            #expect(problems().first == "bioauthd.conf:\(line): not UTF-8", "\(bytes)")
        }
    }

    @Test("A file that is too big is an error, and so is one that is no file")
    func tooBig() throws {
        let line = "# " + String(repeating: "x", count: 997) + "\n"
        #expect(problems(String(repeating: line, count: 1048)) == [])
        #expect(problems(String(repeating: line, count: 1049)).first?.contains("File too large") ?? false)

        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        #expect(problems().first?.contains("Is a directory") ?? false)
    }

    @Test("A file that was named must be there")
    func missing() {
        #expect(throws: ConfigurationError.self) { try Configuration.load(file, mustExist: true) }
    }

    @Test("A file that may not be read is an error, and so is such a directory", .enabled(if: isRoot, "needs root"))
    func unreadable() throws {
        try directory.write("", to: "bioauthd.conf", mode: 0)
        try directory.write("", to: "bioauthd.conf.d/a.conf", mode: 0)
        let both = try asUser(stranger) { problems() }
        #expect(both.count == 2)
        #expect(both.allSatisfy { $0.contains("Permission denied") })

        try FileManager.default.setAttributes(
            [.posixPermissions: 0], ofItemAtPath: directory.file("bioauthd.conf.d"))
        let folder = try asUser(stranger) { problems() }
        #expect(folder.count == 2)
        #expect(folder.allSatisfy { $0.contains("Permission denied") })
    }

    /// What is wrong with the text as the main file; nil: with what lies there. The directory's path is left out.
    private func problems(_ text: String? = nil) -> [String] {
        do {
            if let text { try directory.write(text, to: "bioauthd.conf") }
            _ = try Configuration.load(file)
            return []
        } catch let error as ConfigurationError {
            return error.problems.map {
                $0.description.replacing("\(directory.path)/", with: "").replacing("bioauthd.conf.d/", with: "")
            }
        } catch {
            return ["\(error)"]
        }
    }
}
