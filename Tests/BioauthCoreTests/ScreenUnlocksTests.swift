import BioauthCore
import Testing

@Suite struct ScreenUnlocksTests {
    private let person = Account(uid: 1000, name: "person")
    private let other = Account(uid: 1001, name: "other")

    private static func place(
        _ session: String? = "c1", isActive: Bool = true, isLocked: Bool = false, isLidShut: Bool = false
    ) -> Surroundings {
        Surroundings(
            processGroup: 1, realUID: 1000,
            origin: session.map {
                .session(Session(id: $0, isRemote: false, isActive: isActive, isLocked: isLocked))
            } ?? .unmanaged, isLidShut: isLidShut)
    }

    private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: 0) + .milliseconds(Int(seconds * 1000)) }

    private func unlocked(at place: Surroundings = place(isLocked: true)) -> ScreenUnlocks {
        var unlocks = ScreenUnlocks()
        unlocks.unlocked(person, by: .rightIndex, at: place, slept: .seconds(9), now: at(100))
        return unlocks
    }

    private func finger(
        _ unlocks: ScreenUnlocks, of account: Account? = nil, at place: Surroundings = place(), within age: Duration,
        slept: Duration = .seconds(9), now: Double
    ) -> Finger? {
        unlocks.finger(of: account ?? person, at: place, within: age, slept: slept, now: at(now))
    }

    @Test(arguments: [
        (0.0, 100.0, false), (0.001, 100, true), (10, 100, true), (10, 110, true), (10, 110.001, false),
        (300, 400, true), (300, 400.001, false), (1000, 400.001, false), (300, 99.999, false),
    ])
    func `it does for as long as the request says, and five minutes at most`(age: Double, now: Double, does: Bool) {
        let found = finger(unlocked(), within: .milliseconds(Int(age * 1000)), now: now)
        #expect(found == (does ? .rightIndex : nil))
    }

    @Test func `it does for nobody else, and for nobody by another name`() {
        for account in [other, Account(uid: person.uid, name: "other"), Account(uid: other.uid, name: person.name)] {
            #expect(finger(unlocked(), of: account, within: .seconds(300), now: 101) == nil)
        }
    }

    @Test func `it does in the session whose screen it was`() {
        let elsewhere = [
            Self.place("c2"), Self.place(nil), Surroundings(processGroup: 1, origin: .outside),
            Surroundings(processGroup: 1, origin: .untold),
        ]
        for place in elsewhere { #expect(finger(unlocked(), at: place, within: .seconds(300), now: 101) == nil) }
        // And where sessions aren't known of at all, anywhere.
        let unmanaged = unlocked(at: Self.place(nil))
        #expect(finger(unmanaged, at: Self.place(nil), within: .seconds(300), now: 101) == .rightIndex)
        #expect(finger(unmanaged, at: Self.place("c1"), within: .seconds(300), now: 101) == nil)
        let outside = unlocked(at: Surroundings(processGroup: 1, origin: .outside))
        #expect(
            finger(outside, at: Surroundings(processGroup: 1, origin: .outside), within: .seconds(300), now: 101)
                == nil)
    }

    @Test func `the last one counts`() {
        var unlocks = unlocked()
        unlocks.unlocked(person, by: .leftThumb, at: Self.place(), slept: .seconds(9), now: at(200))
        #expect(finger(unlocks, within: .seconds(50), now: 210) == .leftThumb)
    }

    @Test func `forgetting one's leaves the others'`() {
        var unlocks = unlocked()
        unlocks.unlocked(other, by: .leftThumb, at: Self.place(), slept: .seconds(9), now: at(100))
        unlocks.forget(person)
        #expect(finger(unlocks, within: .seconds(300), now: 101) == nil)
        #expect(finger(unlocks, of: other, within: .seconds(300), now: 101) == .leftThumb)
    }

    @Test(arguments: [
        (Duration.seconds(9), true), (.milliseconds(9049), true), (.milliseconds(9050), false), (.seconds(10), false),
    ])
    func `the machine's sleeping ends it`(slept: Duration, does: Bool) {
        #expect((finger(unlocked(), within: .seconds(300), slept: slept, now: 101) != nil) == does)
    }

    /// What is told of the place, one after the other, and whether it still does at last.
    static let stories: [(told: [Surroundings], does: Bool)] = [
        ([], true),
        ([place(isLocked: true)], true),
        ([place(isLocked: true), place()], true),
        ([place(), place(isLocked: true)], false),
        ([place(), place(isLocked: true), place()], false),
        ([place(isLocked: true), place(), place(isLocked: true), place()], false),
        ([place(isActive: false), place()], false),
        ([place(isLidShut: true), place()], false),
        ([place(nil)], false),
        ([place("c2")], false),
        ([Surroundings(processGroup: 1, origin: .outside), place()], false),
        ([Surroundings(processGroup: 1, origin: .untold), place()], false),
    ]

    @Test(arguments: stories)
    func `its screen's being locked anew ends it, and so does whatever may bring somebody else`(
        told: [Surroundings], does: Bool
    ) {
        var unlocks = unlocked()
        for place in told { unlocks.follow { _ in place } }
        #expect((finger(unlocks, within: .seconds(300), now: 101) != nil) == does)
    }

    @Test func `of a screen that nobody called locked, the first lock is a new one`() {
        var unlocks = unlocked(at: Self.place())
        unlocks.follow { _ in Self.place(isLocked: true) }
        #expect(finger(unlocks, within: .seconds(300), now: 101) == nil)
    }

    @Test func `a lid that was shut already is nobody's leaving`() {
        var unlocks = unlocked(at: Self.place(isLidShut: true))
        unlocks.follow { _ in Self.place(isLidShut: true) }
        #expect(finger(unlocks, at: Self.place(isLidShut: true), within: .seconds(300), now: 101) == .rightIndex)
    }
}
