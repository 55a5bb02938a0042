import BioauthDaemon
import BioauthSystem
import Glibc
import PAMSetup

extension Subcommand {
    static var setup: Subcommand {
        Subcommand(
            name: "setup", summary: tr("Turn the finger on or off in PAM"), takesSocket: false, takesAccount: false,
            options: [
                .init("service", .texts("NAME"), help: tr("This service alone; may stand many times")),
                .init("apply", .flag, help: tr("Do it, instead of showing what would be done")),
                .init("undo", .flag, help: tr("Take the lines out again")),
                .init("root", .text("DIR"), help: tr("The system below this directory, instead of this one")),
            ]
        ) { invocation throws(Failure) in
            let undoes = invocation.options.has("undo")
            let services = invocation.options.texts("service")
            let (setup, proposal) = try invocation.propose(services)
            let isRefused = !proposal.refusals.isEmpty && (undoes || !services.isEmpty)
            let applies = invocation.options.has("apply") && (undoes || !isRefused) && !proposal.isNothing
            if applies && geteuid() != 0 && setup.tree.root.isEmpty {
                throw Failure(
                    .notPermitted, what: tr("Only root may change PAM's files."), next: tr("Try it with sudo."))
            }
            invocation.output.show(proposal)
            if applies {
                try setup.carryOut(proposal, invocation.output)
                if undoes { try setup.confirmUndone(services) }
            }
            invocation.output.sum(
                up: proposal, isApplied: applies, isRefused: isRefused, undoes: undoes,
                command: invocation.commandThatApplies)
            let isUseless = proposal.isNothing && proposal.settled.isEmpty && !undoes
            return isRefused || isUseless ? .no : .yes
        }
    }
}

extension Invocation {
    /// This one, doing it.
    fileprivate var commandThatApplies: String {
        let words =
            (options.text("root").map { ["--root", $0] } ?? [])
            + options.texts("service").flatMap { ["--service", $0] }
            + (options.has("undo") ? ["--undo"] : []) + ["--apply"]
        return "sudo bioauthctl setup \(words.joined(separator: " "))"
    }

    fileprivate func propose(_ services: [String]) throws(Failure) -> (SystemSetup, Proposal) {
        let root = try rootDirectory()
        let undoes = options.has("undo")
        let listed = try listedServices(root: root, undoes: undoes)
        do throws(SystemError) {
            let setup = try SystemSetup(root: root, listed: listed)
            return (setup, undoes ? try setup.unwire(services) : try setup.wire(services))
        } catch {
            throw Failure(
                error.isForbidden ? .notPermitted : .storageFailed,
                what: tr("PAM's files can't be read: %1").filled(error.description),
                next: error.isForbidden ? tr("Try it with sudo.") : nil)
        }
    }

    /// Empty: this system's.
    private func rootDirectory() throws(Failure) -> String {
        guard let given = options.text("root") else { return "" }
        guard let path = Directory.real(given) else {
            throw Failure(.storageFailed, what: tr("There is no such directory: %1").filled(given))
        }
        return path
    }

    /// Those that the daemon takes a finger for. To take lines out the configuration needn't be right.
    private func listedServices(root: String, undoes: Bool) throws(Failure) -> Set<String> {
        do {
            return Set(try Configuration.load(root + Configuration.systemFile).services.keys)
        } catch {
            if undoes { return [] }
            throw Failure(
                .storageFailed,
                what: tr("The daemon's configuration is wrong, so which services it lists is not known."),
                next: tr("See what is wrong with: bioauthctl check-config"))
        }
    }
}

extension Proposal {
    fileprivate var isNothing: Bool { tool == nil && changes.isEmpty }
}

extension SystemSetup {
    fileprivate func carryOut(_ proposal: Proposal, _ output: Output) throws(Failure) {
        // Told afterwards: nobody who stops listening ends it in the middle.
        var done: [FileChange] = []
        defer { for change in done { output.note(change.wordsWhenDone) } }
        do {
            try apply(proposal) { done.append($0) }
        } catch {
            throw Failure(error)
        }
    }

    fileprivate func confirmUndone(_ services: [String]) throws(Failure) {
        do { try checkNothingLeft(services) } catch { throw Failure(error) }
    }
}

extension Failure {
    fileprivate init(_ failure: SystemSetup.Interruption) {
        switch failure {
        case .busy:
            self.init(
                .tooManyRequests, what: tr("Another bioauthctl setup is running."), next: tr("Wait until it has ended.")
            )
        case .changedMeanwhile(let path):
            self.init(.storageFailed, what: tr("%1 has been changed meanwhile.").filled(path), next: tr("Try again."))
        case .toolFailed(let said):
            self.init(
                .storageFailed, what: tr("pam-auth-update did not do what it should: %1").filled(said),
                next: tr("See whether /etc/pam.d can be written to, and has room."))
        case .linesLeft(let paths):
            self.init(
                .storageFailed,
                what: tr("Lines with pam_bioauth.so are left in: %1").filled(paths.joined(separator: ", ")),
                next: tr("Take them out by hand."))
        case .unsafe(let path):
            self.init(
                .storageFailed,
                what: tr("%1 is a link, or others may write there: nothing is changed below it.").filled(path))
        case .system(let error):
            self.init(.storageFailed, what: error.description)
        }
    }
}
