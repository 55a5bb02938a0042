import BioauthCore
import FingerprintReader
import Foundation
import XCTest

/// A daemon runs for months: nothing may stay behind.
final class LeakTests: XCTestCase {
    func testManyRoundsLeaveNothingBehind() throws {
        try onMainActor {
            let readers = try VirtualReaders(.storage)
            let reader = try readers.opened(.storage)
            let left = try readers.enroll("left", as: "user", .leftIndex)
            let gallery = Array(repeating: left, count: 20)
            @MainActor func round() throws {
                XCTAssertEqual(try reader.shown(gallery, after: { try readers.tell("SCAN left") }), .matched(index: 0))
                XCTAssertEqual(try reader.shown(gallery, after: { try readers.tell("RETRY 0") }), .retry(.general))
                for told in [reader.identifying(gallery), reader.identifying([])] {
                    reader.cancel()
                    _ = try told.done.one()
                }
                let enrolling = reader.enrolling()
                try readers.tell("SCAN right")
                reader.cancel()
                _ = try enrolling.done.one()
                XCTAssertNotNil(readers.source.describe(left))
                XCTAssertNil(readers.source.describe(StoredPrint(bytes: left.bytes.dropLast())))
            }
            for _ in 1...20 { try round() }
            let before = Footprint()
            for _ in 1...200 { try round() }
            Footprint().assertNoMore(than: before)
        }
    }

    func testManyReadersLeaveNothingBehind() throws {
        try onMainActor {
            @MainActor func round() throws {
                let readers = try VirtualReaders(.storage, .device)
                _ = try readers.opened(.device)
                let reader = try readers.opened(.storage)
                _ = reader.enrolling()
                try readers.tell("UNPLUG")
                try turn { !readers.removed.values.isEmpty }
            }
            for _ in 1...20 { try round() }
            let before = Footprint()
            for _ in 1...100 { try round() }
            Footprint().assertNoMore(than: before)
        }
    }
}

/// What this process holds.
private struct Footprint {
    let descriptors = Footprint.entries(of: "/proc/self/fd")
    let threads = Footprint.entries(of: "/proc/self/task")
    /// Resident memory, in kilobytes.
    let memory = Footprint.residentMemory()

    private static func entries(of directory: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? 0
    }

    private static func residentMemory() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
    }

    /// A leak of one print or one reader a round comes to several megabytes.
    func assertNoMore(than before: Footprint, file: StaticString = #filePath, line: UInt = #line) {
        XCTAssertEqual(descriptors, before.descriptors, file: file, line: line)
        XCTAssertLessThanOrEqual(threads, before.threads, file: file, line: line)
        XCTAssertGreaterThan(before.memory, 0, file: file, line: line)
        XCTAssertLessThan(memory - before.memory, 1024, "kilobytes more than before", file: file, line: line)
    }
}
