import BioauthCore
import XCTest

/// What a reader keeps itself, by its own word.
final class KeptPrintTests: XCTestCase {
    func testThePrintsThatItKeepsAreListedAndDeleted() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            XCTAssertEqual(try reader.listing().get(), [])
            let left = try readers.enroll("left", as: "user", .leftIndex)
            let right = try readers.enroll("right", as: "user", .rightIndex)
            let kept = try reader.listing().get()
            XCTAssertEqual(kept.count, 2)
            let places = readers.source.places(of: [left, right, StoredPrint(bytes: [])], among: kept)
            XCTAssertEqual(Set(places.prefix(2)), [0, 1])
            XCTAssertNil(places[2])
            try reader.deleting(left).get()
            XCTAssertEqual(try reader.deleting(left).fault, .printMissing)
            XCTAssertEqual(readers.source.places(of: [left, right], among: try reader.listing().get()), [nil, 0])
            XCTAssertEqual(try reader.deleting(StoredPrint(bytes: [])).fault, .printInvalid)
        }
    }

    func testAReaderThatKeepsNothingCantBeAskedWhat() throws {
        try onMainActor {
            let readers = try VirtualReaders(.device)
            let reader = try readers.opened(.device)
            XCTAssertEqual(try reader.listing().fault, .unsupported)
            let print = try readers.enroll("left", as: "user", .leftIndex, on: .device)
            XCTAssertEqual(try reader.deleting(print).fault, .unsupported)
        }
    }
}
