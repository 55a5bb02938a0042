/// The number of a request, in the order they came.
public struct RequestID: Hashable, Comparable, Sendable {
    public let number: UInt64

    public init(number: UInt64) {
        self.number = number
    }

    public static func < (a: RequestID, b: RequestID) -> Bool { a.number < b.number }
}

/// A request that policy has let through to the reader: what the arbiter needs to know of it.
public struct Ask: Hashable, Sendable {
    public let id: RequestID
    public let account: Account
    /// Told to whoever waits for it.
    public let asker: Asker
    /// After policy: a class that only root's word gives is given only on root's word.
    public let serviceClass: ServiceClass
    /// Whether the peer is root.
    public let isRoot: Bool
    /// Whether somebody else than the account's owner, or root, started the program that asks: `su` to another account.
    public let isByAnother: Bool
    /// The peer's process group. Two of one person's privilege requests from different groups contend.
    public let processGroup: Int32
    public let work: Work
    /// The reader that serves it, until it is moved.
    public let reader: ReaderID
    /// How long it may wait for the finger. Once it was prompted, times it was suspended for are not counted, nor is
    /// contention ever, nor the machine's sleep.
    public let timeout: Duration
    public let tries: Int
    /// Whether nothing but the finger is live meanwhile.
    public let fingerOnly: Bool

    public enum Work: Hashable, Sendable {
        /// A touch that is compared with the account's own prints.
        case identify
        /// An enrolment: one touch that is compared with everybody's prints, then the stages.
        case enroll(Finger)
    }

    public init(
        id: RequestID, account: Account, asker: Asker, serviceClass: ServiceClass, isRoot: Bool,
        isByAnother: Bool = false, processGroup: Int32, work: Work, reader: ReaderID, timeout: Duration, tries: Int,
        fingerOnly: Bool
    ) {
        self.id = id
        self.account = account
        self.asker = asker
        self.serviceClass = serviceClass
        self.isRoot = isRoot
        self.isByAnother = isByAnother
        self.processGroup = processGroup
        self.work = work
        self.reader = reader
        self.timeout = timeout
        self.tries = tries
        self.fingerOnly = fingerOnly
    }

    /// Who goes first. A locker that runs as its user is one for that user alone: it goes behind whatever root's word
    /// stands for, but for its user's own privilege requests, which it suspends. So does an enrolment that isn't root's.
    var rank: Int {
        switch serviceClass {
        case .login: Ask.highestRank
        case .lock: isRoot ? Ask.highestRank : 2
        case .privilege: 3
        case .app: isRoot && !isIdentification ? 3 : 1
        }
    }

    static let highestRank = 4

    var isIdentification: Bool { work == .identify }

    /// A locker that runs as its user, whose word for that is good for the user's own requests alone.
    var isUserLocker: Bool { serviceClass == .lock && !isRoot }

    /// Whether the other must hand over the reader that it has.
    func outranks(_ other: Ask) -> Bool {
        rank > other.rank && (!isUserLocker || account.uid == other.account.uid)
    }
}

/// What the reader is to be armed for.
public struct Job: Hashable, Sendable {
    public let owner: RequestID
    public let account: Account
    public let kind: Kind
    /// Which attempt of its owner's this is: it counts up where a touch for the last must not count any more.
    public let attempt: Int

    public enum Kind: Hashable, Sendable {
        /// One touch against the account's own prints.
        case identify
        /// One touch against everybody's, before an enrolment.
        case findDuplicate(Finger)
        case enroll(Finger)
    }

    public init(owner: RequestID, account: Account, kind: Kind, attempt: Int = 0) {
        self.owner = owner
        self.account = account
        self.kind = kind
        self.attempt = attempt
    }
}

/// How the reader stands, as far as requests care.
public enum ReaderStanding: Hashable, Sendable {
    case absent
    /// It has not been opened yet.
    case unproven
    /// Its last opening worked, whether it is open now or not.
    case good
    /// It can't be used since then; it is tried again.
    case failing(Cause, since: Instant)
}
