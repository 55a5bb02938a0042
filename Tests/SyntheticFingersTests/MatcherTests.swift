import BioauthCore
import SyntheticFingers
import Testing

/// Whether the fingers are fingers is for libfprint's own matcher to say, with its own threshold.
@Suite(.serialized) @MainActor struct MatcherTests {
    @Test func `The matcher knows a finger again and takes none for another`() throws {
        let reader = try LiveReader()
        try reader.open()
        let fingers = (0..<40).map { SyntheticFinger(number: $0) }
        let prints = try fingers.map { try reader.enroll($0) }

        var letIn = 0
        var mistaken: [String] = []
        for finger in fingers {
            let strangers = prints.indices.filter { $0 != finger.number }
            for m in 5..<10 {
                let image = finger.impression(m)
                if try reader.identify(image, in: [prints[finger.number]]) == .matched(index: 0) { letIn += 1 }
                switch try reader.identify(image, in: strangers.map { prints[$0] }) {
                case .noMatch: break
                case .matched(let index): mistaken.append("\(finger.number) for \(strangers[index])")
                case .retry, nil: Issue.record("impression \(m) of finger \(finger.number) could not be read")
                }
            }
        }
        #expect(letIn >= 190, "of 200 fresh impressions")
        #expect(mistaken.isEmpty, "of 7800 fresh impressions and strangers")
        try reader.close()
    }
}
