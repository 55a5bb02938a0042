import BioauthSystem
import Glibc
import PAMStacks

extension SystemSetup {
    /// Why it ended in the middle. What was done before stays done, each file whole.
    public enum Interruption: Error, Sendable {
        /// Another run is at it.
        case busy
        /// Somebody changed the file since the change was planned.
        case changedMeanwhile(String)
        /// The tool did not do what it had done in the rehearsal, and what it said.
        case toolFailed(String)
        /// Lines of ours are still there, in the files so named.
        case linesLeft([String])
        /// Somebody else could put something in the place of what is changed below this directory, or it is a link.
        case unsafe(String)
        case system(SystemError)
    }

    /// Carries a proposal out. Signals that would end the process come when it is done.
    ///
    /// - Parameter done: told of each file that has changed.
    public func apply(_ proposal: Proposal, done: (FileChange) -> Void) throws(Interruption) {
        if !tree.root.isEmpty { try checkDirectories() }
        let signals = HeldSignals()
        let lock = try mapped { () throws(SystemError) in try ledger.lock() }
        if let arguments = proposal.tool { try runTool(arguments, proposal.toolChanges, done) }
        for change in proposal.changes {
            guard try mapped({ () throws(SystemError) in try isUnchanged(change) }) else {
                throw .changedMeanwhile(change.path)
            }
            try mapped { () throws(SystemError) in try write(change) }
            done(change)
        }
        try mapped { () throws(SystemError) in for name in proposal.stale { try ledger.remove(name) } }
        extendLifetime(lock)
        extendLifetime(signals)
    }

    /// Holds that none of our lines is left in these files; without names, in any.
    public func checkNothingLeft(_ names: [String]) throws(Interruption) {
        let now = try mapped { () throws(SystemError) in try PAMTree(root: tree.root) }
        let left = now.namesWithOurLines.filter { names.isEmpty || names.contains($0) }
        if !left.isEmpty { throw .linesLeft(left.map { now.path($0) ?? $0 }) }
    }

    /// Holds that another system's files are where they seem to be, and stay there: no link leads out of it.
    private func checkDirectories() throws(Interruption) {
        for directory in [PAMTree.own, "/var/lib/pam", Ledger.systemDirectory] {
            var path = ""
            for name in (tree.root + directory).split(separator: "/") {
                path += "/\(name)"
                guard let facts = FileFacts(path) else { break }
                let isOthers = ![0, geteuid()].contains(facts.owner)
                let isOpen = facts.mode & 0o022 != 0 && facts.mode & mode_t(S_ISVTX) == 0
                if facts.kind != .directory || isOthers || isOpen { throw .unsafe(path) }
            }
        }
    }

    private func runTool(_ arguments: [String], _ changes: [FileChange], _ done: (FileChange) -> Void)
        throws(Interruption)
    {
        guard let tool else { return }
        let enabled = tool.enabled
        let said = try mapped { () throws(SystemError) in try tool.run(arguments) }
        let displaced = enabled.subtracting(tool.enabled).subtracting(PAMAuthUpdate.profiles).sorted()
        try mapped { () throws(SystemError) in try ledger.setDisplaced(displaced) }
        let now = try mapped { () throws(SystemError) in try PAMTree(root: tree.root) }
        for change in changes {
            guard now.files[change.name] == change.after else { throw .toolFailed(said) }
            done(change)
        }
    }

    private func isUnchanged(_ change: FileChange) throws(SystemError) -> Bool {
        do {
            let bytes = try SmallFile.read(change.path, limit: 1 << 20)
            return bytes == change.before?.bytes
        } catch  where error.isMissing {
            return change.before == nil
        }
    }

    private func write(_ change: FileChange) throws(SystemError) {
        let facts = FileFacts(change.path)
        if change.isRestored {
            let kept = ledger.entry(change.name)?.facts
            if let after = change.after {
                try SmallFile.write(after.bytes, to: change.path, like: kept ?? facts ?? SystemSetup.usual)
            } else {
                try SmallFile.remove(change.path)
            }
            try ledger.remove(change.name)
        } else if let after = change.after {
            let facts = facts ?? change.basedOn.flatMap { FileFacts($0.path) } ?? SystemSetup.usual
            if after.hasOurLines { try enter(change, after, facts) }
            try SmallFile.write(after.bytes, to: change.path, like: facts)
            if !after.hasOurLines { try ledger.remove(change.name) }
        }
    }

    /// What is there is what we wrote before? Then what was there before that is what counts.
    private func enter(_ change: FileChange, _ after: ServiceFile, _ facts: FileFacts) throws(SystemError) {
        if let entry = ledger.entry(change.name), let before = change.before, sha256(before.bytes) == entry.written {
            try ledger.enter(change.name, before: entry.before, facts: entry.facts, written: after.bytes)
        } else {
            try ledger.enter(change.name, before: change.before, facts: facts, written: after.bytes)
        }
    }

    private static let usual = FileFacts(mode: 0o644, owner: 0, group: 0)

    private func mapped<R: ~Copyable>(_ body: () throws(SystemError) -> R) throws(Interruption) -> R {
        do { return try body() } catch { throw error.isBusy ? .busy : .system(error) }
    }
}
