import BioauthClient
import BioauthCore
import BioauthDaemon
import BioauthSystem
import BioauthWire
import Diagnosis
import Glibc
import PAMSetup
import PAMStacks

extension Invocation {
    /// Looks at everything there is to see. What can't be seen is a fact as well.
    func gather(about account: Account) -> Facts {
        let root = options.text("root") ?? ""
        let configuration = Configuration.read(root + Configuration.systemFile)
        let (tree, unreadable) = PAMTree.read(root: root)
        let wirings = wirings(tree, of: Set(configuration.settings.services.keys))
        let service = options.text("service") ?? usualService(wirings)
        var daemon = Facts.DaemonWord.silent(.noDaemon)
        var prints: [PrintEntry] = []
        do throws(Failure) {
            guard case .status(let report) = try ask(.status(account)),
                case .examination(let examination) = try ask(.examine(account, service: service, tty: ownTerminal))
            else { throw Failure(Denial(.protocolError)) }
            daemon = .told(report, examination)
            prints = try self.prints(of: account)
        } catch {
            if case .silent = daemon { daemon = .silent(error.cause ?? .protocolError) }
        }
        let isSystems = socketPath == DaemonConnection.defaultPath
        return Facts(
            service: service, daemon: daemon, prints: prints,
            orphans: isSystems && geteuid() == 0 ? orphans(root: root) : [],
            units: isSystems ? SystemUnit.all(Invocation.units).map { $0.map(Facts.Unit.init) } : [],
            places: places(isSystems: isSystems), isModuleInstalled: tree?.hasModule ?? true,
            configurationProblems: configuration.problems, wirings: wirings,
            authselectFingers: tree?.withAuthselectFinger(wirings.keys) ?? [], unreadablePAM: unreadable,
            fprintd: fprintd(root: root), wallClock: WallClock.now() / 1_000_000_000)
    }

    private static let units = ["bioauthd.socket", "bioauthd.service", "bioauth-password.socket"]

    private var ownTerminal: String? { ttyname(STDIN_FILENO).map { String(cString: $0) } }

    /// The one that was most likely meant: sudo, or another that has a finger line.
    private func usualService(_ wirings: [String: Wiring]) -> String {
        let wired = wirings.filter { $0.value.fingerLines > 0 }.keys
        return wired.contains("sudo") ? "sudo" : wired.sorted().first ?? "sudo"
    }

    private func wirings(_ tree: PAMTree?, of listed: Set<String>) -> [String: Wiring] {
        guard let tree else { return [:] }
        let there = listed.filter { tree.files[$0] != nil }
        return Dictionary(uniqueKeysWithValues: there.map { ($0, Wiring(Stack(of: $0, in: tree.files))) })
    }

    /// The sockets, what they stand in, and what the daemon keeps.
    private func places(isSystems: Bool) -> [Facts.Place] {
        func place(_ path: String, _ kind: FileFacts.Kind, least: mode_t, most: mode_t) -> Facts.Place {
            let found = FileFacts(path).flatMap { $0.kind == kind ? $0 : nil }
            return Facts.Place(
                path: path, least: least, most: most, owners: isSystems ? [0] : [0, geteuid()],
                found: found.map { .init(mode: $0.mode, owner: $0.owner) })
        }
        let directory = socketPath.lastIndex(of: "/").map { String(socketPath[..<$0]) } ?? "."
        let sockets = [
            place(directory, .directory, least: 0o555, most: 0o755),
            place(socketPath, .socket, least: 0o666, most: 0o666),
        ]
        guard isSystems else { return sockets }
        return sockets + [
            place(PasswordConnection.path(besideDaemonAt: socketPath), .socket, least: 0o666, most: 0o666),
            place("/var/lib/bioauthd", .directory, least: 0o700, most: 0o700),
        ]
    }

    private func orphans(root: String) -> [UInt32] {
        ((try? Directory.names(in: "\(root)/var/lib/bioauthd/prints")) ?? []).compactMap { UInt32($0) }
            .filter { Account.numbered($0) == nil }.sorted()
    }

    private func fprintd(root: String) -> Facts.Fprintd {
        let isMasked = Directory.linkTarget("\(root)/etc/systemd/system/fprintd.service") == "/dev/null"
        let canStart = SmallFile.isThere("\(root)/usr/share/dbus-1/system-services/net.reactivated.Fprint.service")
        return Facts.Fprintd(
            isRunning: BusName.isOwned("net.reactivated.Fprint") ?? false, mayStart: canStart && !isMasked)
    }
}

extension Facts.Unit {
    fileprivate init(_ unit: SystemUnit) {
        self.init(name: unit.name, load: unit.load, active: unit.active)
    }
}

extension PAMTree {
    /// The files, or why they can't be read.
    fileprivate static func read(root: String) -> (tree: PAMTree?, problem: String?) {
        do { return (try PAMTree(root: root), nil) } catch { return (nil, error.description) }
    }
}

extension Configuration {
    /// The settings, or the defaults and what is wrong with the file.
    fileprivate static func read(_ path: String) -> (settings: Settings, problems: [String]) {
        do {
            return (try load(path), [])
        } catch {
            return (Settings(), error.problems.map(\.description))
        }
    }
}
