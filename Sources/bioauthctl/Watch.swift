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
            do throws(ConnectionError) {
                try watch.follow(DaemonConnection(path: invocation.socketPath), signals)
                while true { try watch.follow(invocation.nextDaemon(signals), signals) }
            } catch .interrupted {
                return .yes
            } catch {
                throw Failure(error)
            }
        }
    }
}

extension Invocation {
    /// How long a daemon that is started anew may take to be there.
    private static let patience: Duration = .seconds(10)
    private static let pauseMilliseconds: Int32 = 100

    /// Connects to the daemon that comes after one that said it would be started anew.
    fileprivate func nextDaemon(_ signals: borrowing CaughtSignals) throws(ConnectionError) -> DaemonConnection {
        let deadline = BootClock.now() + Invocation.patience.clampedNanoseconds
        while true {
            do {
                return try DaemonConnection(path: socketPath)
            } catch {
                guard BootClock.now() < deadline else { throw error }
                var entry = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&entry, 1, Invocation.pauseMilliseconds) == 0 else { throw .interrupted }
            }
        }
    }
}

/// What is shown of the daemon's events.
private struct Watch {
    let output: Output
    /// The day of the last event that was shown.
    private var day: String?

    init(output: Output) { self.output = output }

    /// Shows every event, until the daemon is about to be started anew.
    mutating func follow(
        _ connection: consuming DaemonConnection, _ signals: borrowing CaughtSignals
    ) throws(ConnectionError) {
        var isEnding = false
        do throws(ConnectionError) {
            try connection.send(.watch)
            while true {
                let message = try connection.receive(within: nil, interruptedBy: signals.descriptor)
                guard case .event(let event) = message else { throw .outOfTurn }
                show(event)
                if event.kind == .readerLost { isEnding = true }
            }
        } catch {
            guard isEnding, error == .daemonGone || error == .problem(.stopping) else { throw error }
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
