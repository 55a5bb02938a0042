import BioauthCore
import SyntheticFingers
import XCTest

@testable import FingerprintReader

/// A reader that goes away in every state it can be in.
final class UnplugTests: XCTestCase {
    func testUnpluggedWhileClosedItIsToldAndNeverUsedAgain() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            try readers.tell("SET_KEEP_ALIVE 1")
            try reader.closing().get()
            try readers.unplug()
            try readers.assertGone(reader)
        }
    }

    func testUnpluggedWhileIdle() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            try readers.unplug()
            try readers.assertGone(reader)
        }
    }

    func testUnpluggedWhileIdentifying() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            let left = try readers.enroll("left", as: "user", .leftIndex)
            let told = reader.identifying([left])
            readers.source.onRemoved = { [removed = readers.removed] in
                XCTAssert(told.done.values.isEmpty, "the removal is told first")
                removed.append($0)
            }
            try readers.unplug()
            XCTAssertEqual(try told.done.one().fault, .unplugged)
            XCTAssert(told.shown.values.isEmpty)
            try readers.assertGone(reader)
        }
    }

    func testUnpluggedWhileADriverHangsNobodyWaitsForIt() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            let left = try readers.enroll("left", as: "user", .leftIndex)
            try readers.tell("SET_CANCELLATION_ENABLED 0")
            let told = reader.identifying([left])
            try readers.tell("SLEEP 500")
            let waited = try milliseconds {
                try readers.unplug()
                XCTAssertEqual(try told.done.one().fault, .unplugged)
            }
            XCTAssertLessThan(waited, 250)
            // The driver comes to its end some time.
            try readers.assertGone(reader)
            XCTAssertEqual(told.done.values.count, 1)
            XCTAssert(told.shown.values.isEmpty)
        }
    }

    func testADriverThatCanIsToldToStop() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            let left = try readers.enroll("left", as: "user", .leftIndex)
            let told = reader.identifying([left])
            try readers.tell("SLEEP 60000")
            try readers.unplug()
            XCTAssertEqual(try told.done.one().fault, .unplugged)
            let device = try XCTUnwrap(reader as? LibfprintReader)
            try turn { !device.isOpen }
            try readers.assertGone(reader)
        }
    }

    func testUnpluggedWhileEnrolling() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            let told = reader.enrolling()
            try readers.tell("SCAN left")
            try readers.unplug()
            XCTAssertEqual(try told.done.one().fault, .unplugged)
            XCTAssertEqual(told.progress.values, [Progress(completed: 1, retry: nil)])
            try readers.assertGone(reader)
        }
    }

    func testUnpluggedWhileOpeningOrClosing() throws {
        try onMainActor {
            for call in ["open", "close"] {
                let readers = try VirtualReaders(.storage)
                let reader = try readers.opened(.storage)
                try readers.tell("SET_KEEP_ALIVE 1")
                if call == "open" { try reader.closing().get() }
                try readers.tell("SLEEP 50")
                let done = Told<Result<Void, ReaderFault>>()
                if call == "open" { reader.open { done.append($0) } } else { reader.close { done.append($0) } }
                try readers.unplug()
                XCTAssertEqual(try done.one().fault, .unplugged)
                try readers.assertGone(reader)
            }
        }
    }

    func testUnpluggedImageReaderWhileIdentifying() throws {
        try onMainActor {
            let readers = try VirtualReaders(.image)
            let reader = try readers.opened(.image)
            let print = try readers.enroll(SyntheticFinger(number: 0), as: "user", .leftIndex)
            let told = reader.identifying([print])
            let person = try Person(at: readers)
            try person.unplug()
            XCTAssertEqual(try told.done.one().fault, .unplugged)
            try readers.assertGone(reader)
        }
    }

    /// The daemon lives on, so what a reader held must go with it.
    func testAnUnpluggedReaderIsForgotten() throws {
        try onMainActor {
            for identifying in [false, true] {
                let readers = try VirtualReaders(.storage)
                weak let reader = try readers.opened(.storage)
                let left = try readers.enroll("left", as: "user", .leftIndex)
                if identifying { reader?.identify(gallery: [left], shown: { _ in }, done: { _ in }) }
                try readers.unplug()
                readers.added.forget()
                readers.removed.forget()
                try turn { reader == nil }
            }
        }
    }
}

extension VirtualReaders {
    /// Unplugs the reader and waits until that is told.
    fileprivate func unplug(file: StaticString = #filePath, line: UInt = #line) throws {
        try tell("UNPLUG", file: file, line: line)
        try turn(file: file, line: line) { !removed.values.isEmpty }
    }

    /// Checks that the reader was told to be gone, once, and is of no use any more.
    fileprivate func assertGone(
        _ reader: any Reader, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        XCTAssert(try removed.one(file: file, line: line) === reader, file: file, line: line)
        reader.cancel()
        XCTAssertEqual(try reader.opening(file: file, line: line).fault, .unplugged, file: file, line: line)
        XCTAssertEqual(try reader.closing(file: file, line: line).fault, .unplugged, file: file, line: line)
        XCTAssertEqual(
            try reader.identifying([]).done.one(file: file, line: line).fault, .unplugged, file: file, line: line)
        XCTAssertEqual(
            try reader.enrolling().done.one(file: file, line: line).fault, .unplugged, file: file, line: line)
        XCTAssertEqual(added.values.count, 1, file: file, line: line)
        // libfprint forgets a device only once it was closed.
        let device = try XCTUnwrap(reader as? LibfprintReader, file: file, line: line)
        try turn(file: file, line: line) { !device.isOpen }
    }
}
