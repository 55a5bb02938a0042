import BioauthCore

/// What the daemon says to a client; `passwordVerdict` is `bioauth-password`'s word.
public enum DaemonMessage: Hashable, Sendable {
    /// Touch the reader now.
    case prompt(Prompt)
    /// The scan did not count; the person may try again.
    case retry(RetryReason)
    /// The finger did not match; so many tries are left in this request.
    case mismatch(triesLeft: Int)
    /// Nothing to do but wait, and why.
    case waiting(Wait)
    /// The end of an `authenticate`.
    case verdict(Verdict)
    /// `stage` of `stages` is complete; or, with a reason, the scan did not count.
    case enrolling(stage: Int, stages: Int, retry: RetryReason?)
    case passwordVerdict(PasswordVerdict)
    case passwordAdvice(useful: Bool)
    case status(StatusReport)
    case examination(Examination)
    case prints([PrintEntry])
    case switches([SwitchEntry])
    case readers([ReaderEntry])
    /// One of the prints that a reader keeps, or should.
    case keptPrint(KeptPrint)
    /// Whether an account has a password, as far as `bioauth-password` can tell; nil: PAM alone knows.
    case passwordPresence(isSet: Bool?)
    /// An enrolment, deletion or unlock is done; or the password's turn is granted or reported, with the ticket asked for.
    case done(Ticket?)
    /// An enrolment, deletion, unlock or turn is refused.
    case refused(Denial)
    case event(WatchEvent)
    /// The connection's own trouble; the daemon closes after it, except after `unknownMessage`.
    case problem(Problem)
}

public struct Prompt: Hashable, Sendable {
    public var scan: ScanType
    /// Named only if the account has enrolled one finger alone.
    public var finger: Finger?
    public var reader: String
    public var triesLeft: Int
    /// Not the first prompt of this request: something came between.
    public var again: Bool

    public init(scan: ScanType, finger: Finger?, reader: String, triesLeft: Int, again: Bool) {
        self.scan = scan
        self.finger = finger
        self.reader = reader
        self.triesLeft = triesLeft
        self.again = again
    }
}

public struct Wait: Hashable, Sendable {
    public var cause: Cause
    /// How many go first, where that is what it waits for.
    public var place: Int?
    public var endsIn: Duration?
    /// Whom it waits for, where that is known.
    public var other: Asker?

    public init(cause: Cause, place: Int? = nil, endsIn: Duration? = nil, other: Asker? = nil) {
        self.cause = cause
        self.place = place
        self.endsIn = endsIn
        self.other = other
    }
}

public enum PasswordVerdict: Hashable, Sendable {
    case right(Ticket?)
    case wrong
    /// Too many were wrong: none is tried before this has passed.
    case delayed(Duration)
    /// PAM or the daemon could not be asked.
    case unavailable
    /// The account has none that could be given.
    case notSet
}

public enum Problem: UInt16, CaseIterable, Sendable {
    case unsupportedVersion = 1
    case malformed = 2
    case unknownMessage = 3
    case oversized = 4
    /// This peer may not ask that, or not for that account.
    case notPermitted = 5
    /// Too many connections, or a second request while one runs.
    case tooMany = 6
    /// Nothing was asked for too long.
    case idle = 7
    case stopping = 8
}

extension DaemonMessage {
    enum Kind: UInt16 {
        case prompt = 64
        case retry = 65
        case mismatch = 66
        case waiting = 67
        case verdict = 68
        case enrolling = 69
        case passwordVerdict = 70
        case passwordAdvice = 71
        case status = 72
        case prints = 73
        case done = 74
        case refused = 75
        case event = 76
        case problem = 77
        case examination = 78
        case switches = 79
        case passwordPresence = 80
        case readers = 81
        case keptPrint = 82
    }

    public func encoded() -> [UInt8] {
        switch self {
        case .prompt(let prompt):
            return message(.prompt) {
                $0.put(.scan, prompt.scan.rawValue)
                if let finger = prompt.finger { $0.put(.finger, finger.rawValue) }
                if !prompt.reader.isEmpty { $0.put(.reader, prompt.reader) }
                $0.put(.triesLeft, UInt8(clamping: prompt.triesLeft))
                $0.put(.again, prompt.again)
            }
        case .retry(let reason):
            return message(.retry) { $0.put(.retry, reason.rawValue) }
        case .mismatch(let triesLeft):
            return message(.mismatch) { $0.put(.triesLeft, UInt8(clamping: triesLeft)) }
        case .waiting(let wait):
            return message(.waiting) { $0.put(wait) }
        case .verdict(.allowed(let finger)):
            return message(.verdict) {
                $0.put(.allowed, true)
                $0.put(.finger, finger.rawValue)
            }
        case .verdict(.denied(let denial)):
            return message(.verdict) {
                $0.put(.allowed, false)
                $0.put(denial)
            }
        case .enrolling(let stage, let stages, let retry):
            return message(.enrolling) {
                $0.put(.stage, UInt8(clamping: stage))
                $0.put(.stages, UInt8(clamping: stages))
                if let retry { $0.put(.retry, retry.rawValue) }
            }
        case .passwordVerdict(let verdict):
            return message(.passwordVerdict) { $0.put(verdict) }
        case .passwordAdvice(let useful):
            return message(.passwordAdvice) { $0.put(.useful, useful) }
        case .status(let report):
            return message(.status) { $0.put(report) }
        case .examination(let examination):
            return message(.examination) { $0.put(examination) }
        case .prints(let entries):
            return message(.prints) { writer in
                for entry in entries { writer.put(.print) { $0.put(entry) } }
            }
        case .switches(let entries):
            return message(.switches) { writer in
                for entry in entries { writer.put(.switchEntry) { $0.put(entry) } }
            }
        case .keptPrint(let print):
            return message(.keptPrint) { $0.put(print) }
        case .readers(let entries):
            return message(.readers) { writer in
                for entry in entries { writer.put(.readerEntry) { $0.put(entry) } }
            }
        case .passwordPresence(let isSet):
            return message(.passwordPresence) { if let isSet { $0.put(.passwordSet, isSet) } }
        case .done(let ticket):
            return message(.done) { if let ticket { $0.put(.ticket, bytes: ticket.bytes) } }
        case .refused(let denial):
            return message(.refused) { $0.put(denial) }
        case .event(let event):
            return message(.event) { $0.put(event) }
        case .problem(let problem):
            return message(.problem) {
                $0.put(.problem, problem.rawValue)
                $0.put(.protocolVersion, wireVersion)
            }
        }
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let reader = try MessageReader(bytes)
        guard let kind = Kind(rawValue: reader.type) else { throw .unknownType(reader.type) }
        switch kind {
        case .prompt:
            self = .prompt(
                Prompt(
                    scan: try reader.value(.scan), finger: try reader.optionalValue(.finger),
                    reader: try reader.optionalText(.reader, limit: Limits.labelBytes) ?? "",
                    triesLeft: Int(try reader.number(.triesLeft, as: UInt8.self)), again: try reader.flag(.again)))
        case .retry:
            guard let reason = try reader.retry() else { throw .missing(.retry) }
            self = .retry(reason)
        case .mismatch:
            self = .mismatch(triesLeft: Int(try reader.number(.triesLeft, as: UInt8.self)))
        case .waiting:
            self = .waiting(try reader.wait())
        case .verdict:
            self = .verdict(
                try reader.flag(.allowed) ? .allowed(try reader.value(.finger)) : .denied(try reader.denial()))
        case .enrolling:
            self = .enrolling(
                stage: Int(try reader.number(.stage, as: UInt8.self)),
                stages: Int(try reader.number(.stages, as: UInt8.self)), retry: try reader.retry())
        case .passwordVerdict:
            self = .passwordVerdict(try reader.passwordVerdict())
        case .passwordAdvice:
            self = .passwordAdvice(useful: try reader.flag(.useful))
        case .status:
            self = .status(try reader.statusReport())
        case .examination:
            self = .examination(try reader.examination())
        case .prints:
            var entries: [PrintEntry] = []
            for inner in try reader.each(.print) { entries.append(try inner.printEntry()) }
            self = .prints(entries)
        case .switches:
            var entries: [SwitchEntry] = []
            for inner in try reader.each(.switchEntry) { entries.append(try inner.switchEntry()) }
            self = .switches(entries)
        case .readers:
            var entries: [ReaderEntry] = []
            for inner in try reader.each(.readerEntry) { entries.append(try inner.readerEntry()) }
            self = .readers(entries)
        case .keptPrint:
            self = .keptPrint(try reader.keptPrint())
        case .passwordPresence:
            self = .passwordPresence(isSet: try reader.range(.passwordSet) == nil ? nil : reader.flag(.passwordSet))
        case .done:
            self = .done(try reader.ticket())
        case .refused:
            self = .refused(try reader.denial())
        case .event:
            self = .event(try reader.watchEvent())
        case .problem:
            self = .problem(Problem(rawValue: try reader.number(.problem)) ?? .malformed)
            // Told so that a client of another version can say so; there is nothing to decide by it.
            _ = try reader.number(.protocolVersion, as: UInt8.self)
        }
    }

    private func message(_ kind: Kind, fields: (inout MessageWriter) -> Void) -> [UInt8] {
        var writer = MessageWriter(type: kind.rawValue)
        fields(&writer)
        return writer.bytes
    }
}

extension MessageWriter {
    mutating func put(_ denial: Denial) {
        put(.code, denial.code.rawValue)
        put(.cause, denial.cause.rawValue)
        if let endsIn = denial.endsIn { put(.endsIn, endsIn.wireMilliseconds) }
        if denial.lockoutBegan { put(.lockoutBegan, true) }
    }

    fileprivate mutating func put(_ wait: Wait) {
        put(.cause, wait.cause.rawValue)
        if let place = wait.place { put(.place, UInt16(clamping: place)) }
        if let endsIn = wait.endsIn { put(.endsIn, endsIn.wireMilliseconds) }
        if let other = wait.other {
            put(.otherService, other.service)
            if let tty = other.tty { put(.otherTTY, tty) }
            put(.otherPID, UInt32(bitPattern: other.pid))
        }
    }

    fileprivate mutating func put(_ verdict: PasswordVerdict) {
        switch verdict {
        case .right(let ticket):
            put(.right, true)
            if let ticket { put(.ticket, bytes: ticket.bytes) }
        case .wrong:
            put(.right, false)
            put(.cause, Cause.passwordWrong.rawValue)
        case .delayed(let time):
            put(.right, false)
            put(.cause, Cause.passwordDelayed.rawValue)
            put(.endsIn, time.wireMilliseconds)
        case .unavailable:
            put(.right, false)
            put(.cause, Cause.passwordUnavailable.rawValue)
        case .notSet:
            put(.right, false)
            put(.cause, Cause.noPassword.rawValue)
        }
    }
}

extension MessageReader {
    func endsIn() throws(WireError) -> Duration? {
        try optional(.endsIn, as: UInt32.self).map { .milliseconds($0) }
    }

    fileprivate func retry() throws(WireError) -> RetryReason? {
        try optional(.retry).map { RetryReason(rawValue: $0) ?? .general }
    }

    /// A daemon may be newer than this client and name a cause it doesn't know: the code stands in for it. Of a code
    /// that isn't known either no more is clear than that it was a "no".
    func denial() throws(WireError) -> Denial {
        let code = DenialCode(rawValue: try number(.code)) ?? .biometryNotAvailable
        let cause = Cause(rawValue: try number(.cause)) ?? code.standIn
        return Denial(cause, endsIn: try endsIn(), lockoutBegan: try optionalFlag(.lockoutBegan))
    }

    fileprivate func wait() throws(WireError) -> Wait {
        var wait = Wait(cause: Cause(rawValue: try number(.cause)) ?? .queued, endsIn: try endsIn())
        wait.place = try optional(.place, as: UInt16.self).map(Int.init)
        if let service = try optionalText(.otherService, limit: Limits.labelBytes), !service.isEmpty {
            wait.other = Asker(
                service: service, tty: try optionalText(.otherTTY, limit: Limits.labelBytes),
                pid: Int32(bitPattern: try number(.otherPID, as: UInt32.self)))
        }
        return wait
    }

    fileprivate func passwordVerdict() throws(WireError) -> PasswordVerdict {
        if try flag(.right) { return .right(try ticket()) }
        let endsIn = try endsIn()
        switch Cause(rawValue: try number(.cause)) {
        case .passwordWrong: return .wrong
        case .passwordDelayed: return .delayed(endsIn ?? .zero)
        case .noPassword: return .notSet
        default: return .unavailable
        }
    }
}
