import BioauthClient
import BioauthCore
import BioauthWire
import TestSupport
import Testing

@Suite("The main job") struct MainJobTests {
    @Test("The right finger is let in once a password was given, a stranger's is not, five strangers lock it out")
    func mainJob() throws {
        let daemon = try DaemonUnderTest()
        let account = DaemonUnderTest.account
        #expect(try daemon.enroll(synthetic: 1) == .done(nil))

        #expect(try daemon.authenticate().last == .verdict(.denied(Denial(.passwordNeverGiven))))
        try daemon.givePassword()
        #expect(try daemon.authenticate(touches: [1]).last == .verdict(.allowed(.rightIndex)))

        let said = try daemon.authenticate(touches: [2, 3, 4])
        #expect(said.contains(.mismatch(triesLeft: 2)))
        #expect(said.last == .verdict(.denied(Denial(.mismatchesUsedUp))))
        guard case .verdict(.denied(let lockout)) = try daemon.authenticate(touches: [5, 6]).last else {
            throw DaemonUnderTest.Unexpected()
        }
        #expect(lockout.cause == .lockedOut)
        #expect(lockout.lockoutBegan)
        #expect(try daemon.status().mismatches == 5)

        guard case .verdict(.denied(let still)) = try daemon.authenticate().last else {
            throw DaemonUnderTest.Unexpected()
        }
        #expect(still.cause == .lockedOut)
        #expect(!still.lockoutBegan)

        try daemon.givePassword(account)
        #expect(try daemon.authenticate(touches: [1]).last == .verdict(.allowed(.rightIndex)))
        #expect(try daemon.status().mismatches == 0)
        #expect(try daemon.stop() == 0)
    }
}
