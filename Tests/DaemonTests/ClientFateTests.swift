import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import SyntheticFingers
import TestSupport
import Testing

/// Hosts that are killed, or stopped, in the middle of a request, through the real module.
@Suite(
    "What befalls a client",
    .enabled(if: isRoot && PAMHost.isBuilt, "takes root, to show hosts other accounts, and the module: make module"))
struct ClientFateTests {
    /// When it befalls it.
    enum Moment: CaseIterable, CustomTestStringConvertible {
        case connecting, asked, prompted, touched, matched, denied

        var testDescription: String { "\(self)" }
    }

    let household: Household
    let me: Account
    let somebody: Account
    var daemon: DaemonUnderTest { household.daemon }

    init() throws {
        household = try Household(of: 2, lockout: "mismatches-per-delay = 20\nmismatches-until-password = 100")
        (me, somebody) = (household.people[0], household.people[1])
    }

    /// Starts a sudo of mine, brings it to a moment, and sends it a signal then.
    private func sudo(
        at moment: Moment, sent signal: Int32, using random: inout SplitMix64, _ options: String = "max-tries=1"
    ) throws -> RunningProgram {
        var host: RunningProgram?
        func start(until kind: WatchEvent.Kind) throws -> RunningProgram {
            try daemon.waitFor(kind) { host = try household.host(me, "sudo", options) }
            return host!
        }
        let sudo: RunningProgram
        switch moment {
        case .connecting:
            sudo = try household.host(me, "sudo", options)
            // From before it has loaded the module until the daemon has answered it.
            _ = poll(nil, 0, Int32.random(in: 0..<20, using: &random))
        case .asked:
            sudo = try start(until: .asked)
        case .prompted:
            sudo = try start(until: .prompted)
        case .touched:
            sudo = try start(until: .prompted)
            #expect(try eventually { try daemon.status().readerState == .scanning })
            try household.device.tell("FINGER 1")
        case .matched:
            sudo = try start(until: .prompted)
            try daemon.waitFor(.allowed) { try household.touch(me) }
        case .denied:
            sudo = try start(until: .prompted)
            try daemon.waitFor(.denied) { try household.touchByStranger() }
        }
        sudo.send(signal)
        return sudo
    }

    /// What the finger, if there is one on the reader, shows; then it is lifted.
    private func showFinger(at moment: Moment, isMine: Bool = true) throws {
        guard moment == .touched else { return }
        try isMine ? household.touch(me) : household.touchByStranger()
        try household.device.tell("FINGER 0")
    }

    /// Somebody else's touch, asked for and given.
    private func serveSomebody(_ service: String = "sudo", at moment: Moment, isMine: Bool = true) throws {
        let next = try household.prompted(somebody, service)
        try showFinger(at: moment, isMine: isMine)
        try household.touch(somebody)
        #expect(try next.result() == "PAM_SUCCESS", "\(moment)")
    }

    private func openDescriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.program.pid)/fd").count
    }

    @Test(
        "Killed at any moment, it leaves the reader to the next, and nothing is lost or counted twice", arguments: 1...3
    )
    func killed(seed: UInt64) throws {
        var random = SplitMix64(seed)
        var counted = 0
        let descriptors = try openDescriptors()
        for moment in Moment.allCases.shuffled(using: &random) + Moment.allCases.shuffled(using: &random) {
            let isMine = Bool.random(using: &random)
            _ = try sudo(at: moment, sent: SIGKILL, using: &random).wait()
            try serveSomebody(at: moment, isMine: isMine)
            switch moment {
            case .connecting, .asked, .prompted: break
            // A match clears the count; one that comes too late for anybody is nobody's.
            case .matched: counted = 0
            case .touched: counted += isMine ? 0 : 1
            case .denied: counted += 1
            }
            #expect(try household.mismatches(of: me) == counted, "\(moment)")
            #expect(try household.mismatches(of: somebody) == 0)
            #expect(try eventually { try daemon.status().waiting == 0 })
            #expect(try eventually { try openDescriptors() <= descriptors }, "\(moment)")
        }
    }

    @Test(
        "Stopped at any moment, it holds up no lock, and when it goes on it hears what became of it", arguments: 1...2)
    func stopped(seed: UInt64) throws {
        var random = SplitMix64(seed)
        for moment in Moment.allCases.shuffled(using: &random) {
            let sudo = try sudo(at: moment, sent: SIGSTOP, using: &random)
            _ = try daemon.status()
            try serveSomebody("login", at: moment)
            sudo.send(SIGCONT)
            if [.connecting, .asked, .prompted].contains(moment) {
                // Its turn comes after the lock's.
                #expect(try eventually { try daemon.status().readerState == .scanning && sudo.prompts > 0 })
                try household.touch(me)
            }
            #expect(try sudo.result() == (moment == .denied ? "PAM_MAXTRIES" : "PAM_SUCCESS"), "\(moment)")
        }
    }

    @Test("One that is stopped while it has the reader keeps it from others of its rank for no longer than its time")
    func stoppedWithTheReader() throws {
        var random = SplitMix64(1)
        let sudo = try sudo(at: .prompted, sent: SIGSTOP, using: &random, "timeout=2")
        try serveSomebody(at: .prompted)
        sudo.send(SIGCONT)
        #expect(try sudo.result() == "PAM_AUTHINFO_UNAVAIL")
        #expect(sudo.shown.last == "No finger was recognised in time. Use your password.")
    }

    @Test("One that is stopped in line is let go when more waits for it than may, and hears that on going on")
    func stoppedInLine() throws {
        var ahead: [Held] = []
        for _ in 0..<500 {
            ahead.append(Held(try daemon.connect()))
            try ahead.last!.connection.send(.authenticate(Authenticate(account: somebody, service: "sudo")))
            _ = try ahead.last!.connection.receive(within: .seconds(10))
        }
        var random = SplitMix64(1)
        let sudo = try sudo(at: .asked, sent: SIGSTOP, using: &random, "timeout=300")
        // Who goes from just before it changes its place and nobody else's, and it reads of none.
        var left = 0
        while !daemon.log.contains("The client is gone: \(me.name)"), !ahead.isEmpty {
            ahead.removeLast()
            left += 1
            #expect(try eventually { try daemon.status().waiting <= ahead.count + 1 })
        }
        #expect(left > Limits.unreadMessages)
        #expect(!ahead.isEmpty)
        sudo.send(SIGCONT)
        #expect(try sudo.result() == "PAM_AUTHINFO_UNAVAIL")
        #expect(sudo.shown.last == "The fingerprint service does not answer. Use your password.")
    }
}

private final class Held {
    let connection: DaemonConnection
    init(_ connection: consuming DaemonConnection) { self.connection = connection }
}
