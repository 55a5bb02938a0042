import BioauthCore
import BioauthSystem
import BioauthWire

/// The readers that are plugged in, and which of them serves.
extension Daemon {
    /// The one that serves: the first that came.
    var station: ReaderStation? { stations.first }

    func station(_ id: ReaderID) -> ReaderStation? { stations.first { $0.id == id } }

    func startReaders() {
        readers.onAdded = { [weak self] in self?.added($0) }
        readers.onRemoved = { [weak self] in self?.removed($0) }
        readers.start()
        if stations.isEmpty { log.write(.warning, "No fingerprint reader is plugged in") }
    }

    private func added(_ new: any Reader) {
        log.write(.notice, "Reader found", fields: ["READER": new.description.name, "DRIVER": new.description.driver])
        tell(WatchEvent(kind: .readerAdded, time: wallMilliseconds, reader: new.description.name))
        // One that takes another's place goes on with its life: whoever waited for that waits for this.
        let place = stations.firstIndex(where: \.isPlaceholder)
        let before = place.map { stations.remove(at: $0) }
        let life = before?.life ?? ReaderLife(keptWarm: readerKeptWarm, isAsleep: arbiter.isAsleep)
        let station = ReaderStation(before?.id ?? nextReaderID(), new, life, of: self)
        stations.insert(station, at: place ?? stations.count)
        if self.station === station { station.start() }
    }

    private func removed(_ old: any Reader) {
        log.write(.notice, "Reader removed", fields: ["READER": old.description.name])
        tell(WatchEvent(kind: .readerRemoved, time: wallMilliseconds, reader: old.description.name))
        guard let at = stations.firstIndex(where: { $0.reader === old }) else { return }
        let station = stations[at]
        if at == 0 { station.take { $0.removed(at: $1) } }
        // Its place is kept while it may come back, unless another reader can serve.
        station.isPlaceholder = station.life.isAway && stations.count == 1
        if station.isPlaceholder { return }
        stations.remove(at: at)
        if at == 0 { self.station?.start() }
    }

    /// How a reader stands from now on.
    func stands(_ standing: ReaderStanding, _ station: ReaderStation) {
        let name = station.description.name
        switch standing {
        case .good: tell(WatchEvent(kind: .readerReady, time: wallMilliseconds, reader: name))
        case .failing(let cause, _):
            tell(WatchEvent(kind: .readerFailed, time: wallMilliseconds, cause: cause, reader: name))
        case .absent: if station.isPlaceholder { stations.removeAll { $0 === station } }
        case .unproven: break
        }
        act(arbiter.readerChanged(station.id, standing, at: now))
    }
}
