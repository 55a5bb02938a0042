import BioauthCore
import Foundation
import SyntheticFingers
import XCTest

/// The reader against libfprint's virtual image device, which looks at real images.
final class ImageReaderTests: XCTestCase {
    private static let mine = SyntheticFinger(number: 0)
    private static let other = SyntheticFinger(number: 1)
    private static let stranger = SyntheticFinger(number: 2)

    func testTheRightFingerMatchesAndAStrangerDoesNot() throws {
        try onMainActor {
            let readers = try VirtualReaders(.image)
            let reader = try readers.opened(.image)
            let mine = try readers.enroll(Self.mine, as: "user", .rightIndex)
            let other = try readers.enroll(Self.other, as: "user", .rightMiddle)
            XCTAssertEqual(readers.source.describe(other)?.finger, .rightMiddle)

            let person = try Person(at: readers)
            var shown: [Identification] = []
            for finger in [Self.mine, Self.other, Self.stranger] {
                shown.append(try reader.shown([other, mine]) { try person.touch(finger.impression(100)) })
            }
            XCTAssertEqual(shown, [.matched(index: 1), .matched(index: 0), .noMatch])
        }
    }

    func testAMatchIsShownWhileTheFingerRests() throws {
        try onMainActor {
            let readers = try VirtualReaders(.image)
            let reader = try readers.opened(.image)
            let mine = try readers.enroll(Self.mine, as: "user", .rightIndex)
            let finger = Told<Bool>()
            reader.onFinger = { finger.append($0) }

            let person = try Person(at: readers)
            let told = reader.identifying([mine])
            try person.finger(present: true)
            try turn { finger.values.contains(true) }
            try person.show(Self.mine.impression(100))
            XCTAssertEqual(try told.shown.one(), .matched(index: 0))
            XCTAssert(told.done.values.isEmpty, "the action lasts until the finger is gone")
            XCTAssertEqual(finger.values, [false, true], "none was there when the reader was armed")

            try person.finger(present: false)
            try told.done.one().get()
            XCTAssertEqual(finger.values, [false, true, false])
        }
    }

    func testABadScanAsksAgainAndCountsForNoStage() throws {
        try onMainActor {
            let readers = try VirtualReaders(.image)
            let reader = try readers.opened(.image)
            let mine = try readers.enroll(Self.mine, as: "user", .rightIndex)
            let person = try Person(at: readers)
            XCTAssertEqual(try reader.shown([mine]) { try person.retry(1) }, .retry(.tooShort))

            // An image with nothing on it has no minutiae.
            let blank = FingerImage(width: 184, height: 184, pixels: Array(repeating: 255, count: 184 * 184))
            XCTAssertEqual(try reader.shown([mine]) { try person.touch(blank) }, .retry(.general))

            let told = reader.enrolling()
            try person.touch(blank)
            try turn { told.progress.values == [Progress(completed: 0, retry: .general)] }
            reader.cancel()
            XCTAssertEqual(try told.done.one().fault, .cancelled)
        }
    }

    func testAnErrorEndsTheActionAndTheNextWorks() throws {
        try onMainActor {
            let readers = try VirtualReaders(.image)
            let reader = try readers.opened(.image)
            let mine = try readers.enroll(Self.mine, as: "user", .rightIndex)
            let person = try Person(at: readers)
            let told = reader.identifying([mine])
            try person.fail(5)
            assertFailed(try told.done.one())
            XCTAssert(told.shown.values.isEmpty)
            XCTAssertEqual(
                try reader.shown([mine]) { try person.touch(Self.mine.impression(101)) }, .matched(index: 0))
        }
    }

    func testCancellingEndsTheActionAtOnceAlsoUnderAFinger() throws {
        try onMainActor {
            let readers = try VirtualReaders(.image)
            let reader = try readers.opened(.image)
            let mine = try readers.enroll(Self.mine, as: "user", .rightIndex)
            let person = try Person(at: readers)
            for underFinger in [false, true] {
                let finger = Told<Bool>()
                reader.onFinger = { finger.append($0) }
                let told = reader.identifying([mine])
                if underFinger {
                    try person.finger(present: true)
                    try turn { finger.values == [false, true] }
                }
                reader.cancel()
                XCTAssertEqual(try told.done.one().fault, .cancelled)
                // Whether the finger is then told to have gone says nothing: libfprint takes it for gone.
                XCTAssertEqual(Array(finger.values.prefix(2)), underFinger ? [false, true] : [false])
            }
            try person.finger(present: false)
            XCTAssertEqual(
                try reader.shown([mine]) { try person.touch(Self.mine.impression(102)) }, .matched(index: 0))
        }
    }
}

extension VirtualReaders {
    /// Enrols a finger at the image reader.
    func enroll(
        _ finger: SyntheticFinger, as accountName: String, _ which: Finger, file: StaticString = #filePath,
        line: UInt = #line
    ) throws -> StoredPrint {
        let reader = try reader(.image, file: file, line: line)
        let person = try Person(at: self, file: file, line: line)
        let told = reader.enrolling(as: accountName, which, file: file, line: line)
        for touch in 1...reader.description.enrollStages {
            try person.touch(finger.impression(touch - 1))
            try turn(file: file, line: line) { told.progress.values.count == touch }
        }
        return try told.done.one(file: file, line: line).get()
    }
}
