import BioauthCore
import SyntheticFingers
import Testing

/// Long runs of events at random, the same ones every time.
@Suite struct RandomRunTests {
    static let events = 20_000

    @Test(arguments: [1])
    func `a long run of events keeps every rule`(seed: UInt64) {
        var generator = SplitMix64(seed)
        var trial = ArbiterTrial()
        var number: UInt64 = 0
        for event in 1...RandomRunTests.events {
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<7 where trial.witness.clients.count < 12:
                number += 1
                trial.happen(.asked(ask(number, &generator)))
            case 7..<9:
                guard let client = trial.witness.clients.randomElement(using: &generator) else { continue }
                trial.happen(.gone(client.ask.id))
            case 9:
                guard let client = trial.witness.clients.randomElement(using: &generator) else { continue }
                trial.happen(.ended(client.ask.id, Denial(.personCancelled)))
            case 10..<13:
                guard let job = trial.jobs.randomElement(using: &generator) else { continue }
                let results: [Identification] = [.matched(index: 0), .noMatch, .noMatch, .retry(.tooFast)]
                let isLockout = Int.random(in: 0..<5, using: &generator) == 0
                trial.happen(
                    .identified(job, results.randomElement(using: &generator)!),
                    recorded: isLockout ? Denial(.passwordNeeded) : nil)
            case 13 where Bool.random(using: &generator):
                guard let client = trial.witness.clients.randomElement(using: &generator) else { continue }
                trial.happen(.moved([client.ask.id: Bool.random(using: &generator) ? .first : .second]))
            case 13:
                let reader: ReaderID = Bool.random(using: &generator) ? .first : .second
                trial.happen(.reader(reader, standing(of: reader, trial, &generator)))
            case 14 where Bool.random(using: &generator):
                trial.happen(.activity)
            case 14:
                let able = trial.witness.clients.filter { $0.isUserLocker || $0.isRootLock }
                trial.happen(
                    .away(Set(able.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }.map(\.ask.id))))
            case 15 where Int.random(in: 0..<3, using: &generator) == 0:
                trial.happen(trial.witness.asleepSince == nil ? .slept : .woke)
            case 15:
                guard let due = trial.arbiter.nextDeadline else { continue }
                trial.pass(due - trial.now)
            default:
                trial.pass(.milliseconds(Int.random(in: 1...3000, using: &generator)))
            }
            #expect(trial.witness.complaints == [], "event \(event)")
            guard trial.witness.complaints.isEmpty else { return }
        }
        #expect(number > 3000)
    }

    private func standing(of reader: ReaderID, _ trial: ArbiterTrial, _ generator: inout SplitMix64)
        -> ReaderStanding
    {
        var since = trial.now
        if case .failing(_, let first) = trial.witness.readers[reader] { since = first }
        let standings: [ReaderStanding] = [
            .good, .good, .good, .unproven, .failing(.readerFailed, since: since), .failing(.readerHot, since: since),
        ]
        // A reader that has gone takes every request with it: seldom, or nothing else would be seen.
        let isAbsent = Int.random(in: 0..<20, using: &generator) == 0
        return isAbsent ? .absent : standings.randomElement(using: &generator)!
    }

    private func ask(_ number: UInt64, _ generator: inout SplitMix64) -> Ask {
        let uid = UInt32.random(in: 1001...1003, using: &generator)
        let group = Int32.random(in: 1...3, using: &generator)
        let timeout = Duration.seconds(Int.random(in: 1...60, using: &generator))
        let reader: ReaderID = Int.random(in: 0..<3, using: &generator) == 0 ? .second : .first
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return .login(number, of: uid, reader: reader, timeout: timeout)
        case 1: return .vlock(number, of: uid, reader: reader, timeout: timeout * 4)
        case 2: return .i3lock(number, of: uid, reader: reader, timeout: timeout * 4)
        case 3, 4: return .app(number, of: uid, reader: reader)
        case 5: return .enrollment(number, of: uid, reader: reader)
        default:
            return .sudo(
                number, of: uid, group: group, reader: reader, timeout: timeout,
                tries: Int.random(in: 1...3, using: &generator),
                fingerOnly: Bool.random(using: &generator))
        }
    }

    // MARK: Many at once

    @Test func `a thousand requests of a thousand users are each told once where they stand`() {
        var desk = Arbitration()
        let asks = (1...1000).map { Ask.sudo($0, of: 1000 + UInt32($0)) }
        for (place, ask) in asks.enumerated().dropFirst() {
            if place == 1 { #expect(desk.asked(asks[0]) == [.prompt(asks[0]), .want(asks[0].job)]) }
            #expect(desk.asked(ask) == [.queued(ask, place, behind: asks[0])])
        }
        let served = desk.matched(asks[0].job)
        #expect(served.prefix(3) == [.allowed(asks[0]), .prompt(asks[1]), .want(asks[1].job)])
        #expect(served.count == 3 + 998)
        #expect(desk.endAll(.daemonStopping) == asks.dropFirst().map { .denied($0, .daemonStopping) } + [.want(nil)])
    }

    @Test func `a thousand requests of one user from as many process groups are each told once, and end together`() {
        var desk = Arbitration()
        let asks = (1...1000).map { Ask.sudo($0, of: 1001) }
        let told = asks.map { desk.asked($0).count }
        #expect(told == [2, 3] + Array(repeating: 1, count: 998))
        #expect(desk.wait(.seconds(5)) == asks.map { .denied($0, .contended) })
    }

    @Test func `a login is prompted before a thousand others hear that they wait for it`() {
        var desk = Arbitration()
        let asks = (1...1000).map { Ask.sudo($0, of: 1000 + UInt32($0)) }
        for ask in asks { desk.asked(ask) }
        let login = Ask.login(2000, of: 1)
        #expect(
            desk.asked(login)
                == [.prompt(login), .want(login.job)] + asks.map { .waiting($0, .suspended, for: login) })
    }
}
