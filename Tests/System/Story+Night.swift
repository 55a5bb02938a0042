import TestSupport

/// What a night brings: the machine's sleep, by the word of the real logind, and a reader that hangs, before the real
/// service manager.
extension Story {
    /// A container can't sleep: its kernel is told to be able to, and the service that would have it sleep looks around
    /// instead, at the moment when nothing delays the sleep any more.
    func letSleep() throws {
        try system.root(
            """
            printf 'freeze mem\\n' > /run/states && mount --bind /run/states /sys/power/state
            own=/run/systemd/system/systemd-suspend.service.d
            mkdir -p $own && printf '[Service]\\nExecStart=\\nExecStart=/bin/sh -c "%s; %s || true"\\n' \
                'systemd-inhibit --list --no-pager > /run/inhibitors' \
                'grep -c /reader/socket /proc/net/unix > /run/open' > $own/look.conf
            systemctl daemon-reload
            """)
    }

    /// The machine sleeps for a moment while a sudo waits for the finger.
    func sleep() throws {
        try require(try eventually { try delaysSleep() }, "nothing closes the reader before the machine sleeps")
        console.type("sudo -k id -u\n")
        try console.expect(Story.fingerPrompt)
        // From here on.
        let journal = "journalctl -u bioauthd -o cat --cursor-file=/run/cursor"
        try system.root("\(journal) -n 1")
        try system.root("rm -f /run/open && systemctl suspend")
        try require(
            try eventually { try system.attempt("test -s /run/open").status == 0 }, "logind has nobody sleep")
        try require(try system.root("cat /run/open") == "0\n", "the machine slept with the reader open")
        let asleep = try system.root("cat /run/inhibitors")
        try require(!asleep.contains("bioauthd"), "the machine slept although it was delayed:\n\(asleep)")
        try console.expect(Story.fingerPrompt)
        try touch(Story.own)
        try console.expect("\n0\r\n")
        try console.expect(Story.shellPrompt)
        try require(try eventually { try delaysSleep() }, "nothing closes the reader before the next sleep")
        let told = try system.root(journal)
        let lines = told.split(separator: "\n").map { $0.prefix(while: { $0 != ":" && $0 != "(" }) }
        try require(
            lines == [
                "The machine is about to sleep", "The machine is awake ", "Reader ready", "authentication allowed",
            ],
            "the journal tells of the sleep:\n\(told)")
    }

    /// Whether logind has the machine wait for the daemon.
    private func delaysSleep() throws -> Bool {
        let list = try system.root("systemd-inhibit --list --no-legend --no-pager")
        return list.split(separator: "\n").contains { line in
            let words = line.split(separator: " ")
            return words.first == "bioauthd" && words.contains("sleep") && words.last == "delay"
        }
    }

    /// A reader that hangs, and doesn't let itself be cancelled: the daemon says so, ends, and is started anew.
    func hang() throws {
        let own = "/run/systemd/system/bioauthd.service.d"
        // Behind the one that brings in the other reader.
        try system.root(
            """
            mkdir -p \(own)
            printf '[Service]\\nEnvironment=LD_PRELOAD=/reader/hanging-reader.so\\n' > \(own)/with-hanging-reader.conf
            systemctl daemon-reload && systemctl restart bioauthd
            """)
        console.type("bioauthctl enroll --finger right-index\n")
        try console.expect("Password of \(Story.person): ")
        try answerPassword("Stage")
        let before = try daemonPID()
        try device.tell("SET_CANCELLATION_ENABLED 0")
        try device.tell("SLEEP 600000")
        console.type("\u{3}")
        try console.expect("Cancelled.")
        try console.expect(Story.shellPrompt)
        let isBack = try eventually(within: .seconds(60)) {
            let isActive = try system.attempt("systemctl is-active bioauthd").status == 0
            return try isActive && daemonPID() != before
        }
        try require(isBack, "the daemon didn't come back")
        let told = try system.root("journalctl -u bioauthd -o cat -p err _PID=\(before)")
        try require(told.hasPrefix("Reader no longer answers: Virtual device"), "the daemon didn't say why:\n\(told)")
        try require(
            try system.root("journalctl -u bioauthd -o cat -n 100").contains(
                "bioauthd.service: Main process exited, code=exited, status=1/FAILURE"),
            "the service manager saw another end")
        try system.root("rm -r \(own) && systemctl daemon-reload && systemctl restart bioauthd")
    }
}
