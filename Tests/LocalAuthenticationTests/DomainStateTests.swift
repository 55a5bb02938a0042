import BioauthCore
import Foundation
import TestSupport
import Testing

@testable import LocalAuthentication

@Suite struct DomainStateTests {
    @Test func `it is there once a finger would be taken, and tells of each change`() async throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let context = daemon.context()
        #expect(context.evaluatedPolicyDomainState == nil)
        #expect(context.prospect() == nil)
        let first = try #require(context.evaluatedPolicyDomainState)
        #expect(first.count == 32)
        #expect(try daemon.enroll(.leftIndex, synthetic: 2) == .done(nil))
        // As it was when it was asked for.
        #expect(context.evaluatedPolicyDomainState == first)
        let other = daemon.context(Somebody(daemon.person, touching: [2]))
        #expect(await other.outcome() == nil)
        let second = try #require(other.evaluatedPolicyDomainState)
        #expect(second != first)
        #expect(context.prospect() == nil && context.evaluatedPolicyDomainState == second)
        #expect(context.domainState.biometry.stateHash == second && context.domainState.stateHash == second)
        #expect(context.domainState.biometry.biometryType == .touchID)
        #expect(context.domainState == other.domainState)
        #expect(try daemon.ask(.delete(DaemonUnderTest.account, nil, nil)) == .done(nil))
        #expect(context.prospect()?.code == .biometryNotEnrolled)
        #expect(context.evaluatedPolicyDomainState == nil && context.domainState.stateHash == nil)
    }

    @Test func `one that failed tells nothing, and no device is paired`() async throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let context = daemon.context(Somebody { _, prompt in prompt.cancel() })
        #expect(await context.outcome()?.code == .userCancel)
        #expect(context.evaluatedPolicyDomainState == nil)
        let companion = context.domainState.companion
        #expect(companion.availableCompanionTypes.isEmpty && companion.stateHash == nil)
        #expect(companion.stateHash(for: .watch) == nil)
    }

    @Test func `without a daemon, and of a context that is over, nothing is known`() throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let context = daemon.context()
        context.invalidate()
        #expect(context.domainState.stateHash == nil)
        try daemon.stop()
        let state = daemon.context().domainState
        #expect(state.stateHash == nil && state.biometry.biometryType == .none)
    }
}
