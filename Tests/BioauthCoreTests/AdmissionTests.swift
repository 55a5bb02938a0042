import BioauthCore
import Testing

/// Where a touch makes no sense: who is let through to the reader, from where, and why not.
@Suite struct AdmissionTests {
    static let here = Session(id: "c1", isRemote: false, isActive: true, isLocked: false)
    static let elsewhere = Session(id: "c2", isRemote: true, isActive: true, isLocked: false)
    static let behind = Session(id: "c3", isRemote: false, isActive: false, isLocked: false)
    static let locked = Session(id: "c4", isRemote: false, isActive: true, isLocked: true)
    static let lockedBehind = Session(id: "c5", isRemote: false, isActive: false, isLocked: true)

    private func obstacle(
        _ serviceClass: ServiceClass, _ origin: Origin, tty: String? = nil, remoteHost: String? = nil,
        lidShut: Bool = false, builtIn: Bool = true, inBackground: Bool = false
    ) -> Cause? {
        Admission(
            service: "sudo", tty: tty, remoteHost: remoteHost, interaction: true,
            peer: Peer(uid: 0, pid: 2, isRoot: true),
            surroundings: Surroundings(
                processGroup: 2, isInBackground: inBackground, origin: origin, isLidShut: lidShut),
            reader: .first, isReaderBuiltIn: builtIn, canCompare: true, isEnrolled: true,
            entitlement: .granted(serviceClass)
        ).obstacle(serviceClass)
    }

    /// By class: app, privilege, lock, login.
    static let origins: [(Origin, [Cause?])] = [
        (.session(here), [nil, nil, nil, nil]),
        (.session(elsewhere), [.remoteSession, .remoteSession, .remoteSession, .remoteSession]),
        (.session(behind), [.sessionInactive, .sessionInactive, .sessionInactive, .sessionInactive]),
        (.session(locked), [.sessionLocked, .sessionLocked, nil, nil]),
        (.session(lockedBehind), [.sessionInactive, .sessionInactive, .sessionInactive, .sessionInactive]),
        (.outside, [.sessionUnknown, .sessionUnknown, .sessionUnknown, .sessionUnknown]),
        (.untold, [.sessionUnknown, .sessionUnknown, .sessionUnknown, .sessionUnknown]),
        (.unmanaged, [nil, nil, nil, nil]),
    ]

    @Test(arguments: origins)
    func `each class is let through from where a touch makes sense`(origin: Origin, expected: [Cause?]) {
        #expect(ServiceClass.allCases.map { obstacle($0, origin) } == expected)
    }

    @Test(arguments: [
        ("tty1", true), ("/dev/tty7", true), ("console", true), ("/dev/console", true), ("hvc0", true),
        ("ttyS0", true), ("ttyAMA0", true), (":0", true), (":1.0", true),
        ("pts/3", false), ("/dev/pts/3", false), ("ttyp3", false), ("ssh", false), ("host:10.0", false),
        ("localhost:10", false), ("", false), ("tty", false), ("tty1/../pts/0", false), (":", false), (":0.", false),
        (":a", false), ("/dev/", false), ("consoles", false),
    ])
    func `a login without a session is let through at a terminal or display of the machine's own`(
        tty: String, isLocal: Bool
    ) {
        #expect(obstacle(.login, .outside, tty: tty) == (isLocal ? nil : .sessionUnknown))
        for other in [ServiceClass.app, .privilege, .lock] {
            #expect(obstacle(other, .outside, tty: tty) == .sessionUnknown)
        }
    }

    @Test func `a login that names a remote host is remote, whatever its terminal`() {
        for host in ["198.51.100.7", "localhost"] {
            #expect(obstacle(.login, .outside, tty: "tty1", remoteHost: host) == .remoteSession)
            #expect(obstacle(.login, .session(Self.here), tty: "tty1", remoteHost: host) == .remoteSession)
        }
        #expect(obstacle(.login, .outside, tty: "tty1", remoteHost: "") == nil)
    }

    @Test func `a locker may call its host localhost`() {
        #expect(obstacle(.lock, .session(Self.here), remoteHost: "localhost") == nil)
        #expect(obstacle(.lock, .session(Self.here), remoteHost: "198.51.100.7") == .remoteSession)
    }

    @Test(arguments: [
        ("seat0", "tty2", false, false), ("seat0", "", false, false), ("seat0", "tty2", true, true),
        ("", "console", false, false), ("", "tty1", false, false), ("", "hvc0", false, false),
        ("", "ttyS0", false, false), ("", "pts/0", false, true), ("", "", false, true), ("", ":10", false, true),
        ("", "tty1", true, true), ("", "ssh", true, true),
    ])
    func `a session without a seat is remote, but for a local console's`(
        seat: String, tty: String, isTold: Bool, isRemote: Bool
    ) {
        let session = Session(
            id: "c", seat: seat, tty: tty, isRemote: isTold, isActive: true, isLocked: false, isIdle: false)
        #expect(session.isRemote == isRemote)
    }

    @Test func `a lid that is shut is over the reader that is part of the machine, and no other`() {
        for serviceClass in ServiceClass.allCases {
            for origin in [Origin.session(Self.here), .unmanaged] {
                #expect(obstacle(serviceClass, origin, lidShut: true) == .lidClosed)
                #expect(obstacle(serviceClass, origin, lidShut: true, builtIn: false) == nil)
            }
            #expect(obstacle(serviceClass, .session(Self.elsewhere), lidShut: true) == .remoteSession)
        }
    }

    @Test func `only what needs its terminal is asked for from the background`() {
        #expect(
            ServiceClass.allCases.map { obstacle($0, .session(Self.here), inBackground: true) }
                == [nil, .backgroundProcess, nil, nil])
    }

    @Test(
        arguments: [
            (Origin.session(here), nil), (.session(elsewhere), nil), (.session(behind), .sessionInactive),
            (.session(locked), .sessionLocked), (.session(lockedBehind), .sessionInactive), (.outside, nil),
            (.untold, nil), (.unmanaged, nil),
        ] as [(Origin, Cause?)])
    func `no finger is enrolled from a session that somebody left`(origin: Origin, expected: Cause?) {
        let open = Surroundings(processGroup: 2, origin: origin)
        let shut = Surroundings(processGroup: 2, origin: origin, isLidShut: true)
        #expect(open.obstacleToEnrolling(isReaderBuiltIn: true) == expected)
        #expect(shut.obstacleToEnrolling(isReaderBuiltIn: true) == .lidClosed)
        #expect(shut.obstacleToEnrolling(isReaderBuiltIn: false) == expected)
    }

    private func session(isRemote: Bool = false, isActive: Bool = true, isIdle: Bool = false) -> Presence {
        let session = Session(id: "c1", isRemote: isRemote, isActive: isActive, isLocked: true, isIdle: isIdle)
        return Presence(sessions: ["c1": session])
    }

    @Test func `somebody who presses a key, comes back to a session or opens the lid is there`() {
        #expect(session().hasSomebodyNew(since: session(isIdle: true)))
        #expect(session().hasSomebodyNew(since: session(isActive: false)))
        #expect(session(isIdle: true).hasSomebodyNew(since: session(isActive: false, isIdle: true)))
        #expect(Presence().hasSomebodyNew(since: Presence(isLidShut: true)))
    }

    @Test func `nobody is there because of what happens elsewhere, or of nothing`() {
        #expect(!session().hasSomebodyNew(since: session()))
        #expect(!session(isIdle: true).hasSomebodyNew(since: session()))
        #expect(!session().hasSomebodyNew(since: Presence()))
        #expect(!session(isRemote: true).hasSomebodyNew(since: session(isRemote: true, isIdle: true)))
        #expect(!session(isActive: false).hasSomebodyNew(since: session(isActive: false, isIdle: true)))
        #expect(!Presence(isLidShut: true).hasSomebodyNew(since: Presence()))
    }
}
