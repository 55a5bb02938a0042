/// How a service's stack stands to us: which of our lines it has, and whether they do what they are for.
public struct Wiring: Hashable, Sendable {
    /// Lines of ours that ask for a touch, and that hand a password on.
    public let fingerLines: Int
    public let reportLines: Int
    /// The modules that check a password, in order.
    public let passwords: [String]
    /// Another program's fingerprint modules.
    public let otherFingers: [String]
    /// What isn't as it should be.
    public let flaws: Set<Flaw>
    /// Whether a password that is wrong is handed on, too: of no harm, but tried twice.
    public let reportsWrongPasswords: Bool

    public enum Flaw: CaseIterable, Sendable {
        /// libpam gives up on a file of it.
        case broken
        /// So many ways lead through it that not all were looked at.
        case tooComplex
        /// No line checks a password.
        case noPassword
        /// When no finger comes, nobody gets in with the password either.
        case fingerBarsPassword
        /// A finger that matches doesn't let in.
        case fingerDoesNotLetIn
        /// It is asked for more than once.
        case fingerTwice
        /// There is a finger line and no report line.
        case noReport
        /// The report line isn't reached after each right password.
        case reportMissed
    }

    public init(_ stack: Stack) {
        func modules(_ kind: Module.Kind) -> [Module] {
            stack.entries.compactMap {
                if case .module(let module) = $0.what, module.kind == kind { module } else { nil }
            }
        }
        fingerLines = modules(.finger).count
        reportLines = modules(.report).count
        passwords = modules(.password).map(\.name)
        otherFingers = modules(.otherFinger).map(\.name)
        var flaws: Set<Flaw> = []
        if stack.isBroken { flaws.insert(.broken) }
        if passwords.isEmpty { flaws.insert(.noPassword) }
        if fingerLines > 1 { flaws.insert(.fingerTwice) }
        if fingerLines > 0 && reportLines == 0 { flaws.insert(.noReport) }
        var reportsWrong = false
        do {
            if fingerLines > 0, try !Wiring.fingerLetsIn(stack) { flaws.insert(.fingerDoesNotLetIn) }
            for code in Wiring.failures(in: stack) where !passwords.isEmpty {
                let ends = try Ends(of: stack, finger: code).all
                let right = ends.filter { $0.letsIn && $0.passwordRight }
                if right.isEmpty { flaws.insert(fingerLines > 0 ? .fingerBarsPassword : .noPassword) }
                if reportLines > 0, !right.allSatisfy(\.rightPasswordReported) { flaws.insert(.reportMissed) }
                reportsWrong = reportsWrong || ends.contains { $0.passwordAsked && !$0.passwordRight && $0.reported }
            }
        } catch {
            flaws.insert(.tooComplex)
        }
        reportsWrongPasswords = reportsWrong
        self.flaws = flaws
    }

    /// What our finger line returns when it lets nobody in: no finger to be had, tries used up, the module gone.
    private static let failures: [ReturnCode] = [.authInfoUnavailable, .maxTries, .moduleUnknown]

    /// Of these, one for all that come to the same in these stacks.
    static func failures(in stacks: Stack...) -> [ReturnCode] {
        let controls = stacks.flatMap { $0.entries.filter { $0.kind == .finger }.map(\.control) }
        var seen: Set<[Control.Action]> = []
        return failures.filter { code in seen.insert(controls.map { $0[code] }).inserted }
    }

    private static func fingerLetsIn(_ stack: Stack) throws(TooComplex) -> Bool {
        try Ends(of: stack, finger: .success).all.contains { $0.letsIn && $0.fingerAsked && !$0.passwordAsked }
    }
}
