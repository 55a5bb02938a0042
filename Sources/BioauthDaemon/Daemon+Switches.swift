import BioauthCore
import BioauthSystem
import BioauthWire

/// What a person has turned on and off.
extension Daemon {
    /// How long a switch waits for the touch that turns it.
    private static let patience: Duration = .seconds(120)

    func switches(of account: Account) -> [SwitchEntry] {
        var entries = accounts.switches(of: account).sorted.map { SwitchEntry($0.subject, isOn: $0.isOn) }
        // As many as go into one message.
        while DaemonMessage.switches(entries).encoded().count > Limits.messageBytes { entries.removeLast() }
        return entries
    }

    /// Turns a switch: at once by root's word or the password's proof, else when the account's finger has touched the
    /// reader.
    func setSwitch(_ change: SwitchChange, _ connection: Connection, at place: Surroundings) {
        let account = change.account
        let asked = Authenticate(
            account: account, service: change.service, timeout: Daemon.patience, isApp: change.isApp,
            isPermitted: change.isPermitted)
        var admission = admission(asked, connection.peer, place)
        // Whatever class a service has by itself: this is no login, and no screen's lock.
        if case .granted = admission.entitlement { admission.entitlement = .granted(.app) }
        let isByAnother = isByAnother(account, place)
        let request = Request(
            nextRequestID(), connection, account: account, service: change.service, isApp: change.isApp,
            serviceClass: admission.serviceClass, tty: nil, started: now, isByAnother: isByAnother, place: place,
            reader: admission.reader, admission: admission, change: change)

        if accounts.state(of: account).damaged { return refuse(request, Denial(.stateDamaged)) }
        let switches = accounts.switches(of: account)
        if let denial = change.subject.denial(on: change.isOn, switches, settings) { return refuse(request, denial) }
        // What is so already costs neither touch nor ticket.
        if switches[change.subject] == change.isOn { return connection.send(.done(nil)) }
        // Root's own word: a program that runs as root for somebody else has only theirs.
        let isRoots = connection.peer.isRoot && place.realUID.map(rootUIDs.contains) ?? false
        if isRoots || change.ticket != nil {
            guard isProven(account, change.ticket, isRoots: isRoots) else {
                return refuse(request, Denial(.freshPasswordNeeded))
            }
            return turn(change, for: request)
        }
        if connection.peer.uid == account.uid,
            change.subject.isRefusal(
                on: change.isOn, by: change.service, isApp: change.isApp, admission.entitlement)
        {
            return turn(change, for: request, isProven: false)
        }
        let standing = accounts.denial(account, for: .app, settings, now: moment)
        tell(request.event(.asked, at: wallMilliseconds))
        if let denial = admission.denial(standing: standing) {
            return refuse(request, denial, told: denial.told(toAnother: isByAnother))
        }
        begin(request, .identify, .app, timeout: asked.timeout, tries: asked.tries, fingerOnly: asked.fingerOnly)
    }

    private func refuse(_ request: Request, _ denial: Denial, told: Denial? = nil) {
        request.connection.send(.refused(told ?? denial))
        ended(request, .denied(denial))
    }

    /// Turns the switch, and tells so once that is kept.
    ///
    /// - Parameter finger: the one whose touch is the proof, if one is.
    func turn(_ change: SwitchChange, for request: Request, _ finger: Finger? = nil, isProven: Bool = true) {
        let own = Switch(.app, request.service)
        let grants = finger != nil && request.admission?.grants ?? false
        let settings = settings
        let denial = accounts.turn(change.account, settings, now: moment) { switches in
            // The configuration and the other switches may have changed while the reader waited.
            if let denial = change.subject.denial(on: change.isOn, switches, settings) { return denial }
            guard switches.turn(change.subject, on: change.isOn, isProven: isProven) else {
                return Denial(.tooManySwitches)
            }
            // The person is asked again where that can't be kept.
            if grants && switches[own] == nil { _ = switches.turn(own, on: true) }
            return nil
        }
        if let denial { return refuse(request, denial) }
        request.connection.send(.done(nil))
        told(change.subject, isOn: change.isOn, request, finger)
        if grants && change.subject != own && accounts.switches(of: change.account)[own] == true {
            told(own, isOn: true, request, finger)
        }
    }

    /// Keeps the yes to an app that the person was asked about, which their match has proven. Where it can't be kept they
    /// are asked again.
    func remember(_ request: Request) {
        let own = Switch(.app, request.service)
        let denial = accounts.turn(request.account, settings, now: moment) {
            $0[own] != nil || $0.turn(own, on: true) ? nil : Denial(.tooManySwitches)
        }
        guard let denial else { return told(own, isOn: true, request) }
        log.write(
            .warning, "An app's permission could not be kept: \(denial.cause)",
            fields: request.connection.fields(request.account))
    }

    /// A switch was turned, and that is kept: one entry in the journal, one event, and the end of what it forbids.
    private func told(_ subject: Switch, isOn: Bool, _ request: Request, _ finger: Finger? = nil) {
        let account = request.account
        tell(
            WatchEvent(
                kind: isOn ? .switchedOn : .switchedOff, time: wallMilliseconds, account: account,
                service: subject.name, finger: finger, switchKind: subject.kind))
        log.write(
            .notice, "\(subject.kind.name) turned \(isOn ? "on" : "off"): \(subject.name) of \(account.name)",
            fields: [
                "USER": account.name, "UID": String(account.uid), "SWITCH": subject.kind.name,
                "SWITCH_NAME": subject.name, "STATE": isOn ? "on" : "off", "SERVICE": request.service,
                "PEER_UID": String(request.connection.peer.uid), "PEER_PID": String(request.connection.peer.pid),
            ])
        endForbidden { $0 == account }
    }

    /// Ends what may not ask for a finger any more.
    ///
    /// - Parameter isConcerned: whether it may be otherwise for an account than before.
    func endForbidden(_ isConcerned: (Account) -> Bool = { _ in true }) {
        for (id, running) in requests where running.admission != nil && isConcerned(running.account) {
            let entitlement = Entitlement(
                of: running.service, isApp: running.isApp, peer: running.connection.peer,
                accounts.switches(of: running.account), settings)
            if let cause = entitlement.cause { act(arbiter.ended(id, Denial(cause), at: now)) }
        }
    }
}
