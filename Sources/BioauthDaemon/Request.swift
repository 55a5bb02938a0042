import BioauthCore
import BioauthSystem
import BioauthWire

/// A request that runs: what the arbiter needn't know of it.
@MainActor final class Request {
    let id: RequestID
    let connection: Connection
    let account: Account
    let service: String
    /// Whether it is a program that asks for itself.
    let isApp: Bool
    let serviceClass: ServiceClass?
    let tty: String?
    let started: Instant
    /// Whether somebody else than the account's owner, or root, started the program that asks.
    let isByAnother: Bool
    /// Where it came from when it was asked.
    let place: Surroundings
    /// The reader that serves it.
    var reader: ReaderID
    /// What it was judged by; nil for an enrolment.
    let admission: Admission?
    /// Set for an enrolment.
    var enrollment: Enrollment?
    /// The switch that a match turns.
    let change: SwitchChange?

    /// How far an enrolment is: the touches complete of all there are, the one that looks for duplicates included.
    struct Enrollment {
        let finger: Finger
        var completed = 0
        var stages = 0
        /// 1 where a touch to look for duplicates goes first.
        var checks = 0
    }

    init(
        _ id: RequestID, _ connection: Connection, account: Account, service: String, isApp: Bool = false,
        serviceClass: ServiceClass?, tty: String?, started: Instant, isByAnother: Bool = false, place: Surroundings,
        reader: ReaderID, admission: Admission? = nil, enrollment: Enrollment? = nil, change: SwitchChange? = nil
    ) {
        self.id = id
        self.connection = connection
        self.account = account
        self.service = service
        self.isApp = isApp
        self.serviceClass = serviceClass
        self.tty = tty
        self.started = started
        self.isByAnother = isByAnother
        self.place = place
        self.reader = reader
        self.admission = admission
        self.enrollment = enrollment
        self.change = change
    }

    /// Whether it is an authentication, that is.
    var endsWithVerdict: Bool { enrollment == nil && change == nil }

    var asker: Asker { Asker(service: service, tty: tty, pid: connection.peer.pid) }

    func event(
        _ kind: WatchEvent.Kind, at time: UInt64, cause: Cause? = nil, reader: String? = nil, finger: Finger? = nil
    ) -> WatchEvent {
        WatchEvent(
            kind: kind, time: time, account: account, service: service, serviceClass: serviceClass, cause: cause,
            reader: reader, finger: finger)
    }
}

extension Daemon {
    /// What a peer should not have tried. Said as often as the peer's budget allows.
    func note(_ peer: Peer, _ what: String, _ account: Account? = nil) {
        guard case .write(let skipped) = logBudget.ask(peer.uid, at: now) else { return }
        log.write(
            .warning, what,
            fields: [
                "USER": account?.name, "UID": account.map { String($0.uid) }, "PEER_UID": String(peer.uid),
                "PEER_PID": String(peer.pid), "SKIPPED": skipped > 0 ? String(skipped) : nil,
            ])
    }
}

extension Connection {
    func fields(_ account: Account) -> KeyValuePairs<String, String?> {
        [
            "USER": account.name, "UID": String(account.uid), "PEER_UID": String(peer.uid),
            "PEER_PID": String(peer.pid),
        ]
    }
}

extension ClientMessage {
    /// Whom it is about.
    var account: Account? {
        switch self {
        case .authenticate(let request): request.account
        case .passwordUseful(let account, _), .status(let account), .list(let account),
            .examine(let account, _, _, _, _), .enroll(let account, _, _, _), .readers(let account),
            .switches(let account),
            .passwordSet(let account),
            .delete(let account, _, _), .unlock(let account), .passwordTurn(let account, _),
            .password(let account, _, _):
            account
        case .setSwitch(let change): change.account
        case .cancel, .watch, .passwordResult, .storage: nil
        }
    }
}

extension Daemon {
    /// One journal entry for one decision. A peer that isn't root has a budget of denials.
    func audit(_ request: Request, _ verdict: Verdict, _ what: String) {
        var skipped = 0
        if case .denied = verdict, !request.connection.peer.isRoot {
            guard case .write(let before) = logBudget.ask(request.connection.peer.uid, at: now) else { return }
            skipped = before
        }
        var outcome = "denied"
        var denial: Denial?
        switch verdict {
        case .allowed: outcome = "allowed"
        case .denied(let why): denial = why
        }
        let cause = denial.map { ", \($0.cause)" } ?? ""
        log.write(
            .notice, "\(what): \(request.account.name) at \(request.service)\(cause)",
            fields: [
                "USER": request.account.name, "UID": String(request.account.uid), "SERVICE": request.service,
                "CLASS": request.serviceClass?.name, "TTY": request.tty, "SESSION": request.place.session?.id,
                "PEER_UID": String(request.connection.peer.uid), "PEER_PID": String(request.connection.peer.pid),
                "READER": station(request.reader)?.description.name, "OUTCOME": outcome,
                "CAUSE": denial.map { "\($0.cause)" },
                "DURATION_MS": String((now - request.started).wireMilliseconds),
                "SKIPPED": skipped > 0 ? String(skipped) : nil,
            ])
    }
}
