import BioauthCore
import CGLib
import Foundation
import XCTest

@testable import FingerprintReader

/// A real driver's reader, pulled out of a bus that umockdev plays and put in again.
///
/// The sensor is the one of `FINGERPRINT_RECORDINGS`/elan.
final class HotPlugTests: XCTestCase {
    func testAReaderThatComesBackOnAnotherBusIsFoundAndTheOldOneIsNot() throws {
        try onMainActor { [name] in
            guard let bus = try PlayedBus(forTest: name) else { return }
            let (source, added, removed) = HotPlugTests.readers()
            let first = try bus.plug(bus: 1)
            source.start()
            let reader = try added.one()
            try reader.opening().get()

            try bus.unplug(first)
            XCTAssert(try removed.one() === reader)
            XCTAssertEqual(try reader.opening().fault, .unplugged)
            added.forget()
            removed.forget()

            _ = try bus.plug(bus: 3)
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
            guard let bus = try PlayedBus(forTest: name) else { return }
            let (source, added, removed) = HotPlugTests.readers()
            let ghost = try bus.plug(bus: 1)
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

/// USB as umockdev plays it to this process. Its library is loaded by name: its headers are in no package that is needed.
@MainActor private final class PlayedBus {
    private typealias New = @convention(c) () -> UnsafeMutableRawPointer
    private typealias Add =
        @convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>, UnsafeMutableRawPointer?) -> gboolean
    private typealias Load =
        @convention(c) (
            UnsafeMutableRawPointer, UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?
        ) -> gboolean
    private typealias Remove = @convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>) -> Void
    private typealias Tell =
        @convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Void

    private let library: UnsafeMutableRawPointer
    private let testbed: UnsafeMutableRawPointer
    private let recording: String

    /// umockdev has to be loaded before a process begins, so a test runs once more in another: nil in this one.
    init?(forTest name: String) throws {
        let elan = try Recording("elan")
        recording = elan.path
        guard Recording.isReplayed else {
            try elan.again(["umockdev-wrapper"], name)
            return nil
        }
        library = try XCTUnwrap(dlopen("libumockdev.so.0", RTLD_NOW))
        testbed = unsafeBitCast(try XCTUnwrap(dlsym(library, "umockdev_testbed_new")), to: New.self)()
    }

    private func function<F>(_ name: String, as type: F.Type) throws -> F {
        unsafeBitCast(try XCTUnwrap(dlsym(library, name)), to: type)
    }

    /// Puts the recorded sensor in, with the hubs that it hung on.
    ///
    /// - Returns: where it stands in sysfs.
    func plug(bus: Int) throws -> String {
        var text = try String(contentsOfFile: recording + "/device", encoding: .utf8)
        // As the kernel tells them: the hubs first. The bus's own parent is there from the first time.
        let devices = text.split(separator: "\n\n").reversed().dropFirst(bus == 1 ? 0 : 1)
        text = devices.joined(separator: "\n\n") + "\n"
        for (old, new) in [
            ("usb1", "usb\(bus)"), ("/1-4", "/\(bus)-4"), ("bus/usb/001/", "bus/usb/00\(bus)/"),
            ("BUSNUM=001", "BUSNUM=00\(bus)"), ("A: busnum=1\\n", "A: busnum=\(bus)\\n"),
        ] { text = text.replacing(old, with: new) }
        text = text.replacing(/(MINOR=|A: dev=189:)(\d+)/) { "\($0.output.1)\(Int($0.output.2)! + (bus - 1) * 128)" }
        XCTAssert(try function("umockdev_testbed_add_from_string", as: Add.self)(testbed, text, nil) != 0)
        XCTAssert(
            try function("umockdev_testbed_load_ioctl", as: Load.self)(
                testbed, "/dev/bus/usb/00\(bus)/094", recording + "/capture.ioctl", nil) != 0)
        return "/sys" + (try XCTUnwrap(text.matches(of: /P: (\S+)/).last?.output.1))
    }

    /// Pulls it out.
    ///
    /// - Parameter telling: whether udev tells.
    func unplug(_ path: String, telling: Bool = true) throws {
        if telling { try function("umockdev_testbed_uevent", as: Tell.self)(testbed, path, "remove") }
        try function("umockdev_testbed_remove_device", as: Remove.self)(testbed, path)
    }
}
