import BioauthCore
import BioauthWire
import PAMStacks

/// One thing that is as it should be, or isn't.
public enum Finding: Hashable, Sendable {
    // The daemon.
    case daemonAnswers(version: String)
    case daemonSilent(Cause)
    /// A daemon that serves all the same goes by what it read before.
    case configurationWrong(String, isServing: Bool)

    // The reader.
    case reader(name: String, driver: String, isBuiltIn: Bool)
    case noReader
    case readerFailing(name: String)

    // The system.
    case noServiceManager
    case unitMissing(String)
    case unitDown(String, state: String)
    case placeMissing(String)
    case placeOpen(String, mode: UInt32, wanted: UInt32)
    case placeForeign(String, owner: UInt32)
    case fprintdRunning
    case fprintdMayStart
    case clockUnset

    // PAM.
    case pamUnreadable(String)
    case moduleMissing
    case wired([String])
    case notWired([String])
    case serviceNotWired(String)
    /// Services with the same flaw; and what to name to `setup`: nothing where that is every service.
    case flawed([String], Wiring.Flaw, named: Bool)
    case otherFinger(String, modules: [String])
    /// Services at which authselect's feature has fprintd ask for a finger as well.
    case authselectFinger([String])

    // The account.
    case enrolled(Int)
    /// It has no print that this reader can compare, which isn't what keeps a touch from working already.
    case notEnrolled
    case printDamaged(Finger, driver: String)
    /// The reader that kept it has lost it.
    case printGone(Finger, driver: String)
    case orphanedPrints([UInt32])
    /// No finger is taken for these classes.
    case standing([ServiceClass], Denial)

    // Where the request comes from.
    case origin(Origin)
    case lidShut
    /// A touch for the service would not be taken now.
    case denied(service: String, Denial)
    case admitted(service: String)

    public enum Severity: Int, Comparable, Sendable {
        case fine, note, warning, error

        public static func < (one: Severity, other: Severity) -> Bool { one.rawValue < other.rawValue }
    }

    /// An error keeps a touch from working, or lets in who should not be.
    public var severity: Severity {
        switch self {
        case .daemonAnswers, .reader, .wired, .enrolled, .origin, .admitted: .fine
        case .noServiceManager, .notWired, .standing, .lidShut: .note
        case .configurationWrong(_, isServing: true), .fprintdMayStart, .clockUnset, .otherFinger, .authselectFinger,
            .printDamaged, .printGone, .orphanedPrints:
            .warning
        case .daemonSilent, .configurationWrong, .noReader, .readerFailing, .unitMissing, .unitDown, .placeMissing,
            .placeOpen, .placeForeign, .fprintdRunning, .moduleMissing, .pamUnreadable, .serviceNotWired, .flawed,
            .notEnrolled, .denied:
            .error
        }
    }
}
