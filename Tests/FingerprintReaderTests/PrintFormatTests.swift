import BioauthCore
import CGLib
import FingerprintReader
import SyntheticFingers
import TestSupport
import XCTest

/// Prints that are well-formed bytes and yet none that libfprint could have written.
final class PrintFormatTests: XCTestCase {
    private var fatalLevels = GLogLevelFlags(rawValue: 0)

    /// Nothing that GLib or libfprint would even remark on may reach them.
    override func setUp() {
        let levels = G_LOG_LEVEL_WARNING.rawValue | G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_ERROR.rawValue
        fatalLevels = g_log_set_always_fatal(GLogLevelFlags(rawValue: levels))
    }

    override func tearDown() {
        g_log_set_always_fatal(fatalLevels)
    }

    func testAWellFormedPrintIsDescribed() throws {
        onMainActor {
            let source = LibfprintReaders()
            let expected = PrintDescription(
                accountName: "user", finger: .leftIndex, driver: "synaptics", deviceID: "0", enrolled: "2026-03-31")
            XCTAssertEqual(source.describe(.written()), expected)
            XCTAssertEqual(source.describe(.written(type: 1, data: "<'any'>")), expected)
            XCTAssertEqual(source.describe(.written(day: Int(Int32.min)))?.accountName, "user")
            XCTAssertNil(source.describe(.written(day: Int(Int32.min)))?.enrolled)
        }
    }

    func testWhatDescribesNobodyOrNoFingerIsNoPrint() throws {
        onMainActor {
            let source = LibfprintReaders()
            for print in [
                StoredPrint.written(name: "nothing"), .written(name: "just ''"), .written(finger: 0),
                .written(finger: 11), .written(finger: 255),
            ] {
                XCTAssertNil(source.describe(print))
            }
        }
    }

    func testWhatLibfprintWouldStumbleOverIsNoPrint() throws {
        onMainActor {
            let source = LibfprintReaders()
            let angles = String(repeating: "1,", count: 200)
            for print in [
                StoredPrint.written(type: 0), .written(type: 3), .written(type: 1), .written(type: 2, data: "<'any'>"),
                .written(data: "1"), .written(data: "'any'"), .written(data: "[1, 2]"), .written(data: "@(i) (1,)"),
                .written(data: "(@a(aiaiai) [],)"), .written(data: "([([1, 2], [1, 2], [1])],)"),
                .written(data: "([([1], [1], [1]), ([1, 2], [1], [1])],)"),
                .written(data: "([([\(angles)1], [\(angles)1], [\(angles)1])],)"),
                .written(data: "([([70000], [1], [1])],)"), .written(data: "([([1], [-70000], [1])],)"),
                .written(data: "([([1], [1], [361])],)"), .written(day: 0), .written(day: -1),
                .written(day: Int(Int32.max)),
            ] {
                XCTAssertNil(source.describe(print))
            }
        }
    }

    /// The matcher would compare it.
    func testAPrintOfAnotherDriverMatchesNothing() throws {
        try onMainActor {
            let readers = try VirtualReaders(.image)
            let reader = try readers.opened(.image)
            let mine = SyntheticFinger(number: 0)
            let print = try readers.enroll(mine, as: "user", .leftIndex)
            let person = try Person(at: readers)
            let gallery = [print.relabelled("elan"), print.relabelled("virtual_image")]
            XCTAssertEqual(gallery[1], print)
            XCTAssertEqual(
                try reader.shown(gallery) { try person.touch(mine.impression(100)) }, .matched(index: 1))
            XCTAssertEqual(try reader.identifying([gallery[0]]).done.one().fault, .printInvalid)
        }
    }
}

extension StoredPrint {
    /// A print with these members, in GVariant's notation.
    fileprivate static func written(
        type: Int = 2, finger: Int = 2, name: String = "just 'user'", day: Int = 739_706,
        data: String = "([([1, 2], [3, 4], [5, 6])],)"
    ) -> StoredPrint {
        StoredPrint(text: "(\(type), 'synaptics', '0', false, \(finger), \(name), nothing, \(day), {}, <\(data)>)")
    }
}
