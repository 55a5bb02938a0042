import BioauthCore

/// Where an account stands, and what the daemon knows of its reader.
public struct StatusReport: Hashable, Sendable {
    public var daemonVersion: String
    public var readerState: ReaderState
    /// Name and driver of the reader in use; nil when there is none.
    public var reader: String?
    public var driver: String?
    /// Requests that wait for the reader or have it.
    public var waiting: Int
    /// Prints that the account has enrolled on this reader, and prints of it that are damaged.
    public var prints: Int
    public var damagedPrints: Int
    /// Prints of it that the reader kept and has lost.
    public var gonePrints: Int
    /// Mismatches in a row.
    public var mismatches: Int
    /// How long ago the password was given; nil: never, or that can't be said.
    public var passwordAge: Duration?
    /// For each class of service, what stands in the way of a finger now.
    public var standings: [Standing]

    public struct Standing: Hashable, Sendable {
        public var serviceClass: ServiceClass
        public var denial: Denial?

        public init(_ serviceClass: ServiceClass, _ denial: Denial?) {
            self.serviceClass = serviceClass
            self.denial = denial
        }
    }

    public init(
        daemonVersion: String, readerState: ReaderState, reader: String?, driver: String?, waiting: Int, prints: Int,
        damagedPrints: Int, gonePrints: Int = 0, mismatches: Int, passwordAge: Duration?, standings: [Standing]
    ) {
        self.daemonVersion = daemonVersion
        self.readerState = readerState
        self.reader = reader
        self.driver = driver
        self.waiting = waiting
        self.prints = prints
        self.damagedPrints = damagedPrints
        self.gonePrints = gonePrints
        self.mismatches = mismatches
        self.passwordAge = passwordAge
        self.standings = standings
    }
}

/// What the reader is doing.
public enum ReaderState: UInt8, CaseIterable, Sendable {
    case none = 0
    case closed = 1
    case opening = 2
    case ready = 3
    case scanning = 4
    case failing = 5

    /// The state's name in JSON.
    public var name: String {
        switch self {
        case .none: "none"
        case .closed: "closed"
        case .opening: "opening"
        case .ready: "ready"
        case .scanning: "scanning"
        case .failing: "failing"
        }
    }
}

/// One enrolled print, as `list` shows it.
public struct PrintEntry: Hashable, Sendable {
    public var finger: Finger
    public var driver: String
    public var device: String
    /// The day it was enrolled, `2026-03-31`; nil when the print doesn't say.
    public var enrolled: String?
    /// It can't be read, or belongs to another account: it matches nothing.
    public var damaged: Bool
    /// The reader kept it and has lost it: it matches nothing.
    public var gone: Bool

    public init(
        finger: Finger, driver: String, device: String, enrolled: String?, damaged: Bool, gone: Bool = false
    ) {
        self.finger = finger
        self.driver = driver
        self.device = device
        self.enrolled = enrolled
        self.damaged = damaged
        self.gone = gone
    }
}

/// Something that happened, as `watch` shows it: reader events to everybody, an account's to root and itself.
public struct WatchEvent: Hashable, Sendable {
    public var kind: Kind
    /// Milliseconds since 1970 by the wall clock.
    public var time: UInt64
    public var account: Account?
    /// The service or app; of a switch that was turned: what the switch is for.
    public var service: String?
    public var serviceClass: ServiceClass?
    public var cause: Cause?
    /// The cause in words of libfprint's.
    public var reason: String?
    public var reader: String?
    public var finger: Finger?
    public var switchKind: Switch.Kind?
    /// How long the reader could not be used until now, or the machine slept.
    public var lasted: Duration?
    /// How often the reader was tried in vain in that time.
    public var failures: Int?

    public enum Kind: UInt8, CaseIterable, Sendable {
        case asked = 1
        case prompted = 2
        case retried = 3
        case mismatched = 4
        case allowed = 5
        case denied = 6
        case waiting = 7
        case enrolled = 8
        case deleted = 9
        case unlocked = 10
        case passwordGiven = 11
        case readerAdded = 12
        case readerRemoved = 13
        /// For the first time since it was plugged in or the machine woke; or again, after `cause`.
        case readerReady = 14
        /// From now on; how it is tried again isn't told.
        case readerFailed = 15
        case reloaded = 16
        case refused = 17
        /// A switch, named by `service`.
        case switchedOn = 18
        case switchedOff = 19
        case sleeping = 24
        case awake = 25
        /// A session: what stood in a finger's way may not any more, or something else may.
        case surroundingsChanged = 28
        /// A reader that keeps prints itself has lost one of the account's.
        case printGone = 30
        /// It doesn't answer any more, so that the daemon is about to end and be started anew.
        case readerLost = 40
        case lidShut = 41
        case lidOpened = 42

        /// The kind's name in JSON and the journal.
        public var name: String {
            switch self {
            case .asked: "asked"
            case .prompted: "prompted"
            case .retried: "retried"
            case .mismatched: "mismatched"
            case .allowed: "allowed"
            case .denied: "denied"
            case .waiting: "waiting"
            case .enrolled: "enrolled"
            case .deleted: "deleted"
            case .unlocked: "unlocked"
            case .passwordGiven: "password-given"
            case .readerAdded: "reader-added"
            case .readerRemoved: "reader-removed"
            case .readerReady: "reader-ready"
            case .readerFailed: "reader-failed"
            case .reloaded: "reloaded"
            case .refused: "refused"
            case .switchedOn: "switched-on"
            case .switchedOff: "switched-off"
            case .sleeping: "sleeping"
            case .awake: "awake"
            case .surroundingsChanged: "surroundings-changed"
            case .printGone: "print-gone"
            case .readerLost: "reader-lost"
            case .lidShut: "lid-shut"
            case .lidOpened: "lid-opened"
            }
        }
    }

    public init(
        kind: Kind, time: UInt64, account: Account? = nil, service: String? = nil, serviceClass: ServiceClass? = nil,
        cause: Cause? = nil, reason: String? = nil, reader: String? = nil, finger: Finger? = nil,
        switchKind: Switch.Kind? = nil, lasted: Duration? = nil, failures: Int? = nil
    ) {
        self.kind = kind
        self.time = time
        self.account = account
        self.service = service
        self.serviceClass = serviceClass
        self.cause = cause
        self.reason = reason
        self.reader = reader
        self.finger = finger
        self.switchKind = switchKind
        self.lasted = lasted
        self.failures = failures
    }
}

extension MessageWriter {
    mutating func put(_ report: StatusReport) {
        put(.daemonVersion, report.daemonVersion)
        put(.readerState, report.readerState.rawValue)
        if let reader = report.reader { put(.reader, reader) }
        if let driver = report.driver { put(.driver, driver) }
        put(.waiting, UInt16(clamping: report.waiting))
        put(.prints, UInt16(clamping: report.prints))
        put(.damaged, UInt16(clamping: report.damagedPrints))
        if report.gonePrints > 0 { put(.gone, UInt16(clamping: report.gonePrints)) }
        put(.mismatches, UInt32(clamping: report.mismatches))
        if let age = report.passwordAge { put(.passwordAge, UInt64(clamping: age.components.seconds)) }
        for standing in report.standings {
            put(.standing) {
                $0.put(.serviceClass, standing.serviceClass.rawValue)
                if let denial = standing.denial { $0.put(denial) }
            }
        }
    }

    mutating func put(_ entry: PrintEntry) {
        put(.finger, entry.finger.rawValue)
        put(.driver, entry.driver)
        if !entry.device.isEmpty { put(.device, entry.device) }
        if let enrolled = entry.enrolled { put(.enrolled, enrolled) }
        put(.damaged, entry.damaged)
        if entry.gone { put(.gone, true) }
    }

    mutating func put(_ event: WatchEvent) {
        put(.eventKind, event.kind.rawValue)
        put(.time, event.time)
        if let account = event.account { put(account) }
        if let service = event.service { put(.service, service) }
        if let serviceClass = event.serviceClass { put(.serviceClass, serviceClass.rawValue) }
        if let cause = event.cause { put(.cause, cause.rawValue) }
        if let reason = event.reason { put(.reason, reason) }
        if let reader = event.reader { put(.reader, reader) }
        if let finger = event.finger { put(.finger, finger.rawValue) }
        if let kind = event.switchKind { put(.switchKind, kind.rawValue) }
        if let lasted = event.lasted { put(.lasted, lasted.wireMilliseconds) }
        if let failures = event.failures { put(.failures, UInt32(clamping: failures)) }
    }
}

extension MessageReader {
    func statusReport() throws(WireError) -> StatusReport {
        var standings: [StatusReport.Standing] = []
        for inner in try each(.standing) {
            // Half a denial is an error, not the absence of one.
            let (code, cause) = (try inner.range(.code), try inner.range(.cause))
            let denial = code == nil && cause == nil ? nil : try inner.denial()
            standings.append(StatusReport.Standing(try inner.value(.serviceClass), denial))
        }
        return StatusReport(
            daemonVersion: try text(.daemonVersion, limit: Limits.labelBytes),
            readerState: try value(.readerState), reader: try optionalText(.reader, limit: Limits.labelBytes),
            driver: try optionalText(.driver, limit: Limits.labelBytes),
            waiting: Int(try number(.waiting, as: UInt16.self)), prints: Int(try number(.prints, as: UInt16.self)),
            damagedPrints: Int(try number(.damaged, as: UInt16.self)),
            gonePrints: Int(try optional(.gone, as: UInt16.self) ?? 0),
            mismatches: Int(try number(.mismatches, as: UInt32.self)),
            passwordAge: try optional(.passwordAge, as: UInt64.self).map { .seconds(Int64(clamping: $0)) },
            standings: standings)
    }

    func printEntry() throws(WireError) -> PrintEntry {
        PrintEntry(
            finger: try value(.finger), driver: try text(.driver, limit: Limits.labelBytes),
            device: try optionalText(.device, limit: Limits.labelBytes) ?? "",
            enrolled: try optionalText(.enrolled, limit: Limits.labelBytes), damaged: try flag(.damaged),
            gone: try optionalFlag(.gone))
    }

    func watchEvent() throws(WireError) -> WatchEvent {
        WatchEvent(
            kind: try value(.eventKind), time: try number(.time),
            account: try range(.uid) == nil ? nil : account(),
            service: try optionalText(.service, limit: Limits.labelBytes),
            serviceClass: try optionalValue(.serviceClass), cause: try optional(.cause).flatMap(Cause.init),
            reason: try optionalText(.reason, limit: Limits.reasonBytes),
            reader: try optionalText(.reader, limit: Limits.labelBytes), finger: try optionalValue(.finger),
            switchKind: try optionalValue(.switchKind),
            lasted: try optional(.lasted, as: UInt32.self).map { .milliseconds($0) },
            failures: try optional(.failures, as: UInt32.self).map(Int.init))
    }
}
