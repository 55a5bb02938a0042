import BioauthCore

/// What a client says to the daemon, or, in `password`, to `bioauth-password`.
public enum ClientMessage: Hashable, Sendable {
    case authenticate(Authenticate)
    case cancel(CancelReason)
    /// Would a right password of this account, given to this service, change anything?
    case passwordUseful(Account, service: String)
    case status(Account)
    /// What would become of a request for that service from here, and what the daemon sees of this place.
    case examine(
        Account, service: String, tty: String?, isApp: Bool = false, policy: Authenticate.Policy = .biometrics)
    case list(Account)
    /// At the reader that may be meant by that: its driver, its place on the bus, or its name; nil: the preferred one.
    case enroll(Account, Finger, Ticket?, reader: String? = nil)
    /// Deletes one finger's print, or all of the account's.
    case delete(Account, Finger?, Ticket?)
    case unlock(Account)
    case watch
    /// From `bioauth-password`: may this peer try a password of the account now? Counts as a wrong one until told.
    case passwordTurn(Account, peerUID: UInt32)
    /// From `bioauth-password`, on the connection that had its turn: how it went.
    case passwordResult(right: Bool, wantsTicket: Bool)
    case setSwitch(SwitchChange)
    /// What the person has turned on and off.
    case switches(Account)
    /// Which readers are plugged in, and which of them serves the account.
    case readers(Account)
    /// What the readers keep that keep prints themselves, or the one that may be meant by that; and which of the prints that
    /// no account here has to delete.
    case storage(reader: String?, clearing: [PrintID] = [])
    /// To `bioauth-password`: has the account a password?
    case passwordSet(Account)
    /// To `bioauth-password`. The secret stays where it is in the message's bytes, so that it can be wiped there.
    case password(Account, secret: Range<Int>, wantsTicket: Bool)
}

/// A request for a touch (design: who, for what, from where, and how long).
public struct Authenticate: Hashable, Sendable {
    public var account: Account
    /// The PAM service or the app.
    public var service: String
    /// The terminal or display that the host named, if any.
    public var tty: String?
    /// The remote host that the host named, if any. Empty and `localhost` are local.
    public var remoteHost: String?
    /// Why, in an app's words.
    public var reason: String?
    public var policy: Policy
    /// Whether somebody may be prompted. If not, nothing that needs a touch can be allowed.
    public var interaction: Bool
    /// How long to wait for the finger at most.
    public var timeout: Duration
    /// Touches that may fail to match before the request ends.
    public var tries: Int
    /// Whether nothing but the finger is live meanwhile: waits are kept short then, the password is next in line.
    public var fingerOnly: Bool
    /// The process that the host asks for, where it isn't its own starter: polkit's agent, by the kernel's word to the
    /// host. A root peer's word alone counts.
    public var agentPID: Int32?
    /// The service is an app that asks for itself, not a host of PAM: one that isn't listed may ask its person first.
    public var isApp: Bool
    /// The person has just told the app that it may ask for a finger: a match is their proof.
    public var isPermitted: Bool
    /// How long ago the screen may have been unlocked by finger for that to do instead of a touch; 0: it doesn't.
    public var reuse: Duration

    public enum Policy: UInt8, Sendable {
        case biometrics = 1
        case biometricsOrPassword = 2
    }

    public init(
        account: Account, service: String, tty: String? = nil, remoteHost: String? = nil, reason: String? = nil,
        policy: Policy = .biometrics, interaction: Bool = true, timeout: Duration = .seconds(30), tries: Int = 3,
        fingerOnly: Bool = true, agentPID: Int32? = nil, isApp: Bool = false, isPermitted: Bool = false,
        reuse: Duration = .zero
    ) {
        self.account = account
        self.service = service
        self.tty = tty
        self.remoteHost = remoteHost
        self.reason = reason
        self.policy = policy
        self.interaction = interaction
        self.timeout = timeout
        self.tries = tries
        self.fingerOnly = fingerOnly
        self.agentPID = agentPID
        self.isApp = isApp
        self.isPermitted = isPermitted
        self.reuse = reuse
    }
}

/// Who ended a request before its time.
public enum CancelReason: UInt8, CaseIterable, Sendable {
    case person = 1
    case password = 2
    case app = 3

    public var cause: Cause {
        switch self {
        case .person: .personCancelled
        case .password: .personChosePassword
        case .app: .appWithdrew
        }
    }
}

/// Proof that an account's password was given a moment ago: 16 random bytes, good for one enrolment, deletion or switch.
public struct Ticket: Hashable, Sendable {
    public static let count = 16
    public let bytes: [UInt8]

    /// Nil unless there are 16 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Ticket.count else { return nil }
        self.bytes = bytes
    }
}

extension ClientMessage {
    /// The numbers of the messages (PROTOCOL.md), never reused.
    enum Kind: UInt16 {
        case authenticate = 1
        case cancel = 2
        case passwordUseful = 3
        case status = 4
        case list = 5
        case enroll = 6
        case delete = 7
        case unlock = 8
        case watch = 9
        case passwordTurn = 10
        case passwordResult = 11
        case password = 12
        case examine = 13
        case setSwitch = 14
        case switches = 15
        case passwordSet = 16
        case readers = 17
        case storage = 18
    }

    /// The message as it travels. For `password` use `encodePassword`, which has the secret: here it stays empty.
    public func encoded() -> [UInt8] {
        switch self {
        case .authenticate(let request):
            return request.encoded()
        case .cancel(let reason):
            return message(.cancel) { $0.put(.cancelReason, reason.rawValue) }
        case .passwordUseful(let account, let service):
            return message(.passwordUseful, account) { $0.put(.service, service) }
        case .status(let account):
            return message(.status, account)
        case .examine(let account, let service, let tty, let isApp, let policy):
            return message(.examine, account) {
                $0.put(.service, service)
                if let tty { $0.put(.tty, tty) }
                if policy != .biometrics { $0.put(.policy, policy.rawValue) }
                if isApp { $0.put(.app, true) }
            }
        case .setSwitch(let change):
            return message(.setSwitch, change.account) { change.put(in: &$0) }
        case .switches(let account):
            return message(.switches, account)
        case .passwordSet(let account):
            return message(.passwordSet, account)
        case .list(let account):
            return message(.list, account)
        case .readers(let account):
            return message(.readers, account)
        case .storage(let reader, let prints):
            return message(.storage) {
                if let reader { $0.put(.whichReader, reader) }
                if !prints.isEmpty { $0.put(.clear, bytes: prints.flatMap(\.bytes)) }
            }
        case .enroll(let account, let finger, let ticket, let reader):
            return message(.enroll, account) {
                $0.put(.finger, finger.rawValue)
                if let ticket { $0.put(.ticket, bytes: ticket.bytes) }
                if let reader { $0.put(.whichReader, reader) }
            }
        case .delete(let account, let finger, let ticket):
            return message(.delete, account) {
                if let finger { $0.put(.finger, finger.rawValue) }
                if let ticket { $0.put(.ticket, bytes: ticket.bytes) }
            }
        case .unlock(let account):
            return message(.unlock, account)
        case .watch:
            return message(.watch)
        case .passwordTurn(let account, let peerUID):
            return message(.passwordTurn, account) { $0.put(.peerUID, peerUID) }
        case .passwordResult(let right, let wantsTicket):
            return message(.passwordResult) {
                $0.put(.right, right)
                if wantsTicket { $0.put(.wantsTicket, true) }
            }
        case .password(let account, _, let wantsTicket):
            return ClientMessage.encodePassword(account, secret: [], wantsTicket: wantsTicket)
        }
    }

    /// A `password` message. The caller wipes the secret and the result; nothing else holds a copy.
    public static func encodePassword(_ account: Account, secret: borrowing [UInt8], wantsTicket: Bool) -> [UInt8] {
        var writer = MessageWriter(type: Kind.password.rawValue)
        writer.put(account)
        writer.put(.password, bytes: copy secret)
        if wantsTicket { writer.put(.wantsTicket, true) }
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(WireError) {
        let reader = try MessageReader(bytes)
        guard let kind = Kind(rawValue: reader.type) else { throw .unknownType(reader.type) }
        switch kind {
        case .authenticate:
            self = .authenticate(try Authenticate(reader))
        case .cancel:
            self = .cancel(try reader.value(.cancelReason))
        case .passwordUseful:
            self = .passwordUseful(try reader.account(), service: try reader.text(.service, limit: Limits.labelBytes))
        case .status:
            self = .status(try reader.account())
        case .examine:
            self = .examine(
                try reader.account(), service: try reader.text(.service, limit: Limits.labelBytes),
                tty: try reader.optionalText(.tty, limit: Limits.labelBytes), isApp: try reader.optionalFlag(.app),
                policy: try reader.optionalValue(.policy) ?? .biometrics)
        case .setSwitch:
            self = .setSwitch(try SwitchChange(reader))
        case .switches:
            self = .switches(try reader.account())
        case .passwordSet:
            self = .passwordSet(try reader.account())
        case .list:
            self = .list(try reader.account())
        case .enroll:
            self = .enroll(
                try reader.account(), try reader.value(.finger), try reader.ticket(),
                reader: try reader.optionalText(.whichReader, limit: Limits.labelBytes))
        case .readers:
            self = .readers(try reader.account())
        case .storage:
            self = .storage(
                reader: try reader.optionalText(.whichReader, limit: Limits.labelBytes),
                clearing: try reader.printIDs(.clear))
        case .delete:
            self = .delete(try reader.account(), try reader.optionalValue(.finger), try reader.ticket())
        case .unlock:
            self = .unlock(try reader.account())
        case .watch:
            self = .watch
        case .passwordTurn:
            self = .passwordTurn(try reader.account(), peerUID: try reader.number(.peerUID))
        case .passwordResult:
            self = .passwordResult(right: try reader.flag(.right), wantsTicket: try reader.optionalFlag(.wantsTicket))
        case .password:
            guard let secret = try reader.range(.password) else { throw .missing(.password) }
            guard (1...Limits.passwordBytes).contains(secret.count), !bytes[secret].contains(0) else {
                throw .invalid(.password)
            }
            self = .password(
                try reader.account(), secret: secret, wantsTicket: try reader.optionalFlag(.wantsTicket))
        }
    }

    private func message(
        _ kind: Kind, _ account: Account? = nil, fields: (inout MessageWriter) -> Void = { _ in }
    ) -> [UInt8] {
        var writer = MessageWriter(type: kind.rawValue)
        if let account { writer.put(account) }
        fields(&writer)
        return writer.bytes
    }
}

extension Authenticate {
    func encoded() -> [UInt8] {
        var writer = MessageWriter(type: ClientMessage.Kind.authenticate.rawValue)
        writer.put(account)
        writer.put(.service, service)
        if let tty { writer.put(.tty, tty) }
        if let remoteHost { writer.put(.remoteHost, remoteHost) }
        if let reason { writer.put(.reason, reason) }
        writer.put(.policy, policy.rawValue)
        writer.put(.interaction, interaction)
        writer.put(.timeout, timeout.wireMilliseconds)
        writer.put(.tries, UInt8(clamping: tries))
        writer.put(.fingerOnly, fingerOnly)
        if let agentPID { writer.put(.agentPID, agentPID) }
        if isApp { writer.put(.app, true) }
        if isPermitted { writer.put(.permitted, true) }
        if reuse > .zero { writer.put(.reuse, reuse.wireMilliseconds) }
        return writer.bytes
    }

    init(_ reader: MessageReader) throws(WireError) {
        account = try reader.account()
        service = try reader.text(.service, limit: Limits.labelBytes)
        tty = try reader.optionalText(.tty, limit: Limits.labelBytes)
        remoteHost = try reader.optionalText(.remoteHost, limit: Limits.labelBytes)
        reason = try reader.optionalText(.reason, limit: Limits.reasonBytes)
        policy = try reader.value(.policy)
        interaction = try reader.flag(.interaction)
        timeout = .milliseconds(try reader.number(.timeout, as: UInt32.self))
        tries = Int(try reader.number(.tries, as: UInt8.self))
        fingerOnly = try reader.flag(.fingerOnly)
        agentPID = try reader.optional(.agentPID)
        isApp = try reader.optionalFlag(.app)
        isPermitted = try reader.optionalFlag(.permitted)
        reuse = .milliseconds(try reader.optional(.reuse, as: UInt32.self) ?? 0)
        guard Limits.requestTime.contains(timeout) else { throw .invalid(.timeout) }
        guard Limits.tries.contains(tries) else { throw .invalid(.tries) }
        guard reuse <= Limits.reuse else { throw .invalid(.reuse) }
        guard agentPID ?? 1 > 0 else { throw .invalid(.agentPID) }
    }
}

extension MessageWriter {
    mutating func put(_ account: Account) {
        put(.uid, account.uid)
        put(.name, account.name)
    }
}

extension MessageReader {
    func account() throws(WireError) -> Account {
        Account(uid: try number(.uid), name: try text(.name, limit: Limits.nameBytes))
    }

    func ticket() throws(WireError) -> Ticket? {
        try bytes(.ticket, count: Ticket.count).flatMap(Ticket.init)
    }
}
