import BioauthCore
import BioauthSystem
import BioauthWire

/// The prints that readers keep themselves, as root sees them.
extension Daemon {
    /// The readers that go by the same driver and identity, by which prints are kept apart: many have none of their own.
    func stations(like station: ReaderStation) -> [ReaderStation] {
        stations.filter { $0.isPluggedIn && $0.description.isSameDevice(as: station.description) }
    }

    /// Whether a print of that finger lies here and is of use on one of them.
    func isHeld(_ account: Account, _ finger: Finger, like station: ReaderStation) -> Bool {
        stations(like: station).contains { $0.holds(account, finger) }
    }

    /// The prints that a reader has lost, and that aren't on another like it.
    private func lost(_ station: ReaderStation) -> [PrintStore.OnReader] {
        let others = stations(like: station).filter { $0 !== station }
        return station.kept?.gone.filter { lost in
            others.allSatisfy { $0.kept?.gone.contains { $0.print == lost.print } ?? $0.errands.isEmpty }
        } ?? []
    }

    /// A reader's lost prints are told of once; their accounts are told when they ask for a touch.
    func tellLost(_ station: ReaderStation) {
        let name = station.description.name
        for lost in lost(station) where lostPrints.insert(lost.print).inserted {
            let account = Account(uid: lost.uid, name: lost.described.accountName)
            log.write(
                .warning, "A print is no longer on the reader: \(lost.described.finger.name) of \(account.name)",
                fields: ["USER": account.name, "UID": String(account.uid), "READER": name])
            tell(
                WatchEvent(
                    kind: .printGone, time: wallMilliseconds, account: account, reader: name,
                    finger: lost.described.finger))
        }
        reroute()
    }

    /// Whether the readers that could have the print have all lost it.
    func isGone(_ entry: PrintStore.Entry, of account: Account) -> Bool {
        let able = stations.filter {
            $0.description.driver == entry.driver && $0.description.deviceID == entry.device
        }
        return !able.isEmpty && !entry.isDamaged && able.allSatisfy { !$0.fingers(of: account).contains(entry.finger) }
    }

    /// Tells what the readers keep, of those that somebody may mean by that name, if one is given, one reader after the other.
    func storage(of name: String?, clears: Bool, _ connection: Connection) {
        guard connection.peer.isRoot else { return connection.refuse(.notPermitted) }
        let able = stations.filter {
            $0.isPluggedIn && $0.description.canList && name.map($0.description.isCalled) ?? true
        }
        guard !able.isEmpty else { return connection.send(.refused(Denial(.noReader))) }
        if clears {
            log.write(
                .notice, "Prints that nobody here has are cleared by hand",
                fields: ["PEER_UID": String(connection.peer.uid), "PEER_PID": String(connection.peer.pid)])
        }
        tellStorage(of: able[...], clears: clears, connection)
    }

    private func tellStorage(of stations: ArraySlice<ReaderStation>, clears: Bool, _ connection: Connection) {
        guard let station = stations.first else { return connection.send(.done(nil)) }
        // An enrolment can't be taken up again.
        guard !requests.values.contains(where: { $0.enrollment != nil && $0.reader == station.id }) else {
            return connection.send(.refused(Denial(.readerBusy)))
        }
        if case .failing(let cause, _) = station.life.current { return connection.send(.refused(Denial(cause))) }
        station.survey { [weak self] fault in
            guard let self, !connection.isClosed else { return }
            guard let kept = station.kept, fault == nil else { return refuseStorage(fault, connection) }
            let leftovers = kept.leftovers.map { kept.prints[$0] }
            for place in kept.prints.indices where !kept.leftovers.contains(place) {
                connection.send(.keptPrint(entry(kept.prints[place], .known, station)))
            }
            for lost in lost(station) { connection.send(.keptPrint(entry(lost.print, .gone, station))) }
            guard clears else {
                for print in leftovers { connection.send(.keptPrint(entry(print, .leftover, station))) }
                return tellStorage(of: stations.dropFirst(), clears: clears, connection)
            }
            clear(leftovers[...], station, connection) { [weak self] in
                self?.tellStorage(of: stations.dropFirst(), clears: clears, connection)
            }
        }
    }

    private func clear(
        _ prints: ArraySlice<StoredPrint>, _ station: ReaderStation, _ connection: Connection,
        done: @escaping @MainActor () -> Void
    ) {
        guard let print = prints.first else { return done() }
        station.run(.delete(print)) { [weak self] fault in
            guard let self else { return }
            guard fault == nil || fault == .printMissing else { return refuseStorage(fault, connection) }
            var entry = entry(print, .leftover, station)
            entry.isDeleted = true
            connection.send(.keptPrint(entry))
            clear(prints.dropFirst(), station, connection, done: done)
        }
    }

    private func refuseStorage(_ fault: ReaderFault?, _ connection: Connection) {
        var cause = Cause.readerFailed
        if fault == .unplugged { cause = .readerUnplugged }
        if fault == .busy { cause = .readerBusy }
        connection.send(.refused(Denial(cause)))
    }

    private func entry(_ print: StoredPrint, _ standing: KeptPrint.Standing, _ station: ReaderStation) -> KeptPrint {
        let described = readers.describe(print)
        let description = station.description
        return KeptPrint(
            reader: description.name, driver: description.driver.asLabel, busPath: description.busPath.asLabel,
            standing: standing, accountName: described?.accountName.asLabel, finger: described?.finger,
            enrolled: described?.enrolled)
    }
}
