import BioauthCore
import Testing

/// Which of several readers serves: every criterion against those that weigh less.
@Suite struct ReaderChoiceTests {
    /// A reader that can serve, and what is different about it.
    struct Trait: OptionSet, Hashable {
        let rawValue: Int
        static let external = Trait(rawValue: 1)
        static let foreign = Trait(rawValue: 2)
        static let failing = Trait(rawValue: 4)
        static let blind = Trait(rawValue: 8)
        static let every = [external, foreign, failing, blind]
    }

    static func reader(_ number: UInt64, _ traits: Trait = []) -> ReaderCandidate {
        ReaderCandidate(
            id: ReaderID(number: number),
            description: ReaderDescription(
                driver: "driver\(number)", deviceID: "0", name: "Reader \(number)", scan: .press, enrollStages: 5,
                canIdentify: false, canVerify: !traits.contains(.blind), isBuiltIn: !traits.contains(.external),
                busPath: "1-\(number)"),
            isFailing: traits.contains(.failing), isEnrolled: !traits.contains(.foreign))
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var readers: [ReaderCandidate]
        var isLidShut = false
        var preferred: [String] = []
        var staying: UInt64?
        /// Which is the best, whether it can serve, and what decides about each, in their order.
        let best: UInt64?
        var canServe = true
        let criteria: [ReaderChoice.Criterion?]
    }

    static let cases = [
        Case(testDescription: "no reader", readers: [], best: nil, canServe: false, criteria: []),
        Case(testDescription: "one reader", readers: [reader(1)], best: 1, criteria: [nil]),
        Case(
            testDescription: "of two alike, the first", readers: [reader(2), reader(1)], best: 1,
            criteria: [.order, .order]),
        Case(
            testDescription: "the one with the prints", readers: [reader(1, .foreign), reader(2)],
            preferred: ["driver1"], best: 2, criteria: [.prints, .prints]),
        Case(
            testDescription: "an external one when the lid is shut", readers: [reader(1), reader(2, .external)],
            isLidShut: true, preferred: ["driver1"], best: 2, criteria: [.lid, .lid]),
        Case(
            testDescription: "the lid is open", readers: [reader(1), reader(2, .external)], best: 1,
            criteria: [.order, .order]),
        Case(
            testDescription: "the lid is shut, and the external one has no print",
            readers: [reader(1), reader(2, .external.union(.foreign))], isLidShut: true, best: 1, canServe: false,
            criteria: [.lid, .prints]),
        Case(
            testDescription: "no print anywhere, and the lid is shut",
            readers: [reader(1, .foreign), reader(2, .external.union(.foreign))], isLidShut: true, best: 2,
            canServe: false, criteria: [.prints, .prints]),
        Case(
            testDescription: "one that works before one that is preferred", readers: [reader(1, .failing), reader(2)],
            preferred: ["driver1"], best: 2, criteria: [.working, .working]),
        Case(
            testDescription: "one that fails is better than none", readers: [reader(1, .failing)], best: 1,
            criteria: [nil]),
        Case(
            testDescription: "by driver", readers: [reader(1), reader(2), reader(3)], preferred: ["driver3"], best: 3,
            criteria: [.preference, .preference, .preference]),
        Case(
            testDescription: "by place", readers: [reader(1), reader(2), reader(3)], preferred: ["1-3", "1-2"], best: 3,
            criteria: [.preference, .preference, .preference]),
        Case(
            testDescription: "by name; the rest as they came", readers: [reader(1), reader(2), reader(3)],
            preferred: ["absent", "Reader 2", ""], best: 2, criteria: [.preference, .preference, .preference]),
        Case(
            testDescription: "where the person was asked already", readers: [reader(1), reader(2)],
            preferred: ["driver1"], staying: 2, best: 2, criteria: [.preference, .preference]),
        Case(
            testDescription: "not where it fails", readers: [reader(1), reader(2, .failing)], staying: 2, best: 1,
            criteria: [.working, .working]),
        Case(
            testDescription: "not below a lid that was shut", readers: [reader(1, .external), reader(2)],
            isLidShut: true, staying: 2, best: 1, criteria: [.lid, .lid]),
        Case(
            testDescription: "one that can't compare", readers: [reader(1, .blind), reader(2, .foreign)], best: 2,
            canServe: false, criteria: [.comparing, .prints]),
    ]

    @Test(arguments: cases)
    func `the choice falls on the right one, for the right reason`(given: Case) {
        let choice = ReaderChoice(
            among: given.readers, isLidShut: given.isLidShut, preferred: given.preferred,
            staying: given.staying.map { ReaderID(number: $0) })
        #expect(choice.best?.id.number == given.best)
        #expect(choice.canServe == given.canServe)
        #expect(given.readers.map { choice.criterion(of: $0.id) } == given.criteria)
        #expect(choice.criterion(of: ReaderID(number: 99)) == nil)
    }

    @Test func `whatever the readers are like, one that can serve goes before any that can't, in any order`() {
        let traits = (0..<16).map { Trait(rawValue: $0) }
        for first in traits {
            for second in traits {
                for isLidShut in [false, true] {
                    let readers = [ReaderChoiceTests.reader(1, first), ReaderChoiceTests.reader(2, second)]
                    func choice(_ readers: [ReaderCandidate]) -> ReaderChoice {
                        ReaderChoice(among: readers, isLidShut: isLidShut, preferred: ["driver1"])
                    }
                    let able = [first, second].filter {
                        $0.isDisjoint(with: [.foreign, .blind]) && !(isLidShut && !$0.contains(.external))
                    }
                    #expect(choice(readers).canServe == !able.isEmpty)
                    #expect(choice(readers).best == choice(readers.reversed()).best)
                }
            }
        }
    }
}
