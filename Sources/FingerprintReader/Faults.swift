import BioauthCore
import CFprint
import CGLib
import CGUsb

/// What an error of libfprint means to us: the fault of an action, or a scan that is asked for again. What comes of a
/// fault is in `Trouble`.
enum DeviceError {
    case fault(ReaderFault)
    case retry(RetryReason)

    init(_ error: UnsafePointer<GError>) {
        let code = UInt32(bitPattern: error.pointee.code)
        switch error.pointee.domain {
        case fp_device_retry_quark():
            // A reason that a later libfprint adds still asks again.
            self = .retry(UInt8(exactly: code).flatMap(RetryReason.init(rawValue:)) ?? .general)
        case fp_device_error_quark():
            switch FpDeviceError(rawValue: code) {
            case FP_DEVICE_ERROR_REMOVED: self = .fault(.unplugged)
            case FP_DEVICE_ERROR_TOO_HOT: self = .fault(.hot)
            case FP_DEVICE_ERROR_BUSY: self = .fault(.busy)
            case FP_DEVICE_ERROR_NOT_OPEN: self = .fault(.notOpen)
            case FP_DEVICE_ERROR_ALREADY_OPEN: self = .fault(.alreadyOpen)
            case FP_DEVICE_ERROR_NOT_SUPPORTED: self = .fault(.unsupported)
            case FP_DEVICE_ERROR_DATA_FULL: self = .fault(.storageFull)
            case FP_DEVICE_ERROR_DATA_DUPLICATE: self = .fault(.duplicate)
            case FP_DEVICE_ERROR_DATA_INVALID: self = .fault(.printInvalid)
            case FP_DEVICE_ERROR_DATA_NOT_FOUND: self = .fault(.printMissing)
            // FP_DEVICE_ERROR_GENERAL, FP_DEVICE_ERROR_PROTO, and what a later libfprint adds.
            default: self = .fault(.failed(String(cString: error.pointee.message)))
            }
        case g_io_error_quark() where code == G_IO_ERROR_CANCELLED.rawValue:
            self = .fault(.cancelled)
        case g_usb_device_error_quark():
            self = .fault(DeviceError.usbFault(code, String(cString: error.pointee.message)))
        default:
            self = .fault(.failed(String(cString: error.pointee.message)))
        }
    }

    /// What GUsb tells, which drivers hand on.
    private static func usbFault(_ code: UInt32, _ message: String) -> ReaderFault {
        // Another program has claimed it (LIBUSB_ERROR_BUSY). GUsb gives that the code of a device that is gone, but
        // ends its message with libusb's number.
        if message.hasSuffix("[-6]") { return .busy }
        return switch GUsbDeviceError(rawValue: code) {
        case G_USB_DEVICE_ERROR_NO_DEVICE: .unplugged
        case G_USB_DEVICE_ERROR_CANCELLED: .cancelled
        default: .failed(message)
        }
    }

    /// Reads the error that a `_finish` call stored, and frees it.
    init(consuming error: UnsafeMutablePointer<GError>?) {
        guard let error else {
            self = .fault(.failed("libfprint gave no reason"))
            return
        }
        self.init(error)
        g_error_free(error)
    }

    /// The error as the end of an action in which nothing is asked for again.
    var fault: ReaderFault {
        switch self {
        case .fault(let fault): fault
        case .retry: .failed("the scan did not count")
        }
    }
}
