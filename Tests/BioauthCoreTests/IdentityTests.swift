import BioauthCore
import Testing

@Suite struct IdentityTests {
    @Test func `a number that was given to another name is another account`() {
        let account = Account(uid: 1000, name: "user")
        #expect(account == Account(uid: 1000, name: "user"))
        #expect(account != Account(uid: 1000, name: "other"))
        #expect(account != Account(uid: 1001, name: "user"))
        #expect(account != Account(uid: 1000, name: "User"))
    }

    @Test func `names that only look the same are two accounts`() {
        // One letter or two, the same to String's own ==.
        let (composed, decomposed) = (Account(uid: 1, name: "\u{e9}"), Account(uid: 1, name: "e\u{301}"))
        #expect(composed.name == decomposed.name)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(Set([composed, Account(uid: 1, name: "\u{e9}")]).count == 1)
    }

    @Test func `fingers have libfprint's numbers`() {
        #expect(Finger.allCases.map(\.rawValue) == Array(1...10))
        #expect(Finger.leftThumb.rawValue == 1 && Finger.leftLittle.rawValue == 5)
        #expect(Finger.rightThumb.rawValue == 6 && Finger.rightLittle.rawValue == 10)
        #expect(Finger(rawValue: 0) == nil && Finger(rawValue: 11) == nil)
    }

    @Test func `a finger is found by its name and by nothing else`() {
        let hands = ["left", "right"]
        let fingers = ["thumb", "index", "middle", "ring", "little"]
        let names = hands.flatMap { hand in fingers.map { "\(hand)-\($0)" } }
        #expect(Finger.allCases.map(\.name) == names)
        #expect(names.map { Finger(name: $0) } == Finger.allCases)
        for name in ["", "thumb", "Left-Thumb", "left_thumb", " left-thumb", "left-thumb\0", "1"] {
            #expect(Finger(name: name) == nil)
        }
    }

    @Test(arguments: [0, 1000, 1001, .max] as [UInt32])
    func `root may ask for anybody, everybody else for themselves`(asked: UInt32) {
        let account = Account(uid: asked, name: "user")
        #expect(Peer(uid: 0, pid: 1, isRoot: true).mayAsk(for: account))
        #expect(Peer(uid: 1000, pid: 1, isRoot: false).mayAsk(for: account) == (asked == 1000))
        // In private mode the daemon's own uid counts as root's, and uid 0 is nothing by itself.
        #expect(Peer(uid: 1000, pid: 1, isRoot: true).mayAsk(for: account))
        #expect(Peer(uid: 0, pid: 1, isRoot: false).mayAsk(for: account) == (asked == 0))
    }
}
