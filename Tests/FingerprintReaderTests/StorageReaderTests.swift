import BioauthCore
import Foundation
import XCTest

/// The reader against libfprint's virtual device with storage, whose fingers are words.
final class StorageReaderTests: XCTestCase {
    func testReadersAreFoundAndDescribed() throws {
        try onMainActor {
            let readers = try VirtualReaders(.image, .device, .storage)
            XCTAssertEqual(readers.added.values.count, 3)
            let image = ReaderDescription(
                driver: "virtual_image", deviceID: "0", name: "Virtual image device for debugging", scan: .swipe,
                enrollStages: 5, canIdentify: true)
            XCTAssertEqual(try readers.reader(.image).description, image)
            let device = ReaderDescription(
                driver: "virtual_device", deviceID: "0", name: "Virtual device for debugging", scan: .swipe,
                enrollStages: 5, canIdentify: false)
            XCTAssertEqual(try readers.reader(.device).description, device)
            let storage = ReaderDescription(
                driver: "virtual_device_storage", deviceID: "0",
                name: "Virtual device with storage and identification for debugging", scan: .swipe,
                enrollStages: 5, canIdentify: true, canList: true, canDelete: true)
            XCTAssertEqual(try readers.reader(.storage).description, storage)
        }
    }

    func testNoReaderIsFoundWhereThereIsNone() throws {
        try onMainActor {
            let readers = try VirtualReaders()
            readers.source.start()
            XCTAssert(readers.added.values.isEmpty)
        }
    }

    func testAnEnrolledPrintSaysWhoseItIs() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            _ = try readers.opened(.storage)
            for finger in Finger.allCases {
                let print = try readers.enroll(finger.name, as: "사용자", finger)
                let today = DateFormatter()
                today.dateFormat = "yyyy-MM-dd"
                let expected = PrintDescription(
                    accountName: "사용자", finger: finger, driver: "virtual_device_storage", deviceID: "0",
                    enrolled: today.string(from: .now), isOnReader: true)
                XCTAssertEqual(readers.source.describe(print), expected)
            }
        }
    }

    func testEnrollmentTellsEachTouch() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            let told = reader.enrolling()
            try readers.tell("SCAN left")
            try readers.tell("RETRY 2")
            for _ in 2...5 { try readers.tell("SCAN left") }
            _ = try told.done.one().get()
            let expected: [(Int, RetryReason?)] = [
                (1, nil), (1, .centerFinger), (2, nil), (3, nil), (4, nil), (5, nil),
            ]
            XCTAssertEqual(told.progress.values, expected.map(Progress.init))
        }
    }

    func testAFingerThatTheReaderKeepsAlreadyIsADuplicate() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            _ = try readers.enroll("left", as: "user", .leftIndex)
            let told = reader.enrolling(as: "other", .leftIndex)
            try readers.tell("SCAN left")
            XCTAssertEqual(try told.done.one().fault, .duplicate)
        }
    }

    func testTheRightPrintMatchesAndAnotherFingerDoesNot() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            let left = try readers.enroll("left", as: "user", .leftIndex)
            let right = try readers.enroll("right", as: "user", .rightIndex)

            XCTAssertEqual(
                try reader.shown([left, right], after: { try readers.tell("SCAN right") }), .matched(index: 1))
            XCTAssertEqual(
                try reader.shown([right, left], after: { try readers.tell("SCAN right") }), .matched(index: 0))
            XCTAssertEqual(try reader.shown([right, left], after: { try readers.tell("SCAN thumb") }), .noMatch)
            // Kept by the reader, but not one of those asked for.
            XCTAssertEqual(try reader.shown([right], after: { try readers.tell("SCAN left") }), .noMatch)
        }
    }

    func testAMatchIsShownBeforeTheReaderIsReadyAgain() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            let left = try readers.enroll("left", as: "user", .leftIndex)
            let told = reader.identifying([left])
            for command in ["SLEEP 20", "SCAN left", "SLEEP 200"] { try readers.tell(command) }
            try turn { !told.shown.values.isEmpty }
            XCTAssert(told.done.values.isEmpty)
            try told.done.one().get()
            XCTAssertEqual(told.shown.values, [.matched(index: 0)])
        }
    }

    func testPrintsThatAreOfNoUseAreLeftOutAndTheOthersKeepTheirPlaces() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage, .device)
            let reader = try readers.opened(.storage)
            _ = try readers.opened(.device)
            let left = try readers.enroll("left", as: "user", .leftIndex)
            let foreign = try readers.enroll("left", as: "user", .leftIndex, on: .device)
            let gallery = [StoredPrint(bytes: []), foreign, StoredPrint(bytes: Array(left.bytes.dropLast())), left]
            XCTAssertEqual(try reader.shown(gallery, after: { try readers.tell("SCAN left") }), .matched(index: 3))
        }
    }

    func testAGalleryWithoutAUsablePrintNeverReachesTheReader() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            // With an empty gallery libfprint would take whatever finger the reader keeps.
            _ = try readers.enroll("left", as: "user", .leftIndex)
            for gallery in [[], [StoredPrint(bytes: Array("FP3".utf8))]] {
                let told = reader.identifying(gallery)
                XCTAssertEqual(try told.done.one().fault, .printInvalid)
                XCTAssert(told.shown.values.isEmpty)
            }
        }
    }

    func testABadScanAsksAgain() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            let left = try readers.enroll("left", as: "user", .leftIndex)
            // libfprint 1.94.5 has no `tooFast` yet.
            for reason in RetryReason.allCases where reason != .tooFast {
                let scan = { try readers.tell("RETRY \(reason.rawValue)") }
                XCTAssertEqual(try reader.shown([left], after: scan), .retry(reason))
            }
        }
    }

    func testErrorsOfTheDeviceKeepTheirMeaning() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            let left = try readers.enroll("left", as: "user", .leftIndex)
            let named: [(UInt, ReaderFault)] = [
                (1, .unsupported), (2, .notOpen), (3, .alreadyOpen), (4, .busy), (6, .printInvalid),
                (7, .printMissing), (8, .storageFull), (9, .duplicate), (0x101, .hot),
            ]
            for (code, fault) in named {
                let identifying = reader.identifying([left])
                try readers.tell("ERROR \(code)")
                XCTAssertEqual(try identifying.done.one().fault, fault)
                XCTAssert(identifying.shown.values.isEmpty)

                let enrolling = reader.enrolling()
                try readers.tell("ERROR \(code)")
                XCTAssertEqual(try enrolling.done.one().fault, fault)
            }
            // General, protocol, those of a later libfprint; and removed, of a device that is there.
            for code in [0, 5, 10, 0x102, 0x100] {
                let told = reader.identifying([left])
                try readers.tell("ERROR \(code)")
                assertFailed(try told.done.one())
            }
            XCTAssertEqual(try reader.shown([left], after: { try readers.tell("SCAN left") }), .matched(index: 0))
        }
    }

    func testACallThatHangsEndsWhenItIsCancelledAndTheNextWorks() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            try readers.tell("SET_KEEP_ALIVE 1")
            for isOpening in [false, true] {
                try readers.tell("SLEEP 60000")
                let done = Told<Result<Void, ReaderFault>>()
                if isOpening { reader.open { done.append($0) } } else { reader.close { done.append($0) } }
                settle()
                XCTAssert(done.values.isEmpty)
                reader.cancel()
                XCTAssertEqual(try done.one().fault, .cancelled)
            }
            try reader.opening().get()
        }
    }

    func testAnOpeningThatSucceededAsItWasCancelledHas() throws {
        try onMainActor {
            let readers = try VirtualReaders(.image)
            let reader = try readers.reader(.image)
            let done = Told<Result<Void, ReaderFault>>()
            reader.open { done.append($0) }
            // This driver doesn't let itself be cancelled then.
            reader.cancel()
            try done.one().get()
            try reader.closing().get()
        }
    }

    func testAnErrorOnOpeningIsToldAndOpeningAgainWorks() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            try readers.tell("SET_KEEP_ALIVE 1")
            try reader.closing().get()
            try readers.tell("ERROR 5")
            assertFailed(try reader.opening())
            try reader.opening().get()
            try reader.closing().get()
        }
    }

    func testOpeningLearnsWhatTheDriverLearns() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            try readers.tell("SET_ENROLL_STAGES 7")
            try readers.tell("SET_SCAN_TYPE press")
            try reader.closing().get()
            try reader.opening().get()
            XCTAssertEqual(reader.description.enrollStages, 7)
            XCTAssertEqual(reader.description.scan, .press)
        }
    }

    func testCancellingEndsTheAction() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            let left = try readers.enroll("left", as: "user", .leftIndex)
            for _ in 1...3 {
                let identifying = reader.identifying([left])
                reader.cancel()
                reader.cancel()
                XCTAssertEqual(try identifying.done.one().fault, .cancelled)
                XCTAssert(identifying.shown.values.isEmpty)

                let enrolling = reader.enrolling()
                try readers.tell("SCAN right")
                reader.cancel()
                XCTAssertEqual(try enrolling.done.one().fault, .cancelled)
            }
            XCTAssertEqual(try reader.shown([left], after: { try readers.tell("SCAN left") }), .matched(index: 0))
        }
    }

    func testCancellingWithNoCallHasNoEffect() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.reader(.storage)
            reader.cancel()
            try reader.opening().get()
            reader.cancel()
            let left = try readers.enroll("left", as: "user", .leftIndex)
            reader.cancel()
            XCTAssertEqual(try reader.shown([left], after: { try readers.tell("SCAN left") }), .matched(index: 0))
            try reader.closing().get()
            reader.cancel()
        }
    }

    func testCallsAtTheWrongTimeAreRefused() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.reader(.storage)
            XCTAssertEqual(try reader.closing().fault, .notOpen)
            XCTAssertEqual(try reader.identifying([]).done.one().fault, .notOpen)
            XCTAssertEqual(try reader.enrolling().done.one().fault, .notOpen)

            try reader.opening().get()
            XCTAssertEqual(try reader.opening().fault, .alreadyOpen)
            let left = try readers.enroll("left", as: "user", .leftIndex)

            let running = reader.identifying([left])
            assertFailed(try reader.opening())
            assertFailed(try reader.closing())
            assertFailed(try reader.identifying([left]).done.one())
            assertFailed(try reader.enrolling().done.one())
            try readers.tell("SCAN left")
            try running.done.one().get()
            XCTAssertEqual(running.shown.values, [.matched(index: 0)])

            try reader.closing().get()
            XCTAssertEqual(try reader.closing().fault, .notOpen)
            try reader.opening().get()
        }
    }

    func testTheNextActionMayStartAsSoonAsTheLastIsDone() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            let left = try readers.enroll("left", as: "user", .leftIndex)
            let second = Told<Result<Void, ReaderFault>>()
            let third = Told<Result<Void, ReaderFault>>()
            reader.identify(gallery: [left], shown: { _ in }) { _ in
                reader.identify(gallery: [left], shown: { _ in }) {
                    second.append($0)
                    reader.close { third.append($0) }
                }
            }
            try readers.tell("SCAN left")
            try readers.tell("SCAN left")
            try second.one().get()
            try third.one().get()
        }
    }

    func testCancellingFromWithinShownLosesNothing() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            let left = try readers.enroll("left", as: "user", .leftIndex)
            let shown = Told<Identification>()
            let done = Told<Result<Void, ReaderFault>>()
            reader.identify(gallery: [left]) {
                shown.append($0)
                reader.cancel()
            } done: {
                done.append($0)
            }
            try readers.tell("SCAN left")
            _ = try done.one()
            XCTAssertEqual(shown.values, [.matched(index: 0)])
            XCTAssertEqual(try reader.shown([left], after: { try readers.tell("SCAN left") }), .matched(index: 0))
        }
    }

    func testTheFingerIsToldAsItComesAndGoes() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            let left = try readers.enroll("left", as: "user", .leftIndex)
            let finger = Told<Bool>()
            reader.onFinger = { finger.append($0) }
            let told = reader.identifying([left])
            try readers.tell("FINGER 1")
            try readers.tell("FINGER 1")
            XCTAssertEqual(finger.values, [false, true])
            try readers.tell("FINGER 0")
            XCTAssertEqual(finger.values, [false, true, false])
            try readers.tell("SCAN left")
            try told.done.one().get()
            XCTAssertEqual(finger.values, [false, true, false, true, false])
        }
    }
}

extension VirtualReaders {
    /// Enrols a word as a finger.
    func enroll(
        _ word: String, as accountName: String, _ finger: Finger, on driver: Driver = .storage,
        file: StaticString = #filePath, line: UInt = #line
    ) throws -> StoredPrint {
        let reader = try reader(driver, file: file, line: line)
        let told = reader.enrolling(as: accountName, finger, file: file, line: line)
        for _ in 1...reader.description.enrollStages { try tell("SCAN \(word)", to: driver, file: file, line: line) }
        return try told.done.one(file: file, line: line).get()
    }
}

extension Reader {
    /// What one identification shows, which must end well.
    func shown(
        _ gallery: [StoredPrint], file: StaticString = #filePath, line: UInt = #line, after touch: () throws -> Void
    ) throws -> Identification {
        let told = identifying(gallery, file: file, line: line)
        try touch()
        try told.done.one(file: file, line: line).get()
        return try told.shown.one(file: file, line: line)
    }
}
