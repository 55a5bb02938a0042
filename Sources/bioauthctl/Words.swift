import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire

// What the daemon's values are called among people.

extension Finger {
    /// The order in which fingers are suggested: those that reach a reader best go first.
    static let suggested: [Finger] = [
        .rightIndex, .leftIndex, .rightThumb, .leftThumb, .rightMiddle, .leftMiddle, .rightRing, .leftRing,
        .rightLittle, .leftLittle,
    ]

    static var choices: String { tr("Fingers: %1").filled(allCases.map(\.name).joined(separator: ", ")) }
}

extension ReaderState {
    var words: String {
        switch self {
        case .none: tr("none")
        case .closed: tr("asleep until it is needed")
        case .opening: tr("being opened")
        case .ready: tr("ready")
        case .scanning: tr("waiting for a finger")
        case .failing: tr("failing; it is tried again")
        }
    }
}

extension ServiceClass {
    var words: String {
        switch self {
        case .app: tr("apps")
        case .privilege: tr("sudo and the like")
        case .lock: tr("screen lock")
        case .login: tr("login")
        }
    }
}

extension WatchEvent.Kind {
    var words: String {
        switch self {
        case .asked: tr("asks for a finger")
        case .prompted: tr("asked for a touch")
        case .retried: tr("scan didn't count")
        case .mismatched: tr("finger didn't match")
        case .allowed: tr("finger matched")
        case .denied: tr("no finger")
        case .waiting: tr("waits")
        case .enrolled: tr("finger enrolled")
        case .deleted: tr("print deleted")
        case .unlocked: tr("lockout cleared by root")
        case .passwordGiven: tr("password given")
        case .readerAdded: tr("reader plugged in")
        case .readerRemoved: tr("reader unplugged")
        case .readerReady: tr("reader ready")
        case .readerFailed: tr("reader failed")
        case .reloaded: tr("configuration read again")
        case .switchedOn: tr("turned on")
        case .switchedOff: tr("turned off")
        case .refused: tr("refused")
        case .sleeping: tr("computer goes to sleep")
        case .awake: tr("computer is awake")
        case .printGone: tr("print no longer on the reader")
        case .surroundingsChanged: tr("a session has changed")
        case .readerLost: tr("reader no longer answers, so bioauthd starts anew")
        case .lidShut: tr("lid shut")
        case .lidOpened: tr("lid opened")
        }
    }
}
