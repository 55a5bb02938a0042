import BioauthCore
import Testing

@testable import bioauth_month

/// The arbiter, the reader's life and a reader together: every sequence of events up to a length.
@Suite struct DeskSweepTests {
    typealias Move = (String, (inout DeskTrial) -> Void)

    struct Scene: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let driver: DeskReader.Driver
        /// Each may ask once.
        let asks: [Ask]
        let depth: Int
        var mayFail = false
        var maySleep = false
        var mayHeat = false
    }

    static let drivers: [(String, DeskReader.Driver)] = [
        ("a driver that waits for the finger to go", .init(tellsFingers: true, waitsForLift: true)),
        ("a driver that tells of fingers and doesn't wait", .init(tellsFingers: true, waitsForLift: false)),
        ("a driver that tells of no fingers", .init(tellsFingers: false, waitsForLift: false)),
    ]

    static let scenes = drivers.flatMap { name, driver in
        [
            Scene(
                testDescription: "touches, \(name)", driver: driver,
                asks: [.sudo(1, of: 1001, timeout: .seconds(5)), .login(2, of: 1002)], depth: 8),
            Scene(
                testDescription: "faults, \(name)", driver: driver, asks: [.sudo(1, of: 1001), .app(2, of: 1002)],
                depth: 7, mayFail: true),
            Scene(
                testDescription: "heat, \(name)", driver: driver, asks: [.sudo(1, of: 1001), .app(2, of: 1002)],
                depth: 6, mayHeat: true),
            Scene(
                testDescription: "contention, \(name)", driver: driver,
                asks: [.sudo(1, of: 1001, group: 10), .sudo(2, of: 1001, group: 20)], depth: 7),
            Scene(
                testDescription: "enrolling, \(name)", driver: driver,
                asks: [.enrollment(1, of: 1001), .sudo(2, of: 1002)], depth: 7),
            Scene(
                testDescription: "sleep, \(name)", driver: driver, asks: [.sudo(1, of: 1001), .login(2, of: 1002)],
                depth: 7, mayFail: true, maySleep: true),
        ]
    }

    @Test(arguments: scenes)
    func `no touch serves two requests, and the reader is asked for one thing at a time`(scene: Scene) {
        let seen = sweep(
            from: DeskTrial([scene.driver]), depth: scene.depth,
            moves: { moves(scene, $0) }, complaints: { $0.complaints })
        for (number, state) in seen.enumerated() where number.isMultiple(of: 20) {
            #expect(complaintOfLast(state) == nil, "\(state)")
        }
    }

    private func moves(_ scene: Scene, _ trial: DeskTrial) -> [Move] {
        var moves: [Move] = []
        for ask in scene.asks where !trial.asked.contains(ask.id) {
            moves.append(("\(ask.asker.service) \(ask.id.number) asks", { $0.ask(ask) }))
        }
        for id in trial.live { moves.append(("\(id.number) goes", { $0.leave(id) })) }
        moves.append(trial.reader.touch == nil ? ("touch", { $0.touchDown() }) : ("lift", { $0.touchUp() }))
        moves += answers(trial)
        if scene.mayFail { moves += faults(trial) }
        if scene.maySleep { moves.append(trial.isAsleep ? ("wakes", { $0.wake() }) : ("sleeps", { $0.sleep() })) }
        if scene.mayHeat && trial.reader.isHot {
            moves.append(("cooled down", { $0.heated(false) }))
        } else if scene.mayHeat && trial.reader.scan != nil {
            moves.append(("too hot", { $0.heated(true) }))
        }
        moves.append(("1 s", { $0.pass(.seconds(1)) }))
        // A reader that hangs is a fault.
        if let due = trial.nextDeadline, due > trial.now, scene.mayFail || !trial.reader.isBusy {
            moves.append(("\(due - trial.now) slept over", { $0.oversleep() }))
            moves.append(("\(due - trial.now) to the deadline", { $0.pass(due - trial.now) }))
        }
        return moves
    }

    /// What the reader may answer when all is well.
    private func answers(_ trial: DeskTrial) -> [Move] {
        switch trial.reader.device {
        case .opening(let isCancelled):
            return [("opened", { $0.opened(nil) })] + (isCancelled ? [("cancelled", { $0.opened(.cancelled) })] : [])
        case .closing: return [("closed", { $0.closed() })]
        case .unplugged, .closed, .open, .errand: return []
        case .scanning(let scan):
            var moves: [Move] = []
            if case .enroll = scan.job.kind {
                if trial.reader.touch == nil { moves.append(("enrolled", { $0.completed(nil) })) }
            } else if !scan.isShown && trial.reader.touch != nil {
                moves += [("match", { $0.compared(.matched(index: 0)) }), ("mismatch", { $0.compared(.noMatch) })]
            }
            let mayComplete = scan.isShown && (!trial.reader.driver.waitsForLift || trial.reader.touch == nil)
            if mayComplete { moves.append(("completed", { $0.completed(nil) })) }
            let end: ReaderFault = trial.reader.isHot ? .hot : .cancelled
            if scan.isCancelled { moves.append(("cancelled", { $0.completed(end) })) }
            return moves
        }
    }

    private func faults(_ trial: DeskTrial) -> [Move] {
        switch trial.reader.device {
        case .unplugged: [("plugged in", { $0.plugIn() })]
        case .opening: [("opening fails", { $0.opened(.failed("no answer")) }), ("unplugged", { $0.unplug() })]
        case .scanning: [("action fails", { $0.completed(.failed("protocol")) }), ("unplugged", { $0.unplug() })]
        case .closed, .open, .closing, .errand: [("unplugged", { $0.unplug() })]
        }
    }

    /// Whatever has happened: once all others have gone, and the reader works, a request is armed in the end.
    private func complaintOfLast(_ trial: DeskTrial) -> String? {
        var trial = trial
        let last = Ask.sudo(99, of: 1099)
        for id in trial.live { trial.leave(id) }
        if trial.reader.touch != nil { trial.touchUp() }
        if trial.isAsleep { trial.wake() }
        if trial.reader.device == .unplugged { trial.plugIn() }
        if trial.reader.isHot { trial.heated(false) }
        // What is due already may be that the daemon starts anew.
        trial.pass(.zero)
        trial.ask(last)
        for _ in 1...20 {
            switch trial.reader.device {
            case .opening: trial.opened(nil)
            case .closing: trial.closed()
            case .errand: trial.errandDone(nil)
            case .scanning(let scan):
                if scan.job.owner == last.id && !scan.isCancelled { return nil }
                trial.completed(scan.isCancelled ? .cancelled : nil)
            case .closed, .open:
                guard let due = trial.nextDeadline else { return "nothing will happen any more" }
                trial.pass(due - trial.now)
            case .unplugged: return "unplugged"
            }
        }
        return "not armed"
    }
}
