import BioauthSystem
import PAMStacks

/// Puts our lines into a system's service files, and takes them out.
public struct SystemSetup {
    public let tree: PAMTree
    /// The services that the daemon's configuration lets ask for a finger.
    private let listed: Set<String>
    let ledger: Ledger
    let tool: PAMAuthUpdate?

    /// - Parameter root: the system's root, an absolute path without links in it; empty: this system.
    public init(root: String, listed: Set<String>) throws(SystemError) {
        tree = try PAMTree(root: root)
        self.listed = listed
        ledger = Ledger(root: tree.root)
        tool = PAMAuthUpdate(root: tree.root)
    }

    // MARK: In

    /// What is to be done so that the services have our lines.
    ///
    /// - Parameter services: those that were named; none: the system's own way, and every listed service that is there.
    public func wire(_ services: [String]) throws(SystemError) -> Proposal {
        var proposal = Proposal()
        var files = tree.files
        guard tree.hasModule else {
            proposal.refusals.append(Refusal(name: "pam_bioauth.so", reason: .noModule))
            return proposal
        }
        if services.isEmpty, let tool {
            files = try rehearse(tool, ["--enable"] + PAMAuthUpdate.profiles, &proposal)
            if !proposal.refusals.isEmpty { return proposal }
        }
        let wanted = services.isEmpty ? listed.sorted().filter { files[$0] != nil && isSensible($0) } : services
        for service in inOrder(wanted, files) {
            do {
                try wire(service, &files, &proposal)
            } catch {
                proposal.refusals.append(error)
            }
        }
        proposal.authselectFingers = tree.withAuthselectFinger(proposal.changes.map(\.name) + proposal.settled)
        return proposal
    }

    private func wire(_ service: String, _ files: inout ServiceFiles, _ proposal: inout Proposal) throws(Refusal) {
        func refuse(_ reason: Refusal.Reason) -> Refusal { Refusal(name: service, reason: reason) }
        guard isSensible(service) else { throw refuse(.senseless) }
        guard listed.contains(service) else { throw refuse(.notListed) }
        guard let path = tree.path(service), !service.contains("/") else { throw refuse(.noFile) }
        let changed: ServiceFile?
        do { changed = try Plan.wire(service, in: files) } catch { throw refuse(.objection(error)) }
        guard let changed else { return proposal.settled.append(service) }
        if let target = Directory.linkTarget(tree.ownPath(service)) { throw refuse(.link(to: target)) }
        let own = tree.isOwn(service) ? tree.files[service] : nil
        proposal.changes.append(
            FileChange(
                service, tree.ownPath(service), before: own, after: changed,
                basedOn: own == nil ? tree.files[service].map { (path, $0) } : nil))
        files[service] = changed
    }

    /// A service after those that it includes: what these get, it has.
    private func inOrder(_ services: [String], _ files: ServiceFiles) -> [String] {
        var result: [String] = []
        var seen: Set<String> = []
        func visit(_ service: String) {
            guard seen.insert(service).inserted else { return }
            for included in Stack(of: service, in: files).files.sorted() where services.contains(included) {
                visit(included)
            }
            result.append(service)
        }
        for service in services { visit(service) }
        return result
    }

    /// Where nobody is at the reader, where a password is set and not asked for, and what no program is called.
    private func isSensible(_ service: String) -> Bool {
        let senseless: Set = [
            "sshd", "cron", "crond", "atd", "other", "passwd", "chpasswd", "newusers", "systemd-user", "runuser",
            "runuser-l", "bioauth-password", "vsftpd", "proftpd", "dovecot", "samba", "smtp", "imap", "pop3",
            "xrdp-sesman",
            "cockpit", "remote", "rlogin", "rsh", "openvpn", "cups", "system-auth", "password-auth", "fingerprint-auth",
            "smartcard-auth", "switchable-auth", "postlogin", "bioauthctl",
        ]
        return !senseless.contains(service) && !service.hasPrefix("common-") && !service.hasSuffix("-autologin")
    }

    // MARK: Out

    /// What is to be done so that none of our lines is left.
    ///
    /// - Parameter names: the services that were named; none: every file.
    public func unwire(_ names: [String]) throws(SystemError) -> Proposal {
        var proposal = Proposal()
        var files = tree.files
        if names.isEmpty, let tool, tree.namesWithOurLines.contains("common-auth") {
            // What gave way to ours comes back.
            let displaced = ledger.displaced.filter(tool.has)
            files = try rehearse(
                tool, ["--disable"] + PAMAuthUpdate.profiles + (displaced.isEmpty ? [] : ["--enable"] + displaced),
                &proposal)
        }
        let wanted = names.isEmpty ? tree.namesWithOurLines : names
        // Those first that include others: theirs is the stack that must stay.
        for name in inOrder(wanted, files).reversed() {
            do {
                try unwire(name, &files, &proposal)
            } catch {
                proposal.refusals.append(error)
            }
        }
        proposal.stale = ledger.names.filter { name in
            (names.isEmpty || names.contains(name))
                && !proposal.changes.contains { $0.name == name } && files[name]?.hasOurLines != true
        }
        return proposal
    }

    private func unwire(_ name: String, _ files: inout ServiceFiles, _ proposal: inout Proposal) throws(Refusal) {
        func refuse(_ reason: Refusal.Reason) -> Refusal { Refusal(name: name, reason: reason) }
        guard let file = files[name], let path = tree.path(name) else { throw refuse(.noFile) }
        guard file.hasOurLines else {
            let others = Stack(of: name, in: files).entries.filter(\.isOurs).map(\.file)
            if let other = others.first { throw refuse(.included(other)) }
            return proposal.settled.append(name)
        }
        if let target = Directory.linkTarget(path) { throw refuse(.link(to: target)) }
        guard tree.isOwn(name) || name.hasPrefix("/") else { throw refuse(.vendorsFile(path)) }
        let before = tree.files[name]
        // A line of ours that was there before goes as well.
        if let entry = ledger.entry(name), file == before, sha256(file.bytes) == entry.written,
            entry.before?.hasOurLines != true
        {
            proposal.changes.append(FileChange(name, path, before: file, after: entry.before, isRestored: true))
            files[name] = entry.before
            return
        }
        do {
            guard let changed = try Plan.unwire(name, in: files) else { return }
            proposal.changes.append(FileChange(name, path, before: file, after: changed))
            files[name] = changed
        } catch {
            throw refuse(.objection(error))
        }
    }

    /// Adds to the proposal what the tool would do, and gives the files as they would be then.
    private func rehearse(
        _ tool: PAMAuthUpdate, _ arguments: [String], _ proposal: inout Proposal
    ) throws(SystemError) -> ServiceFiles {
        let (changed, said) = try tool.rehearse(arguments)
        let files = tree.files.merging(changed) { $1 }
        let isWanted = arguments.first == "--enable"
        if files["common-auth"]?.hasOurLines != isWanted {
            // Somebody has changed its files by hand: then it changes nothing, and says so.
            if isWanted { proposal.refusals.append(Refusal(name: "common-auth", reason: .toolDeclined(said))) }
            return tree.files
        }
        for name in changed.keys.sorted() where isWanted {
            // It would put a file of its own in the link's place.
            guard let target = Directory.linkTarget(tree.ownPath(name)) else { continue }
            proposal.refusals.append(Refusal(name: name, reason: .link(to: target)))
            return tree.files
        }
        for service in listed.sorted() where tree.files[service] != nil {
            let (old, new) = (Wiring(Stack(of: service, in: tree.files)), Wiring(Stack(of: service, in: files)))
            let flaws = new.flaws.subtracting(old.flaws)
            if flaws.contains(.fingerTwice) && tree.files[service]?.hasOurLines == true {
                proposal.refusals.append(Refusal(name: service, reason: .hasOwnLines))
                return tree.files
            }
            if !flaws.isEmpty {
                proposal.refusals.append(Refusal(name: service, reason: .objection(.flawed(flaws))))
                return tree.files
            }
        }
        if !changed.isEmpty {
            proposal.tool = arguments
            proposal.toolChanges = changed.sorted { $0.key < $1.key }.map { name, file in
                FileChange(name, tree.ownPath(name), before: tree.files[name], after: file)
            }
        }
        return files
    }
}
