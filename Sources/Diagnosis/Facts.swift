import BioauthCore
import BioauthWire
import PAMStacks

/// What was seen of a system and its daemon, from outside and from what the daemon told.
public struct Facts: Sendable {
    public enum DaemonWord: Hashable, Sendable {
        case told(StatusReport, Examination)
        /// Why it told nothing.
        case silent(Cause)
    }

    /// Of systemd, about one of ours.
    public struct Unit: Hashable, Sendable {
        public let name: String
        /// `loaded`, `not-found`, `masked`, …
        public let load: String
        /// `active`, `inactive`, `failed`, …
        public let active: String

        public init(name: String, load: String, active: String) {
            self.name = name
            self.load = load
            self.active = active
        }
    }

    /// A file or directory: what it must be, and what is there.
    public struct Place: Hashable, Sendable {
        public let path: String
        /// Permissions that it must have, and those that it may have.
        public let least: UInt32
        public let most: UInt32
        /// Whose it may be.
        public let owners: Set<UInt32>
        /// Nil: nothing is there that is what it should be.
        public let found: Found?

        public struct Found: Hashable, Sendable {
            public let mode: UInt32
            public let owner: UInt32

            public init(mode: UInt32, owner: UInt32) {
                self.mode = mode
                self.owner = owner
            }
        }

        public init(path: String, least: UInt32, most: UInt32, owners: Set<UInt32>, found: Found?) {
            self.path = path
            self.least = least
            self.most = most
            self.owners = owners
            self.found = found
        }
    }

    /// The other program that wants the reader.
    public struct Fprintd: Hashable, Sendable {
        /// It runs, and may have the reader.
        public var isRunning: Bool
        /// It would be started by whoever asks for it.
        public var mayStart: Bool

        public init(isRunning: Bool, mayStart: Bool) {
            self.isRunning = isRunning
            self.mayStart = mayStart
        }
    }

    /// The service that was looked at for a touch.
    public var service: String
    public var daemon: DaemonWord
    /// The account's prints.
    public var prints: [PrintEntry]
    /// Users that have prints and no account; empty where that could not be looked at.
    public var orphans: [UInt32]
    /// Nil: no systemd runs.
    public var units: [Unit]?
    public var places: [Place]
    public var isModuleInstalled: Bool
    /// Errors in the daemon's configuration, each with its place.
    public var configurationProblems: [String]
    /// How each service that the daemon lists, and the system has, stands in PAM.
    public var wirings: [String: Wiring]
    /// Those of the services at which authselect has another program ask for a finger.
    public var authselectFingers: Set<String>
    /// Why PAM's files could not be read; nil: they were.
    public var unreadablePAM: String?
    public var fprintd: Fprintd
    /// Seconds since 1970 by the wall clock.
    public var wallClock: Int64

    public init(
        service: String, daemon: DaemonWord, prints: [PrintEntry], orphans: [UInt32], units: [Unit]?, places: [Place],
        isModuleInstalled: Bool, configurationProblems: [String], wirings: [String: Wiring],
        authselectFingers: Set<String>, unreadablePAM: String?, fprintd: Fprintd, wallClock: Int64
    ) {
        self.service = service
        self.daemon = daemon
        self.prints = prints
        self.orphans = orphans
        self.units = units
        self.places = places
        self.isModuleInstalled = isModuleInstalled
        self.configurationProblems = configurationProblems
        self.wirings = wirings
        self.authselectFingers = authselectFingers
        self.unreadablePAM = unreadablePAM
        self.fprintd = fprintd
        self.wallClock = wallClock
    }
}
