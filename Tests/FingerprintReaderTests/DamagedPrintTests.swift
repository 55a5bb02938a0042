import BioauthCore
import FingerprintReader
import SyntheticFingers
import XCTest

/// Damage to the bytes of a print costs that print and nothing else.
final class DamagedPrintTests: XCTestCase {
    func testATruncatedPrintIsDamaged() throws {
        try onMainActor {
            let readers = try VirtualReaders(.image, .storage)
            for print in try readers.twoPrints() {
                XCTAssertNotNil(readers.source.describe(print))
                let lengths = Array(0..<16) + Array(stride(from: 16, to: print.bytes.count, by: 64))
                for length in lengths + [print.bytes.count - 1] {
                    let cut = StoredPrint(bytes: Array(print.bytes.prefix(length)))
                    XCTAssertNil(readers.source.describe(cut), "\(length) bytes of \(print.bytes.count)")
                }
                XCTAssertNil(readers.source.describe(StoredPrint(bytes: print.bytes + print.bytes)))
            }
        }
    }

    func testEveryFlippedBitIsHarmless() throws {
        try onMainActor {
            let readers = try VirtualReaders(.image, .storage)
            for print in try readers.twoPrints() {
                let described = readers.source.describe(print)
                var kept = 0
                for bit in 0..<print.bytes.count * 8 where readers.source.describe(print.flipped(bit)) == described {
                    kept += 1
                }
                // Most of a print is minutiae or the device's own data, of which a description says nothing.
                XCTAssertGreaterThan(kept, 0)
                XCTAssertLessThan(kept, print.bytes.count * 8)
            }
        }
    }

    func testManyFlippedBitsAreHarmless() throws {
        try onMainActor {
            let readers = try VirtualReaders(.image, .storage)
            for print in try readers.twoPrints() {
                for seed in 1...20_000 {
                    var random = Numbers(seed: UInt64(seed))
                    var damaged = print
                    for _ in 0...seed % 7 {
                        damaged = damaged.flipped(random.bit(of: print))
                    }
                    _ = readers.source.describe(damaged)
                }
            }
        }
    }

    /// What can still be read goes through the matcher.
    func testDamagedPrintsInTheGalleryHideNoOther() throws {
        try onMainActor {
            let readers = try VirtualReaders(.image)
            let reader = try readers.opened(.image)
            let mine = SyntheticFinger(number: 0)
            let print = try readers.enroll(mine, as: "user", .rightIndex)
            var random = Numbers(seed: 1)
            var damaged: [StoredPrint] = []
            while damaged.count < 50 {
                let candidate = (1...3).reduce(print) { print, _ in print.flipped(random.bit(of: print)) }
                if readers.source.describe(candidate) != nil { damaged.append(candidate) }
            }

            let person = try Person(at: readers)
            let stranger = SyntheticFinger(number: 2).impression(100)
            XCTAssertEqual(try reader.shown(damaged) { try person.touch(stranger) }, .noMatch)

            let useless = damaged.map { StoredPrint(bytes: Array($0.bytes.dropLast())) }
            XCTAssertEqual(
                try reader.shown(useless + [print]) { try person.touch(mine.impression(100)) }, .matched(index: 50))
        }
    }

    func testAPrintOfAnUnknownFormatIsLeftToLibfprint() throws {
        onMainActor {
            let source = LibfprintReaders()
            for text in ["", "FP", "FP3", "FP4", "FP4 and what follows", String(repeating: "F", count: 2 << 20)] {
                XCTAssertNil(source.describe(StoredPrint(bytes: Array(text.utf8))))
            }
        }
    }
}

extension VirtualReaders {
    /// A print that a device made, and one of minutiae.
    fileprivate func twoPrints() throws -> [StoredPrint] {
        _ = try opened(.image)
        _ = try opened(.storage)
        return [
            try enroll("left", as: "user", .leftIndex),
            try enroll(SyntheticFinger(number: 0), as: "user", .leftIndex),
        ]
    }
}

extension StoredPrint {
    fileprivate func flipped(_ bit: Int) -> StoredPrint {
        var bytes = bytes
        bytes[bit / 8] ^= 1 << (bit % 8)
        return StoredPrint(bytes: bytes)
    }
}

/// Random numbers that are the same in every run.
private struct Numbers {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    private mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }

    mutating func bit(of print: StoredPrint) -> Int {
        Int(next() % UInt64(print.bytes.count * 8))
    }
}
