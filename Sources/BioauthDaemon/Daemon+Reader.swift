import BioauthCore
import BioauthSystem
import BioauthWire

/// The reader: what its life decides is done to it, and what it tells is brought back.
extension Daemon {
    func startReaders() {
        readers.onAdded = { [weak self] in self?.added($0) }
        readers.onRemoved = { [weak self] in self?.removed($0) }
        readers.start()
        if reader == nil { log.write(.warning, "No fingerprint reader is plugged in") }
    }

    private func added(_ new: any Reader) {
        log.write(.notice, "Reader found", fields: ["READER": new.description.name, "DRIVER": new.description.driver])
        tell(WatchEvent(kind: .readerAdded, time: wallMilliseconds, reader: new.description.name))
        guard reader == nil else { return spareReaders.append(new) }
        use(new)
    }

    private func removed(_ old: any Reader) {
        log.write(.notice, "Reader removed", fields: ["READER": old.description.name])
        tell(WatchEvent(kind: .readerRemoved, time: wallMilliseconds, reader: old.description.name))
        spareReaders.removeAll { $0 === old }
        guard reader === old else { return }
        reader = nil
        act(life.removed(at: now))
        if !spareReaders.isEmpty { use(spareReaders.removeFirst()) }
    }

    private func use(_ new: any Reader) {
        reader = new
        new.onFinger = { [weak self, weak new] present in
            guard let self, self.reader === new else { return }
            act(life.finger(present, at: now))
        }
        act(life.added(at: now))
    }

    // MARK: The life's decisions

    func perform(_ action: ReaderLife.Action) {
        guard let reader else {
            if case .standing(let standing) = action { stands(standing) }
            return
        }
        switch action {
        case .open:
            reader.open { [weak self] result in
                self?.back(from: reader) { $0.opened(result.fault, at: $1) }
                if let fault = result.fault { self?.complain(fault, "opened") }
            }
        case .close:
            reader.close { [weak self] result in
                if let fault = result.fault { self?.complain(fault, "closed") }
                self?.back(from: reader) { $0.closed(at: $1) }
                // The images and prints of the last touches are gone; so may their memory be.
                releaseUnneededMemory()
            }
        case .start(let job):
            start(job, reader)
        case .cancel:
            reader.cancel()
        case .standing(let standing):
            stands(standing)
        }
    }

    /// A reader's answer, if it is still the one in use, and what follows from it.
    private func back(from reader: any Reader, _ event: (inout ReaderLife, Instant) -> [ReaderLife.Action]) {
        guard self.reader === reader else { return }
        act(event(&life, now))
    }

    private func stands(_ standing: ReaderStanding) {
        switch standing {
        case .good: tell(WatchEvent(kind: .readerReady, time: wallMilliseconds, reader: reader?.description.name))
        case .failing(let cause, _):
            tell(
                WatchEvent(
                    kind: .readerFailed, time: wallMilliseconds, cause: cause, reader: reader?.description.name))
        case .absent, .unproven: break
        }
        act(arbiter.readerChanged(standing, at: now))
    }

    private func complain(_ fault: ReaderFault, _ what: String) {
        log.write(.warning, "The reader could not be \(what): \(fault)")
    }

    // MARK: Touches

    private func start(_ job: Job, _ reader: any Reader) {
        switch job.kind {
        case .identify:
            gallery = prints.usable(of: job.account, on: reader.description)
            guard !gallery.isEmpty else {
                act(arbiter.ended(job.owner, Denial(.notEnrolled), at: now))
                return nothingToDo(reader)
            }
            identify(job, reader)
        case .findDuplicate(let finger):
            guard !prints.exists(job.account, finger, on: reader.description) else {
                // Another enrolment went first.
                act(arbiter.ended(job.owner, Denial(.printExists), at: now))
                return nothingToDo(reader)
            }
            gallery = galleryForDuplicates(of: job.account, reader.description)
            let checks = gallery.isEmpty ? 0 : 1
            let stages = reader.description.enrollStages + checks
            requests[job.owner]?.enrollment = Request.Enrollment(finger: finger, stages: stages, checks: checks)
            requests[job.owner]?.connection.send(.enrolling(stage: 0, stages: stages, retry: nil))
            guard !gallery.isEmpty else {
                act(arbiter.identified(job, .noMatch, finger: nil, at: now))
                return nothingToDo(reader)
            }
            identify(job, reader)
        case .enroll(let finger):
            enroll(job, finger, reader)
        }
    }

    /// The job is over before the reader was asked. That is told as a reader would tell it: later, once what follows
    /// from it has been carried out.
    private func nothingToDo(_ reader: any Reader) {
        _ = EventLoop.after(milliseconds: 0) { [weak self] in self?.back(from: reader) { $0.completed(nil, at: $1) } }
    }

    /// The account's own prints, then everybody else's where one finger is for one account.
    private func galleryForDuplicates(of account: Account, _ description: ReaderDescription) -> [PrintStore.Usable] {
        let own = prints.usable(of: account, on: description)
        guard settings.oneFingerOneAccount else { return own }
        let limit = max(0, Limits.duplicateGallery - own.count)
        return own + prints.ofOthers(than: account, on: description, limit: limit)
    }

    private func identify(_ job: Job, _ reader: any Reader) {
        reader.identify(gallery: gallery.map(\.print)) { [weak self] result in
            guard let self, self.reader === reader else { return }
            var isRetry = false
            if case .retry = result { isRetry = true }
            act(life.shown(retry: isRetry, at: now))
            var finger: Finger?
            if case .matched(let index) = result, gallery.indices.contains(index) { finger = gallery[index].finger }
            if case .identify = job.kind, let finger, !prints.exists(job.account, finger, on: reader.description) {
                // Deleted since the reader was armed with it.
                return act(arbiter.ended(job.owner, Denial(.notEnrolled), at: now))
            }
            if case .findDuplicate = job.kind, result == .noMatch, let request = requests[job.owner] {
                request.enrollment?.completed = 1
                request.connection.send(.enrolling(stage: 1, stages: request.enrollment?.stages ?? 0, retry: nil))
            }
            act(arbiter.identified(job, result, finger: finger, at: now))
        } done: { [weak self] result in
            self?.identified(job, result.fault, reader)
        }
    }

    private func identified(_ job: Job, _ fault: ReaderFault?, _ reader: any Reader) {
        guard self.reader === reader else { return }
        var fault = fault
        if fault == .printInvalid {
            // Nothing in the gallery can be compared on this reader: that is the prints' trouble, not the reader's.
            fault = nil
            switch job.kind {
            case .findDuplicate: act(arbiter.identified(job, .noMatch, finger: nil, at: now))
            case .identify, .enroll: act(arbiter.ended(job.owner, Denial(.notEnrolled), at: now))
            }
        } else if let fault, fault != .cancelled {
            complain(fault, "used")
        }
        back(from: reader) { $0.completed(fault, at: $1) }
    }

    private func enroll(_ job: Job, _ finger: Finger, _ reader: any Reader) {
        reader.enroll(accountName: job.account.name, finger: finger) { [weak self] completed, retry in
            guard let self, self.reader === reader else { return }
            act(arbiter.enrolling(job.owner, stage: completed, retry: retry, at: now))
        } done: { [weak self] result in
            guard let self, self.reader === reader else { return }
            switch result {
            case .success(let print):
                enrolled(job.owner, print)
                back(from: reader) { $0.completed(nil, at: $1) }
            case .failure(let fault):
                if let cause = Daemon.cause(of: fault) { act(arbiter.ended(job.owner, Denial(cause), at: now)) }
                let isReaders = fault != .storageFull && fault != .duplicate && fault != .printInvalid
                if fault != .cancelled { complain(fault, "used to enrol") }
                back(from: reader) { $0.completed(isReaders ? fault : nil, at: $1) }
            }
        }
    }

    private static func cause(of fault: ReaderFault) -> Cause? {
        switch fault {
        case .cancelled: nil
        case .unplugged: .readerUnplugged
        case .hot: .readerHot
        case .storageFull: .storageFailed
        case .duplicate: .duplicatePrint
        case .unsupported: .readerCannotEnroll
        case .busy, .printInvalid, .failed: .enrollmentFailed
        }
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
