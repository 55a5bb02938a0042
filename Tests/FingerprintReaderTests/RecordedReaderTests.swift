import BioauthCore
import FingerprintReader
import Foundation
import SyntheticFingers
import XCTest

/// The reader against real drivers, with the USB traffic of real sensors played back by umockdev.
///
/// `FINGERPRINT_RECORDINGS` names a directory with one recording for each driver: `elan/device` and
/// `elan/capture.ioctl`, in which a finger is shown once.
final class RecordedReaderTests: XCTestCase {
    func testElan() throws {
        try play("elan", scan: .swipe, isBuiltIn: false)
    }

    func testAuthenTec() throws {
        try play("aes3500", scan: .press, isBuiltIn: false)
    }

    func testNextBiometrics() throws {
        try play("nb1010", scan: .press, isBuiltIn: true)
    }

    /// umockdev has to be loaded before this process began, so the test runs in another.
    ///
    /// - Parameter isBuiltIn: what the kernel said of it where it was recorded: `removable`, or `unknown`.
    private func play(_ driver: String, scan: ScanType, isBuiltIn: Bool) throws {
        let environment = ProcessInfo.processInfo.environment
        if environment["FINGERPRINT_RECORDING"] != nil {
            return try showAFinger(
                at: driver, scan: scan, isBuiltIn: isBuiltIn, to: environment["FINGERPRINT_PRINT"] ?? "")
        }
        guard let recordings = environment["FINGERPRINT_RECORDINGS"] else {
            throw XCTSkip("FINGERPRINT_RECORDINGS names no recordings of real readers")
        }
        let recording = recordings + "/" + driver
        let traffic = try String(contentsOfFile: recording + "/capture.ioctl", encoding: .utf8)
        let node = try XCTUnwrap(traffic.firstMatch(of: /@DEV (\S+)/)?.output.1)

        let print = NSTemporaryDirectory() + "print-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: print) }
        try onMainActor {
            let readers = try VirtualReaders(.image)
            _ = try readers.opened(.image)
            let enrolled = try readers.enroll(SyntheticFinger(number: 0), as: "user", .leftIndex)
            try Data(enrolled.relabelled(driver).bytes).write(to: URL(fileURLWithPath: print))
        }

        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        child.arguments = [
            "umockdev-run", "-d", recording + "/device", "-i", "\(node)=\(recording)/capture.ioctl", "--",
            CommandLine.arguments[0], "FingerprintReaderTests." + name.replacing(".", with: "/"),
        ]
        child.environment = environment.merging([
            "FINGERPRINT_RECORDING": recording, "FINGERPRINT_PRINT": print, "FP_DEVICE_EMULATION": "1",
            "FP_DRIVERS_WHITELIST": driver,
        ]) { $1 }
        let output = Pipe()
        child.standardOutput = output
        child.standardError = output
        try child.run()
        let told = output.fileHandleForReading.readDataToEndOfFile()
        child.waitUntilExit()
        XCTAssertEqual(child.terminationStatus, 0, String(decoding: told.suffix(4000), as: UTF8.self))
    }

    private func showAFinger(at driver: String, scan: ScanType, isBuiltIn: Bool, to print: String) throws {
        let print = StoredPrint(bytes: Array(try Data(contentsOf: URL(fileURLWithPath: print))))
        try onMainActor {
            let source = LibfprintReaders()
            let added = Told<any Reader>()
            source.onAdded = { added.append($0) }
            source.start()
            let reader = try added.one()
            XCTAssertEqual(reader.description.driver, driver)
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
}
