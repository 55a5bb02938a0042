import BioauthCore
import BioauthSystem
import BioauthWire

/// One reader that is plugged in: what its life decides is done to it, and what it tells is brought back.
@MainActor final class ReaderStation {
    let id: ReaderID
    let reader: any Reader
    private(set) var life: ReaderLife
    var chronicle: ReaderChronicle
    /// What the reader was tried for last in vain, and how that failed.
    private var fault: (what: String, ReaderFault)?
    /// What the touch that is awaited will be compared with.
    var gallery: [PrintStore.Usable] = []
    /// The reader has gone, and this only keeps its place while it may come back.
    var isPlaceholder = false
    /// Where the reader compares a touch with one print only: how far it is with the gallery.
    var walk: Walk?
    /// Where the reader keeps prints itself: what it keeps; nil: not known.
    var kept: Kept?
    /// Whether it has been asked, since it was plugged in or the machine woke.
    var hasAskedForKept = false
    /// What is to be done at it that takes no finger, in order.
    var errands: [PendingErrand] = []

    /// Owns the stations, and so outlives them.
    unowned let daemon: Daemon

    init(
        _ id: ReaderID, _ reader: any Reader, _ life: ReaderLife, _ chronicle: ReaderChronicle, of daemon: Daemon
    ) {
        self.id = id
        self.reader = reader
        self.daemon = daemon
        self.life = life
        self.chronicle = chronicle
    }

    var description: ReaderDescription { reader.description }

    /// Whether it can't be used at present, and is waited for.
    var isFailing: Bool { if case .failing = life.current { true } else { life.isAway } }

    /// What it is doing.
    var state: ReaderState {
        switch life.current {
        case .absent: .none
        case .failing: .failing
        case .unproven: .opening
        case .good: life.isScanning ? .scanning : life.isOpening ? .opening : life.isOpen ? .ready : .closed
        }
    }

    /// Whether the reader's answers still matter.
    var isPluggedIn: Bool { life.current != .absent && !life.isAway }

    /// From now on the reader serves.
    func start() {
        reader.onFinger = { [weak self] present in self?.answered { $0.finger(present, at: $1) } }
        reader.onHeat = { [weak self] isHot in self?.answered { $0.heated(isHot, at: $1) } }
        take { $0.added(at: $1) }
        lookUp()
    }

    /// The machine is awake. What the reader keeps may not be what it kept: another system may have run meanwhile.
    func woke() {
        hasAskedForKept = false
        if isPluggedIn { lookUp() }
        take { $0.woke(at: $1) }
    }

    /// What it is to be armed for from now on.
    func wants(_ job: Job?) {
        if walk?.job != job { endWalk() }
        if let job, job.kind != .identify { lookUp(beforeEnrolling: true) }
        take { $0.wants(job, at: $1) }
    }

    /// An event of the reader's life, and what follows from it.
    func take(_ event: (inout ReaderLife, Instant) -> [ReaderLife.Action]) {
        let now = daemon.now
        let actions = event(&life, now)
        if let entry = chronicle.follow(life, at: now) { daemon.tell(entry, of: description, fault) }
        daemon.act(actions, at: self)
    }

    /// What the reader answers, if it is still there.
    func answered(_ event: (inout ReaderLife, Instant) -> [ReaderLife.Action]) {
        if isPluggedIn { take(event) }
    }

    func perform(_ action: ReaderLife.Action) {
        if case .standing(let standing) = action { return daemon.stands(standing, self) }
        // Nothing is asked of a reader that has gone since.
        guard isPluggedIn else { return }
        switch action {
        case .open:
            reader.open { [weak self] result in
                if let fault = result.fault { self?.complain(fault, "opened") }
                self?.answered { $0.opened(result.fault, at: $1) }
            }
        case .close:
            reader.close { [weak self] result in
                if let fault = result.fault { self?.complain(fault, "closed") }
                self?.answered { $0.closed(at: $1) }
                // The images and prints of the last touches are gone; so may their memory be.
                releaseUnneededMemory()
            }
        case .start(let job):
            start(job)
        case .runErrand:
            runErrand()
        case .cancel:
            reader.cancel()
        case .giveUp:
            daemon.giveUp(self)
        case .standing:
            break
        }
    }

    /// The reader's chronicle tells when its trouble begins; each time of it is for whoever looks closer. What leaves the
    /// reader as it was is told here.
    func complain(_ fault: ReaderFault, _ what: String) {
        self.fault = (what, fault)
        let isTrouble = fault.trouble.remedy != .none || fault == .cancelled
        daemon.log.write(
            isTrouble ? .debug : .warning, "\(description.name) could not be \(what): \(fault)",
            fields: ["READER": description.name])
    }
}

extension Result where Failure == ReaderFault {
    var fault: ReaderFault? {
        switch self {
        case .success: nil
        case .failure(let fault): fault
        }
    }
}
