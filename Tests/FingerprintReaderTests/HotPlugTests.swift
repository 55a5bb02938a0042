import BioauthCore
import Foundation
import TestSupport
import XCTest

@testable import FingerprintReader

/// A real driver's reader, pulled out of a bus that umockdev plays and put in again.
///
/// The sensor is the one of `FINGERPRINT_RECORDINGS`/elan.
final class HotPlugTests: XCTestCase {
    private static let places: [USBTestbed.Place] = [.init(bus: 1), .init(bus: 3)]

    func testAReaderThatComesBackOnAnotherBusIsFoundAndTheOldOneIsNot() throws {
        try onMainActor { [name] in
            guard let bus = try HotPlugTests.bus(forTest: name) else { return }
            let (source, added, removed) = HotPlugTests.readers()
            let first = try bus.plug(HotPlugTests.places[0])
            source.start()
            let reader = try added.one()
            try reader.opening().get()

            try bus.unplug(first)
            XCTAssert(try removed.one() === reader)
            XCTAssertEqual(try reader.opening().fault, .unplugged)
            added.forget()
            removed.forget()

            _ = try bus.plug(HotPlugTests.places[1])
            let back = try added.one()
            XCTAssert(back !== reader)
            // The same sensor, found where it is now.
            XCTAssertEqual(back.description.driver, reader.description.driver)
            XCTAssertEqual(back.description.deviceID, reader.description.deviceID)
            XCTAssertEqual([reader, back].map(\.description.busPath), ["1-4.4", "3-4.4"])
            try back.opening().get()
            try back.closing().get()
            XCTAssert(removed.values.isEmpty)
        }
    }

    func testAReaderThatTheKernelHasNoLongerIsGoneThoughNobodyToldSo() throws {
        try onMainActor { [name] in
            guard let bus = try HotPlugTests.bus(forTest: name) else { return }
            let (source, added, removed) = HotPlugTests.readers()
            let ghost = try bus.plug(HotPlugTests.places[0])
            source.start()
            let reader = try added.one()
            try bus.unplug(ghost, telling: false)
            XCTAssertEqual(try reader.opening().fault, .unplugged)
            XCTAssert(try removed.one() === reader)
        }
    }
}

extension HotPlugTests {
    @MainActor fileprivate static func readers() -> (
        LibfprintReaders, added: Told<any Reader>, removed: Told<any Reader>
    ) {
        let source = LibfprintReaders()
        let (added, removed) = (Told<any Reader>(), Told<any Reader>())
        source.onAdded = { added.append($0) }
        source.onRemoved = { removed.append($0) }
        return (source, added, removed)
    }
}

extension HotPlugTests {
    /// The bus of this process. umockdev has to be loaded before a process begins, so a test runs once more in another: nil
    /// in this one.
    @MainActor fileprivate static func bus(forTest name: String) throws -> USBTestbed? {
        let elan = try Recording("elan")
        guard !Recording.isReplayed else { return try USBTestbed(elan.path, places: places) }
        try elan.again(["umockdev-wrapper"], name)
        return nil
    }
}
