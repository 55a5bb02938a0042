import Month
import Testing

/// The generator itself: what it draws is the same for the same seed, and means something.
@Suite struct MonthTests {
    @Test func `the same seed gives the same month, and another one another`() {
        let months = [1, 1, 2].map { Array(Month(seed: $0, events: 300)) }
        #expect(months[0] == months[1])
        #expect(months[0] != months[2])
    }

    @Test func `each kind of event happens, and in words of its own`() {
        let words = (1...20).flatMap { Month(seed: $0, events: 500).map(\.description) }
        let kinds = Set(words.map { $0.filter(\.isLetter) })
        for kind in [
            "asksforperson", "leaves", "cancels", "isstopped", "goeson", "iskilled", "strangertouches",
            "badscantouches",
            "andstays", "thefingeron", "isunplugged", "elsewhere", "sleeps", "wakes", "jumps", "daemoniskilled",
            "startedanew", "givesthepassword",
        ] + Month.Fault.allCases.map(\.rawValue) + Month.Service.allCases.map(\.rawValue) {
            #expect(kinds.contains { $0.contains(kind) }, "\(kind)")
        }
    }

    @Test(arguments: 1...50)
    func `in the end nothing is wrong any more`(seed: UInt64) {
        var isAsleep = false
        var frozen: Set<Int> = []
        var wrong: [Int: Set<String>] = [:]
        for event in Month(seed: seed, events: 200) {
            switch event {
            case .sleep, .wake:
                #expect(isAsleep == (event == .wake))
                isAsleep = event == .sleep
            case .freeze(let client): #expect(frozen.insert(client).inserted)
            case .thaw(let client): #expect(frozen.remove(client) != nil)
            case .kill(let client): frozen.remove(client)
            case .killDaemon, .restartDaemon: frozen = []
            case .unplug(let reader): wrong[reader] = ["unplugged"]
            case .plug(let reader, _): #expect(wrong[reader]?.remove("unplugged") != nil)
            case .touch(let reader, _, true): #expect(wrong[reader, default: []].insert("finger").inserted)
            case .lift(let reader): #expect(wrong[reader]?.remove("finger") != nil)
            case .fault(let reader, .hot): #expect(wrong[reader, default: []].insert("hot").inserted)
            case .fault(let reader, .cool): #expect(wrong[reader]?.remove("hot") != nil)
            case .fault(let reader, .failsToOpen), .fault(let reader, .hangs):
                #expect(wrong[reader, default: []].insert("broken").inserted)
            case .fault(let reader, .mends): #expect(wrong[reader]?.remove("broken") != nil)
            default: break
            }
        }
        #expect(!isAsleep && frozen.isEmpty && wrong.values.allSatisfy(\.isEmpty))
    }
}
