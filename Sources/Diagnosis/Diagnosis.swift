import BioauthCore
import BioauthWire
import PAMStacks

/// What the facts come to.
public struct Diagnosis: Sendable {
    public let findings: [Finding]

    /// Whether a touch for the service would let this account in now.
    public var wouldWork: Bool { !findings.contains { $0.severity == .error } }

    public init(_ facts: Facts) {
        findings =
            Diagnosis.daemon(facts) + Diagnosis.reader(facts) + Diagnosis.system(facts) + Diagnosis.pam(facts)
            + Diagnosis.account(facts) + Diagnosis.place(facts)
    }

    private static func daemon(_ facts: Facts) -> [Finding] {
        let problems = facts.configurationProblems
        switch facts.daemon {
        case .told(let report, _):
            return [.daemonAnswers(version: report.daemonVersion)]
                + problems.map { .configurationWrong($0, isServing: true) }
        case .silent(let cause):
            return [.daemonSilent(cause)] + problems.map { .configurationWrong($0, isServing: false) }
        }
    }

    private static func reader(_ facts: Facts) -> [Finding] {
        guard case .told(let report, let examination) = facts.daemon else { return [] }
        let name = report.reader ?? ""
        switch report.readerState {
        case .none: return [.noReader]
        case .failing: return [.readerFailing(name: name)]
        case .closed, .opening, .ready, .scanning:
            return [.reader(name: name, driver: report.driver ?? "", isBuiltIn: examination.isReaderBuiltIn)]
        }
    }

    private static func system(_ facts: Facts) -> [Finding] {
        var findings: [Finding] = []
        if facts.units == nil { findings.append(.noServiceManager) }
        for unit in facts.units ?? [] {
            if unit.load != "loaded" {
                findings.append(.unitMissing(unit.name))
            } else if !["active", "activating", "reloading"].contains(unit.active) {
                findings.append(.unitDown(unit.name, state: unit.active))
            }
        }
        for place in facts.places {
            guard let found = place.found else {
                findings.append(.placeMissing(place.path))
                continue
            }
            if !place.owners.contains(found.owner) { findings.append(.placeForeign(place.path, owner: found.owner)) }
            if found.mode & ~place.most != 0 || found.mode & place.least != place.least {
                findings.append(.placeOpen(place.path, mode: found.mode, wanted: place.most))
            }
        }
        if facts.fprintd.isRunning {
            findings.append(.fprintdRunning)
        } else if facts.fprintd.mayStart {
            findings.append(.fprintdMayStart)
        }
        if facts.wallClock < earliestClock { findings.append(.clockUnset) }
        return findings
    }

    /// The beginning of 2026: no clock that was ever set is before that.
    static let earliestClock: Int64 = 1_767_225_600

    private static func pam(_ facts: Facts) -> [Finding] {
        var findings: [Finding] = facts.isModuleInstalled ? [] : [.moduleMissing]
        if let unreadable = facts.unreadablePAM { return findings + [.pamUnreadable(unreadable)] }
        let sorted = facts.wirings.sorted { $0.key < $1.key }
        let wired = sorted.filter { $0.value.fingerLines > 0 }
        let bare = sorted.filter { $0.value.fingerLines == 0 }.map(\.key)
        if !wired.isEmpty { findings.append(.wired(wired.map(\.key))) }
        if facts.wirings[facts.service]?.fingerLines ?? 0 == 0 { findings.append(.serviceNotWired(facts.service)) }
        let others = bare.filter { $0 != facts.service }
        if !others.isEmpty { findings.append(.notWired(others)) }
        for flaw in Wiring.Flaw.allCases {
            // A stack beside the password's own: the password and its report are in that.
            let isElsewhere = flaw == .noPassword || flaw == .noReport
            let flawed = wired.filter {
                $0.value.flaws.contains(flaw) && !(isElsewhere && $0.key.hasSuffix("-fingerprint"))
            }
            if flawed.isEmpty { continue }
            findings.append(.flawed(flawed.map(\.key), flaw, named: flawed.count < sorted.count))
        }
        let authselects = facts.authselectFingers
        if !authselects.isEmpty { findings.append(.authselectFinger(authselects.sorted())) }
        for (service, wiring) in sorted where !wiring.otherFingers.isEmpty && !authselects.contains(service) {
            findings.append(.otherFinger(service, modules: wiring.otherFingers))
        }
        return findings
    }

    private static func account(_ facts: Facts) -> [Finding] {
        var findings: [Finding] = []
        if case .told(let report, let examination) = facts.daemon {
            if report.prints > 0 {
                findings.append(.enrolled(report.prints))
            } else if ![.notEnrolled, .printGone, .noReader].contains(examination.denial?.cause) {
                findings.append(.notEnrolled)
            }
            // What keeps the service itself from working is told as that, unless something else does first.
            let told = report.standings.filter {
                $0.denial != nil
                    && !($0.serviceClass == examination.serviceClass && $0.denial?.cause == examination.denial?.cause)
            }
            for (place, standing) in told.enumerated() {
                guard let denial = standing.denial, !told[..<place].contains(where: { $0.denial == denial }) else {
                    continue
                }
                findings.append(.standing(told.filter { $0.denial == denial }.map(\.serviceClass), denial))
            }
        }
        findings += facts.prints.filter(\.damaged).map { .printDamaged($0.finger, driver: $0.driver) }
        findings += facts.prints.filter(\.gone).map { .printGone($0.finger, driver: $0.driver) }
        if !facts.orphans.isEmpty { findings.append(.orphanedPrints(facts.orphans)) }
        return findings
    }

    private static func place(_ facts: Facts) -> [Finding] {
        guard case .told(_, let examination) = facts.daemon else { return [] }
        var findings: [Finding] = [.origin(examination.origin)]
        if examination.isLidShut { findings.append(.lidShut) }
        guard let denial = examination.denial else { return findings + [.admitted(service: facts.service)] }
        // That there is no reader is told where the reader is.
        return denial.cause == .noReader ? findings : findings + [.denied(service: facts.service, denial)]
    }
}
