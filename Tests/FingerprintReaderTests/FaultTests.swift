import BioauthCore
import CFprint
import CGLib
import CGUsb
import XCTest

@testable import FingerprintReader

/// What each error of libfprint, and of what it stands on, is to us.
final class FaultTests: XCTestCase {
    func testEachErrorOfLibfprint() {
        let faults: [(FpDeviceError, ReaderFault)] = [
            (FP_DEVICE_ERROR_GENERAL, .failed("words")),
            (FP_DEVICE_ERROR_NOT_SUPPORTED, .unsupported),
            (FP_DEVICE_ERROR_NOT_OPEN, .notOpen),
            (FP_DEVICE_ERROR_ALREADY_OPEN, .alreadyOpen),
            (FP_DEVICE_ERROR_BUSY, .busy),
            (FP_DEVICE_ERROR_PROTO, .failed("words")),
            (FP_DEVICE_ERROR_DATA_INVALID, .printInvalid),
            (FP_DEVICE_ERROR_DATA_NOT_FOUND, .printMissing),
            (FP_DEVICE_ERROR_DATA_FULL, .storageFull),
            (FP_DEVICE_ERROR_DATA_DUPLICATE, .duplicate),
            (FP_DEVICE_ERROR_REMOVED, .unplugged),
            (FP_DEVICE_ERROR_TOO_HOT, .hot),
            (FpDeviceError(rawValue: 10), .failed("words")),
            (FpDeviceError(rawValue: 0x102), .failed("words")),
        ]
        for (code, fault) in faults {
            assert(fp_device_error_quark(), code.rawValue, is: fault)
        }
    }

    func testEachReasonToScanAgain() {
        let reasons: [(FpDeviceRetry, RetryReason)] = [
            (FP_DEVICE_RETRY_GENERAL, .general), (FP_DEVICE_RETRY_TOO_SHORT, .tooShort),
            (FP_DEVICE_RETRY_CENTER_FINGER, .centerFinger), (FP_DEVICE_RETRY_REMOVE_FINGER, .removeFinger),
            // Of a later libfprint, and of one later still.
            (FpDeviceRetry(rawValue: 4), .tooFast), (FpDeviceRetry(rawValue: 5), .general),
            (FpDeviceRetry(rawValue: 256), .general),
        ]
        for (code, reason) in reasons {
            let error = g_error_new_literal(fp_device_retry_quark(), Int32(code.rawValue), "words")!
            guard case .retry(reason) = DeviceError(error) else {
                XCTFail("\(code)")
                continue
            }
            let fault = DeviceError(consuming: error).fault
            XCTAssertEqual(fault, .failed("the scan did not count"))
        }
    }

    func testWhatOthersTellThroughLibfprint() {
        let usb = g_usb_device_error_quark()
        assert(usb, G_USB_DEVICE_ERROR_NO_DEVICE.rawValue, is: .unplugged)
        assert(usb, G_USB_DEVICE_ERROR_CANCELLED.rawValue, is: .cancelled)
        assert(usb, G_USB_DEVICE_ERROR_PERMISSION_DENIED.rawValue, is: .failed("words"))
        assert(usb, G_USB_DEVICE_ERROR_TIMED_OUT.rawValue, is: .failed("words"))
        let claimed = "USB error on device 04f3:0c26 : Resource busy [-6]"
        for code in [G_USB_DEVICE_ERROR_NO_DEVICE, G_USB_DEVICE_ERROR_INTERNAL] {
            assert(usb, code.rawValue, claimed, is: .busy)
        }
        assert(g_io_error_quark(), G_IO_ERROR_CANCELLED.rawValue, is: .cancelled)
        assert(g_io_error_quark(), G_IO_ERROR_TIMED_OUT.rawValue, is: .failed("words"))
        XCTAssertEqual(DeviceError(consuming: nil).fault, .failed("libfprint gave no reason"))
    }

    private func assert(
        _ domain: GQuark, _ code: UInt32, _ message: String = "words", is fault: ReaderFault,
        file: StaticString = #filePath, line: UInt = #line
    ) {
        let error = g_error_new_literal(domain, Int32(code), message)!
        XCTAssertEqual(DeviceError(consuming: error).fault, fault, "\(code)", file: file, line: line)
    }
}
