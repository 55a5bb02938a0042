import BioauthClient
import BioauthCore
import BioauthSystem
import BioauthWire
import Glibc

/// What a subcommand was called with.
struct Invocation {
    let options: CommandLineOptions
    let output: Output

    init(_ options: CommandLineOptions) {
        self.options = options
        output = Output(json: options.has("json"))
    }

    var socketPath: String { options.text("socket") ?? DaemonConnection.defaultPath }

    func connect() throws(Failure) -> DaemonConnection {
        try told { () throws(ConnectionError) in try DaemonConnection(path: socketPath) }
    }

    /// The account that was named, or the one this process runs as: whoever called sudo is not looked for.
    func account() throws(Failure) -> Account {
        if let name = options.text("user") {
            guard let account = Account.named(name) else {
                throw Failure(
                    usage: tr("There is no account named %1.").filled(name),
                    next: tr("Look for it with: getent passwd NAME"))
            }
            return account
        }
        guard let account = Account.numbered(getuid()) else {
            throw Failure(.unknownUser, what: tr("No account has the number %1.").filled(String(getuid())))
        }
        return account
    }

    /// The finger that was named, or nil when none was.
    func finger() throws(Failure) -> Finger? {
        guard let name = options.text("finger") else { return nil }
        guard let finger = Finger(name: name) else {
            throw Failure(usage: tr("There is no finger named %1.").filled(name), next: Finger.choices)
        }
        return finger
    }

    /// One question that the daemon answers at once.
    func ask(_ message: ClientMessage) throws(Failure) -> DaemonMessage {
        let connection = try connect()
        return try told { () throws(ConnectionError) in
            try connection.send(message)
            return try connection.receive(within: .seconds(5))
        }
    }
}

/// Carries a call on the daemon out, and turns its errors into what a person is told.
func told<R: ~Copyable>(_ body: () throws(ConnectionError) -> R) throws(Failure) -> R {
    do { return try body() } catch { throw Failure(error) }
}

extension Account {
    /// The account of that name (`getpwnam_r`), with the name as the system spells it.
    static func named(_ name: String) -> Account? {
        lookUp { getpwnam_r(name, $0, $1, $2, $3) }
    }

    /// The account with that number (`getpwuid_r`).
    static func numbered(_ uid: uid_t) -> Account? {
        lookUp { getpwuid_r(uid, $0, $1, $2, $3) }
    }

    private static func lookUp(
        _ call: (
            UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
        ) -> Int32
    ) -> Account? {
        var size = 1024
        while size <= 1 << 20 {
            var (entry, found) = (passwd(), nil as UnsafeMutablePointer<passwd>?)
            let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
            defer { buffer.deallocate() }
            let result = call(&entry, buffer, size, &found)
            switch result {
            case 0: return found.map { Account(uid: $0.pointee.pw_uid, name: String(cString: $0.pointee.pw_name)) }
            case ERANGE: size *= 4
            case EINTR: continue
            default: return nil
            }
        }
        return nil
    }
}
