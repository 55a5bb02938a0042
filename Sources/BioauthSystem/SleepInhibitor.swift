/// Makes the machine wait before it sleeps (systemd-logind's `Inhibit`, in its mode "delay"): for as long as this holds the
/// descriptor that logind gave for it, and no longer than logind is set up to wait (`InhibitDelayMaxSec`, 5 s).
@MainActor final class SleepInhibitor {
    private let bus: SystemBus
    private let logind: String
    private let path: String
    private var held: FileDescriptor?
    /// The owner of logind's name that is being asked.
    private var asked: String?

    /// Whether it is to be held: what comes too late is given back.
    private var isWanted = false

    init(_ bus: SystemBus, of logind: String, at path: String) {
        self.bus = bus
        self.logind = logind
        self.path = path
    }

    /// Takes one, unless it has one.
    ///
    /// - Parameters:
    ///   - owner: who has logind's name now.
    ///   - refused: called when it could not be had.
    func take(from owner: String, refused: @escaping @MainActor () -> Void) {
        isWanted = true
        guard held == nil, asked != owner else { return }
        asked = owner
        let arguments = ["sleep", "bioauthd", tr("The fingerprint reader is closed first"), "delay"]
        bus.callForDescriptor(logind, path, "\(logind).Manager.Inhibit", arguments) { [weak self] descriptor in
            guard let self, asked == owner else { return }
            asked = nil
            guard let descriptor else { return refused() }
            if isWanted { held = consume descriptor }
        }
    }

    func drop() {
        isWanted = false
        held = nil
    }

    /// Logind is gone: what it gave holds nothing up any more.
    func forget() {
        drop()
        asked = nil
    }
}
