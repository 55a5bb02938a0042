import BioauthCore
import BioauthSystem
import BioauthWire

// What a touch and its circumstances are called among people.

extension Finger {
    public var words: String {
        switch self {
        case .leftThumb: tr("left thumb")
        case .leftIndex: tr("left index finger")
        case .leftMiddle: tr("left middle finger")
        case .leftRing: tr("left ring finger")
        case .leftLittle: tr("left little finger")
        case .rightThumb: tr("right thumb")
        case .rightIndex: tr("right index finger")
        case .rightMiddle: tr("right middle finger")
        case .rightRing: tr("right ring finger")
        case .rightLittle: tr("right little finger")
        }
    }
}

extension Prompt {
    public var words: String {
        switch (scan, finger) {
        case (.press, nil): tr("Touch the fingerprint reader.")
        case (.press, let finger?): tr("Touch the fingerprint reader with your %1.").filled(finger.words)
        case (.swipe, nil): tr("Swipe your finger over the fingerprint reader.")
        case (.swipe, let finger?): tr("Swipe your %1 over the fingerprint reader.").filled(finger.words)
        }
    }
}

extension RetryReason {
    public var words: String {
        switch self {
        case .general: tr("not read well: once more")
        case .tooShort: tr("too short: leave the finger a little longer")
        case .centerFinger: tr("off centre: put the finger on the middle")
        case .removeFinger: tr("lift the finger, then touch again")
        case .tooFast: tr("too fast: more slowly")
        }
    }
}

extension Wait {
    public var words: String {
        var words =
            switch cause {
            // Another request suspends it, or the machine's sleep does.
            case .suspended where other == nil:
                tr("The computer goes to sleep. When it is awake, you are asked for your finger again.")
            case .suspended: Explanation(Denial(.queued, endsIn: endsIn)).what
            // What it comes to, too: that isn't the end of it.
            case .readerFailed, .readerHot, .readerBusy: Explanation(Denial(cause, endsIn: endsIn)).oneLine
            default: Explanation(Denial(cause, endsIn: endsIn)).what
            }
        if let other { words += " " + tr("It is %1, process %2.").filled(other.service, String(other.pid)) }
        if let place, place > 0 {
            words += " " + tr("%1 request goes first.", "%1 requests go first.", place).filled(String(place))
        }
        return words
    }
}

extension Duration {
    /// So much is left: rounded up, for nobody should come back too early.
    public var wordsOfTimeLeft: String {
        Duration.words(seconds: (Int(wireMilliseconds) + 999) / 1000, roundedUp: true)
    }

    /// So long ago: rounded down.
    public var wordsOfAge: String { Duration.words(seconds: Int(components.seconds), roundedUp: false) }

    private static func words(seconds: Int, roundedUp: Bool) -> String {
        func units(_ size: Int) -> Int { (seconds + (roundedUp ? size - 1 : 0)) / size }
        if seconds < 120 { return tr("%1 second", "%1 seconds", seconds).filled(String(seconds)) }
        if seconds < 120 * 60 { return tr("%1 minute", "%1 minutes", units(60)).filled(String(units(60))) }
        if seconds < 48 * 3600 { return tr("%1 hour", "%1 hours", units(3600)).filled(String(units(3600))) }
        return tr("%1 day", "%1 days", units(86400)).filled(String(units(86400)))
    }
}
