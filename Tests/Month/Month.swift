import SyntheticFingers

/// A month in the life of a machine with fingerprint readers: what happens, drawn at random, the same for the same seed.
///
/// It keeps only as much in mind as it takes for most events to mean something: nobody wakes who is awake. Whether a
/// request has been answered it doesn't know, so a client may leave that has its answer. Every daemon starts with all
/// readers plugged in and everybody's finger enrolled on each. When all events have been, those follow that end whatever
/// is wrong by then: what stays wrong after them is the daemon's.
public struct Month: Sequence, IteratorProtocol, Sendable {
    public let seed: UInt64
    /// Persons and readers are numbered from 0, clients from 1 in the order they come.
    public let people: Int
    public let readers: Int
    /// How many events are drawn.
    public let events: Int
    /// No time that passes at once is longer.
    public let longestPass: Duration

    private var random: SplitMix64
    private var drawn = 0
    private var ending: [Event]?
    private var clients: [Client] = []
    private var lastClient = 0
    private var stations: [Station]
    private var isAsleep = false
    private var now: Duration = .zero

    private struct Client {
        let number: Int
        let person: Int
        let service: Service
        /// When its request has ended in any case.
        let ends: Duration
        var isFrozen = false
    }

    private struct Station {
        var isPlugged = true
        var isHot = false
        /// It fails to open, or hangs.
        var isBroken = false
        var hasFinger = false
    }

    public init(
        seed: UInt64, people: Int = 3, readers: Int = 2, events: Int, longestPass: Duration = .seconds(3600)
    ) {
        self.seed = seed
        self.people = people
        self.readers = readers
        self.events = events
        self.longestPass = longestPass
        random = SplitMix64(seed)
        stations = Array(repeating: Station(), count: readers)
    }

    private enum Kind {
        case ask, leave, cancel, freeze, thaw, kill
        case touch, lift
        case unplug, plug, failsToOpen, hangs, mends, error, protocolError, hot, cool
        case sleep, wake, clockJump
        case killDaemon, restartDaemon
        case passwordGiven, pass
    }

    /// How often each happens, among those that can. Mostly people ask and touch and time passes; what goes wrong is rarer
    /// than what ends it, so that two troubles at once are seen, and all at once hardly ever.
    private static let weights: [(kind: Kind, weight: Int)] = [
        (.ask, 22), (.touch, 26), (.pass, 26),
        (.leave, 2), (.cancel, 2), (.kill, 2), (.freeze, 1), (.thaw, 4),
        (.lift, 12),
        (.unplug, 2), (.plug, 6), (.failsToOpen, 1), (.hangs, 1), (.mends, 4), (.error, 2), (.protocolError, 1),
        (.hot, 1), (.cool, 4),
        (.sleep, 2), (.wake, 12), (.clockJump, 1),
        (.killDaemon, 1), (.restartDaemon, 1),
        (.passwordGiven, 2),
    ]

    public mutating func next() -> Event? {
        if drawn == events {
            var rest = ending ?? mending
            let event = rest.isEmpty ? nil : rest.removeFirst()
            ending = rest
            return event
        }
        drawn += 1
        // Who is stopped has to be let go on first.
        clients.removeAll { $0.ends <= now && !$0.isFrozen }
        let possible = Month.weights.filter { isPossible($0.kind) }.map {
            ($0.kind, weight: $0.weight * boost($0.kind))
        }
        var at = random.below(possible.reduce(0) { $0 + $1.weight })
        for (kind, weight) in possible {
            if at < weight { return draw(kind) }
            at -= weight
        }
        return nil
    }

    /// Who enrols a finger touches the reader several times in a row.
    private func boost(_ kind: Kind) -> Int {
        clients.last?.service == .enrollment && (kind == .touch || kind == .pass) ? 6 : 1
    }

    // MARK: What can happen

    private func stations(where isMeant: (Station) -> Bool) -> [Int] {
        stations.indices.filter { isMeant(stations[$0]) }
    }

    private func clients(where isMeant: (Client) -> Bool) -> [Int] { clients.indices.filter { isMeant(clients[$0]) } }

    /// The readers, or the places of the clients, that it can happen to; where it happens to neither: one place.
    private func places(for kind: Kind) -> [Int] {
        switch kind {
        case .ask: clients.count < 2 * people ? [0] : []
        case .leave, .cancel: clients { !$0.isFrozen }
        case .kill: Array(clients.indices)
        case .freeze: clients { !$0.isFrozen }
        case .thaw: clients { $0.isFrozen }
        case .touch: stations { $0.isPlugged && !$0.hasFinger }
        case .lift: stations { $0.hasFinger }
        case .unplug, .error, .protocolError: stations { $0.isPlugged }
        case .plug: stations { !$0.isPlugged }
        case .failsToOpen, .hangs: stations { $0.isPlugged && !$0.isBroken }
        case .mends: stations { $0.isBroken }
        case .hot: stations { $0.isPlugged && !$0.isHot }
        case .cool: stations { $0.isHot }
        case .sleep: isAsleep ? [] : [0]
        case .wake: isAsleep ? [0] : []
        case .clockJump, .killDaemon, .restartDaemon, .pass: [0]
        case .passwordGiven: Array(0..<people)
        }
    }

    private func isPossible(_ kind: Kind) -> Bool { !places(for: kind).isEmpty }

    // MARK: What does

    private mutating func draw(_ kind: Kind) -> Event {
        let places = places(for: kind)
        let place = places[random.below(places.count)]
        switch kind {
        case .ask: return ask()
        case .leave: return .leave(client: clients.remove(at: place).number)
        case .cancel: return .cancel(client: clients.remove(at: place).number)
        case .kill: return .kill(client: clients.remove(at: place).number)
        case .freeze:
            clients[place].isFrozen = true
            return .freeze(client: clients[place].number)
        case .thaw:
            clients[place].isFrozen = false
            return .thaw(client: clients[place].number)
        case .touch:
            let stays = random.below(4) == 0
            stations[place].hasFinger = stays
            return .touch(reader: place, finger(), stays: stays)
        case .lift:
            stations[place].hasFinger = false
            return .lift(reader: place)
        case .unplug:
            stations[place] = Station(isPlugged: false)
            return .unplug(reader: place)
        case .plug:
            stations[place].isPlugged = true
            return .plug(reader: place, elsewhere: random.below(3) == 0)
        case .failsToOpen: return happens(.failsToOpen, at: place)
        case .hangs: return happens(.hangs, at: place)
        case .mends: return happens(.mends, at: place)
        case .error: return happens(.error, at: place)
        case .protocolError: return happens(.protocolError, at: place)
        case .hot: return happens(.hot, at: place)
        case .cool: return happens(.cool, at: place)
        case .sleep, .wake:
            isAsleep = kind == .sleep
            return isAsleep ? .sleep : .wake
        case .clockJump:
            let spans = [1, 60, 3600, 86_400, 31_536_000]
            let seconds = spans[random.below(spans.count)]
            return .clockJump(seconds: random.below(2) == 0 ? seconds : -seconds)
        case .killDaemon, .restartDaemon:
            clients = []
            return kind == .killDaemon ? .killDaemon : .restartDaemon
        case .passwordGiven: return .passwordGiven(person: place)
        case .pass: return pass()
        }
    }

    private mutating func happens(_ fault: Fault, at reader: Int) -> Event {
        switch fault {
        case .failsToOpen, .hangs: stations[reader].isBroken = true
        case .mends: stations[reader].isBroken = false
        case .hot: stations[reader].isHot = true
        case .cool: stations[reader].isHot = false
        case .error, .protocolError: break
        }
        return .fault(reader: reader, fault)
    }

    private mutating func ask() -> Event {
        lastClient += 1
        let services: [Service] = [.sudo, .sudo, .sudo, .sudo, .login, .lock, .app, .app, .enrollment, .enrollment]
        let service = services[random.below(services.count)]
        let time = Duration.seconds(5 + random.below(56))
        let client = Client(number: lastClient, person: random.below(people), service: service, ends: now + time)
        clients.append(client)
        return .ask(client: client.number, person: client.person, service, within: time)
    }

    /// Mostly somebody who is waited for, or a stranger; who enrols a finger takes one that nobody has enrolled.
    private mutating func finger() -> Finger {
        if clients.last?.service == .enrollment && random.below(4) > 0 { return .stranger }
        return switch random.below(20) {
        case 0..<9 where !clients.isEmpty: .person(clients[random.below(clients.count)].person)
        case 0..<12: .person(random.below(people))
        case 12..<18: .stranger
        default: .badScan
        }
    }

    /// Some milliseconds, some seconds, sometimes a lockout's delay; asleep, some minutes.
    private mutating func pass() -> Event {
        var milliseconds =
            switch random.below(20) {
            case 0..<8: 10 + random.below(500)
            case 8..<15: 500 + random.below(2500)
            case 15..<19: 3000 + random.below(12_000)
            default: 15_000 + random.below(50_000)
            }
        if isAsleep { milliseconds *= 50 }
        let time = Swift.min(.milliseconds(milliseconds), longestPass)
        now += time
        return .pass(time)
    }

    /// What ends all that is wrong.
    private var mending: [Event] {
        var events = clients.filter(\.isFrozen).map { Event.thaw(client: $0.number) }
        if isAsleep { events.append(.wake) }
        for (reader, station) in stations.enumerated() {
            if station.hasFinger { events.append(.lift(reader: reader)) }
            if !station.isPlugged { events.append(.plug(reader: reader, elsewhere: false)) }
            if station.isBroken { events.append(.fault(reader: reader, .mends)) }
            if station.isHot { events.append(.fault(reader: reader, .cool)) }
        }
        return events
    }
}
