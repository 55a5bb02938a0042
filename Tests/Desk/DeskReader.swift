import BioauthCore

/// A reader's life and the reader, as a trial plays it.
struct DeskReader: Hashable {
    /// How a driver treats fingers.
    struct Driver: Hashable {
        var tellsFingers: Bool
        /// Its actions complete only when the finger has gone.
        var waitsForLift: Bool
        /// It keeps prints itself, and is asked for them when a touch didn't match: perhaps it has lost one.
        var keepsPrints = false
    }

    enum Device: Hashable {
        case unplugged, closed, open
        case opening(isCancelled: Bool)
        case closing(isCancelled: Bool)
        case errand(isCancelled: Bool)
        case scanning(Scan)
    }

    struct Scan: Hashable {
        let job: Job
        let began: Instant
        var isShown = false
        /// The scan was no good.
        var isRetry = false
        var isCancelled = false
        /// It was cancelled although a finger was there.
        var wasForced = false
        /// The machine has slept since it began.
        var hasSlept = false
    }

    /// The finger that is on the reader.
    struct Touch: Hashable {
        /// The action it was on the reader with first, if that is not the one that runs.
        var earlier: Job?
        /// An action that ended while it was there: when, and whether it could be helped.
        var ended: Instant?
        var wasForced = false
        var timesShown = 0
        /// The action whose scan of it was no good: it may try again.
        var retried: Job?
    }

    let id: ReaderID
    let driver: Driver
    var life = ReaderLife(keptWarm: DeskReader.keptWarm)
    var device = Device.unplugged
    var isHot = false
    var touch: Touch?

    static let keptWarm: Duration = .seconds(3)

    init(_ id: ReaderID, _ driver: Driver) {
        self.id = id
        self.driver = driver
    }

    /// The action that runs, if one does.
    var scan: Scan? { if case .scanning(let scan) = device { scan } else { nil } }

    /// Whether something is to come from the reader by itself.
    var isBusy: Bool {
        switch device {
        case .opening, .closing, .errand: true
        case .scanning(let scan): scan.isCancelled
        case .unplugged, .closed, .open: false
        }
    }

    /// Whether its answers still matter.
    var isPluggedIn: Bool { life.current != .absent && !life.isAway }

    var isFailing: Bool { if case .failing = life.current { true } else { life.isAway } }

    /// The last action ended a second ago with the finger still there: that is as long as anybody waits for it.
    func isSettled(at now: Instant) -> Bool { touch?.ended.map { now - $0 >= .seconds(1) } ?? false }

    /// What ends the running action does so whether or not a finger is there.
    mutating func cancelScan() {
        guard case .scanning(var scan) = device else { return }
        scan.isCancelled = true
        scan.wasForced = touch != nil
        device = .scanning(scan)
    }
}
