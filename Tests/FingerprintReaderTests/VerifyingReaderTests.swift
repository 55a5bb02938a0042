import BioauthCore
import XCTest

/// The reader against libfprint's virtual device without identification, whose fingers are words.
final class VerifyingReaderTests: XCTestCase {
    func testOneTouchIsComparedWithOnePrint() throws {
        try onMainActor {
            let readers = try VirtualReaders(.device)
            let reader = try readers.opened(.device)
            let left = try readers.enroll("left", as: "user", .leftIndex, on: .device)
            let right = try readers.enroll("right", as: "user", .rightIndex, on: .device)
            @MainActor func shown(_ print: StoredPrint, _ finger: String) throws -> Identification {
                try reader.shown([print], after: { try readers.tell("SCAN \(finger)", to: .device) })
            }
            XCTAssertEqual(try shown(left, "left"), .matched(index: 0))
            XCTAssertEqual(try shown(left, "right"), .noMatch)
            XCTAssertEqual(try shown(right, "right"), .matched(index: 0))
            XCTAssertEqual(
                try reader.shown([left], after: { try readers.tell("RETRY 1", to: .device) }), .retry(.tooShort))
        }
    }

    func testItTakesNoMoreThanOnePrintAndNoneThatIsOfNoUse() throws {
        try onMainActor {
            let readers = try VirtualReaders(.device)
            let reader = try readers.opened(.device)
            let left = try readers.enroll("left", as: "user", .leftIndex, on: .device)
            for (gallery, fault): ([StoredPrint], ReaderFault) in [
                ([left, left], .unsupported), ([], .unsupported), ([StoredPrint(bytes: [])], .printInvalid),
            ] {
                let told = reader.identifying(gallery)
                XCTAssertEqual(try told.done.one().fault, fault)
                XCTAssert(told.shown.values.isEmpty)
            }
        }
    }

    func testACancelledComparisonSaysSoAndTheNextWorks() throws {
        try onMainActor {
            let readers = try VirtualReaders(.device)
            let reader = try readers.opened(.device)
            let left = try readers.enroll("left", as: "user", .leftIndex, on: .device)
            let told = reader.identifying([left])
            reader.cancel()
            XCTAssertEqual(try told.done.one().fault, .cancelled)
            XCTAssertEqual(
                try reader.shown([left], after: { try readers.tell("SCAN left", to: .device) }), .matched(index: 0))
        }
    }
}
