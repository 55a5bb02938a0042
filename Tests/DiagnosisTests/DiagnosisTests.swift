import BioauthCore
import BioauthWire
import PAMStacks
import Testing

@testable import Diagnosis

/// Each finding from the facts that it comes of, all others as they should be.
@Suite struct DiagnosisTests {
    private static let finger = "auth [success=done default=ignore] pam_bioauth.so\n"
    private static let password = "auth required pam_unix.so\n"
    private static let report = "auth optional pam_bioauth.so report\n"

    private static func wiring(_ text: String) -> Wiring {
        Wiring(Stack(of: "sudo", in: ["sudo": ServiceFile(Array(text.utf8))]))
    }

    private static let status = StatusReport(
        daemonVersion: "1", readerState: .ready, reader: "Reader", driver: "driver", waiting: 0, prints: 2,
        damagedPrints: 0, mismatches: 0, passwordAge: nil, standings: ServiceClass.allCases.map { .init($0, nil) })

    private static let here = Origin.session(Session(id: "c1", isRemote: false, isActive: true, isLocked: false))

    private static let examination = Examination(
        serviceClass: .privilege, denial: nil, origin: here, isLidShut: false, isReaderBuiltIn: true)

    /// A system on which everything is as it should be.
    private static let good = Facts(
        service: "sudo", daemon: .told(status, examination),
        prints: [PrintEntry(finger: .rightIndex, driver: "driver", device: "0", enrolled: nil, damaged: false)],
        orphans: [], units: [.init(name: "bioauthd.service", load: "loaded", active: "active")],
        places: [place(mode: 0o755)], isModuleInstalled: true, configurationProblems: [],
        wirings: ["sudo": wiring(finger + password + report)], authselectFingers: [], unreadablePAM: nil,
        fprintd: .init(isRunning: false, mayStart: false), wallClock: Diagnosis.earliestClock)

    private static func place(mode: UInt32, owner: UInt32 = 0) -> Facts.Place {
        Facts.Place(
            path: "/run/bioauthd", least: 0o755, most: 0o755, owners: [0], found: .init(mode: mode, owner: owner))
    }

    private static let fine: [Finding] = [
        .daemonAnswers(version: "1"), .reader(name: "Reader", driver: "driver", isBuiltIn: true), .wired(["sudo"]),
        .enrolled(2), .origin(here), .admitted(service: "sudo"),
    ]

    @Test func `where everything is as it should be, a touch would work`() {
        let diagnosis = Diagnosis(DiagnosisTests.good)
        #expect(diagnosis.findings == DiagnosisTests.fine)
        #expect(diagnosis.wouldWork)
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let change: @Sendable (inout Facts) -> Void
        /// What is found besides, in this order.
        let found: [Finding]
        /// What isn't found any more.
        let lost: [Finding]

        init(_ found: [Finding], lost: [Finding] = [], _ change: @escaping @Sendable (inout Facts) -> Void) {
            self.found = found
            self.lost = lost
            self.change = change
        }

        var testDescription: String { "\(found)" }
    }

    private static func told(
        _ facts: inout Facts, status change: (inout StatusReport) -> Void = { _ in },
        examination other: (inout Examination) -> Void = { _ in }
    ) {
        var (status, examination) = (status, examination)
        change(&status)
        other(&examination)
        facts.daemon = .told(status, examination)
    }

    private static let reader = Finding.reader(name: "Reader", driver: "driver", isBuiltIn: true)
    private static let locked = Denial(.lockedOut, endsIn: .seconds(9))
    private static let elsewhere = Origin.session(Session(id: "7", isRemote: true, isActive: true, isLocked: false))

    static let rows: [Row] = [
        Row([.daemonSilent(.noDaemon)], lost: fine.filter { $0 != .wired(["sudo"]) }) {
            $0.daemon = .silent(.noDaemon)
        },
        Row([.configurationWrong("f:1: x", isServing: true)]) { $0.configurationProblems = ["f:1: x"] },
        Row(
            [.daemonSilent(.noDaemon), .configurationWrong("f:1: x", isServing: false)],
            lost: fine.filter { $0 != .wired(["sudo"]) }
        ) {
            $0.daemon = .silent(.noDaemon)
            $0.configurationProblems = ["f:1: x"]
        },
        Row([.noReader], lost: [reader, .admitted(service: "sudo")]) {
            told(&$0, status: { $0.readerState = .none }, examination: { $0.denial = Denial(.noReader) })
        },
        Row([.readerFailing(name: "Reader")], lost: [reader]) { told(&$0, status: { $0.readerState = .failing }) },
        Row([.noServiceManager]) { $0.units = nil },
        Row([.unitMissing("x.socket")]) { $0.units = [.init(name: "x.socket", load: "not-found", active: "inactive")] },
        Row([.unitMissing("x.socket")]) { $0.units = [.init(name: "x.socket", load: "masked", active: "inactive")] },
        Row([.unitDown("x.socket", state: "failed")]) {
            $0.units = [.init(name: "x.socket", load: "loaded", active: "failed")]
        },
        Row([]) {
            $0.units = ["activating", "reloading"].map { .init(name: "x.service", load: "loaded", active: $0) }
        },
        Row([.placeMissing("/x")]) {
            $0.places = [Facts.Place(path: "/x", least: 0, most: 0o777, owners: [0], found: nil)]
        },
        Row([.placeOpen("/run/bioauthd", mode: 0o775, wanted: 0o755)]) { $0.places = [place(mode: 0o775)] },
        Row([.placeOpen("/run/bioauthd", mode: 0o700, wanted: 0o755)]) { $0.places = [place(mode: 0o700)] },
        Row([.placeForeign("/run/bioauthd", owner: 7)]) { $0.places = [place(mode: 0o755, owner: 7)] },
        Row([.fprintdRunning]) { $0.fprintd = .init(isRunning: true, mayStart: true) },
        Row([.fprintdMayStart]) { $0.fprintd = .init(isRunning: false, mayStart: true) },
        Row([.clockUnset]) { $0.wallClock = Diagnosis.earliestClock - 1 },
        Row([.moduleMissing]) { $0.isModuleInstalled = false },
        Row([.pamUnreadable("why")], lost: [.wired(["sudo"])]) { $0.unreadablePAM = "why" },
        Row([.serviceNotWired("sudo")], lost: [.wired(["sudo"])]) { $0.wirings = [:] },
        Row([.serviceNotWired("sudo")], lost: [.wired(["sudo"])]) { $0.wirings = ["sudo": wiring(password)] },
        Row([.notWired(["login", "su"])]) {
            $0.wirings["su"] = wiring(password)
            $0.wirings["login"] = wiring(password)
        },
        Row([.flawed(["sudo"], .noReport, named: false)]) { $0.wirings = ["sudo": wiring(finger + password)] },
        Row(
            [.wired(["su", "sudo"]), .notWired(["login"]), .flawed(["su", "sudo"], .noReport, named: true)],
            lost: [.wired(["sudo"])]
        ) {
            $0.wirings = [
                "login": wiring(password), "su": wiring(finger + password), "sudo": wiring(finger + password),
            ]
        },
        Row([.flawed(["sudo"], .reportMissed, named: false)]) {
            $0.wirings = [
                "sudo": wiring(finger + "auth sufficient pam_unix.so\n" + report + "auth required pam_deny.so\n")
            ]
        },
        Row([
            .flawed(["sudo"], .fingerBarsPassword, named: false), .flawed(["sudo"], .fingerDoesNotLetIn, named: false),
        ]) {
            $0.wirings = ["sudo": wiring("auth required pam_bioauth.so\n" + password + report)]
        },
        Row([.flawed(["sudo"], .fingerTwice, named: false)]) {
            $0.wirings = ["sudo": wiring(finger + finger + password + report)]
        },
        Row([.flawed(["sudo"], .noPassword, named: false)]) { $0.wirings = ["sudo": wiring(finger + report)] },
        Row([.wired(["kde-fingerprint", "sudo"])], lost: [.wired(["sudo"])]) {
            $0.wirings["kde-fingerprint"] = wiring(finger)
        },
        Row([.otherFinger("sudo", modules: ["pam_fprintd.so"])]) {
            $0.wirings = ["sudo": wiring("auth sufficient pam_fprintd.so\n" + finger + password + report)]
        },
        Row([.authselectFinger(["sudo"])]) {
            $0.wirings = ["sudo": wiring("auth sufficient pam_fprintd.so\n" + finger + password + report)]
            $0.authselectFingers = ["sudo"]
        },
        Row([.printDamaged(.leftThumb, driver: "d")]) {
            $0.prints.append(PrintEntry(finger: .leftThumb, driver: "d", device: "", enrolled: nil, damaged: true))
        },
        Row([.printGone(.leftThumb, driver: "d")]) {
            $0.prints.append(
                PrintEntry(finger: .leftThumb, driver: "d", device: "", enrolled: nil, damaged: false, gone: true))
        },
        Row([.orphanedPrints([1004])]) { $0.orphans = [1004] },
        Row([.standing([.login], Denial(.passwordFirst))]) {
            told(&$0, status: { $0.standings = [.init(.app, nil), .init(.login, Denial(.passwordFirst))] })
        },
        Row([.standing([.app, .login], Denial(.passwordFirst)), .standing([.lock], locked)]) {
            told(
                &$0,
                status: {
                    $0.standings = [
                        .init(.app, Denial(.passwordFirst)), .init(.lock, locked),
                        .init(.login, Denial(.passwordFirst)),
                    ]
                })
        },
        // That of the service's own class is told once.
        Row([.denied(service: "sudo", locked)], lost: [.admitted(service: "sudo")]) {
            told(&$0, status: { $0.standings = [.init(.privilege, locked)] }, examination: { $0.denial = locked })
        },
        Row(
            [.standing([.privilege], locked), .denied(service: "sudo", Denial(.lidClosed))],
            lost: [.admitted(service: "sudo")]
        ) {
            told(
                &$0, status: { $0.standings = [.init(.privilege, locked)] },
                examination: { $0.denial = Denial(.lidClosed) })
        },
        Row(
            [.denied(service: "sudo", Denial(.notEnrolled))], lost: [.enrolled(2), .admitted(service: "sudo")]
        ) { told(&$0, status: { $0.prints = 0 }, examination: { $0.denial = Denial(.notEnrolled) }) },
        Row(
            [.notEnrolled, .denied(service: "sudo", Denial(.lidClosed))],
            lost: [.enrolled(2), .admitted(service: "sudo")]
        ) { told(&$0, status: { $0.prints = 0 }, examination: { $0.denial = Denial(.lidClosed) }) },
        Row(
            [.denied(service: "sudo", Denial(.serviceDisabled))], lost: [.admitted(service: "sudo")]
        ) {
            told(
                &$0,
                examination: {
                    $0.serviceClass = nil
                    $0.denial = Denial(.serviceDisabled)
                })
        },
        Row(
            [.origin(elsewhere), .denied(service: "sudo", Denial(.remoteSession))],
            lost: [.origin(here), .admitted(service: "sudo")]
        ) {
            told(
                &$0,
                examination: {
                    $0.origin = elsewhere
                    $0.denial = Denial(.remoteSession)
                })
        },
        Row([.lidShut]) { told(&$0, examination: { $0.isLidShut = true }) },
    ]

    @Test(arguments: rows) func `each fact is found, and nothing else`(row: Row) {
        var facts = DiagnosisTests.good
        row.change(&facts)
        let diagnosis = Diagnosis(facts)
        #expect(diagnosis.findings.filter { !DiagnosisTests.fine.contains($0) } == row.found)
        #expect(DiagnosisTests.fine.filter { !diagnosis.findings.contains($0) } == row.lost)
        #expect(diagnosis.wouldWork == !row.found.contains { $0.severity == .error })
    }

    @Test func `a finger without a report, and whatever keeps a touch from working, is an error`() {
        let errors = DiagnosisTests.rows.flatMap(\.found).filter { $0.severity == .error }
        #expect(errors.contains(.flawed(["sudo"], .noReport, named: false)))
        #expect(errors.contains(.daemonSilent(.noDaemon)))
        #expect(!errors.contains(.fprintdMayStart) && !errors.contains(.notWired(["login", "su"])))
    }
}
