/// What a service or app may ask for by the administrator's list and the person's switches, wherever it asks from.
public enum Entitlement: Hashable, Sendable {
    /// It may ask, as one of this class.
    case granted(ServiceClass)
    /// An app that isn't listed, and whose person has yet to be asked about it.
    case unasked
    /// Neither listed nor an app that may ask its person.
    case unlisted
    /// A listed service, of this class, that the person turned off.
    case turnedOff(ServiceClass)
    /// An app that the person said no to.
    case refused

    /// - Parameter isApp: whether it is a program that asks for itself. Such a one borrows nothing from a host of PAM
    ///   whose name it bears: unless the list has it as an app, it is one that isn't listed.
    public init(of service: String, isApp: Bool, peer: Peer, _ switches: Switches, _ settings: Settings) {
        self = Entitlement.find(service, isApp, peer, switches, settings)
    }

    private static func find(
        _ service: String, _ isApp: Bool, _ peer: Peer, _ switches: Switches, _ settings: Settings
    ) -> Entitlement {
        guard service != Settings.passwordService, !settings.servicesOff.contains(service) else { return .unlisted }
        if isApp && switches[Switch(.app, service)] == false { return .refused }
        if let listed = settings.listedClass(of: service), !isApp || listed == .app {
            let serviceClass = listed.given(to: peer)
            return switches[Switch(.service, service)] == false ? .turnedOff(serviceClass) : .granted(serviceClass)
        }
        guard isApp, settings.appsAskPerson else { return .unlisted }
        return switches[Switch(.app, service)] == nil ? .unasked : .granted(.app)
    }

    /// The class of the requests; nil: there are none.
    public var serviceClass: ServiceClass? {
        switch self {
        case .granted(let serviceClass), .turnedOff(let serviceClass): serviceClass
        case .unasked, .refused: .app
        case .unlisted: nil
        }
    }

    /// Why it gets no finger whatever else holds; nil: it may, or its person may be asked.
    public var cause: Cause? {
        switch self {
        case .granted, .unasked: nil
        case .unlisted, .turnedOff: .serviceDisabled
        case .refused: .notPermitted
        }
    }
}

extension ServiceClass {
    /// Login and privilege are root's word alone, anybody else's is an app's. A locker may run as its user.
    fileprivate func given(to peer: Peer) -> ServiceClass {
        switch self {
        case .login, .privilege: peer.isRoot ? self : .app
        case .lock, .app: self
        }
    }
}

extension Switch {
    /// Why it can't be turned that way, whoever wants it; nil: it can. What the administrator keeps off can't be turned on.
    public func denial(on isOn: Bool, _ switches: Switches, _ settings: Settings) -> Denial? {
        guard name != Settings.passwordService else { return Denial(.serviceDisabled) }
        if isOn && !mayBeOn(settings) { return Denial(.serviceDisabled) }
        var after = switches
        return after.turn(self, on: isOn) ? nil : Denial(.tooManySwitches)
    }

    private func mayBeOn(_ settings: Settings) -> Bool {
        switch kind {
        case .service: settings.listedClass(of: name) != nil
        case .app:
            !settings.servicesOff.contains(name)
                && (settings.appsAskPerson || settings.listedClass(of: name) == .app)
        case .appLock: true
        }
    }

    /// Whether turning it is the person's "no" to an app's first question. That takes no proof: it gives nobody anything.
    ///
    /// - Parameters:
    ///   - service: who asks, and for whom.
    ///   - entitlement: of who asks.
    public func isRefusal(on isOn: Bool, by service: String, isApp: Bool, _ entitlement: Entitlement) -> Bool {
        self == Switch(.app, service) && isApp && !isOn && entitlement == .unasked
    }
}
