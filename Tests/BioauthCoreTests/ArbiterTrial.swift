import BioauthCore
import Testing

/// An arbiter under the eyes of a witness.
struct ArbiterTrial: Hashable {
    private(set) var arbiter = Arbiter()
    private(set) var witness: ArbiterWitness
    private(set) var now = Instant(nanoseconds: 0) + .seconds(1000)
    /// What the readers were armed for last, at most twice: their answers may come late.
    private(set) var jobs: [Job] = []
    private(set) var asked: Set<RequestID> = []

    init(reader: ReaderStanding = .good) {
        witness = ArbiterWitness(at: now)
        happen(.reader(.first, reader))
    }

    mutating func pass(_ time: Duration) {
        now = now + time
        happen(.tick)
    }

    /// What happens, and what is recorded of a mismatch.
    mutating func happen(_ event: ArbiterWitness.Event, recorded denial: Denial? = nil) {
        let actions = carryOut(event)
        witness.saw(event, actions, due: arbiter.nextDeadline, at: now)
        if case .asked(let ask) = event { asked.insert(ask.id) }
        for case .want(let job?, _) in actions {
            jobs.removeAll { $0 == job }
            jobs = jobs.suffix(1) + [job]
        }
        for case .charge(let account, let id) in actions { happen(.charged(account, id, denial)) }
    }

    private mutating func carryOut(_ event: ArbiterWitness.Event) -> [Arbiter.Action] {
        switch event {
        case .asked(let ask): arbiter.asked(ask, at: now)
        case .gone(let id): arbiter.gone([id], at: now)
        case .ended(let id, let denial): arbiter.ended(id, denial, at: now)
        case .identified(let job, let result): arbiter.identified(job, result, finger: .rightIndex, at: now)
        case .charged(let account, let id, let denial): arbiter.charged(account, id, denial, at: now)
        case .reader(let reader, let standing): arbiter.readerChanged(reader, standing, at: now)
        case .moved(let moves): arbiter.moved(moves, at: now)
        case .activity: arbiter.activity(at: now)
        case .slept: arbiter.slept(at: now)
        case .woke: arbiter.woke(at: now)
        case .away(let ids): arbiter.away(ids, at: now)
        case .enrolled(let id): arbiter.enrolled(id, at: now)
        case .tick: arbiter.tick(at: now)
        }
    }
}

/// Walks through every sequence of moves up to a length, each state once.
///
/// - Parameters:
///   - moves: what may happen in a state, each with its name.
///   - complaints: what is wrong with a state; a walk ends at the first.
/// - Returns: the states that were seen.
func sweep<State: Hashable>(
    from start: State, depth: Int, moves: (State) -> [(String, (inout State) -> Void)],
    complaints: (State) -> [String]
) -> Set<State> {
    var seen: Set<State> = [start]
    var frontier: [(state: State, path: [String])] = [(start, [])]
    for _ in 0..<depth {
        var next: [(state: State, path: [String])] = []
        for (state, path) in frontier {
            for (name, move) in moves(state) {
                var state = state
                move(&state)
                let complaints = complaints(state)
                guard complaints.isEmpty else {
                    Issue.record("\((path + [name]).joined(separator: ", ")): \(complaints.joined(separator: "; "))")
                    return seen
                }
                if seen.insert(state).inserted { next.append((state, path + [name])) }
            }
        }
        frontier = next
    }
    return seen
}
