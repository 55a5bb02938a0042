import BioauthCore
import BioauthSystem
import BioauthWire

/// What happens to the readers and the machine, for whoever watches and for the journal: one event and one entry each,
/// which name the reader, and which whoever comes in the morning can follow.
extension Daemon {
    func tellFound(_ reader: ReaderDescription) {
        let place = [reader.driver, reader.busPath].filter { !$0.isEmpty }.joined(separator: ", ")
        tell(.readerAdded, .notice, "Reader found: \(reader.name) (\(place))", reader)
    }

    /// - Parameter outage: the trouble that it was in, which is over so.
    func tellRemoved(_ reader: ReaderDescription, _ outage: ReaderChronicle.Outage?) {
        tell(
            .readerRemoved, .notice, "Reader removed: \(reader.name)\(Daemon.words(of: outage))", reader, after: outage)
    }

    /// - Parameter fault: what the reader was tried for last, and how that failed.
    func tell(
        _ entry: ReaderChronicle.Entry, of reader: ReaderDescription, _ fault: (what: String, ReaderFault)?
    ) {
        let name = reader.name
        switch entry {
        case .ready(nil):
            tell(.readerReady, .notice, "Reader ready: \(name)", reader)
        case .ready(let outage?):
            let what = outage.cause == .readerHot ? "Reader has cooled down" : "Reader ready again"
            let told = "\(what): \(name)\(Daemon.words(of: outage))"
            tell(.readerReady, .notice, told, reader, outage.cause, after: outage)
        case .failing(.readerHot):
            let told = "Reader too hot: \(name); it is left alone until it has cooled down"
            tell(.readerFailed, .warning, told, reader, .readerHot)
        case .failing(let cause):
            let (what, fault) = fault ?? ("used", .hung)
            let told = "Reader fails: \(name) could not be \(what) (\(fault.words)); it is tried again"
            tell(.readerFailed, .warning, told, reader, cause, reason: fault.reason)
        case .lost(let outage):
            let told = "Reader no longer answers: \(name); bioauthd has to be started anew"
            tell(.readerLost, .error, told, reader, .readerFailed, after: outage)
        }
    }

    func tellSleep() {
        log.write(.notice, "The machine is about to sleep", fields: ["EVENT": WatchEvent.Kind.sleeping.name])
        tell(WatchEvent(kind: .sleeping, time: wallMilliseconds))
    }

    /// - Parameter slept: how long.
    func tellAwake(_ slept: Duration?) {
        log.write(
            .notice, "The machine is awake\(slept.map { " (after \($0.inShort))" } ?? "")",
            fields: [
                "EVENT": WatchEvent.Kind.awake.name, "DURATION_MS": slept.map { String($0.wireMilliseconds) },
            ])
        tell(WatchEvent(kind: .awake, time: wallMilliseconds, lasted: slept))
    }

    func tellLid(isShut: Bool) {
        let kind: WatchEvent.Kind = isShut ? .lidShut : .lidOpened
        log.write(.notice, "The lid is \(isShut ? "shut" : "open")", fields: ["EVENT": kind.name])
        tell(WatchEvent(kind: kind, time: wallMilliseconds))
    }

    private func tell(
        _ kind: WatchEvent.Kind, _ level: LogLevel, _ message: String, _ reader: ReaderDescription,
        _ cause: Cause? = nil, reason: String? = nil, after outage: ReaderChronicle.Outage? = nil
    ) {
        let failures = outage.flatMap { $0.failures > 0 ? $0.failures : nil }
        log.write(
            level, message,
            fields: [
                "EVENT": kind.name, "READER": reader.name, "DRIVER": reader.driver,
                "BUS_PATH": reader.busPath.isEmpty ? nil : reader.busPath, "CAUSE": cause.map { "\($0)" },
                "REASON": reason, "DURATION_MS": outage.map { String($0.lasted.wireMilliseconds) },
                "FAILURES": failures.map { String($0) },
            ])
        tell(
            WatchEvent(
                kind: kind, time: wallMilliseconds, cause: cause, reason: reason?.asLabel, reader: reader.name,
                lasted: outage?.lasted, failures: failures))
    }

    private static func words(of outage: ReaderChronicle.Outage?) -> String {
        guard let outage else { return "" }
        let times = outage.failures == 1 ? "once" : "\(outage.failures) times"
        let tries = outage.failures > 0 ? ", tried \(times) in vain" : ""
        return " (after \(outage.lasted.inShort)\(tries))"
    }
}

extension ReaderFault {
    /// For the journal.
    fileprivate var words: String {
        switch self {
        case .failed(let words): words
        case .hung, .cancelled: "it took too long"
        case .busy: "another program has it"
        case .hot, .unplugged, .unsupported, .notOpen, .alreadyOpen, .storageFull, .duplicate, .printInvalid,
            .printMissing:
            "\(self)"
        }
    }

    /// For those who hear of the cause as well, which tells the rest.
    fileprivate var reason: String? {
        switch self {
        case .hung, .cancelled, .busy: nil
        default: words
        }
    }
}

extension Duration {
    /// `340 ms`, `12 s`, `5 min`, `7 h`: rounded down.
    fileprivate var inShort: String {
        let milliseconds = Int(wireMilliseconds)
        let seconds = milliseconds / 1000
        if seconds < 1 { return "\(milliseconds) ms" }
        if seconds < 120 { return "\(seconds) s" }
        if seconds < 120 * 60 { return "\(seconds / 60) min" }
        return "\(seconds / 3600) h"
    }
}
