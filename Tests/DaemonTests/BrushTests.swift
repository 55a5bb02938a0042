import BioauthClient
import BioauthCore
import BioauthWire
import TestSupport
import Testing

/// A finger that only brushes the reader: what it showed may come yet, and so the reader goes on waiting for a while.
@Suite("A finger that brushes the reader") struct BrushTests {
    private func isPrompt(_ message: DaemonMessage) -> Bool { if case .prompt = message { true } else { false } }

    @Test("The touch after it, made for the prompt of a login, is not that of the sudo which the login goes before")
    func harvest() throws {
        let desk = try KeepingDesk()
        #expect(try desk.enroll(.rightIndex, "right") == .done(nil))
        let sudo = try desk.asking()
        try sudo.receive(until: isPrompt)
        try desk.person.finger(isPresent: true)
        try desk.person.finger(isPresent: false)
        let login = try desk.asking("login")
        try login.receive(until: isPrompt)
        try desk.person.finger(isPresent: true)
        try desk.person.touch("right")
        try desk.person.finger(isPresent: false)
        // Nobody heard of that one, unless the reader had been armed for the login by then.
        try desk.person.touch("right")
        #expect(try login.receive(within: .seconds(20)) == .verdict(.allowed(.rightIndex)))
        guard case .waiting(let wait) = try sudo.receive(within: .seconds(20)) else {
            throw DaemonUnderTest.Unexpected()
        }
        #expect(wait.cause == .suspended)
        #expect(isPrompt(try sudo.receive(within: .seconds(20))))
    }
}
