import BioauthCore
import BioauthWire

/// What was done, what was heard of it, and whether the two go together. It knows nothing of the daemon's decisions.
///
/// Events are placed by the order in which one who watches hears of them, and a touch by what had been heard before it and,
/// once the daemon has answered a question after it, by what had been then.
struct Ledger {
    private(set) var violations: [String] = []
    private(set) var allowed = 0
    private(set) var denied = 0
    private(set) var mismatched = 0
    private(set) var retried = 0
    /// Touches of an enrolled finger that weren't recognised: one in some thousands isn't, and none at another reader than
    /// where it is enrolled.
    private(set) var unrecognised = 0

    /// What stands in the way of a finger after so many mismatches in a row: nothing but the password ends it here.
    static let mismatchesPerDelay = 5

    struct Request {
        let person: Person
        let isEnrollment: Bool
        /// Where the last prompt is.
        var prompted: Int?
        /// What who watches heard of its end.
        var end: WatchEvent.Kind?
        /// What its client heard, in order.
        var heard: [Heard] = []
        /// Fingers that were shown while it enrolled one: each is part of the print that comes of it.
        var fingers: Set<Int> = []
        /// Its client stays to hear the answer.
        var stays = true
        /// Its daemon ended before it had answered, and whether by a signal that leaves no time to do so.
        var lostDaemon = false
        var wasKilled = false

        var isAnswered: Bool { heard.contains { $0.isAnswer } }
        /// An enrolment of which nobody heard whether the print is kept.
        var isCutShort: Bool { isEnrollment && wasKilled }
    }

    private struct Shown {
        /// Nil: the scan was no good.
        let finger: Int?
        var isBad: Bool { finger == nil }
        let at: ContinuousClock.Instant
        /// How much had been heard when the touch was over for sure; nil: not known yet, or it may come late.
        var end: Int?
        /// It has been compared, or can't be any more.
        var isSpent = false
    }

    private(set) var requests: [String: Request] = [:]
    private var touches: [Shown] = []
    /// By which fingers each person may be let in.
    private var fingers = Person.all.map { Set([$0.finger]) }
    /// Mismatches in a row, as told.
    private var counts = Array(repeating: 0, count: Person.all.count)
    private var position = 0

    mutating func violated(_ what: String) { violations.append(what) }

    // MARK: What is done

    mutating func asked(_ service: String, _ person: Person, isEnrollment: Bool) {
        requests[service] = Request(person: person, isEnrollment: isEnrollment)
    }

    /// Its client goes without waiting for an answer.
    mutating func left(_ service: String) { requests[service]?.stays = false }

    /// A finger is shown from now on.
    ///
    /// - Parameter finger: nil: for a scan that is no good.
    mutating func shows(_ finger: Int?) {
        touches.append(Shown(finger: finger, at: .now))
        guard let finger else { return }
        for (service, request) in requests where request.isEnrollment && !request.isAnswered {
            requests[service]?.fingers.insert(finger)
        }
    }

    /// The last touch is over, and what was heard by now came before its end.
    mutating func shown(mayComeLate: Bool) {
        touches[touches.indices.last!].end = mayComeLate ? nil : position
    }

    // MARK: What is heard

    mutating func heard(_ heard: Heard, by service: String) {
        requests[service]?.heard.append(heard)
    }

    mutating func heard(_ event: WatchEvent) {
        position += 1
        let person = event.account.flatMap(Person.of)
        let service = event.service ?? ""
        switch event.kind {
        case .prompted: requests[service]?.prompted = position
        case .allowed: person.map { allows($0, service) }
        case .denied:
            denied += 1
            ends(service, .denied)
        case .mismatched: person.map { mismatches($0, service) }
        case .retried:
            retried += 1
            // A driver may find a touch too bad that was meant well.
            let bad = touches.firstIndex { !$0.isSpent && $0.isBad } ?? touches.firstIndex { !$0.isSpent }
            spend(bad, for: "a scan that didn't count", service)
        case .passwordGiven: person.map { counts[$0.number] = 0 }
        case .enrolled: person.map { enrolls($0) }
        default: break
        }
    }

    private mutating func allows(_ person: Person, _ service: String) {
        allowed += 1
        ends(service, .allowed)
        let prompted = requests[service]?.prompted ?? .max
        let touch = touches.firstIndex {
            !$0.isSpent && isOne($0.finger, of: person) && $0.end.map { $0 >= prompted } ?? true
        }
        spend(requests[service]?.prompted == nil ? nil : touch, for: "an allow", service)
        if counts[person.number] >= Ledger.mismatchesPerDelay {
            violated("\(service) was allowed to \(person.account.name), who has no finger until the password")
        }
        counts[person.number] = 0
    }

    private mutating func mismatches(_ person: Person, _ service: String) {
        mismatched += 1
        let prompted = requests[service]?.prompted ?? 0
        let candidates = touches.indices.filter { !touches[$0].isSpent && !touches[$0].isBad }
        let timely = candidates.filter { touches[$0].end.map { $0 >= prompted } ?? true }
        let others = timely.first { !isOne(touches[$0].finger, of: person) }
        let touch = others ?? timely.first ?? candidates.last
        if let touch, isOne(touches[touch].finger, of: person) { unrecognised += 1 }
        spend(touch, for: "a mismatch", service)
        counts[person.number] += 1
    }

    private func isOne(_ finger: Int?, of person: Person) -> Bool {
        finger.map(fingers[person.number].contains) ?? false
    }

    /// A print of the person's may be kept from now on.
    private mutating func enrolls(_ person: Person) {
        for request in requests.values where request.person == person {
            fingers[person.number].formUnion(request.fingers)
        }
    }

    private mutating func spend(_ touch: Int?, for what: String, _ service: String) {
        guard let touch else { return violated("\(what) of \(service) that no touch was shown for") }
        touches[touch].isSpent = true
    }

    private mutating func ends(_ service: String, _ end: WatchEvent.Kind) {
        guard requests[service]?.isEnrollment == false else { return }
        if let before = requests[service]?.end { violated("\(service) ended twice: \(before), then \(end)") }
        requests[service]?.end = end
    }

    // MARK: What is kept

    /// The daemon has ended, and everything that it told has been heard.
    ///
    /// - Parameter isKilled: by a signal that leaves no time to say so.
    mutating func daemonEnded(isKilled: Bool) {
        for (service, request) in requests where !request.lostDaemon && !request.isAnswered {
            requests[service]?.lostDaemon = true
            requests[service]?.wasKilled = isKilled
        }
        for person in Person.all where requests.values.contains(where: { $0.person == person && $0.isCutShort }) {
            enrolls(person)
        }
        let recent = ContinuousClock.now - .seconds(10)
        unheard = touches.filter { !$0.isSpent && $0.at > recent }.compactMap(\.finger)
        for at in touches.indices { touches[at].isSpent = true }
    }

    /// Fingers that the last daemon may have compared without that anybody heard of it.
    private var unheard: [Int] = []

    /// So many mismatches of a person's are on disk after a daemon's end.
    mutating func kept(_ mismatches: Int, of person: Person) {
        let told = counts[person.number]
        // A match that nobody heard of clears the count.
        let mayBeCleared = unheard.contains { isOne($0, of: person) }
        let possible = (mayBeCleared ? 0 : told)...(told + unheard.count)
        if !possible.contains(mismatches) {
            violated(
                "\(person.account.name): \(mismatches) mismatches kept, \(told) told, \(unheard.count) touches unheard")
        }
        counts[person.number] = mismatches
    }

    // MARK: At the end

    /// - Parameter mismatches: what the daemon counts of a person.
    mutating func ends(mismatches: Int, of person: Person) {
        let told = counts[person.number]
        if mismatches != told {
            violated("\(person.account.name): \(mismatches) mismatches counted at the end, \(told) told")
        }
    }

    /// Every client that stayed must have heard one answer, and the same as who watched.
    mutating func checkAnswers() {
        for (service, request) in requests.sorted(by: { $0.key < $1.key }) where request.stays {
            let answers = request.heard.filter(\.isEnd)
            guard answers.count == 1, let answer = answers.first else {
                violated("\(service) heard \(answers.isEmpty ? "no answer" : "\(answers)")")
                continue
            }
            switch answer {
            case .gone(let why):
                // Where the daemon ended in good order, it told all those whom it knew of.
                let isExcused = request.wasKilled || request.lostDaemon && request.heard.count == 1
                if !isExcused { violated("\(service) lost its daemon: \(why)") }
            case .allowed where request.end != .allowed && !request.lostDaemon,
                .denied where request.end == .allowed:
                violated("\(service) heard \(answer), and who watches \(request.end.map { "\($0)" } ?? "nothing")")
            default: break
            }
            if request.heard.last != answer { violated("\(service) heard more than its answer: \(request.heard)") }
        }
    }
}
