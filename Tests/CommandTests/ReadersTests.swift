import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

/// `readers`, and enrolling at one of several.
@Suite("Readers") struct ReadersTests {
    static let deck = ReaderEntry(
        name: "Deck", driver: "goodixmoc", device: "0", busPath: "1-2.3", isBuiltIn: true, state: .ready, prints: 2,
        serves: false, criterion: .lid)
    static let stick = ReaderEntry(
        name: "Stick", driver: "elan", device: "7", busPath: "", isBuiltIn: false, state: .closed, prints: 1,
        serves: true, criterion: .lid)

    private func daemon() throws -> ScriptedDaemon {
        try ScriptedDaemon { peer in
            while true {
                switch try peer.receive() {
                case .readers: try peer.send(.readers([ReadersTests.deck, ReadersTests.stick]))
                case .list:
                    try peer.send(
                        .prints([
                            PrintEntry(
                                finger: .rightIndex, driver: "goodixmoc", device: "0", enrolled: nil, damaged: false)
                        ]))
                case .enroll(_, .rightIndex, nil, "elan"?), .enroll(_, .leftIndex, nil, "1-2.3"?):
                    try peer.send(.done(nil))
                default: try peer.send(.refused(Denial(.printExists)))
                }
            }
        }
    }

    @Test("Each is shown with whether it serves the account, and why")
    func words() throws {
        let daemon = try daemon()
        let result = try Command(socketPath: daemon.path).run("readers")
        let name = DaemonUnderTest.account.name
        #expect(
            result.output == """
                Deck (goodixmoc, 1-2.3)
                  built in; ready; prints of \(name): 2
                  doesn't serve \(name): the lid is shut
                Stick (elan)
                  external; asleep until it is needed; prints of \(name): 1
                  serves \(name): the lid is shut, and this one isn't below it

                """)
        #expect(result.status == 0)
    }

    @Test("In JSON it says the same")
    func json() throws {
        let daemon = try daemon()
        let result = try Command(socketPath: daemon.path).run("readers", "--json")
        let readers = try #require(try result.json["readers"] as? [[String: Any]])
        #expect(readers.map { $0["name"] as? String } == ["Deck", "Stick"])
        #expect(readers.map { $0["bus_path"] as? String } == ["1-2.3", ""])
        #expect(readers.map { $0["built_in"] as? Bool } == [true, false])
        #expect(readers.map { $0["state"] as? String } == ["ready", "closed"])
        #expect(readers.map { $0["serves"] as? Bool } == [false, true])
        #expect(readers.map { $0["reason"] as? String } == ["lid", "lid"])
    }

    @Test("Without a reader the status says so")
    func none() throws {
        let daemon = try DaemonUnderTest(hasReader: false)
        let result = try Command(socketPath: daemon.socketPath).run("readers")
        #expect(result.output == "No fingerprint reader is plugged in.\n")
        #expect(result.status == 3)
    }

    @Test("An enrolment takes the first finger that is free on the reader it names; one that isn't there is refused")
    func enrolling() throws {
        let daemon = try daemon()
        let command = Command(socketPath: daemon.path)
        #expect(try command.run("enroll", "--reader", "elan", "--json").json["finger"] as? String == "right-index")
        #expect(try command.run("enroll", "--reader", "1-2.3", "--json").json["finger"] as? String == "left-index")
        let refused = try command.run("enroll", "--reader", "elsewhere")
        #expect(refused.status == 3)
        #expect(refused.errors.contains("bioauthctl readers"))
        #expect(try command.run("enroll", "--reader", "").status == 2)
    }
}
