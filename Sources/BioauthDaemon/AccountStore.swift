import BioauthCore
import BioauthSystem

/// What is kept of accounts: `users/<uid>.state`, each bound to the account's number and name.
///
/// The files are the truth and nothing else is kept of them. What could not be written is not forgotten for that, nor a
/// mismatch whose file could not be read: it stays in memory, and until it has been written the account gets no finger.
@MainActor final class AccountStore {
    private let directory: String
    private let log: Log
    private var unwritten: [Account: AccountState] = [:]
    /// Mismatches of accounts whose files could not be read when they happened.
    private var owed: [Account: Int] = [:]

    /// Bytes of a state file: some 400, and of each switch twice its name, where every character has to be escaped.
    private static let fileBytes = 4096 + Limits.switches * (2 * Limits.labelBytes + 64)

    /// - Throws: `SystemError` when the directory can't be made.
    init(stateDirectory: String, log: Log) throws(SystemError) {
        directory = stateDirectory + "/users"
        self.log = log
        try Directory.makePrivate(directory)
    }

    /// Where the account stands.
    func state(of account: Account) -> AccountState { unwritten[account] ?? read(account).state }

    /// What the person has turned on and off. Nothing is said where that can't be read: who asks for a finger hears of it.
    func switches(of account: Account) -> Switches {
        unwritten[account]?.switches ?? read(account, isTold: false).state.switches
    }

    /// What stands in the way of the account's finger now, if anything does.
    func denial(_ account: Account, for serviceClass: ServiceClass, _ settings: Settings, now: Moment) -> Denial? {
        settleDebts(account, settings, now: now)
        let state = state(of: account)
        if let denial = state.denial(settings, for: serviceClass, now: now) { return denial }
        return unwritten[account] == nil || write(state, of: account) ? nil : Denial(.stateNotWritable)
    }

    /// Counts one mismatch. When this returns it is on disk, or it is in what is returned that it isn't.
    ///
    /// - Returns: what stands in the way of the finger from now on, if anything does.
    func mismatched(_ account: Account, _ settings: Settings, now: Moment) -> Denial? {
        settleDebts(account, settings, now: now)
        if unwritten[account] == nil && !read(account).isReadable {
            owed[account, default: 0] += 1
            return Denial(.stateDamaged)
        }
        var state = state(of: account)
        state.mismatched(settings, now: now)
        guard write(state, of: account) else { return Denial(.stateNotWritable) }
        return state.damaged ? Denial(.stateDamaged) : state.lockout.denial(settings, now: now)
    }

    /// Counts the mismatches that could not be counted when they happened, once the file can be read again.
    private func settleDebts(_ account: Account, _ settings: Settings, now: Moment) {
        guard let count = owed[account], unwritten[account] != nil || read(account).isReadable else { return }
        owed[account] = nil
        var state = state(of: account)
        for _ in 0..<count { state.mismatched(settings, now: now) }
        _ = write(state, of: account)
    }

    /// A print of the account matched.
    func matched(_ account: Account) {
        var state = state(of: account)
        guard state.hasMismatches else { return }
        state.matched()
        _ = write(state, of: account)
    }

    /// The account's password was given. False when that could not be written: then it doesn't count.
    func passwordGiven(_ account: Account, now: Moment) -> Bool {
        forgive(account) { $0.passwordGiven(at: now) }
    }

    /// Root cleared the account's lockout. False when that could not be written: then it goes on.
    func unlocked(_ account: Account) -> Bool {
        forgive(account) { $0.cleared() }
    }

    /// Turns switches of the account's. When this returns nil that is on disk, else nothing has changed.
    ///
    /// - Parameter change: why they can't be turned, if they can't.
    func turn(
        _ account: Account, _ settings: Settings, now: Moment, _ change: (inout Switches) -> Denial?
    ) -> Denial? {
        // What is owed must not be forgotten for it.
        settleDebts(account, settings, now: now)
        var state = state(of: account)
        guard !state.damaged else { return Denial(.stateDamaged) }
        if let denial = change(&state.switches) { return denial }
        return replace(state, of: account) ? nil : Denial(.stateNotWritable)
    }

    /// What the account's domain state is made of; it is made and kept if there is none. Nil: it can't be.
    func domainSecret(of account: Account) -> [UInt8]? {
        quietState(of: account)?.domainSecret
            ?? (renewDomainSecret(of: account) ? quietState(of: account)?.domainSecret : nil)
    }

    /// Has the account's domain state be another from now on. False: that could not be written, and it is as it was.
    func renewDomainSecret(of account: Account) -> Bool {
        guard var state = quietState(of: account), let secret = randomBytes(AccountState.domainSecretBytes) else {
            return false
        }
        state.domainSecret = secret
        return replace(state, of: account)
    }

    /// Nil where the file can't be read now: it may come back as it was. Who asks for a finger hears of it, and so nothing is
    /// said.
    private func quietState(of account: Account) -> AccountState? {
        if let state = unwritten[account] { return state }
        let (state, isReadable) = read(account, isTold: false)
        return isReadable ? state : nil
    }

    private func forgive(_ account: Account, _ change: (inout AccountState) -> Void) -> Bool {
        var state = state(of: account)
        change(&state)
        guard replace(state, of: account) else { return false }
        owed[account] = nil
        return true
    }

    /// Writes the state, or leaves everything as it is.
    private func replace(_ state: AccountState, of account: Account) -> Bool {
        let before = unwritten[account]
        if write(state, of: account) { return true }
        unwritten[account] = before
        return false
    }

    // MARK: The file

    private func path(_ account: Account) -> String { "\(directory)/\(account.uid).state" }

    /// Writes the state. A check sum ends the file, so that one that was cut short or changed is known as such; a
    /// damaged one stays as it is until the password mends it.
    private func write(_ state: AccountState, of account: Account) -> Bool {
        guard !state.damaged else { return true }
        let file = KeyFile()
        file.set("account", "uid", account.uid)
        file.set("account", "name", account.name)
        file.set("lockout", "mismatches", state.lockout.mismatches)
        if let delay = state.lockout.delay {
            file.set("lockout", "delay-boot", delay.bootID)
            file.set("lockout", "delay-ends", delay.ends.nanoseconds)
        }
        if let last = state.password.last {
            file.set("password", "boot", last.bootID)
            file.set("password", "boot-time", last.boot.nanoseconds)
            file.set("password", "wall-time", last.wall)
        }
        for (at, entry) in state.switches.sorted.enumerated() {
            // A name may be anything, so it is never the key.
            let value = "\(entry.subject.kind.name) \(entry.isOn ? "on" : "off") \(entry.subject.name)"
            file.set("switches", String(at + 1), value)
        }
        if let secret = state.domainSecret { file.set("domain", "secret", hexadecimal(secret)) }
        let body = file.bytes()
        do {
            try SmallFile.write(body + Array(AccountStore.check(body).utf8), to: path(account), mode: 0o600)
            unwritten[account] = nil
            return true
        } catch {
            unwritten[account] = state
            log.write(
                .error, "The state of an account could not be written: \(error)",
                fields: ["USER": account.name, "UID": String(account.uid)])
            return false
        }
    }

    private static func check(_ body: [UInt8]) -> String { "\n[check]\nsha256=\(sha256(body))\n" }

    /// What the file says. One that can't be read now may be whole nevertheless, and have a count.
    private func read(_ account: Account, isTold: Bool = true) -> (state: AccountState, isReadable: Bool) {
        let bytes: [UInt8]
        do {
            bytes = try SmallFile.read(path(account), limit: AccountStore.fileBytes)
        } catch {
            if error.isMissing { return (AccountState(), true) }
            if isTold { tellDamage(account, "\(error)") }
            return (AccountState(damaged: true), false)
        }
        do {
            return (try AccountStore.parse(bytes, account), true)
        } catch {
            if isTold { tellDamage(account, error.why) }
            return (AccountState(damaged: true), true)
        }
    }

    private struct Damage: Error { let why: String }

    private static func parse(_ bytes: [UInt8], _ account: Account) throws(Damage) -> AccountState {
        let checkCount = check([]).utf8.count
        let body = Array(bytes.dropLast(checkCount))
        guard bytes.count > checkCount, Array(bytes.suffix(checkCount)) == Array(check(body).utf8) else {
            throw Damage(why: "its check sum is wrong")
        }
        guard let file = try? KeyFile(body), let uid = file.integer("account", "uid"),
            let name = file.string("account", "name"), let mismatches = file.integer("lockout", "mismatches")
        else { throw Damage(why: "it lacks what it must have") }
        // The number belonged to somebody else once: nothing of that is inherited.
        guard Account(uid: UInt32(clamping: uid), name: name) == account else { return AccountState() }

        var delay: Lockout.Delay?
        if let boot = file.string("lockout", "delay-boot"), let ends = file.integer("lockout", "delay-ends") {
            delay = Lockout.Delay(bootID: boot, ends: Instant(nanoseconds: ends))
        }
        guard let lockout = Lockout(mismatches: Int(mismatches), delay: delay) else {
            throw Damage(why: "its parts contradict each other")
        }
        var last: Moment?
        if let boot = file.string("password", "boot"), let bootTime = file.integer("password", "boot-time"),
            let wall = file.integer("password", "wall-time")
        {
            last = Moment(boot: Instant(nanoseconds: bootTime), bootID: boot, wall: wall)
        }
        let secret = file.string("domain", "secret").flatMap(bytes(ofHexadecimal:))
        return AccountState(
            lockout: lockout, password: PasswordClock(last: last), switches: try switches(in: file),
            domainSecret: secret?.count == AccountState.domainSecretBytes ? secret : nil)
    }

    private static func switches(in file: KeyFile) throws(Damage) -> Switches {
        var switches = Switches()
        for key in file.keys(in: "switches") {
            let parts = file.string("switches", key)?.split(
                separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard let parts, parts.count == 3, let kind = Switch.Kind(name: parts[0]), !parts[2].isEmpty,
                parts[1] == "on" || parts[1] == "off",
                switches.turn(Switch(kind, String(parts[2])), on: parts[1] == "on")
            else { throw Damage(why: "its switches can't be read") }
        }
        return switches
    }

    private func tellDamage(_ account: Account, _ why: String) {
        log.write(
            .error,
            "\(path(account)) can't be used: \(why). No finger for \(account.name) until the password is given.",
            fields: ["USER": account.name, "UID": String(account.uid), "CAUSE": "stateDamaged"])
    }
}
