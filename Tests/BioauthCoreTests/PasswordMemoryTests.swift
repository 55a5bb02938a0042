import BioauthCore
import Testing

@Suite struct PasswordMemoryTests {
    private let person = Account(uid: 1000, name: "person")

    private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: 0) + .milliseconds(Int(seconds * 1000)) }

    @Test(arguments: [nil, false, true])
    func `what was said is told for a minute, and asked for again after five seconds`(isSet: Bool?) {
        var memory = PasswordMemory()
        #expect(memory.recall(person, at: at(0)) == nil)
        memory.remember(person, isSet: isSet, at: at(1))
        for (second, isDue) in [(1, false), (5.999, false), (6, true), (60.999, true)] {
            #expect(memory.recall(person, at: at(second)) == .init(isSet: isSet, isDue: isDue))
        }
        #expect(memory.recall(person, at: at(61)) == nil)
    }

    @Test func `a new answer takes the old one's place`() {
        var memory = PasswordMemory()
        memory.remember(person, isSet: false, at: at(0))
        memory.remember(person, isSet: true, at: at(30))
        #expect(memory.recall(person, at: at(61)) == .init(isSet: true, isDue: true))
    }

    @Test func `a number by another name is another account, and there is room for one of them`() {
        var memory = PasswordMemory()
        let other = Account(uid: person.uid, name: "other")
        memory.remember(person, isSet: true, at: at(0))
        #expect(memory.recall(other, at: at(0)) == nil)
        memory.remember(other, isSet: nil, at: at(0))
        #expect(memory.recall(person, at: at(0)) == nil)
    }

    @Test func `where there is no more room the oldest is forgotten`() {
        var memory = PasswordMemory()
        let accounts = (0...UInt32(PasswordMemory.accounts)).map { Account(uid: $0, name: "person\($0)") }
        for (second, account) in accounts.enumerated() {
            memory.remember(account, isSet: true, at: at(Double(second) / 10))
        }
        #expect(memory.recall(accounts[0], at: at(7)) == nil)
        #expect(accounts.dropFirst().allSatisfy { memory.recall($0, at: at(7)) != nil })
    }
}
