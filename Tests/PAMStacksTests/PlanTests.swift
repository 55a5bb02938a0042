import Testing

@testable import PAMStacks

@Suite struct PlanTests {
    static let services = ["sudo", "sudo-i", "su", "su-l", "login", "polkit-1", "swaylock", "lightdm", "sddm"]

    /// The services that a system has, each alone.
    static let each: [(TestSystem, String)] = TestSystem.all.flatMap { system in
        services.filter { system.texts[$0] != nil }.map { (system, $0) }
    }

    @Test(arguments: each)
    func `a usual stack gets both lines, and they do what they are for`(system: TestSystem, service: String) throws {
        let files = system.files
        let changed = try #require(try Plan.wire(service, in: files))
        let wiring = Wiring(Stack(of: service, in: files.with(changed, as: service)))
        #expect(wiring.flaws.isEmpty)
        #expect(wiring.fingerLines == 1 && wiring.reportLines == 1)
        // Nothing of what was there is gone, but for an include that becomes a substack.
        let (old, new) = (files[service]!.lines.map(Array.init), changed.lines.map(Array.init))
        #expect(new.count == old.count + 2)
        let added = new.filter { !old.contains($0) }.map { String(decoding: $0, as: UTF8.self) }
        #expect(added.contains(Plan.fingerLine + "\n") && added.contains(Plan.reportLine + "\n"))
        #expect(added.count == 2 || added.count == 3 && added.contains { $0.contains("substack") })
        // Once is enough.
        #expect(try Plan.wire(service, in: files.with(changed, as: service)) == nil)
    }

    @Test(arguments: each)
    func `taking the lines out leaves what was there`(system: TestSystem, service: String) throws {
        let files = system.files
        let wired = files.with(try #require(try Plan.wire(service, in: files)), as: service)
        let bare = try #require(try Plan.unwire(service, in: wired))
        let text = String(decoding: bare.bytes, as: UTF8.self)
        #expect(
            text.replacing("substack", with: "include") == system.texts[service]!.replacing("substack", with: "include")
        )
        #expect(try Plan.unwire(service, in: files.with(bare, as: service)) == nil)
    }

    @Test func `the lines stand around the password`() throws {
        func wired(_ system: TestSystem, _ service: String) throws -> String {
            String(decoding: try #require(try Plan.wire(service, in: system.files)).bytes, as: UTF8.self)
        }
        let (finger, report) = (Plan.fingerLine, Plan.reportLine)
        #expect(
            try wired(.debian, "sudo-i")
                == "#%PAM-1.0\n\(finger)\n@include common-auth\n\(report)\n@include common-account\n@include common-session\n"
        )
        // `sufficient` would end the whole stack: as a substack it ends only that.
        #expect(
            try wired(.fedora, "polkit-1")
                == "#%PAM-1.0\n\n\(finger)\nauth       substack      system-auth\n\(report)\naccount    include      system-auth\n"
        )
        #expect(
            try wired(.arch, "sudo")
                == "#%PAM-1.0\n\(finger)\nauth\t\tinclude\t\tsystem-auth\n\(report)\naccount\t\tinclude\t\tsystem-auth\n"
        )
        #expect(try wired(.arch, "su-l").hasSuffix("pam_rootok.so\n\(finger)\nauth required pam_unix.so\n\(report)\n"))
    }

    @Test func `where the password module fails the stack by dying, no wrong password is handed on`() throws {
        for (system, service) in PlanTests.each
        where [TestSystem.debian, .debianWithDirectory, .arch].contains(where: {
            $0.description == system.description
        }) {
            let changed = try #require(try Plan.wire(service, in: system.files))
            let wiring = Wiring(Stack(of: service, in: system.files.with(changed, as: service)))
            #expect(
                wiring.reportsWrongPasswords
                    == (system.description == "Arch" && service.hasPrefix("su") && service != "sudo"))
        }
    }

    private func wire(_ text: String, _ others: [String: String] = [:]) throws -> String? {
        let files = others.merging(["test": text]) { $1 }.mapValues { ServiceFile(Array($0.utf8)) }
        return try Plan.wire("test", in: files).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test func `a jump lands where it did`() throws {
        let text = """
            auth  [success=3 default=ignore]  pam_succeed_if.so user = guest
            auth  [success=1 new_authtok_reqd=1 default=bad]  pam_unix.so
            auth  [default=die]  pam_faillock.so authfail
            auth  optional  pam_permit.so
            auth  required  pam_env.so

            """
        #expect(
            try wire(text) == """
                auth  [success=5 default=ignore]  pam_succeed_if.so user = guest
                \(Plan.fingerLine)
                auth  [success=1 new_authtok_reqd=1 default=bad]  pam_unix.so
                auth  [default=die]  pam_faillock.so authfail
                \(Plan.reportLine)
                auth  optional  pam_permit.so
                auth  required  pam_env.so

                """)
    }

    @Test func `a jump over a line of ours alone becomes none`() throws {
        let text =
            "auth [success=1 default=2] pam_x.so\n\(Plan.fingerLine)\nauth required pam_unix.so\nauth required pam_y.so\n"
        let files = ["test": ServiceFile(Array(text.utf8))]
        let bare = try #require(try Plan.unwire("test", in: files))
        #expect(
            String(decoding: bare.bytes, as: UTF8.self)
                == "auth [success=ignore default=1] pam_x.so\nauth required pam_unix.so\nauth required pam_y.so\n")
    }

    @Test func `a jump out of an included file over the place is not mended`() {
        #expect(throws: Plan.Objection.noPlace) {
            try wire(
                "auth include jump\nauth required pam_unix.so\nauth required pam_env.so\n",
                ["jump": "auth [success=1 default=ignore] pam_x.so\n"])
        }
    }

    @Test func `a file without a newline at its end gets one where it is needed`() throws {
        #expect(
            try wire("auth required pam_unix.so")
                == "\(Plan.fingerLine)\nauth required pam_unix.so\n\(Plan.reportLine)\n")
    }

    @Test func `what has one of the lines gets the other`() throws {
        let both = "\(Plan.fingerLine)\nauth required pam_unix.so\n\(Plan.reportLine)\n"
        #expect(try wire("\(Plan.fingerLine)\nauth required pam_unix.so\n") == both)
        #expect(try wire("auth required pam_unix.so\n\(Plan.reportLine)\n") == both)
        #expect(try wire(both) == nil)
    }

    @Test(arguments: [
        // It would let nobody in, or not with this password.
        ("auth required pam_deny.so\n", Plan.Objection.noPassword), ("", .noPassword),
        ("auth sufficient pam_rootok.so\nauth required pam_permit.so\n", .noPassword),
        ("auth required pam_unix.so\nauth required pam_deny.so\n", .noPassword),
        // The password module ends it: there is no place after it.
        ("auth sufficient pam_unix.so\nauth required pam_deny.so\n", .noPlace),
        ("auth [success=done default=die] pam_unix.so\n", .noPlace),
        // Lines of ours that are there already and wrong.
        (
            "auth required pam_bioauth.so\nauth required pam_unix.so\n",
            .flawed([.fingerBarsPassword, .fingerDoesNotLetIn])
        ),
        (
            "auth requisite pam_bioauth.so\nauth required pam_unix.so\n",
            .flawed([.fingerBarsPassword, .fingerDoesNotLetIn])
        ),
        ("auth optional pam_bioauth.so\nauth required pam_unix.so\n", .flawed([.fingerDoesNotLetIn])),
        (
            "auth sufficient pam_bioauth.so\nauth sufficient pam_bioauth.so\nauth required pam_unix.so\n",
            .flawed([.fingerTwice])
        ),
        (
            "auth sufficient pam_unix.so\nauth optional pam_bioauth.so report\nauth required pam_deny.so\n",
            .flawed([.reportMissed])
        ),
        // Nothing can be said of it.
        ("auth required pam_unix.so \\", .unreadable), ("@include nothing\nauth required pam_unix.so\n", .unreadable),
        ("auth required pam_unix.so\0\n", .unreadable),
        ("@include test\n", .unreadable),
    ])
    func `what can't be done well isn't done`(text: String, objection: Plan.Objection) {
        #expect(throws: objection) { try wire(text) }
    }

    @Test(arguments: ["", "# empty\n", "account required pam_unix.so\n", "@include nothing-for-auth\n"])
    func `a file without a line for authentication gets none, for those of other count`(text: String) {
        let others = [
            "other": "auth required pam_env.so\nauth required pam_unix.so\n",
            "nothing-for-auth": "account required x.so\n",
        ]
        #expect(throws: Plan.Objection.noLines) { try wire(text, others) }
    }

    @Test func `a service that includes another isn't made to ask twice`() throws {
        let both = "\(Plan.fingerLine)\nauth include su\n\(Plan.reportLine)\n"
        let files = ["su": "auth required pam_unix.so\n", "su-l": both].mapValues { ServiceFile(Array($0.utf8)) }
        #expect(throws: Plan.Objection.askedTwice(service: "su-l")) { try Plan.wire("su", in: files) }
    }

    @Test func `a line counts that an include brings`() throws {
        let files = TestSystem.debian.files
        let wired = files.with(try #require(try Plan.wire("login", in: files)), as: "login")
        #expect(try Plan.wire("swaylock", in: wired) == nil)
    }

    @Test func `others that include the file must stay what they are`() throws {
        // The jump counts the lines of the file that it includes.
        let files = [
            "su": "auth required pam_unix.so\n",
            "jumper": "auth [success=1 default=ignore] pam_x.so\nauth include su\nauth required pam_env.so\n",
        ].mapValues { ServiceFile(Array($0.utf8)) }
        #expect(throws: Plan.Objection.changes(service: "jumper")) { try Plan.wire("su", in: files) }
    }
}

extension Plan.Objection: CustomTestStringConvertible {
    public var testDescription: String { "\(self)" }
}
