/// Lines of ours, and where they go into a service's file.
public enum Plan {
    /// Asks for a touch: a match ends the stack, so does a person who broke off, and anything else goes on.
    public static let fingerLine =
        "auth  [success=done conv_err=die abort=die auth_err=die default=ignore]  pam_bioauth.so"
    /// Hands a right password on.
    public static let reportLine = "auth  optional  pam_bioauth.so report"

    /// Why a service can't have them.
    public enum Objection: Error, Hashable, Sendable {
        /// libpam itself gives up on the stack, or it is too long to be looked at.
        case unreadable
        case noPassword
        /// The service has no lines of its own for authentication, so that those of `other` count.
        case noLines
        /// A line of ours that is there already isn't as it should be.
        case flawed(Set<Wiring.Flaw>)
        /// Wherever the lines go, the report isn't reached after a right password, or others' lines are skipped.
        case noPlace
        /// The stack of this service would not be what it was.
        case changes(service: String)
        /// That service would ask for a finger twice.
        case askedTwice(service: String)
    }

    /// The service's own file with the lines that it lacks; nil when it lacks none.
    public static func wire(_ service: String, in files: ServiceFiles) throws(Objection) -> ServiceFile? {
        let stack = Stack(of: service, in: files)
        let wiring = Wiring(stack)
        guard let own = files[service], wiring.flaws.isDisjoint(with: [.broken, .tooComplex]) else {
            throw .unreadable
        }
        if wiring.flaws.contains(.noPassword) { throw .noPassword }
        if stack.isOther { throw .noLines }
        let flaws = wiring.flaws.subtracting([.noReport])
        guard flaws.isEmpty else { throw .flawed(flaws) }
        if wiring.fingerLines > 0 && wiring.reportLines > 0 { return nil }

        var best: ServiceFile?
        for candidate in candidates(service, own, stack, wiring) {
            let new = Stack(of: service, in: files.with(candidate, as: service))
            let result = Wiring(new)
            guard result.flaws.isEmpty, (try? Comparison.isSame(stack, new)) == true else { continue }
            if best == nil || !result.reportsWrongPasswords { best = candidate }
            if !result.reportsWrongPasswords { break }
        }
        guard let best else { throw .noPlace }
        try check(service, best, in: files)
        return best
    }

    /// A file without any line of ours; nil when it has none.
    public static func unwire(_ name: String, in files: ServiceFiles) throws(Objection) -> ServiceFile? {
        guard let own = files[name] else { return nil }
        let ours = own.statements.indices.filter { own.statements[$0].isOurs }
        if ours.isEmpty { return nil }
        var rewriting = Rewriting(own, named: name, stack: Stack(of: name, in: files))
        for statement in ours { rewriting.remove(statement) }
        guard let result = rewriting.result() else { throw .noPlace }
        try check(name, result, in: files)
        return result
    }

    /// Holds that every service which includes the file is what it was, and asks for a finger once.
    static func check(_ name: String, _ changed: ServiceFile, in files: ServiceFiles) throws(Objection) {
        let filesThen = files.with(changed, as: name)
        for service in files.keys.sorted() {
            let old = Stack(of: service, in: files)
            guard old.files.contains(name) else { continue }
            let new = Stack(of: service, in: filesThen)
            guard !new.isBroken || old.isBroken, (try? Comparison.isSame(old, new)) == true else {
                throw .changes(service: service)
            }
            if Wiring(new).fingerLines > max(1, Wiring(old).fingerLines) { throw .askedTwice(service: service) }
        }
    }

    /// The file with the lines in every place that comes into question, the best first.
    private static func candidates(
        _ service: String, _ own: ServiceFile, _ stack: Stack, _ wiring: Wiring
    ) -> [ServiceFile] {
        let trunks = stack.entries.filter { $0.kind == .password }.map(\.trunk)
        guard let first = trunks.min(), let last = trunks.max() else { return [] }
        let includes = Set(trunks).filter { own.statements[$0].isPlainInclude }
        let places = (last..<own.statements.count).filter { own.statements[$0].isForAuthentication }
        var results: [ServiceFile] = []
        for asSubstacks in includes.isEmpty ? [false] : [false, true] {
            // Where so many don't do, none of those further down will.
            for place in places.prefix(24) {
                var rewriting = Rewriting(own, named: service, stack: stack)
                if wiring.fingerLines == 0 { rewriting.insert(fingerLine, before: first) }
                if wiring.reportLines == 0 { rewriting.insert(reportLine, after: place) }
                if asSubstacks { for include in includes { rewriting.makeSubstack(include) } }
                if let result = rewriting.result() { results.append(result) }
            }
        }
        return results
    }
}

extension ServiceFiles {
    public func with(_ file: ServiceFile, as name: String) -> ServiceFiles {
        merging([name: file]) { $1 }
    }
}

extension ServiceFile {
    /// Whether a line of it runs our module.
    public var hasOurLines: Bool { statements.contains(where: \.isOurs) }
}

extension Statement {
    /// Whether it runs our module, whatever for.
    var isOurs: Bool {
        if case .module(_, let module) = content { module.kind == .finger || module.kind == .report } else { false }
    }

    /// `auth include NAME`.
    fileprivate var isPlainInclude: Bool {
        if case .include(_, isSubstack: false) = content { facility == .auth } else { false }
    }
}
