/// What a fingerprint reader is, and what the daemon asks of one. The one implementation that sees libfprint lives
/// in `FingerprintReader`; everything else knows readers by these types.

/// The number of a reader, in the order they were plugged in. One that comes back gets another, but after a sleep.
public struct ReaderID: Hashable, Comparable, Sendable {
    public let number: UInt64

    public init(number: UInt64) {
        self.number = number
    }

    /// What no reader has.
    public static let none = ReaderID(number: 0)

    public static func < (a: ReaderID, b: ReaderID) -> Bool { a.number < b.number }
}

/// How a finger is shown to a reader (`FpScanType`).
public enum ScanType: UInt8, Sendable {
    case press = 1
    case swipe = 2
}

/// What stays the same about a reader for as long as it is plugged in.
public struct ReaderDescription: Hashable, Sendable {
    /// libfprint's name of the driver: `synaptics`.
    public let driver: String
    /// libfprint's identity of the device, often "0"; prints belong to a driver and a device.
    public let deviceID: String
    /// A name for people: `Synaptics Sensors`.
    public let name: String
    public let scan: ScanType
    /// Touches that one enrolment takes.
    public let enrollStages: Int
    /// Whether it compares one touch with many prints at once (`FP_DEVICE_FEATURE_IDENTIFY`).
    public let canIdentify: Bool
    /// Whether it compares one touch with one print (`FP_DEVICE_FEATURE_VERIFY`).
    public let canVerify: Bool
    /// Whether it keeps prints itself and tells which (`FP_DEVICE_FEATURE_STORAGE_LIST`).
    public let canList: Bool
    /// Whether it keeps prints itself and forgets one that it is told to (`FP_DEVICE_FEATURE_STORAGE_DELETE`).
    public let canDelete: Bool
    /// Whether it is part of the machine, or nothing says that it isn't.
    public let isBuiltIn: Bool
    /// Where it is plugged in on USB, as the kernel names that: `1-2.3`. Empty: not on USB.
    public let busPath: String

    public init(
        driver: String, deviceID: String, name: String, scan: ScanType, enrollStages: Int, canIdentify: Bool,
        canVerify: Bool = true, canList: Bool = false, canDelete: Bool = false, isBuiltIn: Bool = true,
        busPath: String = ""
    ) {
        self.driver = driver
        self.deviceID = deviceID
        self.name = name.asLabel
        self.scan = scan
        self.enrollStages = enrollStages
        self.canIdentify = canIdentify
        self.canVerify = canVerify
        self.canList = canList
        self.canDelete = canDelete
        self.isBuiltIn = isBuiltIn
        self.busPath = busPath
    }

    /// Whether prints of the one can be used with the other, or it is the same that came back.
    public func isSameDevice(as other: ReaderDescription) -> Bool {
        driver == other.driver && deviceID == other.deviceID
    }

    /// Whether it can tell whose a touch is at all.
    public var canCompare: Bool { canIdentify || canVerify }
}

/// A print as it is kept: libfprint's own serialisation (`fp_print_serialize`), opaque here.
public struct StoredPrint: Hashable, Sendable {
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// What a print says of itself.
public struct PrintDescription: Hashable, Sendable {
    /// The account's name it was enrolled for.
    public let accountName: String
    public let finger: Finger
    public let driver: String
    public let deviceID: String
    /// The day it was enrolled, `2026-03-31`; nil when the print doesn't say.
    public let enrolled: String?
    /// Whether it only names a print that the reader keeps (`fp_print_get_device_stored`): it is of no use without that.
    public let isOnReader: Bool

    public init(
        accountName: String, finger: Finger, driver: String, deviceID: String, enrolled: String?,
        isOnReader: Bool = false
    ) {
        self.accountName = accountName
        self.finger = finger
        self.driver = driver
        self.deviceID = deviceID
        self.enrolled = enrolled
        self.isOnReader = isOnReader
    }
}

/// Why a scan did not count and the person is asked again (`FpDeviceRetry`, same numbers). Nothing is counted, the
/// request goes on as before, and so does the device.
public enum RetryReason: UInt8, CaseIterable, Sendable {
    case general = 0
    case tooShort = 1
    case centerFinger = 2
    case removeFinger = 3
    case tooFast = 4
}

/// How a call of the reader failed (`FpDeviceError`, cancelling, and what USB tells). `trouble` says what each comes to.
public enum ReaderFault: Error, Hashable, Sendable {
    case cancelled
    case unplugged
    case hot
    /// Another program has it, or libfprint is in the middle of something.
    case busy
    case unsupported
    /// It isn't what it was taken for.
    case notOpen, alreadyOpen
    case storageFull
    case duplicate
    /// The print given to the reader can't be used with it.
    case printInvalid
    /// The print given to the reader isn't, or is no longer, one that it keeps.
    case printMissing
    /// It didn't do within its time what it had to.
    case hung
    /// Everything else: a protocol error, a general one, one of a later libfprint. libfprint's words.
    case failed(String)
}

/// What one touch showed.
public enum Identification: Hashable, Sendable {
    /// The print of that index in the gallery given.
    case matched(index: Int)
    case noMatch
    case retry(RetryReason)
}

/// One reader. All calls and callbacks on the main actor; one action at a time; no call blocks for longer than
/// libfprint's matching does. Every `done` is called exactly once, always later than the call it belongs to.
@MainActor public protocol Reader: AnyObject {
    var description: ReaderDescription { get }

    /// Called whenever the reader tells that a finger came (`true`) or went (`false`), during an action only. Some
    /// drivers never tell.
    var onFinger: (@MainActor (_ present: Bool) -> Void)? { get set }

    /// Called when it has become too hot to be used (`true`), and when it has cooled down again (`false`): then what
    /// runs at it ends by itself, and it takes no touch meanwhile. It is taken for cool at first.
    var onHeat: (@MainActor (_ isHot: Bool) -> Void)? { get set }

    func open(done: @escaping @MainActor (Result<Void, ReaderFault>) -> Void)
    func close(done: @escaping @MainActor (Result<Void, ReaderFault>) -> Void)

    /// Waits for one touch and compares it with the gallery, in its order.
    ///
    /// `shown` is called at most once, as soon as the touch has been compared and before the finger lifts; `done`
    /// when the reader can be used again. Prints that can't be read or belong to another reader match nothing. A reader
    /// that can't identify takes a gallery of one print.
    func identify(
        gallery: [StoredPrint],
        shown: @escaping @MainActor (Identification) -> Void,
        done: @escaping @MainActor (Result<Void, ReaderFault>) -> Void)

    /// Takes the touches of one enrolment. `progress` is called for each: the stages that are complete, and, where
    /// the scan did not count, why.
    func enroll(
        accountName: String, finger: Finger,
        progress: @escaping @MainActor (_ completed: Int, _ retry: RetryReason?) -> Void,
        done: @escaping @MainActor (Result<StoredPrint, ReaderFault>) -> Void)

    /// The prints that the reader keeps itself, whoever enrolled them.
    func list(done: @escaping @MainActor (Result<[StoredPrint], ReaderFault>) -> Void)

    /// Deletes one of the prints that the reader keeps; `.printMissing` where it doesn't keep it.
    func delete(_ print: StoredPrint, done: @escaping @MainActor (Result<Void, ReaderFault>) -> Void)

    /// Ends the running call, whose `done` then tells `.cancelled` or what had already happened. No call: no effect.
    func cancel()
}

/// Where readers come from: all that are plugged in now and later.
@MainActor public protocol ReaderSource: AnyObject {
    /// Set before `start`. A removed reader is never used again, even if it comes back as a new one.
    var onAdded: (@MainActor (any Reader) -> Void)? { get set }
    var onRemoved: (@MainActor (any Reader) -> Void)? { get set }

    /// Finds the readers that are there; each is told through `onAdded` before this returns.
    func start()

    /// What a kept print says of itself; nil when it is damaged.
    func describe(_ print: StoredPrint) -> PrintDescription?

    /// For each of the prints, the place of the one that a reader keeps for it, or nil (`fp_print_equal`).
    func places(of prints: [StoredPrint], among kept: [StoredPrint]) -> [Int?]
}
