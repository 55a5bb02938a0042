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
        if let kept = station.kept { lostPrints.subtract(kept.owners.values.map(\.print)) }
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

    /// Tells what the readers keep, of those that somebody may mean by that name, if one is given, one reader after the other;
    /// and deletes these prints, as far as nobody here has them. A reader that can't be asked keeps nothing of the others back.
    func storage(of name: String?, clearing doomed: Set<PrintID>, _ connection: Connection) {
        guard connection.peer.isRoot else { return connection.refuse(.notPermitted) }
        guard !connection.isAskingStorage else { return connection.refuse(.tooMany) }
        let able = stations.filter {
            $0.isPluggedIn && $0.description.canList && name.map($0.description.isCalled) ?? true
        }
        guard !able.isEmpty else { return connection.send(.refused(Denial(.noReader))) }
        connection.isAskingStorage = true
        tellStorage(of: able[...], clearing: doomed, connection)
    }

    /// - Parameter failure: what kept a reader before these from answering.
    private func tellStorage(
        of stations: ArraySlice<ReaderStation>, clearing doomed: Set<PrintID>, _ connection: Connection,
        failure: Cause? = nil
    ) {
        guard let station = stations.first, !connection.isClosed else {
            connection.isAskingStorage = false
            connection.idleSince = now
            return connection.send(failure.map { .refused(Denial($0)) } ?? .done(nil))
        }
        let goOn: @MainActor (Cause?) -> Void = { [weak self] fault in
            guard let self else { return }
            tellStorage(of: stations.dropFirst(), clearing: doomed, connection, failure: failure ?? fault)
        }
        if case .failing(let cause, _) = station.life.current { return goOn(cause) }
        // An enrolment can't be taken up again.
        guard !requests.values.contains(where: { $0.enrollment != nil && $0.reader == station.id }) else {
            return goOn(.readerBusy)
        }
        station.survey { [weak self] fault in
            guard let self else { return }
            guard let kept = station.kept, fault == nil else { return goOn(fault.map(Daemon.cause) ?? .readerFailed) }
            for place in kept.prints.indices {
                guard let owner = kept.owners[place] else { continue }
                connection.send(.keptPrint(entry(kept.prints[place], .known, owner.described, station)))
            }
            for lost in lost(station) { connection.send(.keptPrint(entry(lost.print, .gone, lost.described, station))) }
            let leftovers = kept.leftovers.map { kept.prints[$0] }
            for print in leftovers where !doomed.contains(print.id) { tellLeftover(print, station, connection) }
            clear(leftovers.filter { doomed.contains($0.id) }[...], station, connection, done: goOn)
        }
    }

    /// Deletes them one after the other, for as long as anybody wants to know. One that can't be deleted keeps no other.
    private func clear(
        _ prints: ArraySlice<StoredPrint>, _ station: ReaderStation, _ connection: Connection,
        done: @escaping @MainActor (Cause?) -> Void
    ) {
        guard let print = prints.first, !connection.isClosed else { return done(nil) }
        station.run(.delete(print)) { [weak self] fault in
            guard let self else { return }
            switch fault {
            case nil, .printMissing:
                tellDeleted(station, by: connection.peer)
                tellLeftover(print, station, connection, isDeleted: true)
            case .printInvalid, .unsupported: tellLeftover(print, station, connection)
            case let fault?: return done(Daemon.cause(fault))
            }
            clear(prints.dropFirst(), station, connection, done: done)
        }
    }

    /// A print was deleted from a reader. Whose it was has been told where it was deleted here.
    func tellDeleted(_ station: ReaderStation, by peer: Peer? = nil) {
        log.write(
            .notice, "A print that nobody here has was deleted from the reader: \(station.description.name)",
            fields: [
                "READER": station.description.name, "PEER_UID": peer.map { String($0.uid) },
                "PEER_PID": peer.map { String($0.pid) },
            ])
    }

    private func tellLeftover(
        _ print: StoredPrint, _ station: ReaderStation, _ connection: Connection, isDeleted: Bool = false
    ) {
        var entry = entry(print, .leftover, readers.describe(print), station)
        entry.isDeleted = isDeleted
        connection.send(.keptPrint(entry))
    }

    private func entry(
        _ print: StoredPrint, _ standing: KeptPrint.Standing, _ described: PrintDescription?, _ station: ReaderStation
    ) -> KeptPrint {
        let description = station.description
        return KeptPrint(
            reader: description.name, driver: description.driver.asLabel, busPath: description.busPath.asLabel,
            id: print.id, standing: standing, accountName: described?.accountName.asLabel, finger: described?.finger,
            enrolled: described?.enrolled)
    }

    /// What a reader that can't be asked is said to be.
    private static func cause(_ fault: ReaderFault) -> Cause {
        switch fault.trouble.identification {
        case .waits(let cause): cause
        case .ends, .goesOn: fault == .unplugged ? .readerUnplugged : .readerFailed
        }
    }
}

extension StoredPrint {
    fileprivate var id: PrintID {
        let sum = BioauthSystem.bytes(ofHexadecimal: sha256(bytes)) ?? []
        return PrintID(bytes: Array(sum.prefix(PrintID.count)))!
    }
}
