import BioauthCore
import BioauthSystem
import BioauthWire

/// Touches: what the reader is armed with, and what it shows.
extension ReaderStation {
    func start(_ job: Job) {
        switch job.kind {
        case .identify where walk?.job == job:
            identify(job)
        case .identify:
            gallery = usable(of: job.account)
            guard !gallery.isEmpty else {
                let cause: Cause = hasLostPrints(of: job.account) ? .printGone : .notEnrolled
                daemon.take { $0.ended(job.owner, Denial(cause), at: $1) }
                return nothingToDo()
            }
            identify(job)
        case .findDuplicate(let finger):
            guard !daemon.isHeld(job.account, finger, like: self) else {
                // Another enrolment went first.
                daemon.take { $0.ended(job.owner, Denial(.printExists), at: $1) }
                return nothingToDo()
            }
            gallery = galleryForDuplicates(of: job.account)
            let checks = gallery.isEmpty ? 0 : 1
            let stages = description.enrollStages + checks
            daemon.requests[job.owner]?.enrollment = Request.Enrollment(finger: finger, stages: stages, checks: checks)
            daemon.requests[job.owner]?.connection.send(.enrolling(stage: 0, stages: stages, retry: nil))
            guard !gallery.isEmpty else {
                daemon.take { $0.identified(job, .noMatch, finger: nil, at: $1) }
                return nothingToDo()
            }
            identify(job)
        case .enroll(let finger):
            enroll(job, finger)
        }
    }

    /// The job is over before the reader was asked. That is told as a reader would tell it: later, once what follows
    /// from it has been carried out.
    private func nothingToDo() {
        _ = EventLoop.after(milliseconds: 0) { [weak self] in self?.answered { $0.completed(nil, at: $1) } }
    }

    /// The account's own prints, then everybody else's where one finger is for one account. Nobody is asked to touch a
    /// reader for each of them.
    private func galleryForDuplicates(of account: Account) -> [PrintStore.Usable] {
        guard description.canIdentify else { return [] }
        let own = usable(of: account)
        guard daemon.settings.oneFingerOneAccount else { return own }
        let limit = max(0, Limits.duplicateGallery - own.count)
        let others = daemon.prints.ofOthers(than: account, on: description, limit: limit)
        return own + others.filter { !isGone($0.account, $0.finger) }
    }

    private func identify(_ job: Job) {
        // Which of the gallery it is compared with.
        let compared = description.canIdentify ? gallery.indices : nextInWalk(job)..<(nextInWalk(job) + 1)
        reader.identify(gallery: gallery[compared].map(\.print)) { [weak self] result in
            guard let self, isPluggedIn else { return }
            let result = result.shifted(by: compared.lowerBound)
            var isRetry = false
            if case .retry = result { isRetry = true }
            take { $0.shown(retry: isRetry, at: $1) }
            // Perhaps the reader has lost the print.
            if case .identify = job.kind, result == .noMatch, kept != nil { survey() }
            guard life.isTouchMeant else { return }
            var finger: Finger?
            if case .matched(let index) = result, gallery.indices.contains(index) { finger = gallery[index].finger }
            if case .identify = job.kind, let finger, !holds(job.account, finger) {
                // Deleted since the reader was armed with it.
                return daemon.take { $0.ended(job.owner, Denial(.notEnrolled), at: $1) }
            }
            if case .identify = job.kind, result == .noMatch, goesOn(job) { return }
            if finger != nil { walk = nil }
            if case .findDuplicate = job.kind, result == .noMatch, let request = daemon.requests[job.owner] {
                request.enrollment?.completed = 1
                request.connection.send(.enrolling(stage: 1, stages: request.enrollment?.stages ?? 0, retry: nil))
            }
            daemon.take { $0.identified(job, result, finger: finger, at: $1) }
        } done: { [weak self] result in
            self?.identified(job, result.fault)
        }
    }

    private func identified(_ job: Job, _ fault: ReaderFault?) {
        guard isPluggedIn else { return }
        let fault = life.outcome(fault)
        if let fault, fault != .cancelled {
            complain(fault, "used")
            if fault == .printInvalid || fault == .printMissing {
                cannotCompare(job, fault)
            } else if case .ends(let cause) = fault.trouble.identification {
                daemon.take { $0.ended(job.owner, Denial(cause), at: $1) }
            }
            if fault == .printMissing { survey() }
        }
        answered { $0.completed(fault, at: $1) }
    }

    /// Nothing in the gallery can be compared on this reader.
    private func cannotCompare(_ job: Job, _ fault: ReaderFault) {
        switch job.kind {
        case .identify where passesOver(job): break
        // A print that the reader has lost kept it from comparing the others.
        case .findDuplicate where fault == .printMissing:
            daemon.take { $0.ended(job.owner, Denial(.enrollmentFailed), at: $1) }
        case .identify where walk?.mismatch == nil:
            guard case .ends(let cause) = fault.trouble.identification else { break }
            daemon.take { $0.ended(job.owner, Denial(cause), at: $1) }
        // That was the last of a walk; or then the finger isn't among them either.
        case .identify, .findDuplicate, .enroll: daemon.take { $0.identified(job, .noMatch, finger: nil, at: $1) }
        }
    }

    private func enroll(_ job: Job, _ finger: Finger) {
        guard beginEnrolling(job.account, finger) else {
            daemon.take { $0.ended(job.owner, Denial(.storageFailed), at: $1) }
            return nothingToDo()
        }
        reader.enroll(accountName: job.account.name, finger: finger) { [weak self] completed, retry in
            guard let self, isPluggedIn else { return }
            let isLast = retry == nil && completed >= description.enrollStages
            take { $0.progressed(isLast: isLast, at: $1) }
            daemon.take { $0.enrolling(job.owner, stage: completed, retry: retry, at: $1) }
        } done: { [weak self] result in
            guard let self, isPluggedIn else { return }
            var isKept = false
            if case .success(let print) = result { isKept = daemon.enrolled(job.owner, print, self) }
            let fault = life.outcome(result.fault)
            if let fault, fault != .cancelled {
                complain(fault, "used to enrol")
                if case .ends(var cause) = fault.trouble.enrollment {
                    // The prints of accounts here have been compared before.
                    if fault == .duplicate, let kept, !kept.leftovers.isEmpty { cause = .duplicateOnReader }
                    daemon.take { $0.ended(job.owner, Denial(cause), at: $1) }
                }
            }
            endEnrolling(job.account, finger, keeping: isKept ? result.print : nil)
            answered { $0.completed(fault, at: $1) }
        }
    }
}

extension Identification {
    /// The same of a gallery that had so many prints before its first.
    fileprivate func shifted(by prints: Int) -> Identification {
        if case .matched(let index) = self { .matched(index: index + prints) } else { self }
    }
}
