import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

/// The real daemon on a reader that hangs: libfprint's virtual device, which sleeps when it is told to.
@Suite("A reader that hangs") struct HangingReaderTests {
    private static let account = DaemonUnderTest.account
    private let device: VirtualDevice
    private let daemon: DaemonUnderTest

    init() throws {
        (daemon, device) = try DaemonUnderTest.onWords(configuration: "[reader]\nkeep-warm-seconds = 1\n")
        try daemon.enroll(word: "right", at: device)
        try daemon.givePassword()
    }

    private func sudo() throws -> DaemonConnection {
        let connection = try daemon.connect()
        try connection.send(.authenticate(Authenticate(account: HangingReaderTests.account, service: "sudo")))
        try connection.receive { if case .prompt = $0 { true } else { false } }
        return connection
    }

    @Test("It matches, so that what follows means something")
    func matches() throws {
        let sudo = try sudo()
        try device.tell("SCAN right")
        #expect(try sudo.receive(within: .seconds(10)) == .verdict(.allowed(.rightIndex)))
    }

    @Test("An action that lets itself be cancelled is, and the next request is served")
    func cancelled() throws {
        let leaving = try sudo()
        try device.tell("SLEEP 600000")
        _ = consume leaving
        let sudo = try sudo()
        try device.tell("SCAN right")
        #expect(try sudo.receive(within: .seconds(10)) == .verdict(.allowed(.rightIndex)))
    }

    @Test(
        "Where it doesn't, who waits is denied before the service manager hears of it, and the daemon ends to be started anew"
    )
    func givenUp() throws {
        let leaving = try sudo()
        try device.tell("SET_CANCELLATION_ENABLED 0")
        try device.tell("SLEEP 600000")
        _ = consume leaving
        let waiting = try daemon.connect()
        try waiting.send(.authenticate(Authenticate(account: HangingReaderTests.account, service: "login")))
        #expect(daemon.waitForState("STATUS=The reader no longer answers"))
        var said = try waiting.receive(within: .zero)
        while case .prompt = said { said = try waiting.receive(within: .zero) }
        while case .waiting = said { said = try waiting.receive(within: .zero) }
        #expect(said == .verdict(.denied(Denial(.readerFailed))))
        #expect(throws: ConnectionError.problem(.stopping)) { _ = try waiting.receive(within: .zero) }
        #expect(try daemon.program.wait() == 1)
        #expect(daemon.log.contains("no longer answers"))
    }

    @Test("An opening that hangs is cancelled and told, and the reader serves again")
    func opening() throws {
        // It takes commands while it is closed.
        try device.tell("SET_KEEP_ALIVE 1")
        #expect(try eventually { try daemon.status().readerState == .closed })
        try device.tell("SLEEP 600000")
        let sudo = try sudo()
        guard case .waiting(let wait) = try sudo.receive(within: .seconds(30)) else {
            throw DaemonUnderTest.Unexpected()
        }
        #expect(wait.cause == .readerFailed)
        try sudo.receive { if case .prompt = $0 { true } else { false } }
        try device.tell("SCAN right")
        #expect(try sudo.receive(within: .seconds(10)) == .verdict(.allowed(.rightIndex)))
    }
}
