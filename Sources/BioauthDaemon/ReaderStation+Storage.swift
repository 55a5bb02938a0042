import BioauthCore
import BioauthSystem
import BioauthWire

/// A reader that keeps prints itself: what it keeps, and errands about that, which run between touches.
extension ReaderStation {
    /// What the reader is asked to do without a finger.
    enum Errand {
        case list
        /// The same, to finish what was left half done.
        case survey
        case delete(StoredPrint)
    }

    /// One of them, and who wants to know how it went.
    struct PendingErrand {
        let errand: Errand
        var done: [@MainActor (ReaderFault?) -> Void]
    }

    /// What the reader keeps, by its own word, and what that comes to.
    struct Kept {
        var prints: [StoredPrint]
        /// Prints of this machine's accounts that it doesn't keep any more.
        var gone: [PrintStore.OnReader] = []
        /// Who here has the print at a place.
        var owners: [Int: PrintStore.OnReader] = [:]
        /// Places of those that no account here has.
        var leftovers: [Int] = []

        /// Those that are the same as any of these.
        @MainActor func prints(like others: [StoredPrint], _ readers: any ReaderSource) -> [StoredPrint] {
            readers.places(of: others, among: prints).compactMap { $0.map { prints[$0] } }
        }
    }

    // MARK: What it keeps

    /// What it keeps is asked for once while it is plugged in and the machine awake, and only where anything here hangs on
    /// it; else before an enrolment.
    func lookUp(beforeEnrolling: Bool = false) {
        guard !hasAskedForKept, description.canList || description.canDelete else { return }
        guard beforeEnrolling || daemon.prints.hasAnything(on: description) else { return }
        hasAskedForKept = true
        survey()
    }

    /// Asks the reader what it keeps; finishes what was left half done, here or there; and tells of prints that are gone.
    func survey(done: @escaping @MainActor (ReaderFault?) -> Void = { _ in }) {
        guard description.canList else {
            finishDeletions()
            return done(.unsupported)
        }
        // One that waits for its turn does for all who ask meanwhile.
        if let last = errands.last, case .survey = last.errand, errands.count > 1 {
            errands[errands.count - 1].done.append(done)
        } else {
            run(.survey, [done])
        }
    }

    /// Deletes from the reader what was deleted here.
    private func finishDeletions() {
        for doomed in daemon.prints.doomed(on: description) {
            let found = kept.map { $0.prints(like: [doomed.print], daemon.readers) }
            finish(doomed.path, deleting: found ?? [doomed.print])
        }
    }

    /// Deletes from the reader what enrolments have left there that came to nothing.
    private func finishEnrollments() {
        guard let kept else { return }
        let leftovers = kept.leftovers.map { kept.prints[$0] }
        for unfinished in daemon.prints.unfinished(on: description) {
            let made = unfinished.made(of: leftovers, daemon.machineRun) { daemon.readers.describe($0) }
            finish(unfinished.path, deleting: made.map { [$0] } ?? [])
        }
    }

    /// Deletes these prints from the reader, and then what was written down of them here.
    private func finish(_ path: String, deleting prints: [StoredPrint]) {
        guard let print = prints.first else {
            // What isn't on this one may be on another that goes by the same identity.
            return daemon.stations(like: self).count > 1 ? () : daemon.prints.settle(path)
        }
        run(.delete(print)) { [weak self] fault in
            guard let self else { return }
            if fault == nil { daemon.tellDeleted(self) }
            // Else it is tried again when the reader is asked the next time.
            switch fault {
            case nil, .printMissing, .printInvalid, .unsupported: daemon.prints.settle(path)
            default: break
            }
        }
    }

    /// The reader is gone: what an enrolment may have left on it is told of when it comes back, and not deleted. It may have
    /// been elsewhere meanwhile.
    func settleEnrollments() {
        for unfinished in daemon.prints.unfinished(on: description) { daemon.prints.settle(unfinished.path) }
    }

    /// Compares what the reader keeps with what lies here.
    func compareKept() {
        guard var kept else { return }
        let known = daemon.prints.onReader(description)
        let places = daemon.readers.places(of: known.map(\.print), among: kept.prints)
        kept.gone = zip(known, places).filter { $1 == nil }.map(\.0)
        kept.owners = [:]
        for case (let owner, let place?) in zip(known, places) { kept.owners[place] = owner }
        let doomed = daemon.readers.places(
            of: daemon.prints.doomed(on: description).map(\.print), among: kept.prints)
        let accounted = Set((places + doomed).compactMap(\.self))
        kept.leftovers = kept.prints.indices.filter { !accounted.contains($0) }
        self.kept = kept
        daemon.tellLost(self)
    }

    // MARK: Prints that are of use

    func isGone(_ account: Account, _ finger: Finger) -> Bool {
        kept?.gone.contains { $0.uid == account.uid && $0.described.finger == finger } ?? false
    }

    /// The fingers for which the account has a print here that is of use.
    func fingers(of account: Account) -> [Finger] {
        daemon.prints.fingers(of: account, on: description).filter { !isGone(account, $0) }
    }

    func usable(of account: Account) -> [PrintStore.Usable] {
        daemon.prints.usable(of: account, on: description).filter { !isGone(account, $0.finger) }
    }

    /// Whether the account has prints here, all of which the reader has lost.
    func hasLostPrints(of account: Account) -> Bool {
        fingers(of: account).isEmpty && kept?.gone.contains { $0.uid == account.uid } ?? false
    }

    /// Whether a print of that finger lies here and is of use.
    func holds(_ account: Account, _ finger: Finger) -> Bool {
        daemon.prints.exists(account, finger, on: description) && !isGone(account, finger)
    }

    // MARK: Errands

    func run(_ errand: Errand, done: @escaping @MainActor (ReaderFault?) -> Void) { run(errand, [done]) }

    private func run(_ errand: Errand, _ done: [@MainActor (ReaderFault?) -> Void]) {
        errands.append(PendingErrand(errand: errand, done: done))
        take { $0.errands(true, at: $1) }
    }

    /// Does the first errand.
    func runErrand() {
        guard let first = errands.first else { return errandDone(nil) }
        switch first.errand {
        case .list, .survey:
            reader.list { [weak self] result in
                if case .success(let prints) = result { self?.kept = Kept(prints: prints) }
                self?.errandDone(result.fault)
            }
        case .delete(let print):
            reader.delete(print) { [weak self] result in self?.errandDone(result.fault) }
        }
    }

    private func errandDone(_ fault: ReaderFault?) {
        guard isPluggedIn else { return }
        if let fault, fault != .cancelled { complain(fault, "asked about the prints it keeps") }
        // One that the machine's sleep has cut short is done again after it.
        guard !(fault == .cancelled && life.isAsleep) else { return take { $0.errandDone(fault, at: $1) } }
        let first = errands.isEmpty ? nil : errands.removeFirst()
        if case .delete(let print) = first?.errand, fault == nil || fault == .printMissing {
            let places = daemon.readers.places(of: [print], among: kept?.prints ?? [])
            if let place = places[0] { kept?.prints.remove(at: place) }
        }
        if fault == nil || fault == .printMissing { compareKept() }
        tell(fault, first)
        take { $0.errands(!self.errands.isEmpty, at: $1) + $0.errandDone(fault, at: $1) }
    }

    /// Tells how an errand went: a survey once what was half done has been finished.
    private func tell(_ fault: ReaderFault?, _ errand: PendingErrand?) {
        guard let errand else { return }
        if fault == nil, case .survey = errand.errand {
            finishDeletions()
            finishEnrollments()
            if !errands.isEmpty { return run(.list, errand.done) }
        }
        for done in errand.done { done(fault) }
    }

    /// The reader is gone, and with it whatever was to be done at it.
    func dropErrands() {
        let dropped = errands
        errands = []
        for errand in dropped { for done in errand.done { done(.unplugged) } }
    }

    // MARK: Enrolments

    /// Writes down that the reader may come to keep a print that nobody here has yet.
    ///
    /// - Returns: whether that is written down, where it has to be.
    func beginEnrolling(_ account: Account, _ finger: Finger) -> Bool {
        guard let kept else { return true }
        do {
            try daemon.prints.begin(
                finger, of: account, on: description, keeping: kept.prints, daemon.machineRun)
            return true
        } catch {
            daemon.log.write(.error, "An enrolment could not be begun: \(error)")
            return false
        }
    }

    /// - Parameter print: what was enrolled and is kept on both sides; nil: whatever the reader has come to keep is of no
    ///   use to anybody.
    func endEnrolling(_ account: Account, _ finger: Finger, keeping print: StoredPrint?) {
        guard kept != nil else { return }
        guard let print else { return survey() }
        daemon.prints.finished(finger, of: account, on: description)
        kept?.prints.append(print)
        compareKept()
    }
}

extension Result where Success == StoredPrint, Failure == ReaderFault {
    var print: StoredPrint? { try? get() }
}
