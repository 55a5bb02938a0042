import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

@Suite("Who may ask what") struct PermissionTests {
    private static let own = Account(uid: stranger, name: "nobody")
    private static let own2 = Account(uid: 1001, name: "somebody")

    // MARK: For somebody else

    @Test(
        "A peer that isn't root may ask nothing for another account, and is let go when it tries",
        .enabled(if: isRoot, "needs root, to be somebody else"))
    func somebodyElse() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let root = DaemonUnderTest.account
        let messages: [ClientMessage] = [
            .authenticate(Authenticate(account: root, service: "sudo")), .passwordUseful(root, service: "sudo"),
            .status(root), .examine(root, service: "sudo", tty: nil), .list(root), .enroll(root, .leftThumb, nil),
            .delete(root, nil, nil), .unlock(root),
            .passwordTurn(root, peerUID: stranger),
        ]
        for message in messages {
            try daemon.expect(.problem(.notPermitted), to: message, as: stranger)
        }
        #expect(try daemon.status().prints == 1)
        #expect(eventually { daemon.log.contains("A peer asked for somebody else") })
    }

    @Test(
        "For itself it may ask, and gets a finger as an app does, whatever service it names",
        .enabled(if: isRoot, "needs root, to be somebody else"))
    func itself() throws {
        let daemon = try DaemonUnderTest()
        let own = PermissionTests.own
        guard case .status(let report) = try daemon.ask(.status(own), as: stranger) else {
            throw DaemonUnderTest.Unexpected()
        }
        #expect(report.prints == 0)
        #expect(try daemon.ask(.list(own), as: stranger) == .prints([]))
        #expect(try daemon.ask(.passwordUseful(own, service: "sudo"), as: stranger) == .passwordAdvice(useful: false))

        let watching = try daemon.connect(as: stranger)
        try watching.send(.watch)
        for service in ["sudo", "login", "i3lock"] {
            let asking = try daemon.connect(as: stranger)
            try asking.expect(
                .verdict(.denied(Denial(.notEnrolled))), to: .authenticate(Authenticate(account: own, service: service))
            )
            let asked = try watching.receive {
                if case .event(let event) = $0 { event.kind == .asked } else { false }
            }
            guard case .event(let event) = asked else { throw DaemonUnderTest.Unexpected() }
            #expect(event.serviceClass == (service == "i3lock" ? .lock : .app))
        }
    }

    @Test(
        "A peer that isn't root watches itself and the reader, and nobody else",
        .enabled(if: isRoot, "needs root, to be somebody else"))
    func watching() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let watching = try daemon.connect(as: stranger)
        try watching.send(.watch)
        try watching.send(.list(PermissionTests.own))
        _ = try watching.receive { if case .prints = $0 { true } else { false } }
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
        #expect(try daemon.denial(PermissionTests.own) == .notEnrolled)
        let first = try watching.receive {
            if case .event(let event) = $0 { event.account != nil } else { false }
        }
        guard case .event(let event) = first else { throw DaemonUnderTest.Unexpected() }
        #expect(event.account == PermissionTests.own)
    }

    // MARK: What only root may

    @Test(
        "Clearing a lockout and speaking for the password are for root alone, also about oneself",
        .enabled(if: isRoot, "needs root, to be somebody else"))
    func rootAlone() throws {
        let daemon = try DaemonUnderTest()
        let own = PermissionTests.own
        try daemon.expect(.problem(.notPermitted), to: .unlock(own), as: stranger)
        try daemon.expect(.problem(.notPermitted), to: .passwordTurn(own, peerUID: stranger), as: stranger)
        try daemon.expect(.problem(.notPermitted), to: .passwordResult(right: true, wantsTicket: true), as: stranger)
        // Also root's word needs a turn, and one turn has one result.
        try daemon.expect(.problem(.notPermitted), to: .passwordResult(right: true, wantsTicket: false))
        let connection = try daemon.connect()
        try connection.expect(.done(nil), to: .passwordTurn(own, peerUID: stranger))
        try connection.expect(.done(nil), to: .passwordResult(right: false, wantsTicket: false))
        try connection.send(.passwordResult(right: true, wantsTicket: true))
        try connection.expect(.problem(.notPermitted))
        #expect(try daemon.status(of: own).passwordAge == nil)

        let twice = try daemon.connect()
        try twice.expect(.done(nil), to: .passwordTurn(own, peerUID: stranger))
        try twice.send(.passwordTurn(own, peerUID: stranger))
        try twice.expect(.problem(.tooMany))
    }

    @Test(
        "A password itself never comes to the daemon: whoever sends one is let go, and it isn't in the log",
        .enabled(if: isRoot, "needs root, to be somebody else"))
    func password() throws {
        let daemon = try DaemonUnderTest()
        for uid in [0, stranger] {
            let client = try asUser(uid) { try RawClient(daemon) }
            let message = ClientMessage.encodePassword(
                Account(uid: uid, name: "name"), secret: Array("correct horse".utf8), wantsTicket: true)
            guard case .sent = try client.socket.send(message) else { throw DaemonUnderTest.Unexpected() }
            #expect(try client.answer() == .problem(.notPermitted))
            #expect(try client.answer() == nil)
        }
        try daemon.stop()
        #expect(!daemon.log.contains("correct"))
    }

    // MARK: With a ticket

    @Test(
        "Enrolling and deleting one's own prints takes a ticket each time: nobody's else, and each once",
        .enabled(if: isRoot, "needs root, to be somebody else"))
    func tickets() throws {
        let daemon = try DaemonUnderTest()
        let (own, other) = (PermissionTests.own, PermissionTests.own2)
        let needed = DaemonMessage.refused(Denial(.freshPasswordNeeded))
        let wrong = Ticket(bytes: [UInt8](repeating: 0, count: Ticket.count))
        #expect(try daemon.enroll(own, synthetic: 1, as: stranger) == needed)
        #expect(try daemon.enroll(own, synthetic: 1, ticket: wrong, as: stranger) == needed)

        let ticket = try #require(try daemon.givePassword(own, wantsTicket: true))
        let ofOther = try #require(try daemon.givePassword(other, wantsTicket: true))
        #expect(try daemon.enroll(own, synthetic: 1, ticket: ofOther, as: stranger) == needed)
        #expect(try daemon.enroll(other, synthetic: 1, ticket: ticket, as: other.uid) == needed)
        #expect(try daemon.enroll(own, synthetic: 1, ticket: ticket, as: stranger) == .done(nil))
        #expect(try daemon.enroll(own, .leftIndex, synthetic: 2, ticket: ticket, as: stranger) == needed)

        #expect(try daemon.ask(.delete(own, nil, nil), as: stranger) == needed)
        #expect(try daemon.ask(.delete(own, nil, ticket), as: stranger) == needed)
        #expect(try daemon.ask(.delete(own, nil, ofOther), as: stranger) == needed)
        let second = try #require(try daemon.givePassword(own, wantsTicket: true))
        #expect(try daemon.ask(.delete(own, nil, second), as: stranger) == .done(nil))
        #expect(try daemon.ask(.delete(own, nil, second), as: stranger) == .refused(Denial(.noSuchPrint)))
        #expect(try daemon.enroll(own, synthetic: 1, ticket: second, as: stranger) == needed)
        #expect(try daemon.status(of: own).prints == 0)

        // What wasn't asked for wasn't made.
        #expect(try daemon.givePassword(own) == nil)
    }

    @Test("Wrong passwords are slowed down after the fifth, for who asks and for nobody else; a right one ends that")
    func slowed() throws {
        let daemon = try DaemonUnderTest()
        let own = PermissionTests.own
        func turn(_ uid: UInt32, right: Bool? = nil) throws -> DaemonMessage {
            let connection = try daemon.connect()
            try connection.send(.passwordTurn(own, peerUID: uid))
            let answer = try connection.receive(within: .seconds(10))
            if let right { try connection.expect(.done(nil), to: .passwordResult(right: right, wantsTicket: false)) }
            return answer
        }
        for _ in 0..<4 { #expect(try turn(1001, right: false) == .done(nil)) }
        #expect(try turn(1001, right: true) == .done(nil))
        // A turn that is never told of counts as well: the connection is simply closed.
        for _ in 0..<5 { #expect(try turn(1001) == .done(nil)) }
        guard case .refused(let denial) = try turn(1001) else { throw DaemonUnderTest.Unexpected() }
        #expect(denial.cause == .passwordDelayed)
        #expect(try #require(denial.endsIn) <= PasswordTurns.firstDelay)
        #expect(try turn(1002) == .done(nil))
        for _ in 0..<10 { #expect(try turn(DaemonUnderTest.account.uid) == .done(nil)) }
    }

    // MARK: One connection

    @Test("A second request on a connection ends it, and what ran on it")
    func secondRequest() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let request = ClientMessage.authenticate(Authenticate(account: DaemonUnderTest.account, service: "sudo"))
        for second in [request, .enroll(DaemonUnderTest.account, .leftThumb, nil)] {
            let connection = try daemon.connect()
            try connection.send(request)
            try connection.receive { if case .prompt = $0 { true } else { false } }
            try connection.send(second)
            try connection.expect(.problem(.tooMany))
            #expect(eventually { (try? daemon.status().waiting) == 0 })
        }
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
    }

    @Test("One request after another may use a connection, and other questions meanwhile")
    func oneAfterAnother() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let connection = try daemon.connect()
        for _ in 0..<3 {
            try connection.send(.authenticate(Authenticate(account: DaemonUnderTest.account, service: "sudo")))
            try connection.receive { if case .prompt = $0 { true } else { false } }
            try connection.send(.list(DaemonUnderTest.account))
            try connection.receive { if case .prints = $0 { true } else { false } }
            try connection.send(.cancel(.person))
            try connection.receive { $0 == .verdict(.denied(Denial(.personCancelled))) }
        }
    }

    @Test("Cancelling nothing changes nothing")
    func cancelNothing() throws {
        let daemon = try DaemonUnderTest()
        let connection = try daemon.connect()
        for reason in CancelReason.allCases { try connection.send(.cancel(reason)) }
        try connection.expect(.prints([]), to: .list(DaemonUnderTest.account))
    }
}
