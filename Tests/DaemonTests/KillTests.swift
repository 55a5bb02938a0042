import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import SyntheticFingers
import TestSupport
import Testing

@Suite("A daemon that is killed") struct KillTests {
    @Test("Killed at twenty moments of a mismatch, it never counts fewer than any client was told")
    func killed() throws {
        let configuration = "[lockout]\nmismatches-per-delay = 20\nmismatches-until-password = 100\n"
        var random = SplitMix64(20)
        var daemon = try DaemonUnderTest.enrolled(configuration: configuration)
        let usual = try mismatch(at: daemon, killedAfter: .seconds(10)).took
        var told = 1
        var unheard = 0
        for _ in 0..<20 {
            daemon = try DaemonUnderTest(in: daemon.directory, configuration: configuration)
            let kept = try daemon.status().mismatches
            #expect(told...told + unheard ~= kept)
            told = kept
            let isTold = try mismatch(at: daemon, killedAfter: usual * Double.random(in: 0..<1.5, using: &random))
                .isTold
            told += isTold ? 1 : 0
            unheard = isTold ? 0 : 1
        }
        daemon = try DaemonUnderTest(in: daemon.directory, configuration: configuration)
        #expect(try told...told + unheard ~= daemon.status().mismatches)
        #expect(told > 1)
        // The twentieth in a row would bring a delay.
        try daemon.givePassword()
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
    }

    /// Shows a stranger's finger, and kills the daemon so long after, or once somebody hears of the mismatch and the
    /// time is long.
    ///
    /// - Returns: whether anybody heard of it, be it who asked or who watches; and how long that took.
    private func mismatch(
        at daemon: DaemonUnderTest, killedAfter time: Duration
    ) throws -> (isTold: Bool, took: Duration) {
        let watching = try daemon.connect()
        try watching.send(.watch)
        let asking = try daemon.connect()
        try asking.send(.authenticate(Authenticate(account: DaemonUnderTest.account, service: "sudo")))
        try asking.receive { if case .prompt = $0 { true } else { false } }
        let image = SyntheticFinger(number: 2).impression(20)
        // No longer than until the daemon is gone: the next one's reader is at the same place.
        let person = VirtualReader(socketPath: daemon.readerPath, patience: time)
        let touched = DispatchSemaphore(value: 0)
        let start = ContinuousClock.now
        Thread.detachNewThread {
            try? person.touch(image)
            touched.signal()
        }
        var isTold = false
        var took = time
        while let message = try? asking.receive(within: max(.zero, start + time - .now)) {
            if case .mismatch = message {
                isTold = true
                took = .now - start
                if time > .seconds(1) { break }
            }
        }
        try daemon.stop(SIGKILL)
        touched.wait()
        while let message = try? asking.receive(within: .seconds(10)) {
            if case .mismatch = message { isTold = true }
        }
        while let message = try? watching.receive(within: .seconds(10)) {
            if case .event(let event) = message, event.kind == .mismatched { isTold = true }
        }
        return (isTold, took)
    }
}
