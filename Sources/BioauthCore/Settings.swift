/// The numbers and switches an administrator may set, with their defaults.
public struct Settings: Hashable, Sendable {
    /// Mismatches in a row after which the finger rests for `lockoutDelay` (1...20).
    public var mismatchesPerDelay = 5
    /// How long it rests (1...3600 s).
    public var lockoutDelay: Duration = .seconds(30)
    /// Mismatches in all after which only the password helps (1...100).
    public var mismatchesUntilPassword = 20

    /// Whether the login class wants one password after each boot.
    public var passwordAfterBoot = true
    /// How old the last password may be before every service wants one; nil: any age.
    public var passwordMaximumAge: Duration? = .seconds(72 * 3600)

    /// Whether a finger that another account has enrolled is refused.
    public var oneFingerOneAccount = true

    /// How long the reader stays open after its last use (0...3600 s).
    public var readerKeptWarm: Duration = .seconds(30)
    /// Of several readers, which go first: drivers, places on the bus, or names.
    public var preferredReaders: [String] = []

    /// PAM services and apps that may ask for a finger, each with its class. What is not here gets none.
    public var services: [String: ServiceClass] = Settings.shippedServices
    /// What the configuration names as off: an app of that name doesn't ask its person either.
    public var servicesOff: Set<String> = []

    /// Whether an app that isn't listed may ask its person whether it may ask for a finger.
    public var appsAskPerson = true

    public init() {}

    /// The class that a service is listed with. Names are compared byte by byte.
    public func listedClass(of service: String) -> ServiceClass? {
        guard let at = services.index(forKey: service), services[at].key.utf8.elementsEqual(service.utf8) else {
            return nil
        }
        return services[at].value
    }

    /// The service of the password's own process. It gets no finger, whatever the configuration says.
    public static let passwordService = "bioauth-password"

    public static let shippedServices: [String: ServiceClass] = [
        "login": .login, "gdm-fingerprint": .login, "sddm": .login, "lightdm": .login, "greetd": .login,
        "i3lock": .lock, "xsecurelock": .lock, "swaylock": .lock, "vlock": .lock, "kde-fingerprint": .lock,
        "xscreensaver": .lock, "cinnamon-screensaver": .lock, "mate-screensaver": .lock, "hyprlock": .lock,
        "sudo": .privilege, "sudo-i": .privilege, "su": .privilege, "su-l": .privilege, "doas": .privilege,
        "polkit-1": .privilege,
        "bioauthctl": .app,
    ]
}

/// What a service is for, and so who goes first at the reader.
public enum ServiceClass: UInt8, CaseIterable, Sendable {
    case app = 1
    case privilege = 2
    case lock = 3
    case login = 4

    /// The class's name in the configuration file.
    public var name: String {
        switch self {
        case .app: "app"
        case .privilege: "privilege"
        case .lock: "lock"
        case .login: "login"
        }
    }

    public init?(name: String) {
        guard let found = ServiceClass.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}

/// Bounds that no configuration changes. Each is tested at its edge.
public enum Limits {
    /// Bytes in one message, either way.
    public static let messageBytes = 4096
    /// Prints that one message asks to be deleted from a reader, of 8 bytes each. Chips keep up to some dozens.
    public static let clearedPrints = 256
    /// Bytes of an account's name, as `useradd` and utmp bound it with room to spare.
    public static let nameBytes = 256
    /// Bytes of a service, terminal or host name.
    public static let labelBytes = 256
    /// Bytes of the reason that an app shows.
    public static let reasonBytes = 512
    /// Bytes of a password (PAM_MAX_RESP_SIZE).
    public static let passwordBytes = 512
    /// Connections in all, the share only root may use included.
    public static let connections = 4096
    /// Of these, kept for root peers.
    public static let connectionsForRoot = 2048
    /// Connections of one uid that is not root's.
    public static let connectionsPerUser = 64
    /// How long a connection may stay without asking anything.
    public static let idleConnection: Duration = .seconds(10)
    /// Messages that may wait for a client that does not read; one more and it is let go.
    public static let unreadMessages = 64
    /// How long one request may last.
    public static let requestTime: ClosedRange<Duration> = .seconds(1) ... .seconds(300)
    /// Touches that do not match before a request ends.
    public static let tries: ClosedRange<Int> = 1...10
    /// How long ago the screen may have been unlocked by finger, at most, for that to do instead of a touch.
    public static let reuse: Duration = .seconds(300)
    /// Switches that are kept of one account.
    public static let switches = 64
    /// Switches that may be there when one more is turned without a touch or a password.
    public static let unprovenSwitches = 32
    /// Prints that one enrolment is compared with, this account's own first: matching runs on the loop's own thread.
    public static let duplicateGallery = 64
}
