import BioauthCore
import Foundation
import TestSupport
import Testing

/// sshd on the loopback of a network of its own: nobody at its other end can touch anything.
@Suite(.enabled(if: isRoot, "mounts, networks, and programs that change their user, take root"))
struct RemoteTests {
    /// Debian's package, unpacked and not installed.
    private static let server = Built.package + "/build/openssh-server"

    @Test(arguments: ["keyboard-interactive", "password"], [nil, "[services]\nsshd=login\n"])
    func `sshd asks for the password alone, whatever the configuration says`(
        method: String, configuration: String?
    ) throws {
        let machine = try Machine(configuration: configuration)
        let key = machine.directory.file("host-key")
        try FileManager.default.copyItem(
            atPath: RemoteTests.server + "/etc/pam.d/sshd", toPath: machine.directory.file("etc/pam.d/sshd"))
        let steps = [
            "mkdir /run/sshd", "ip link set lo up", "ssh-keygen -q -t ed25519 -N '' -f \(key)",
            "\(RemoteTests.server)/usr/sbin/sshd -f /dev/null -h \(key) -p 2222 -o UsePAM=yes -o KbdInteractiveAuthentication=yes "
                + "-o PidFile=/run/sshd.pid",
            // It listens when it has written this.
            "while [ ! -s /run/sshd.pid ]; do sleep 0.01; done",
            "ssh -F /dev/null -p 2222 -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null "
                + "-o PreferredAuthentications=\(method) \(Machine.owner.name)@127.0.0.1 id -un; status=$?",
            "kill $(cat /run/sshd.pid); exit $status",
        ]
        let ssh = try machine.start(
            ["unshare", "--net", "sh", "-c", steps.joined(separator: " && ")], as: "root")
        try ssh.expect(method == "password" ? "'s password: " : "Password: ")
        ssh.type(Machine.password + "\n")
        try ssh.expect(Machine.owner.name + "\r\n")
        #expect(try ssh.wait() == 0)
        #expect(!ssh.output.contains("finger"))
        #expect(
            try machine.requests().allSatisfy { $0.contains("outcome=denied") && $0.contains("cause=remoteSession") })
    }

    @Test(arguments: ["'Remote': <true>", "'Active': <false>", "'LockedHint': <true>"])
    func `sudo in a session that is remote, or not in front, or locked, asks for the password alone`(
        change: String
    ) throws {
        let machine = try Machine(hasSession: true)
        let here = try machine.start("sudo", "-k", "id", "-un")
        try here.expectFingerPrompt()
        try machine.logind!.change(machine.session!, change)
        // The change ends what has been asked for already.
        try TerminalHost.sudo.expectQuestion(here)
        let sudo = try machine.start("sudo", "-k", "id", "-un")
        try TerminalHost.sudo.expectQuestion(sudo)
        #expect(!sudo.output.contains("finger"))
        sudo.type(Machine.password + "\n")
        #expect(try TerminalHost.sudo.expectWelcome(sudo))
    }
}
