import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire
import Glibc
import SyntheticFingers
import TestSupport
import Testing

/// Who gets a touch: the rules of the reader, held against the real daemon and the real matcher.
@Suite("Whose touch it is") struct TouchRuleTests {
    let daemon: DaemonUnderTest
    let me = DaemonUnderTest.account
    let other = Account(uid: 4242, name: "other")

    init() throws {
        daemon = try DaemonUnderTest()
        #expect(try daemon.enroll(synthetic: 1) == .done(nil))
        try daemon.givePassword()
    }

    /// A connection on which a touch has been asked for.
    private func asking(_ service: String, _ account: Account? = nil, seconds: Int = 30) throws -> DaemonConnection {
        let connection = try daemon.connect()
        try connection.send(
            .authenticate(Authenticate(account: account ?? me, service: service, timeout: .seconds(seconds))))
        return connection
    }

    private func next(_ connection: borrowing DaemonConnection) throws -> DaemonMessage {
        try connection.receive(within: .seconds(15))
    }

    private func isPrompt(_ message: DaemonMessage, again: Bool = false) -> Bool {
        if case .prompt(let prompt) = message { prompt.again == again } else { false }
    }

    private func cause(_ message: DaemonMessage) -> Cause? {
        switch message {
        case .waiting(let wait): wait.cause
        case .verdict(.denied(let denial)), .refused(let denial): denial.cause
        default: nil
        }
    }

    @Test("A locker suspends sudo, which is prompted afresh when the locker is done")
    func suspension() throws {
        let sudo = try asking("sudo")
        #expect(isPrompt(try next(sudo)))
        let locker = try asking("i3lock")
        #expect(isPrompt(try next(locker)))
        #expect(cause(try next(sudo)) == .suspended)
        try daemon.touch(1)
        #expect(try next(locker) == .verdict(.allowed(.rightIndex)))
        #expect(isPrompt(try next(sudo), again: true))
        try daemon.touch(1, 21)
        #expect(try next(sudo) == .verdict(.allowed(.rightIndex)))
    }

    @Test("sudo withdraws an app's request, and an app that comes later waits behind it")
    func withdrawal() throws {
        let app = try asking("bioauthctl")
        #expect(isPrompt(try next(app)))
        let sudo = try asking("sudo")
        #expect(isPrompt(try next(sudo)))
        #expect(cause(try next(app)) == .preempted)
        let later = try asking("bioauthctl")
        let told = try next(later)
        #expect(cause(told) == .queued)
        if case .waiting(let wait) = told { #expect(wait.place == 1 && wait.other?.service == "sudo") }
        try daemon.touch(1)
        #expect(try next(sudo) == .verdict(.allowed(.rightIndex)))
        // Its place changed before it was prompted, or it was prompted at once.
        var message = try next(later)
        while cause(message) == .queued { message = try next(later) }
        #expect(isPrompt(message))
    }

    @Test("Requests of different people are served in the order they came, and each is told its place")
    func queue() throws {
        #expect(try daemon.enroll(other, .leftThumb, synthetic: 2) == .done(nil))
        try daemon.givePassword(other)
        let first = try asking("sudo")
        #expect(isPrompt(try next(first)))
        let second = try asking("su", other)
        #expect(cause(try next(second)) == .queued)
        try daemon.touch(1)
        #expect(try next(first) == .verdict(.allowed(.rightIndex)))
        var message = try next(second)
        while cause(message) == .queued { message = try next(second) }
        #expect(isPrompt(message))
        try daemon.touch(2)
        #expect(try next(second) == .verdict(.allowed(.leftThumb)))
    }

    @Test("The first person's finger does not open the second person's request")
    func galleries() throws {
        #expect(try daemon.enroll(other, .leftThumb, synthetic: 2) == .done(nil))
        try daemon.givePassword(other)
        let request = Authenticate(account: other, service: "sudo", tries: 1)
        #expect(cause(try #require(try daemon.authenticate(request, touches: [1]).last)) == .mismatchesUsedUp)
        #expect(try daemon.status(of: other).mismatches == 1)
        #expect(try daemon.status(of: me).mismatches == 0)
    }

    @Test("The answer comes at the match, with the finger still on the reader; the next is armed when it has gone")
    func lifting() throws {
        let first = try asking("sudo")
        #expect(isPrompt(try next(first)))
        try daemon.person.touch(SyntheticFinger(number: 1).impression(22), lifting: false)
        #expect(try next(first) == .verdict(.allowed(.rightIndex)))
        let second = try asking("sudo")
        #expect(isPrompt(try next(second)))
        // The finger that is still there is the first request's, and nobody else's.
        #expect(throws: ConnectionError.timedOut) { try second.receive(within: .milliseconds(300)) }
        try daemon.person.finger(on: false)
        try daemon.touch(1, 23)
        #expect(try next(second) == .verdict(.allowed(.rightIndex)))
    }

    @Test("A bad scan is not counted, and the person is told")
    func retries() throws {
        let sudo = try asking("sudo")
        #expect(isPrompt(try next(sudo)))
        for code: Int32 in 0...3 {
            try daemon.person.retry(code)
            #expect(try next(sudo) == .retry(RetryReason(rawValue: UInt8(code))!))
        }
        #expect(try daemon.status().mismatches == 0)
        try daemon.touch(1)
        #expect(try next(sudo) == .verdict(.allowed(.rightIndex)))
    }

    @Test("A stranger's touch counts although the client left before it was compared")
    func leaving() throws {
        do {
            let sudo = try asking("sudo")
            #expect(isPrompt(try next(sudo)))
            try daemon.person.finger(on: true)
        }
        while try daemon.status().waiting > 0 {}
        try daemon.waitFor(.mismatched) { try daemon.touch(3) }
        #expect(try daemon.status().mismatches == 1)
        #expect(try daemon.authenticate(touches: [1]).last == .verdict(.allowed(.rightIndex)))
    }

    @Test("A request whose client is gone before it begins leaves nothing behind")
    func goneBefore() throws {
        for _ in 0..<20 {
            let watcher = try daemon.connect()
            try watcher.send(.watch)
            // What the watcher is told first finds it gone.
            try watcher.send(.authenticate(Authenticate(account: me, service: "sudo")))
        }
        let sudo = try asking("sudo")
        #expect(isPrompt(try next(sudo)))
        #expect(try daemon.status().waiting == 1)
    }

    @Test("Somebody's enrolment gives way to sudo", .enabled(if: isRoot, "needs root, to be somebody else"))
    func enrollmentGivesWay() throws {
        let stranger = Account(uid: stranger, name: "stranger")
        let ticket = try daemon.givePassword(stranger, wantsTicket: true)
        let enrolling = try asUser(stranger.uid) { try daemon.connect() }
        try enrolling.send(.enroll(stranger, .rightThumb, ticket))
        #expect(isPrompt(try next(enrolling)))
        let sudo = try asking("sudo")
        #expect(isPrompt(try next(sudo)))
        var message = try next(enrolling)
        while case .enrolling = message { message = try next(enrolling) }
        #expect(message == .refused(Denial(.preempted)))
    }

    @Test("Closing the connection frees the reader for the next")
    func closing() throws {
        do {
            let sudo = try asking("sudo")
            #expect(isPrompt(try next(sudo)))
        }
        let next1 = try asking("sudo")
        #expect(isPrompt(try next(next1)))
        try daemon.touch(1)
        #expect(try next(next1) == .verdict(.allowed(.rightIndex)))
    }

    @Test("Cancelling ends a request with the word for who cancelled it")
    func cancelling() throws {
        for (reason, expected) in [
            (CancelReason.person, Cause.personCancelled), (.password, .personChosePassword), (.app, .appWithdrew),
        ] {
            let sudo = try asking("sudo")
            #expect(isPrompt(try next(sudo)))
            try sudo.send(.cancel(reason))
            #expect(cause(try next(sudo)) == expected)
        }
    }

    @Test("A request nobody answers ends when its time is over")
    func timeout() throws {
        let sudo = try asking("sudo", seconds: 1)
        #expect(isPrompt(try next(sudo)))
        #expect(cause(try next(sudo)) == .timedOut)
    }

    @Test("A reader that errs is opened again, and the person prompted again")
    func deviceErrors() throws {
        let sudo = try asking("sudo")
        #expect(isPrompt(try next(sudo)))
        try daemon.person.error(0)
        #expect(cause(try next(sudo)) == .readerFailed)
        #expect(isPrompt(try next(sudo), again: true))
        try daemon.touch(1)
        #expect(try next(sudo) == .verdict(.allowed(.rightIndex)))
        #expect(try daemon.status().mismatches == 0)
    }

    @Test("A reader that is pulled out ends what waits for it, and whoever asks later is told at once")
    func unplugging() throws {
        let sudo = try asking("sudo")
        #expect(isPrompt(try next(sudo)))
        try daemon.person.unplug()
        #expect(cause(try next(sudo)) == .readerUnplugged)
        #expect(cause(try next(try asking("sudo"))) == .noReader)
        #expect(try daemon.status().readerState == .none)
    }

    @Test(
        "Services that the list doesn't name get no finger, nor does the password's own",
        arguments: ["sshd", "bioauth-password", "ftp"])
    func services(name: String) throws {
        #expect(cause(try next(try asking(name))) == .serviceDisabled)
    }

    @Test("A remote host gets no finger, and nor does a request that forbids prompting")
    func places() throws {
        for (host, expected) in [("example.net", Cause.remoteSession), ("192.0.2.7", .remoteSession)] {
            var request = Authenticate(account: me, service: "sudo")
            request.remoteHost = host
            #expect(cause(try #require(try daemon.authenticate(request).last)) == expected)
        }
        var silent = Authenticate(account: me, service: "sudo")
        silent.interaction = false
        #expect(cause(try #require(try daemon.authenticate(silent).last)) == .interactionForbidden)
        var local = Authenticate(account: me, service: "sudo")
        local.remoteHost = "localhost"
        #expect(try daemon.authenticate(local, touches: [1]).last == .verdict(.allowed(.rightIndex)))
        // For a login that is what the far end may call itself.
        local.service = "login"
        #expect(cause(try #require(try daemon.authenticate(local).last)) == .remoteSession)
    }

    @Test("A lockout that begins ends the person's other requests too")
    func lockoutForAll() throws {
        let waiting = try asking("bioauthctl")
        _ = try next(waiting)
        let locker = try daemon.connect()
        try locker.send(.authenticate(Authenticate(account: me, service: "i3lock", tries: 10)))
        #expect(isPrompt(try next(locker)))
        let behind = try asking("bioauthctl")
        #expect(cause(try next(behind)) == .queued)
        for finger in 11...15 {
            try daemon.touch(finger)
            let said = try next(locker)
            #expect(finger < 15 ? said == .mismatch(triesLeft: 20 - finger) : cause(said) == .lockedOut)
        }
        #expect(cause(try next(behind)) == .lockedOut)
    }
}
