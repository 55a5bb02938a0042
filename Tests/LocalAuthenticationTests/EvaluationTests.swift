import BioauthCore
import BioauthWire
import Foundation
import SyntheticFingers
import Synchronization
import TestSupport
import Testing

@testable import LocalAuthentication

/// Evaluations against the real daemon, on a virtual reader.
@Suite struct EvaluationTests {
    @Test(arguments: [LAPolicy.deviceOwnerAuthenticationWithBiometrics, .deviceOwnerAuthentication])
    func `the person's finger lets them in`(_ policy: LAPolicy) async throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let person = Somebody(daemon.person, touching: [1])
        let context = daemon.context(person)
        #expect(await context.outcome(policy) == nil)
        #expect(person.messages.suffix(2) == ["Swipe your right index finger over the fingerprint reader.", nil])
        let prompt = try #require(person.seen.withLock { $0[0] })
        #expect(prompt.localizedReason == "open the vault" && prompt.cancelTitle == "Cancel")
        #expect(try daemon.isFree)
    }

    @Test func `the reply comes once, after the call, and with it all is over`() async throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let context = daemon.context(Somebody(daemon.person, touching: [1]))
        let replies = Mutex(0)
        for _ in 0..<2 {
            let isAllowed = await withCheckedContinuation { done in
                context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "try") {
                    replies.withLock { $0 += 1 }
                    #expect($1 == nil)
                    // Asking here is no deadlock.
                    #expect(context.prospect() == nil)
                    done.resume(returning: $0)
                }
            }
            #expect(isAllowed)
            let again = Somebody(daemon.person, touching: [1])
            context.promptHandler = { again.see($0) }
        }
        #expect(replies.withLock { $0 } == 2)
    }

    @Test func `fingers that don't match fail, and the fallback is offered after the first`() async throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let person = Somebody(daemon.person, touching: [2, 3, 4])
        let error = try #require(await daemon.context(person).outcome())
        #expect(error.code == .authenticationFailed && error.cause == .mismatchesUsedUp)
        let prompts = person.seen.withLock { $0.compactMap(\.self).filter(\.wantsTouch) }
        #expect(prompts.map(\.fallbackTitle) == [nil, "Enter password", "Enter password"])
        #expect(person.messages.suffix(3) == ["No match: 2 tries left.", "No match: 1 try left.", nil])
    }

    @Test func `too many lock the finger out, and both ways of asking say so and until when`() async throws {
        let daemon = try DaemonUnderTest.listingThisProgram(
            more: "[lockout]\nmismatches-per-delay = 3\ndelay-seconds = 3600\n")
        let context = daemon.context(Somebody(daemon.person, touching: [2, 3, 4]))
        let error = try #require(await context.outcome())
        #expect(error.code == .biometryLockout && error.cause == .lockedOut)
        for after in [await context.outcome(), context.prospect()] {
            #expect(after?.code == .biometryLockout && after?.cause == .lockedOut)
            #expect(after?.endsIn.map { 0 < $0 && $0 <= 3600 } == true)
        }
        #expect(context.biometryType == .touchID)
    }

    @Test func `the person cancels`() async throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let context = daemon.context(Somebody { _, prompt in prompt.cancel() })
        let error = try #require(await context.outcome())
        #expect(error.code == .userCancel && error.cause == .personCancelled && error.code.isRetryable)
        #expect(try eventually { try daemon.isFree })
    }

    @Test func `the person chooses the fallback, by the program's name for it`() async throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let reader = daemon.person
        let context = daemon.context(
            Somebody { number, prompt in
                if number == 0 {
                    // Not offered yet.
                    prompt.chooseFallback()
                    try reader.touch(SyntheticFinger(number: 2).impression(20))
                } else {
                    #expect(prompt.fallbackTitle == "Use the PIN" && prompt.cancelTitle == "Not now")
                    prompt.chooseFallback()
                }
            })
        context.localizedFallbackTitle = "Use the PIN"
        context.localizedCancelTitle = "Not now"
        let error = try #require(await context.outcome())
        #expect(error.code == .userFallback && error.cause == .personChosePassword)
    }

    @Test func `a fallback without a name is never offered`() async throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let person = Somebody(daemon.person, touching: [2, 1])
        let context = daemon.context(person)
        context.localizedFallbackTitle = ""
        #expect(await context.outcome() == nil)
        #expect(person.seen.withLock { $0.allSatisfy { $0?.fallbackTitle == nil } })
    }

    @Test func `the daemon's end is the evaluation's`() async throws {
        for (signal, code, cause) in [
            (SIGTERM, LAError.Code.systemCancel, LAError.Cause.daemonStopping),
            (SIGKILL, .biometryNotAvailable, .noDaemon),
        ] {
            let daemon = try DaemonUnderTest.listingThisProgram()
            let program = daemon.program
            let context = daemon.context(Somebody { _, _ in program.send(signal) })
            let error = try #require(await context.outcome())
            #expect(error.code == code && error.cause == cause)
        }
    }

    @Test func `a program that is slow to hear of its own answer holds up nobody else`() throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let othersTurn = DispatchSemaphore(value: 0)
        let bothTold = DispatchGroup()
        let slow = daemon.context(Somebody { _, prompt in prompt.cancel() })
        let other = daemon.context(Somebody(daemon.person, touching: [1]))
        bothTold.enter()
        slow.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "try") { _, _ in
            bothTold.enter()
            other.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "try") { isAllowed, _ in
                #expect(isAllowed)
                othersTurn.signal()
                bothTold.leave()
            }
            #expect(othersTurn.wait(timeout: .now() + 30) == .success)
            bothTold.leave()
        }
        #expect(bothTold.wait(timeout: .now() + 60) == .success)
    }

    @Test func `a hundred at once take their turns`() async throws {
        let daemon = try DaemonUnderTest.listingThisProgram()
        let reader = daemon.person
        let outcomes = await withTaskGroup(of: LAError?.self) { group in
            for number in 0..<100 {
                let context = daemon.context(
                    Somebody { _, prompt in
                        if number == 50 {
                            try reader.touch(SyntheticFinger(number: 1).impression(20))
                        } else {
                            prompt.cancel()
                        }
                    })
                group.addTask { await context.outcome() }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == 100 && outcomes.count { $0 == nil } == 1)
        #expect(outcomes.count { $0?.code == .userCancel } == 99)
        #expect(try eventually { try daemon.isFree })
    }
}
