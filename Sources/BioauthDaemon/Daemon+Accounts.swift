import BioauthCore
import BioauthSystem
import BioauthWire

/// Everything about accounts that needs no touch: where they stand, their prints, their lockouts, their passwords.
extension Daemon {
    func status(of account: Account) -> StatusReport {
        let state = accounts.state(of: account)
        let entries = prints.entries(of: account)
        let station = choice(for: account, isLidShut: surroundings.isLidShut).best.flatMap { self.station($0.id) }
        let description = station?.description
        let here = entries.filter {
            !$0.isDamaged && $0.driver == description?.driver && $0.device == description?.deviceID
        }
        let usable = station?.fingers(of: account) ?? []
        let gone = here.count { !usable.contains($0.finger) }
        var age: Duration?
        if case .known(let known) = state.password.age(now: moment) { age = known }
        return StatusReport(
            daemonVersion: Release.version, readerState: station?.state ?? .none, reader: description?.name,
            driver: description?.driver.asLabel, waiting: arbiter.count, prints: here.count - gone,
            damagedPrints: entries.count(where: \.isDamaged), gonePrints: gone, mismatches: state.lockout.mismatches,
            passwordAge: age,
            standings: ServiceClass.allCases.map {
                StatusReport.Standing($0, accounts.denial(account, for: $0, settings, now: moment))
            })
    }

    /// Every reader that is plugged in, as it would be chosen for the account.
    func readers(of account: Account) -> [ReaderEntry] {
        let choice = choice(for: account, isLidShut: surroundings.isLidShut)
        var list = stations.filter(\.isPluggedIn).map { station in
            let description = station.description
            return ReaderEntry(
                name: description.name, driver: description.driver.asLabel, device: description.deviceID.asLabel,
                busPath: description.busPath.asLabel, isBuiltIn: description.isBuiltIn, state: station.state,
                prints: station.fingers(of: account).count,
                serves: choice.canServe && choice.best?.id == station.id, criterion: choice.criterion(of: station.id))
        }
        while DaemonMessage.readers(list).encoded().count > Limits.messageBytes { list.removeLast() }
        return list
    }

    func list(_ account: Account) -> [PrintEntry] {
        var list = prints.entries(of: account).map {
            PrintEntry(
                finger: $0.finger, driver: $0.driver.asLabel, device: $0.device.asLabel, enrolled: $0.enrolled,
                damaged: $0.isDamaged, gone: isGone($0, of: account))
        }
        // Ten fingers on each of a few readers go into one message; more than that are cut.
        while DaemonMessage.prints(list).encoded().count > Limits.messageBytes { list.removeLast() }
        return list
    }

    func delete(_ account: Account, _ finger: Finger?, _ ticket: Ticket?, _ connection: Connection) {
        // What isn't there costs no ticket.
        guard prints.entries(of: account).contains(where: { finger == nil || $0.finger == finger }) else {
            return connection.send(.refused(Denial(.noSuchPrint)))
        }
        guard isProven(account, ticket, isRoots: connection.peer.isRoot) else {
            return connection.send(.refused(Denial(.freshPasswordNeeded)))
        }
        // The prints that are left have other names in any case: what can't be renewed keeps none of them.
        _ = accounts.renewDomainSecret(of: account)
        screenUnlocks.forget(account)
        do {
            try prints.delete(account, finger)
        } catch {
            log.write(.error, "A print could not be deleted: \(error)", fields: connection.fields(account))
            return connection.send(.refused(Denial(.storageFailed)))
        }
        for station in stations where station.isPluggedIn && !prints.doomed(on: station.description).isEmpty {
            station.survey()
        }
        connection.send(.done(nil))
        log.write(.notice, "Prints deleted", fields: connection.fields(account))
        tell(WatchEvent(kind: .deleted, time: wallMilliseconds, account: account, finger: finger))
    }

    /// A value that changes with each enrolment and deletion, and where a print was taken away by hand, and stays else; that
    /// is neither another machine's nor another service's; and from which nothing of the prints can be had. Nil: there are
    /// none.
    func domainState(of account: Account, for service: String) -> [UInt8]? {
        let places = prints.places(of: account)
        guard !places.isEmpty, let secret = accounts.domainSecret(of: account) else { return nil }
        // No name holds a NUL.
        return bytes(ofHexadecimal: sha256(secret + ([service] + places).flatMap { Array($0.utf8) + [0] }))
    }

    func unlock(_ account: Account, _ connection: Connection) {
        guard connection.peer.isRoot else { return connection.refuse(.notPermitted) }
        if accounts.state(of: account).damaged { return connection.send(.refused(Denial(.stateDamaged))) }
        guard accounts.unlocked(account) else { return connection.send(.refused(Denial(.stateNotWritable))) }
        connection.send(.done(nil))
        log.write(.notice, "Lockout cleared by hand", fields: connection.fields(account))
        tell(WatchEvent(kind: .unlocked, time: wallMilliseconds, account: account))
    }

    // MARK: Passwords

    /// Goes on once it is known whether the account has a password, where the request would do with that. Until then nothing
    /// more is heard from the peer.
    func whenPasswordIsKnown(
        _ asked: Authenticate, _ connection: Connection, _ done: @escaping @MainActor (Daemon, Bool?) -> Void
    ) {
        guard asked.policy == .biometricsOrPassword else { return done(self, nil) }
        var isKnown = false
        passwords.isSet(of: asked.account, at: now) { [weak self] isSet in
            isKnown = true
            guard let self, !connection.isClosed else { return }
            connection.resume()
            done(self, isSet)
        }
        if !isKnown { connection.pause() }
    }

    /// Whether a right password of the account, given to that service, is worth reporting.
    func passwordUseful(_ account: Account, _ service: String, _ connection: Connection) {
        let isUseful =
            service != Settings.passwordService && accounts.state(of: account).wantsPassword(settings, now: moment)
            && prints.hasAny(account)
        connection.send(.passwordAdvice(useful: isUseful))
    }

    /// `bioauth-password` wants to try a password. It runs as root; nobody else has a turn to ask for.
    func passwordTurn(_ account: Account, _ peerUID: UInt32, _ connection: Connection) {
        guard connection.peer.isRoot else { return connection.refuse(.notPermitted) }
        guard connection.turn == nil else { return connection.refuse(.tooMany) }
        // Asked by root itself, if by the uid that this peer has.
        if peerUID != connection.peer.uid, let wait = turns.turn(of: peerUID, at: now) {
            return connection.send(.refused(Denial(.passwordDelayed, endsIn: wait)))
        }
        connection.turn = (account, peerUID)
        connection.send(.done(nil))
    }

    func passwordResult(_ right: Bool, _ wantsTicket: Bool, _ connection: Connection) {
        guard connection.peer.isRoot, let turn = connection.turn else { return connection.refuse(.notPermitted) }
        connection.turn = nil
        guard right else { return connection.send(.done(nil)) }
        turns.right(turn.peerUID)
        guard accounts.passwordGiven(turn.account, now: moment) else {
            return connection.send(.refused(Denial(.stateNotWritable)))
        }
        var ticket: Ticket?
        if wantsTicket, let fresh = randomBytes(Ticket.count).flatMap(Ticket.init(bytes:)) {
            tickets.issue(fresh.bytes, for: turn.account, at: now)
            ticket = fresh
        }
        connection.send(.done(ticket))
        log.write(.notice, "Password given", fields: connection.fields(turn.account))
        tell(WatchEvent(kind: .passwordGiven, time: wallMilliseconds, account: turn.account))
    }
}
