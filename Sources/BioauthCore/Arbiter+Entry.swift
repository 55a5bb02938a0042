extension Arbiter {
    /// One request and where it stands.
    struct Entry: Hashable, Sendable {
        let ask: Ask
        /// The reader that serves it.
        var reader: ReaderID
        var phase: Phase = .queued(nil)
        var triesLeft: Int
        /// When it has waited long enough; nil while its time doesn't run.
        var deadline: Instant?
        /// What is left of its time while that doesn't run.
        var timeLeft: Duration?
        /// When it ends in any case.
        var end: Instant
        /// Since when the machine has been asleep, as far as this request knows.
        var asleepSince: Instant?
        /// When a locker has been armed long enough; nil before its first turn.
        var rests: Instant?
        /// Nobody can be where it was asked from.
        var isAway = false
        var wasPrompted = false
        /// Since when it stands in line.
        var queuedSince: Instant
        /// The finger to be enrolled has been compared with everybody's prints.
        var isChecked = false
        /// Counts up where others contend with it, where it moves, and where the machine sleeps: a touch from before counts
        /// for nothing after.
        var attempt = 0

        init(_ ask: Ask, at now: Instant) {
            self.ask = ask
            reader = ask.reader
            triesLeft = ask.tries
            deadline = now + ask.timeout
            end = now + Arbiter.longest
            queuedSince = now
        }

        enum Phase: Hashable, Sendable {
            /// Behind so many others, as it was told; nil: not told yet.
            case queued(Int?)
            /// Elected; the reader isn't usable, for this cause.
            case awaitingReader(Cause)
            /// Elected; the person has been asked.
            case prompted
            case suspended
            case contended(since: Instant)
            case cooling(until: Instant)
            case resting
        }

        /// It may have the reader as soon as it is its turn.
        mutating func queue(at now: Instant) {
            phase = .queued(nil)
            queuedSince = now
        }

        var isQueued: Bool { if case .queued = phase { true } else { false } }

        var isElected: Bool { phase == .prompted || isAwaitingReader }

        var isAwaitingReader: Bool { if case .awaitingReader = phase { true } else { false } }

        var isContended: Bool { if case .contended = phase { true } else { false } }

        var isCooling: Bool { if case .cooling = phase { true } else { false } }

        /// Out of the line until something happens.
        var isSetAside: Bool { isContended || phase == .resting }

        var canContend: Bool { ask.serviceClass == .privilege && ask.isIdentification }

        /// Its time stops running; what is left is kept.
        mutating func pause(at now: Instant) {
            if let deadline { timeLeft = deadline - now }
            deadline = nil
        }

        /// It is served by another reader from now on. Its time runs on.
        mutating func move(to reader: ReaderID, at now: Instant) {
            self.reader = reader
            attempt += 1
            if isElected || isQueued { queue(at: now) }
        }

        /// The machine goes to sleep: no time counts from now on.
        mutating func sleep(at now: Instant) {
            guard asleepSince == nil else { return }
            asleepSince = now
            attempt += 1
        }

        /// It is awake again.
        mutating func wake(at now: Instant) {
            guard let asleepSince else { return }
            end = end + (now - asleepSince)
            deadline = deadline.map { $0 + (now - asleepSince) }
            self.asleepSince = nil
        }

        /// When it ends if nothing happens, and why.
        func expiry(_ reader: ReaderStanding?) -> (at: Instant, cause: Cause) {
            var expiry = (at: min(end, deadline ?? end), cause: Cause.timedOut)
            if case .contended(let since) = phase, since + Arbiter.contentionPatience < expiry.at {
                expiry = (since + Arbiter.contentionPatience, .contended)
            }
            if ask.fingerOnly, isAwaitingReader || isQueued, case .failing(let cause, let since) = reader {
                let patience = max(since, queuedSince) + Arbiter.readerPatience
                if patience < expiry.at { expiry = (patience, cause) }
            }
            return expiry
        }

        /// When something has to be done about it.
        func nextDeadline(_ reader: ReaderStanding?) -> Instant {
            var next = expiry(reader).at
            if case .cooling(let until) = phase { next = min(next, until) }
            if isElected, let rests { next = min(next, rests) }
            return next
        }

        var job: Job {
            let kind: Job.Kind
            switch ask.work {
            case .identify: kind = .identify
            case .enroll(let finger): kind = isChecked ? .enroll(finger) : .findDuplicate(finger)
            }
            return Job(owner: ask.id, account: ask.account, kind: kind, attempt: attempt)
        }
    }
}
