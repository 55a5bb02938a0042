import BioauthCore
import Testing

/// Every sequence of events up to a length, judged by the witness after each.
@Suite struct ArbiterSweepTests {
    typealias Move = (String, (inout ArbiterTrial) -> Void)

    struct Scene: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Each may ask once.
        let asks: [Ask]
        let depth: Int
        var hasReaderTrouble = false
        var results: [Identification] = [.matched(index: 0), .noMatch]
        var hasActivity = false
        /// Whether people leave the sessions that lock and login requests come from, and come back.
        var hasAbsence = false
        /// Whether there are two readers, of which one comes and goes.
        var hasTwoReaders = false
        var hasSleep = false
    }

    let lockout = Denial(.lockedOut, endsIn: .seconds(30))

    static let scenes = [
        Scene(
            testDescription: "contention",
            asks: [
                .sudo(1, of: 1001, group: 10), .sudo(2, of: 1001, group: 20), .sudo(3, of: 1001, group: 10),
                .login(4, of: 1002),
            ], depth: 6),
        Scene(
            testDescription: "precedence",
            asks: [
                .sudo(1, of: 1001, timeout: .seconds(3)), .sudo(2, of: 1002), .vlock(3, of: 1002), .i3lock(4, of: 1001),
                .app(5, of: 1002),
            ], depth: 5, hasActivity: true),
        Scene(
            testDescription: "absence",
            asks: [
                .sudo(1, of: 1001, timeout: .seconds(3)), .i3lock(2, of: 1001), .login(3, of: 1002),
                .vlock(4, of: 1002),
            ], depth: 5, hasActivity: true, hasAbsence: true),
        Scene(
            testDescription: "sleep",
            asks: [
                .sudo(1, of: 1001, timeout: .seconds(3)), .sudo(2, of: 1001, group: 20), .i3lock(3, of: 1001),
                .login(4, of: 1002), .app(5, of: 1001),
            ], depth: 5, hasAbsence: true, hasSleep: true),
        Scene(
            testDescription: "sleep and the reader",
            asks: [.sudo(1, of: 1001, fingerOnly: true), .vlock(2, of: 1002), .enrollment(3, of: 1001)], depth: 6,
            hasReaderTrouble: true, hasSleep: true),
        Scene(
            testDescription: "enrolling",
            asks: [.enrollment(1, of: 1001), .sudo(2, of: 1001), .app(3, of: 1002), .login(4, of: 1001)], depth: 6,
            results: [.matched(index: 0), .noMatch, .retry(.tooShort)]),
        Scene(
            testDescription: "the reader",
            asks: [.sudo(1, of: 1001, fingerOnly: true), .sudo(2, of: 1002), .app(3, of: 1001)], depth: 6,
            hasReaderTrouble: true),
        Scene(
            testDescription: "two readers",
            asks: [
                .sudo(1, of: 1001), .sudo(2, of: 1001, reader: .second), .i3lock(3, of: 1001, reader: .second),
                .sudo(4, of: 1002), .login(5, of: 1002, reader: .second),
            ], depth: 5, results: [.matched(index: 0)], hasTwoReaders: true),
    ]

    @Test(arguments: scenes)
    func `whatever happens, the rules hold`(scene: Scene) {
        var trial = ArbiterTrial()
        if scene.hasTwoReaders { trial.happen(.reader(.second, .good)) }
        let seen = sweep(
            from: trial, depth: scene.depth,
            moves: { moves(scene, $0) }, complaints: { $0.witness.complaints })
        #expect(seen.count > 10_000)
    }

    private func moves(_ scene: Scene, _ trial: ArbiterTrial) -> [Move] {
        var moves: [Move] = []
        for ask in scene.asks where !trial.asked.contains(ask.id) {
            moves.append(("\(ask.asker.service) \(ask.id.number) asks", { $0.happen(.asked(ask)) }))
        }
        for client in trial.witness.clients {
            moves.append(("\(client.ask.id.number) goes", { $0.happen(.gone(client.ask.id)) }))
        }
        for job in trial.jobs {
            for result in scene.results {
                moves.append(("\(result) for \(job.owner.number)", { $0.happen(.identified(job, result)) }))
            }
            if scene.results.contains(.noMatch) {
                moves.append(
                    ("lockout by \(job.owner.number)", { $0.happen(.identified(job, .noMatch), recorded: lockout) }))
            }
        }
        if scene.hasReaderTrouble { moves += readerMoves(trial) }
        if scene.hasTwoReaders { moves += pairMoves(trial) }
        if scene.hasSleep {
            let isAsleep = trial.witness.asleepSince != nil
            moves.append(isAsleep ? ("wakes", { $0.happen(.woke) }) : ("sleeps", { $0.happen(.slept) }))
        }
        if scene.hasActivity { moves.append(("activity", { $0.happen(.activity) })) }
        if scene.hasAbsence {
            let able = trial.witness.clients.filter { $0.isUserLocker || $0.isRootLock }
            moves += able.map { client in
                ("\(client.ask.id.number) alone is away", { $0.happen(.away([client.ask.id])) })
            }
            moves.append(("all are away", { $0.happen(.away(Set(able.map(\.ask.id)))) }))
            moves.append(("none is away", { $0.happen(.away([])) }))
        }
        moves.append(("1 s", { $0.pass(.seconds(1)) }))
        if let due = trial.arbiter.nextDeadline {
            moves.append(("\(due - trial.now) to the deadline", { $0.pass(due - trial.now) }))
        }
        return moves
    }

    private func readerMoves(_ trial: ArbiterTrial) -> [Move] {
        var standings: [ReaderStanding] = [.absent, .unproven, .good]
        switch trial.witness.readers[.first] {
        case .failing(_, let since):
            standings += [.failing(.readerFailed, since: since), .failing(.readerHot, since: since)]
        case .unproven, .good:
            standings.append(.failing(.readerFailed, since: trial.now))
        case .absent, nil:
            break
        }
        return standings.filter { $0 != trial.witness.readers[.first] ?? .absent }.map { standing in
            ("reader \(standing)", { $0.happen(.reader(.first, standing)) })
        }
    }

    /// The second reader comes and goes, and each request moves between them.
    private func pairMoves(_ trial: ArbiterTrial) -> [Move] {
        var moves: [Move] = trial.witness.clients.map { client in
            let other: ReaderID = client.reader == .first ? .second : .first
            return ("\(client.ask.id.number) moves", { $0.happen(.moved([client.ask.id: other])) })
        }
        let isThere = trial.witness.readers[.second] != nil
        moves.append(
            (
                "the other reader \(isThere ? "goes" : "comes")",
                { $0.happen(.reader(.second, isThere ? .absent : .good)) }
            ))
        return moves
    }
}
