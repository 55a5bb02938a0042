import Foundation
import Glibc
import Testing

/// What the module asks the daemon, and for whom.
@Suite(.serialized) struct RequestTests {
    private let allow: @Sendable (Connection) -> Void = {
        $0.send(Datagram.allowed())
        $0.untilClosed()
    }

    @Test func requestSaysWhatTheHostSaid() throws {
        let stage = try Stage()
        let (run, received) = try stage.run(
            "timeout=7 max-tries=4", against: allow, arguments: ["--tty", "/dev/pts/9", "--rhost", "host.example"])
        expect(run, "PAM_SUCCESS")
        let request = try #require(received.first)
        #expect(request.type == 1)
        #expect(request.number(1) == 0 && request.text(2) == "root" && request.text(3) == "test")
        #expect(request.text(4) == "/dev/pts/9" && request.text(5) == "host.example")
        #expect(request.number(7) == 1 && request.number(8) == 1)
        #expect(request.number(9) == 7000 && request.number(10) == 4 && request.number(11) == 1)
        #expect(request.tags == [1, 2, 3, 4, 5, 7, 8, 9, 10, 11])
    }

    @Test func defaultsAndDisplay() throws {
        let (run, received) = try Stage().run(against: allow, arguments: ["--xdisplay", ":97"])
        expect(run, "PAM_SUCCESS")
        let request = try #require(received.first)
        #expect(request.text(4) == ":97" && request.number(9) == 30000 && request.number(10) == 3)
        #expect(!request.tags.contains(5))
    }

    @Test(arguments: ["evil\u{1b}[2J", "line\nbreak", String(repeating: "h", count: 257)])
    func remoteHostThatCannotBeSaidIsNeverLeftOut(_ host: String) throws {
        let (run, received) = try Stage().run(against: allow, arguments: ["--rhost", host])
        expect(run, "PAM_AUTHINFO_UNAVAIL")
        #expect(received.isEmpty && run.told.isEmpty)
    }

    @Test(arguments: [
        "nobody-of-that-name", "../../root", "/etc/passwd", ".", "root/..", String(repeating: "n", count: 300),
    ])
    func unknownUserIsNotAskedFor(_ user: String) throws {
        let stage = try Stage()
        let peer = try Peer(at: stage.socket, script: allow)
        defer { peer.stop() }
        let run = try stage.run(user: user)
        expect(run, "PAM_AUTHINFO_UNAVAIL")
        #expect(peer.connections == 0 && run.told.isEmpty)
        #expect(!run.log.contains(user))
    }

    @Test func userNameThatIsNotUTF8IsNotAskedFor() throws {
        let stage = try Stage()
        let peer = try Peer(at: stage.socket, script: allow)
        defer { peer.stop() }
        let run = try stage.run(user: nil, wrapper: ["sh", "-c", "exec \"$@\" --user \"$(printf 'ren\\351')\"", "sh"])
        expect(run, "PAM_AUTHINFO_UNAVAIL")
        #expect(peer.connections == 0)
    }

    @Test func userIsAskedForWhereTheHostHasNone() throws {
        let stage = try Stage()
        let peer = try Peer(at: stage.socket, script: allow)
        defer { peer.stop() }
        let run = try stage.run(user: nil, arguments: ["--answer", "root"])
        expect(run, "PAM_SUCCESS")
        #expect(peer.received.first?.text(2) == "root")
        expect(try stage.run(user: nil), "PAM_AUTHINFO_UNAVAIL")
    }

    /// Polkit's set-uid helper was given its standard input by whoever started it: what stands at the other end says
    /// nothing about whom it works for.
    @Test(.enabled(if: getuid() == 0, "another real user id takes root"), arguments: [0, 65534])
    func agentIsTheOneThatTheServiceManagerConnected(_ realUser: UInt32) throws {
        let stage = try Stage(.plain)
        let peer = try Peer(at: stage.socket, script: allow)
        defer { peer.stop() }
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        let (input, other) = (FileHandle(fileDescriptor: ends[0]), ends[1])
        defer { for end in [input.fileDescriptor, other] { close(end) } }
        let run = try stage.run(
            service: "polkit-1", wrapper: ["setpriv", "--ruid=\(realUser)"], input: input)
        expect(run, "PAM_SUCCESS")
        #expect(peer.received.first?.number(19) == (realUser == 0 ? UInt32(getpid()) : nil))
    }

    @Test(arguments: [
        "timeout=0", "timeout=301", "timeout=1s", "max-tries=11", "max_tries=3", "verbose", "password=none",
        "password=",
    ])
    func badOptionIsLoggedAndNobodyAsked(_ option: String) throws {
        let stage = try Stage()
        let peer = try Peer(at: stage.socket, script: allow)
        defer { peer.stop() }
        let run = try stage.run(option)
        expect(run, "PAM_AUTHINFO_UNAVAIL")
        #expect(peer.connections == 0 && run.told.isEmpty)
        #expect(run.log.contains("option '\(option)'"))
    }

    @Test func relativeSocketIsRefused() throws {
        let stage = try Stage()
        let line = "auth required \(try stage.build.directory())/pam_bioauth.so socket=daemon.sock"
        let run = try stage.run(stack: [line])
        expect(run, "PAM_AUTHINFO_UNAVAIL")
        #expect(run.log.contains("socket=daemon.sock"))
    }

    @Test func otherEntryPointsAskNobody() throws {
        let stage = try Stage()
        let peer = try Peer(at: stage.socket, script: allow)
        defer { peer.stop() }
        let module = try stage.module()
        let kinds = ["account", "session", "password"].map { module.replacingOccurrences(of: "auth ", with: "\($0) ") }
        let permit = ["account", "session", "password"].map { "\($0) required pam_permit.so" }
        let run = try stage.run(
            stack: [module] + kinds + permit,
            arguments: ["--calls", "authenticate,setcred,acct_mgmt,open_session,close_session,chauthtok"])
        expect(run, "PAM_SUCCESS", "PAM_SUCCESS", "PAM_SUCCESS", "PAM_SUCCESS", "PAM_SUCCESS", "PAM_SUCCESS")
        #expect(peer.connections == 1)

        // Alone they decide nothing: libpam turns a stack of ignored modules down.
        let alone = try stage.run(stack: kinds, arguments: ["--calls", "acct_mgmt,open_session,close_session"])
        expect(alone, "PAM_PERM_DENIED", "PAM_PERM_DENIED", "PAM_PERM_DENIED")
    }
}
