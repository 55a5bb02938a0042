import BioauthCore
import BioauthSystem
import BioauthWire

/// Requests for a touch: how they are let in, and what the arbiter's decisions on them come to.
extension Daemon {
    func authenticate(_ asked: Authenticate, _ connection: Connection, at place: Surroundings) {
        let isByAnother = isByAnother(asked.account, place)
        let admission = admission(asked, connection.peer, place)
        let serviceClass = admission.serviceClass
        let request = Request(
            nextRequestID(), connection, account: asked.account, service: asked.service, isApp: asked.isApp,
            serviceClass: serviceClass, tty: asked.tty, started: now, isByAnother: isByAnother, place: place,
            reader: admission.reader,
            admission: admission)
        let standing = serviceClass.flatMap { accounts.denial(asked.account, for: $0, settings, now: moment) }
        tell(request.event(.asked, at: wallMilliseconds))
        // The screen is locked, or somebody says that it is.
        if serviceClass == .lock { screenUnlocks.forget(asked.account) }
        if serviceClass == .app, !isByAnother,
            let finger = fingerOfScreenUnlock(asked, admission, standing: standing)
        {
            connection.send(.verdict(.allowed(finger)))
            return ended(request, .allowed(finger), by: "the touch that unlocked the screen")
        }
        if let denial = admission.denial(standing: standing) {
            connection.send(.verdict(.denied(denial.told(toAnother: isByAnother))))
            return ended(request, .denied(denial))
        }
        begin(
            request, .identify, serviceClass ?? .app, timeout: asked.timeout, tries: asked.tries,
            fingerOnly: asked.fingerOnly)
    }

    /// The finger that unlocked the screen, where an app would do with that, and nothing else stands in its way. It stands for
    /// no permission to ask for fingers: to give that takes a touch.
    private func fingerOfScreenUnlock(_ asked: Authenticate, _ admission: Admission, standing: Denial?) -> Finger? {
        var admission = admission
        // Nobody has to be asked.
        admission.interaction = true
        guard asked.reuse > .zero, !asked.isPermitted, admission.denial(standing: standing) == nil,
            let finger = screenUnlocks.finger(
                of: asked.account, at: admission.surroundings, within: asked.reuse,
                slept: .nanoseconds(BootClock.slept()), now: now),
            stations.contains(where: { $0.holds(asked.account, finger) })
        else { return nil }
        return finger
    }

    /// What a request would come to now. Nobody is asked for anything, and nothing is counted.
    func examine(_ asked: Authenticate, _ connection: Connection, isPasswordSet: Bool?, at place: Surroundings) {
        var admission = admission(asked, connection.peer, place)
        let station = station(admission.reader)
        // A request finds out when it is armed.
        if let station { admission.isEnrolled = !station.usable(of: asked.account).isEmpty }
        let serviceClass = admission.serviceClass
        let standing = serviceClass.flatMap { accounts.denial(asked.account, for: $0, settings, now: moment) }
        let denial = admission.denialHoweverPermitted(standing: standing)?
            .told(toAnother: isByAnother(asked.account, place))
        connection.send(
            .examination(
                Examination(
                    serviceClass: serviceClass, denial: denial, origin: place.origin, isLidShut: place.isLidShut,
                    isReaderBuiltIn: station?.description.isBuiltIn ?? false,
                    readerState: station?.state ?? ReaderState.none, isUnasked: admission.entitlement == .unasked,
                    domainState: domainState(of: asked.account, for: asked.service), isPasswordSet: isPasswordSet)))
    }

    /// Whether somebody else than the account's owner, or root, started the program that asks.
    func isByAnother(_ account: Account, _ place: Surroundings) -> Bool {
        place.realUID.map { $0 != account.uid && !rootUIDs.contains($0) } ?? true
    }

    func admission(_ asked: Authenticate, _ peer: Peer, _ place: Surroundings) -> Admission {
        let reader = choice(for: asked.account, isLidShut: place.isLidShut).best
        let isPrintGone = reader.flatMap { station($0.id) }?.hasLostPrints(of: asked.account) ?? false
        return Admission(
            service: asked.service, tty: asked.tty.map(Terminal.name), remoteHost: asked.remoteHost,
            interaction: asked.interaction, peer: peer, surroundings: place, reader: reader?.id ?? .none,
            isReaderBuiltIn: reader?.description.isBuiltIn ?? true,
            canCompare: reader?.description.canCompare ?? false, isEnrolled: reader?.isEnrolled ?? false,
            isPrintGone: isPrintGone,
            entitlement: Entitlement(
                of: asked.service, isApp: asked.isApp, peer: peer, accounts.switches(of: asked.account), settings),
            isPermitted: asked.isPermitted)
    }

    func enroll(
        _ account: Account, _ finger: Finger, _ ticket: Ticket?, reader name: String?, _ connection: Connection,
        at place: Surroundings
    ) {
        let reader = choiceToEnroll(named: name, isLidShut: place.isLidShut).best
        let station = reader.flatMap { self.station($0.id) }
        let request = Request(
            nextRequestID(), connection, account: account, service: "enroll", serviceClass: .app, tty: nil,
            started: now, place: place, reader: reader?.id ?? .none, enrollment: Request.Enrollment(finger: finger))
        if let denial = refusal(account, finger, ticket, connection.peer, place, station) {
            connection.send(.refused(denial))
            return ended(request, .denied(denial))
        }
        tell(request.event(.asked, at: wallMilliseconds, finger: finger))
        begin(
            request, .enroll(finger), .app, timeout: Limits.requestTime.upperBound,
            tries: Limits.tries.upperBound, fingerOnly: true)
    }

    private func refusal(
        _ account: Account, _ finger: Finger, _ ticket: Ticket?, _ peer: Peer, _ place: Surroundings,
        _ station: ReaderStation?
    ) -> Denial? {
        guard let station else { return Denial(.noReader) }
        let description = station.description
        guard description.canCompare else { return Denial(.readerCannotEnroll) }
        if let obstacle = place.obstacleToEnrolling(isReaderBuiltIn: description.isBuiltIn) { return Denial(obstacle) }
        if isHeld(account, finger, like: station) { return Denial(.printExists) }
        // Each enrolment tells whether the finger is anybody's: nobody may ask that without end.
        if !peer.isRoot, ticket != nil, let wait = enrollments.turn(of: peer.uid, at: now) {
            return Denial(.tooManyRequests, endsIn: wait)
        }
        return isProven(account, ticket, isRoots: peer.isRoot) ? nil : Denial(.freshPasswordNeeded)
    }

    /// Root, or the person with a password fresh from `bioauth-password`.
    func isProven(_ account: Account, _ ticket: Ticket?, isRoots: Bool) -> Bool {
        isRoots || ticket.map { tickets.spend($0.bytes, for: account, at: now) } ?? false
    }

    func begin(
        _ request: Request, _ work: Ask.Work, _ serviceClass: ServiceClass, timeout: Duration, tries: Int,
        fingerOnly: Bool
    ) {
        // Who was told something since may have turned out to be gone. Nothing may outlive its connection.
        guard !request.connection.isClosed else { return }
        // Who has left is nobody's rival.
        forgetDeparted()
        requests[request.id] = request
        request.connection.request = request.id
        let ask = Ask(
            id: request.id, account: request.account, asker: request.asker, serviceClass: serviceClass,
            isRoot: request.connection.peer.isRoot, isByAnother: request.isByAnother,
            processGroup: request.place.processGroup, work: work, reader: request.reader,
            timeout: timeout, tries: tries, fingerOnly: fingerOnly)
        act(arbiter.asked(ask, at: now))
    }

    func cancel(_ reason: CancelReason, _ connection: Connection) {
        guard let id = connection.request else { return }
        act(arbiter.ended(id, Denial(reason.cause), at: now))
    }

    // MARK: The arbiter's decisions

    func perform(_ action: Arbiter.Action) {
        switch action {
        case .want(let job, let reader):
            station(reader)?.wants(job)
        case .prompt(let id, let triesLeft, let again):
            prompt(id, triesLeft: triesLeft, again: again)
        case .waiting(let id, let cause, let place, let other):
            guard let request = requests[id] else { return }
            request.connection.send(.waiting(Wait(cause: cause, place: place, other: other)))
            if cause != .queued { tell(request.event(.waiting, at: wallMilliseconds, cause: cause)) }
        case .retry(let id, let reason):
            retry(id, reason)
        case .mismatch(let id, let triesLeft):
            requests[id]?.connection.send(.mismatch(triesLeft: triesLeft))
            // The next touch is for another finger than the last.
            if asksFingerByFinger(id) { prompt(id, triesLeft: triesLeft, again: true) }
        case .charge(let account, let id):
            charge(account, id)
        case .finish(let id, let verdict):
            finish(id, verdict)
        case .duplicate(let id, let index):
            duplicate(id, index)
        case .enrolling(let id, let stage, let retry):
            progress(id, stage, retry)
        }
    }

    private func prompt(_ id: RequestID, triesLeft: Int, again: Bool) {
        guard let request = requests[id], let station = station(request.reader) else { return }
        let description = station.description
        var only: Finger?
        if request.enrollment == nil && !request.isByAnother {
            let fingers = station.fingers(of: request.account)
            // One print is compared at a time: the finger is named whose it is.
            only =
                description.canIdentify
                ? fingers.count == 1 ? fingers[0] : nil
                : station.fingerInWalk(of: id) ?? station.usable(of: request.account).first?.finger
        }
        request.connection.send(
            .prompt(
                Prompt(
                    scan: description.scan, finger: request.enrollment?.finger ?? only,
                    reader: description.name, triesLeft: triesLeft, again: again)))
        tell(request.event(.prompted, at: wallMilliseconds, reader: description.name))
    }

    /// Whether each touch of a request is for one finger of several.
    private func asksFingerByFinger(_ id: RequestID) -> Bool {
        guard let request = requests[id], !request.isByAnother, let reader = station(request.reader)?.description else {
            return false
        }
        return !reader.canIdentify && prints.fingers(of: request.account, on: reader).count > 1
    }

    private func retry(_ id: RequestID, _ reason: RetryReason) {
        guard let request = requests[id] else { return }
        if let progress = request.enrollment {
            request.connection.send(
                .enrolling(stage: progress.completed, stages: progress.stages, retry: reason))
        } else {
            request.connection.send(.retry(reason))
        }
        tell(request.event(.retried, at: wallMilliseconds))
    }

    /// A mismatch: on disk before anybody hears of it.
    private func charge(_ account: Account, _ id: RequestID) {
        // A walk through the prints, one touch for each, has recorded its own.
        let recorded = stations.first { $0.walk?.job.owner == id }?.takeMismatch()
        let denial = recorded.map(\.denial) ?? recordMismatch(account, id)
        act(arbiter.charged(account, id, denial, at: now))
    }

    /// Records a mismatch, and gives what stands in the way of the account's finger since.
    func recordMismatch(_ account: Account, _ id: RequestID) -> Denial? {
        screenUnlocks.forget(account)
        let denial = accounts.mismatched(account, settings, now: moment)
        let request = requests[id]
        tell(
            WatchEvent(
                kind: .mismatched, time: wallMilliseconds, account: account, service: request?.service,
                serviceClass: request?.serviceClass))
        return denial
    }

    private func finish(_ id: RequestID, _ verdict: Verdict) {
        guard let request = requests.removeValue(forKey: id) else { return }
        let connection = request.connection
        connection.request = nil
        connection.idleSince = now
        switch verdict {
        case .allowed(let finger):
            // The person waits for this; what is left to do for the next time comes after.
            if let change = request.change {
                turn(change, for: request, finger)
            } else {
                if request.admission?.grants ?? false { remember(request) }
                connection.send(.verdict(verdict))
            }
            if request.serviceClass == .lock && request.change == nil && !request.isByAnother
                && !awaitsUnlocking(request.account)
            {
                screenUnlocks.unlocked(
                    request.account, by: finger, at: surroundings.now(request.place),
                    slept: .nanoseconds(BootClock.slept()), now: now)
            }
            accounts.matched(request.account)
            if let station = station(request.reader) {
                prints.matched(request.account, finger, on: station.description)
            }
        case .denied(let denial):
            let told = denial.told(toAnother: request.isByAnother)
            connection.send(request.endsWithVerdict ? .verdict(.denied(told)) : .refused(told))
        }
        // The turning of a switch has told its own end.
        if case .allowed = verdict, request.change != nil { return }
        ended(request, verdict)
    }

    /// Whether a locker still asks for the person.
    private func awaitsUnlocking(_ account: Account) -> Bool {
        requests.values.contains { $0.serviceClass == .lock && $0.account == account }
    }

    func ended(_ request: Request, _ verdict: Verdict, by how: String? = nil) {
        let what = request.change != nil ? "switch" : request.enrollment == nil ? "authentication" : "enrolment"
        switch verdict {
        case .allowed(let finger):
            tell(request.event(.allowed, at: wallMilliseconds, finger: finger))
            audit(request, verdict, "\(what) allowed" + (how.map { " by \($0)" } ?? ""))
        case .denied(let denial):
            let kind: WatchEvent.Kind = request.endsWithVerdict ? .denied : .refused
            tell(request.event(kind, at: wallMilliseconds, cause: denial.cause))
            audit(request, verdict, "\(what) denied")
        }
    }

    // MARK: Enrolments

    /// The finger is known. Whether that is the same account's or another's decides the word for it.
    private func duplicate(_ id: RequestID, _ index: Int) {
        guard let request = requests[id], let gallery = station(request.reader)?.gallery,
            gallery.indices.contains(index)
        else {
            return
        }
        let isOwn = gallery[index].account == request.account
        act(arbiter.ended(id, Denial(isOwn ? .duplicatePrint : .duplicateOfAnotherAccount), at: now))
    }

    private func progress(_ id: RequestID, _ stage: Int, _ retry: RetryReason?) {
        guard let request = requests[id], var progress = request.enrollment else { return }
        progress.completed = progress.checks + stage
        request.enrollment = progress
        request.connection.send(.enrolling(stage: progress.completed, stages: progress.stages, retry: retry))
    }

    /// The reader has made the print; it is kept, and that is the enrolment's end.
    ///
    /// - Returns: whether it is kept.
    func enrolled(_ id: RequestID, _ print: StoredPrint, _ station: ReaderStation) -> Bool {
        guard let request = requests[id], let enrollment = request.enrollment else { return false }
        guard accounts.renewDomainSecret(of: request.account) else {
            // Whoever watches for new prints would not see this one.
            act(arbiter.ended(id, Denial(.storageFailed), at: now))
            return false
        }
        screenUnlocks.forget(request.account)
        do {
            try prints.add(print, of: request.account, enrollment.finger, on: station.description)
        } catch {
            log.write(.error, "A print could not be kept: \(error)")
            act(arbiter.ended(id, Denial(.storageFailed), at: now))
            return false
        }
        requests[id] = nil
        request.connection.request = nil
        request.connection.idleSince = now
        request.connection.send(.done(nil))
        tell(request.event(.enrolled, at: wallMilliseconds, finger: enrollment.finger))
        audit(request, .allowed(enrollment.finger), "finger enrolled")
        act(arbiter.enrolled(id, at: now))
        return true
    }
}
