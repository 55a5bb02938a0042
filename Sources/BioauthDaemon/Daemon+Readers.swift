import BioauthCore
import BioauthSystem
import BioauthWire

/// The readers that are plugged in, and which of them serves whom.
extension Daemon {
    func station(_ id: ReaderID) -> ReaderStation? { stations.first { $0.id == id } }

    func startReaders() {
        readers.onAdded = { [weak self] in self?.added($0) }
        readers.onRemoved = { [weak self] in self?.removed($0) }
        readers.start()
        if stations.isEmpty { log.write(.warning, "No fingerprint reader is plugged in") }
    }

    private func added(_ new: any Reader) {
        tellFound(new.description)
        // One that comes back to its place goes on with its life: whoever waited for it waits for this.
        let place = stations.firstIndex { $0.isPlaceholder && $0.description.isSameDevice(as: new.description) }
        let before = place.map { stations.remove(at: $0) }
        let life = before?.life ?? ReaderLife(keptWarm: readerKeptWarm, isAsleep: arbiter.isAsleep)
        let station = ReaderStation(
            before?.id ?? nextReaderID(), new, life, before?.chronicle ?? ReaderChronicle(), of: self)
        stations.insert(station, at: place ?? stations.count)
        station.start()
    }

    private func removed(_ old: any Reader) {
        guard let station = stations.first(where: { $0.reader === old }) else { return }
        tellRemoved(old.description, station.chronicle.removed(at: now))
        station.endWalk()
        station.dropErrands()
        station.settleEnrollments()
        station.take { $0.removed(at: $1) }
        // Its place is kept while it may come back: who can't go elsewhere waits there.
        station.isPlaceholder = station.life.isAway
        if !station.isPlaceholder { stations.removeAll { $0 === station } }
    }

    /// How a reader stands from now on. Who can go elsewhere needn't hear that it is lost; who comes to it finds it there.
    func stands(_ standing: ReaderStanding, _ station: ReaderStation) {
        if standing == .absent && station.isPlaceholder { stations.removeAll { $0 === station } }
        switch standing {
        case .failing, .absent: reroute()
        case .good, .unproven: break
        }
        act(arbiter.readerChanged(station.id, standing, at: now))
        if standing == .good || standing == .unproven { reroute() }
    }

    // MARK: Which reader

    /// Which reader serves the account's touch.
    func choice(for account: Account, isLidShut: Bool, staying: ReaderID? = nil) -> ReaderChoice {
        choice(isLidShut: isLidShut, staying: staying) { !$0.fingers(of: account).isEmpty }
    }

    /// Which reader enrols: of those that somebody may mean by that name, if one is given.
    func choiceToEnroll(named name: String?, isLidShut: Bool) -> ReaderChoice {
        choice(named: name, isLidShut: isLidShut) { _ in true }
    }

    private func choice(
        named name: String? = nil, isLidShut: Bool, staying: ReaderID? = nil,
        isEnrolled: (ReaderStation) -> Bool
    ) -> ReaderChoice {
        let able = stations.filter { $0.life.current != .absent && name.map($0.description.isCalled) ?? true }
        return ReaderChoice(
            among: able.map {
                ReaderCandidate(
                    id: $0.id, description: $0.description, isFailing: $0.isFailing,
                    isEnrolled: isEnrolled($0))
            }, isLidShut: isLidShut, preferred: settings.preferredReaders, staying: staying)
    }

    /// Moves the requests that another reader serves better by now. One that the person has been asked for stays where
    /// it is while that reader can serve it; an enrolment always does.
    func reroute() {
        let usable = stations.filter { $0.life.current != .absent }
        guard usable.count > 1 || requests.values.contains(where: { $0.reader != usable.first?.id }) else { return }
        var moves: [RequestID: ReaderID] = [:]
        for (id, request) in requests where request.enrollment == nil {
            let choice = choice(
                for: request.account, isLidShut: surroundings.isLidShut,
                staying: arbiter.isPrompted(id) ? request.reader : nil)
            guard choice.canServe, let best = choice.best?.id, best != request.reader else { continue }
            moves[id] = best
            request.reader = best
        }
        if !moves.isEmpty { act(arbiter.moved(moves, at: now)) }
    }
}
