import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire
import Glibc

extension Subcommand {
    static var watch: Subcommand {
        Subcommand(
            name: "watch", summary: tr("Show what happens at the daemon as it happens"), takesAccount: false
        ) { invocation throws(Failure) in
            let signals = CaughtSignals([SIGINT, SIGTERM])
            var watch = Watch(output: invocation.output)
            while true {
                do throws(ConnectionError) {
                    try watch.follow(DaemonConnection(path: invocation.socketPath), signals)
                } catch .interrupted {
                    return .yes
                } catch {
                    guard watch.outlasts(error) else { throw Failure(error) }
                    if signals.come(within: Watch.pauseMilliseconds) { return .yes }
                }
            }
        }
    }
}

/// What is shown of the daemon's events.
private struct Watch {
    let output: Output
    /// The day of the last event that was shown.
    private var day: String?
    /// Until when the next daemon is waited for, where the last one said that it is started anew (boot-time clock).
    private var patience: Int64?

    /// How long that may take.
    private static let restart: Duration = .seconds(10)
    static let pauseMilliseconds: Int32 = 100

    init(output: Output) { self.output = output }

    /// Shows every event, until that fails.
    mutating func follow(
        _ connection: consuming DaemonConnection, _ signals: borrowing CaughtSignals
    ) throws(ConnectionError) {
        try connection.send(.watch)
        // It may take its time to end: others may be at another reader.
        var isReplaced = false
        do throws(ConnectionError) {
            while true {
                let message = try connection.receive(within: nil, interruptedBy: signals.descriptor)
                guard case .event(let event) = message else { throw .outOfTurn }
                show(event)
                patience = nil
                isReplaced = isReplaced || event.kind == .readerLost
            }
        } catch {
            if isReplaced { patience = BootClock.now() + Watch.restart.clampedNanoseconds }
            throw error
        }
    }

    /// Whether that is the end of a daemon after which the next is waited for.
    func outlasts(_ error: ConnectionError) -> Bool {
        switch error {
        case .noDaemon, .daemonGone, .problem(.stopping): patience.map { BootClock.now() < $0 } ?? false
        case .timedOut, .interrupted, .protocolError, .outOfTurn, .problem: false
        }
    }

    private mutating func show(_ event: WatchEvent) {
        let moment = LocalMoment(event.time)
        // A night has two of them.
        if let day, day != moment.day, !output.json { output.note(moment.day) }
        day = moment.day
        output.answer("\(moment.time)  \(event.words)", event.json)
    }
}

/// A moment where the person is.
private struct LocalMoment {
    /// `2026-03-31`.
    let day: String
    /// `14:03:22`.
    let time: String

    /// - Parameter milliseconds: since 1970.
    init(_ milliseconds: UInt64) {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        func joined(_ numbers: [Int32], by separator: String) -> String {
            numbers.map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: separator)
        }
        day = joined([parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday], by: "-")
        time = joined([parts.tm_hour, parts.tm_min, parts.tm_sec], by: ":")
    }
}

extension WatchEvent {
    fileprivate var words: String {
        let told = [account?.name, subject, finger?.words, reader, why, outcome].compactMap { $0 }
        return headline + (told.isEmpty ? "" : ": \(told.joined(separator: ", "))")
    }

    private var headline: String {
        switch (kind, cause) {
        case (.readerFailed, .readerHot): tr("reader too hot")
        case (.readerReady, .readerHot): tr("reader has cooled down")
        case (.readerReady, _) where lasted != nil: tr("reader ready again")
        default: kind.words
        }
    }

    /// The service or app it is about.
    private var subject: String? {
        guard let service else { return nil }
        return switch switchKind {
        case nil: serviceClass.map { "\(service) (\($0.name))" } ?? service
        case .service: tr("the service %1").filled(service.visible)
        case .app: tr("the app %1").filled(service.visible)
        case .appLock: tr("the lock of the app %1").filled(service.visible)
        }
    }

    private var why: String? {
        switch kind {
        case .readerFailed where cause == .readerHot: nil
        case .readerFailed where cause == .readerFailed: reason ?? tr("it took too long")
        case .readerReady, .readerLost: nil
        default: cause.map { Explanation($0).what }
        }
    }

    /// What came before, in numbers.
    private var outcome: String? {
        guard let lasted else { return nil }
        let after = tr("after %1").filled(max(lasted, .seconds(1)).wordsOfAge)
        guard let failures else { return after }
        let tried = tr("tried %1 time in vain", "tried %1 times in vain", failures).filled(String(failures))
        return "\(after), \(tried)"
    }

    fileprivate var json: JSON {
        .object([
            "time": .milliseconds(Int64(clamping: time)),
            "event": .text(kind.name),
            "account": account?.json ?? .null,
            "service": .text(service),
            "class": .text(serviceClass?.name),
            "kind": .text(switchKind?.name),
            "finger": .text(finger?.name),
            "reader": .text(reader),
            "cause": .text(cause?.name),
            "reason": .text(reason),
            "lasted": .seconds(lasted),
            "failures": failures.map { .number(Int64($0)) } ?? .null,
        ])
    }
}
