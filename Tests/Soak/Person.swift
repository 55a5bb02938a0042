import BioauthCore
import TestSupport

/// Somebody with an account, or one who stands at a reader to try whether it serves. Each has fingers of their own.
struct Person: Hashable {
    let number: Int

    static let people = (0..<3).map(Person.init)
    /// For each kind of reader one who is enrolled there alone.
    static let trying = PlayedReader.Kind.allCases.indices.map { Person(number: people.count + $0) }
    static let all = people + trying

    /// The first is who runs this.
    var account: Account {
        number == 0 ? DaemonUnderTest.account : Account(uid: 4200 + UInt32(number), name: "user\(number)")
    }
    var finger: Int { 1 + number }
    /// What another finger of theirs is, to be enrolled as well.
    var secondFinger: Int { Person.stranger + 1 + number }
    /// The finger of somebody without an account.
    static let stranger = 1 + all.count
    static let lastFinger = stranger + all.count

    /// Where they are enrolled: one everywhere, the others at one reader each, so that two are served at once.
    var readers: [PlayedReader.Kind] {
        let all = PlayedReader.Kind.allCases
        return number == 0 ? all : [all[(number - 1) % all.count]]
    }

    static func of(_ account: Account) -> Person? { all.first { $0.account == account } }
}
