import BioauthCore
import CFprint
import CGLib
import Foundation
import SyntheticFingers
import TestSupport
import XCTest

@testable import FingerprintReader

/// The reader against real drivers, with the USB traffic of real sensors played back by umockdev.
///
/// `FINGERPRINT_RECORDINGS` names a directory with one recording for each driver: `elan/device`, `elan/capture.ioctl`, in
/// which a finger is shown once, and `elan/capture.png`, what the sensor saw then; for a sensor that compares itself,
/// `elanmoc/device` and `elanmoc/custom.pcapng`.
final class RecordedReaderTests: XCTestCase {
    func testElan() throws {
        try showAFinger(at: "elan", scan: .swipe, isBuiltIn: false)
    }

    func testAuthenTec() throws {
        try showAFinger(at: "aes3500", scan: .press, isBuiltIn: false)
    }

    func testNextBiometrics() throws {
        try showAFinger(at: "nb1010", scan: .press, isBuiltIn: true)
    }

    func testElanSees() throws {
        try capture("elan")
    }

    func testAuthenTecSees() throws {
        try capture("aes3500")
    }

    func testNextBiometricsSees() throws {
        try capture("nb1010")
    }

    /// A sensor that compares and keeps prints itself: what was recorded, in the order it was.
    func testElanMatchOnChip() throws {
        let recording = try Recording("elanmoc")
        let traffic = FileManager.default.temporaryDirectory.appendingPathComponent("elanmoc.pcapng").path
        if !Recording.isReplayed { try recording.asNow(to: traffic) }
        defer { if !Recording.isReplayed { try? FileManager.default.removeItem(atPath: traffic) } }
        guard let replay = try recording.replayed(by: self, ["-p", "\(recording.sysfs)=\(traffic)"]) else { return }
        try replay { reader in
            XCTAssertEqual(reader.description.scan, .press)
            XCTAssert(reader.description.canIdentify && reader.description.canList && reader.description.canDelete)
            try reader.opening().get()
            // The name that the chip keeps a print under is made of what the print says of its owner, so a print that
            // says other things than the one recorded isn't the one recorded.
            let enrolled = Told<Result<StoredPrint, ReaderFault>>()
            var stages: [Int] = []
            reader.enroll(labelled: { _ in }) { completed, retry in
                if retry == nil { stages.append(completed) }
            } done: {
                enrolled.append($0)
            }
            let print = try enrolled.one().get()
            XCTAssertEqual(stages, Array(1...reader.description.enrollStages))

            XCTAssertEqual(try reader.listing().get(), [print])
            XCTAssert(try reader.verifying(print).get())
            let told = reader.identifying([print])
            try told.done.one().get()
            XCTAssertEqual(told.shown.values, [.matched(index: 0)])
            try reader.deleting(print).get()
            try reader.closing().get()
        }
    }

    /// - Parameter isBuiltIn: what the kernel said of it where it was recorded: `removable`, or `unknown`.
    private func showAFinger(at driver: String, scan: ScanType, isBuiltIn: Bool) throws {
        let recording = try Recording(driver)
        let kept = FileManager.default.temporaryDirectory.appendingPathComponent("print-\(driver)").path
        if !Recording.isReplayed {
            try onMainActor {
                let readers = try VirtualReaders(.image)
                _ = try readers.opened(.image)
                let enrolled = try readers.enroll(SyntheticFinger(number: 0), as: "user", .leftIndex)
                try Data(enrolled.relabelled(driver).bytes).write(to: URL(fileURLWithPath: kept))
            }
        }
        defer { if !Recording.isReplayed { try? FileManager.default.removeItem(atPath: kept) } }
        guard let replay = try recording.replayed(by: self) else { return }
        let print = StoredPrint(bytes: Array(try Data(contentsOf: URL(fileURLWithPath: kept))))
        try replay { reader in
            XCTAssertEqual(reader.description.scan, scan)
            XCTAssert(reader.description.canIdentify)
            XCTAssertEqual(reader.description.isBuiltIn, isBuiltIn)

            try reader.opening().get()
            let finger = Told<Bool>()
            reader.onFinger = { finger.append($0) }
            let told = reader.identifying([print])
            try told.done.one().get()
            XCTAssertEqual(told.shown.values, [.noMatch])
            XCTAssertEqual(finger.values, [false, true, false])
            try reader.closing().get()
        }
    }

    private func capture(_ driver: String) throws {
        let recording = try Recording(driver)
        guard let replay = try recording.replayed(by: self) else { return }
        try replay { reader in
            try reader.opening().get()
            let image = try reader.capturing().get()
            try reader.closing().get()
            let expected = try recording.image()
            XCTAssertEqual(image.count, expected.count)
            XCTAssert(image == expected, "the sensor's image isn't the one recorded")
        }
    }
}

/// Calls of libfprint that the daemon doesn't make, made as it makes its own.
extension LibfprintReader {
    /// The image of the next touch, grey.
    fileprivate func capturing() throws -> Result<[UInt8], ReaderFault> {
        let done = Told<Result<[UInt8], ReaderFault>>()
        let device = device.pointer
        start({ done.append($0) }) { result in
            var error: UnsafeMutablePointer<GError>?
            guard let image = fp_device_capture_finish(device, result, &error) else {
                return .failure(DeviceError(consuming: error).fault)
            }
            defer { g_object_unref(UnsafeMutableRawPointer(image)) }
            var count: gsize = 0
            let data = fp_image_get_data(image, &count)
            return .success(Array(UnsafeBufferPointer(start: data, count: Int(count))))
        } call: { cancellable, ready, data in
            fp_device_capture(device, 1, cancellable, ready, data)
        }
        return try done.one()
    }

    /// Whether the next touch is that print's.
    fileprivate func verifying(_ print: StoredPrint) throws -> Result<Bool, ReaderFault> {
        let done = Told<Result<Bool, ReaderFault>>()
        let device = device.pointer
        guard let print = readPrint(print) else { return .failure(.printInvalid) }
        start({ done.append($0) }) { result in
            var isMatch: gboolean = 0
            var error: UnsafeMutablePointer<GError>?
            guard fp_device_verify_finish(device, result, &isMatch, nil, &error) != 0 else {
                return .failure(DeviceError(consuming: error).fault)
            }
            return .success(isMatch != 0)
        } call: { cancellable, ready, data in
            fp_device_verify(device, print.pointer, cancellable, nil, nil, nil, ready, data)
        }
        return try done.one()
    }
}
