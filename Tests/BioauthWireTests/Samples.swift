import BioauthCore
import BioauthWire

/// Messages of every type, with each optional field absent and present and each enumerated value once.
enum Samples {
    static let account = Account(uid: 1000, name: "user")
    static let ticket = Ticket(bytes: Array(1...16))!
    static let printID = PrintID(bytes: Array(1...8))!
    static let secret = Array("correct horse".utf8)

    static let everyClientMessage: [ClientMessage] =
        authentications.map(ClientMessage.authenticate)
        + CancelReason.allCases.map(ClientMessage.cancel)
        + [
            .passwordUseful(account, service: "sudo"), .status(account), .list(account),
            .examine(account, service: "sudo", tty: nil), .examine(account, service: "login", tty: "tty1"),
            .examine(account, service: "vault", tty: nil, isApp: true, policy: .biometricsOrPassword),
            .switches(account), .passwordSet(account), .readers(account),
            .storage(reader: nil), .storage(reader: "1-2.3", clearing: [printID, printID]),
            .unlock(Account(uid: .max, name: "사용자")), .watch, .passwordTurn(account, peerUID: 0),
            .passwordResult(right: true, wantsTicket: true), .passwordResult(right: false, wantsTicket: false),
        ]
        + enrollments
        + absentAndPresent(Finger.rightIndex).flatMap { finger in
            absentAndPresent(ticket).map { ClientMessage.delete(account, finger, $0) }
        }
        + combinations(Switch.Kind.allCases, [false, true], absentAndPresent(ticket)) {
            ClientMessage.setSwitch(
                SwitchChange(
                    account: account, service: "vault", isApp: $1, isPermitted: $1, subject: Switch($0, "vault"),
                    isOn: $1, ticket: $2))
        }

    private static let enrollments: [ClientMessage] =
        combinations(Finger.allCases, absentAndPresent(ticket), absentAndPresent("1-2.3")) {
            ClientMessage.enroll(account, $0, $1, reader: $2)
        }

    static let everyDaemonMessage: [DaemonMessage] =
        prompts.map(DaemonMessage.prompt)
        + RetryReason.allCases.map(DaemonMessage.retry)
        + [0, 1, 255].map { .mismatch(triesLeft: $0) }
        + waits.map(DaemonMessage.waiting)
        + Finger.allCases.map { .verdict(.allowed($0)) }
        + denials.flatMap { [.verdict(.denied($0)), .refused($0)] }
        + ([nil] + RetryReason.allCases.map(Optional.some)).map { .enrolling(stage: 2, stages: 8, retry: $0) }
        + [.right(nil), .right(ticket), .wrong, .delayed(.seconds(30)), .unavailable, .notSet]
        .map(DaemonMessage.passwordVerdict)
        + [.passwordAdvice(useful: true), .passwordAdvice(useful: false), .done(nil), .done(ticket)]
        + reports.map(DaemonMessage.status)
        + examinations.map(DaemonMessage.examination)
        + [.prints([]), .prints(entries), .prints([entries[0], entries[0]])]
        + [.switches([]), .switches(switches)]
        + [.readers([]), .readers(readers)]
        + keptPrints.map(DaemonMessage.keptPrint)
        + [nil, false, true].map(DaemonMessage.passwordPresence)
        + events.map(DaemonMessage.event)
        + Problem.allCases.map(DaemonMessage.problem)

    /// All of the above as they travel, and the two messages with a password.
    static let everyMessage: [[UInt8]] =
        everyClientMessage.map { $0.encoded() } + everyDaemonMessage.map { $0.encoded() }
        + [false, true].map { ClientMessage.encodePassword(account, secret: secret, wantsTicket: $0) }

    static let readers: [ReaderEntry] =
        absentAndPresent(ReaderChoice.Criterion.lid).map {
            ReaderEntry(
                name: $0 == nil ? "" : "Virtual 지문", driver: "virtual_image", device: $0 == nil ? "" : "0",
                busPath: $0 == nil ? "" : "1-2.3", isBuiltIn: $0 != nil, state: .ready, prints: 2, serves: $0 != nil,
                criterion: $0)
        }
        + ReaderChoice.Criterion.allCases.map {
            ReaderEntry(
                name: "reader", driver: "driver", device: "", busPath: "", isBuiltIn: false, state: .failing, prints: 0,
                serves: false, criterion: $0)
        }

    static let keptPrints: [KeptPrint] = combinations(
        KeptPrint.Standing.allCases, absentAndPresent("사용자"), absentAndPresent(Finger.leftThumb)
    ) {
        KeptPrint(
            reader: $1 ?? "", driver: "goodixmoc", busPath: $1 == nil ? "" : "1-2.3", id: printID, standing: $0,
            accountName: $1,
            finger: $2, enrolled: $2 == nil ? nil : "2026-03-31", isDeleted: $2 != nil)
    }

    static let authentications: [Authenticate] =
        combinations(absentAndPresent("pts/3"), absentAndPresent("host.example"), absentAndPresent("Pay – 결제")) {
            Authenticate(account: account, service: "sudo", tty: $0, remoteHost: $1, reason: $2)
        } + [
            Authenticate(
                account: account, service: "app", policy: .biometricsOrPassword, interaction: false,
                timeout: .seconds(1), tries: 1, fingerOnly: false),
            Authenticate(
                account: account, service: "app", remoteHost: "", timeout: .milliseconds(299_999), tries: 10),
            Authenticate(account: account, service: "polkit-1", agentPID: 1),
            Authenticate(account: account, service: "polkit-1", agentPID: .max),
            Authenticate(account: account, service: "vault", isApp: true, isPermitted: true, reuse: .milliseconds(1)),
            Authenticate(account: account, service: "vault", isApp: true, reuse: .seconds(300)),
        ]

    static let prompts: [Prompt] = combinations(
        [ScanType.press, .swipe], absentAndPresent(Finger.leftLittle), ["", "A reader"]
    ) { Prompt(scan: $0, finger: $1, reader: $2, triesLeft: 3, again: $0 == .swipe) }

    static let waits: [Wait] =
        combinations(
            absentAndPresent(2), absentAndPresent(Duration.milliseconds(1500)),
            [nil, Asker(service: "su", tty: nil, pid: 7), Asker(service: "su", tty: "tty1", pid: .max)]
        ) { Wait(cause: .queued, place: $0, endsIn: $1, other: $2) }
        + Cause.allCases.map { Wait(cause: $0) }

    static let denials: [Denial] = combinations(
        Cause.allCases, absentAndPresent(Duration.seconds(30)), [false, true]
    ) { Denial($0, endsIn: $1, lockoutBegan: $2) }

    static let reports: [StatusReport] =
        combinations(
            absentAndPresent("A reader"), absentAndPresent("driver"), absentAndPresent(Duration.seconds(86_400))
        ) {
            StatusReport(
                daemonVersion: "0.1", readerState: .ready, reader: $0, driver: $1, waiting: 1, prints: 10,
                damagedPrints: 2, gonePrints: $0 == nil ? 0 : 1, mismatches: 19, passwordAge: $2, standings: [])
        }
        + ReaderState.allCases.map {
            StatusReport(
                daemonVersion: "0.1", readerState: $0, reader: nil, driver: nil, waiting: 0, prints: 0,
                damagedPrints: 0, mismatches: 0, passwordAge: nil,
                standings: ServiceClass.allCases.flatMap { one in
                    [
                        .init(one, nil), .init(one, Denial(.passwordFirst)),
                        .init(one, Denial(.lockedOut, endsIn: .seconds(12), lockoutBegan: true)),
                    ]
                })
        }

    static let examinations: [Examination] =
        combinations(
            [nil] + ServiceClass.allCases, [nil, Denial(.lockedOut, endsIn: .seconds(12), lockoutBegan: true)],
            [false, true]
        ) { Examination(serviceClass: $0, denial: $1, origin: .unmanaged, isLidShut: $2, isReaderBuiltIn: !$2) }
        + [Origin.untold, .outside].map {
            Examination(serviceClass: .app, denial: nil, origin: $0, isLidShut: false, isReaderBuiltIn: false)
        }
        + ReaderState.allCases.map {
            Examination(
                serviceClass: .app, denial: nil, origin: .unmanaged, isLidShut: false, isReaderBuiltIn: false,
                readerState: $0)
        }
        + [false, true].map {
            Examination(
                serviceClass: .app, denial: nil, origin: .unmanaged, isLidShut: false, isReaderBuiltIn: false,
                isUnasked: $0, domainState: Array(1...32), isPasswordSet: $0)
        }
        + combinations(["c2", ""], [false, true], [false, true]) { id, isRemote, isActive in
            Session(id: id, isRemote: isRemote, isActive: isActive, isLocked: isRemote != isActive)
        }.map {
            Examination(
                serviceClass: .privilege, denial: nil, origin: .session($0), isLidShut: false, isReaderBuiltIn: true)
        }

    static let entries: [PrintEntry] = [
        PrintEntry(finger: .rightIndex, driver: "driver", device: "0", enrolled: "2026-03-31", damaged: false),
        PrintEntry(finger: .leftThumb, driver: "driver", device: "", enrolled: nil, damaged: true),
        PrintEntry(finger: .leftIndex, driver: "driver", device: "", enrolled: nil, damaged: false, gone: true),
    ]

    static let switches: [SwitchEntry] = Switch.Kind.allCases.flatMap { kind in
        [false, true].map { SwitchEntry(Switch(kind, "금고"), isOn: $0) }
    }

    static let events: [WatchEvent] =
        WatchEvent.Kind.allCases.map { WatchEvent(kind: $0, time: 0) }
        + combinations(absentAndPresent(account), absentAndPresent("sudo"), [nil] + ServiceClass.allCases) {
            WatchEvent(kind: .asked, time: .max, account: $0, service: $1, serviceClass: $2)
        }
        + combinations(
            absentAndPresent(Cause.lockedOut), absentAndPresent("A reader"), absentAndPresent(Finger.leftRing)
        ) { WatchEvent(kind: .denied, time: 1_767_225_600_000, cause: $0, reader: $1, finger: $2) }
        + combinations(
            absentAndPresent("Open failed"), absentAndPresent(Duration.milliseconds(UInt32.max)),
            absentAndPresent(Int(UInt32.max))
        ) { WatchEvent(kind: .readerReady, time: 0, reason: $0, lasted: $1, failures: $2) }
        + Switch.Kind.allCases.map { WatchEvent(kind: .switchedOff, time: 0, service: "sudo", switchKind: $0) }

    private static func absentAndPresent<T>(_ value: T) -> [T?] { [nil, value] }

    private static func combinations<A, B, C, T>(
        _ a: [A], _ b: [B], _ c: [C], _ make: (A, B, C) -> T
    ) -> [T] {
        a.flatMap { one in b.flatMap { two in c.map { make(one, two, $0) } } }
    }
}

/// A message of either side.
enum AnyMessage: Hashable {
    case client(ClientMessage)
    case daemon(DaemonMessage)

    /// Read by the side that the type belongs to.
    init(decoding bytes: [UInt8]) throws {
        let isDaemons = bytes.count > 2 && (64..<128).contains(bytes[2])
        self = isDaemons ? .daemon(try DaemonMessage(decoding: bytes)) : .client(try ClientMessage(decoding: bytes))
    }

    /// As it travels, with the secret that a password stood for in the message it was read from.
    func encoded(from original: [UInt8]) -> [UInt8] {
        switch self {
        case .client(.password(let account, let secret, let wantsTicket)):
            ClientMessage.encodePassword(account, secret: Array(original[secret]), wantsTicket: wantsTicket)
        case .client(let message): message.encoded()
        case .daemon(let message): message.encoded()
        }
    }

    /// Whether what was written from this message is read as the same, and written again as the same bytes.
    func survives(from original: [UInt8]) -> Bool {
        let written = encoded(from: original)
        guard let again = try? AnyMessage(decoding: written) else { return false }
        return again.encoded(from: written) == written && again.withoutSecret == withoutSecret
    }

    /// Where a secret stands differs from message to message.
    var withoutSecret: AnyMessage {
        guard case .client(.password(let account, _, let wantsTicket)) = self else { return self }
        return .client(.password(account, secret: 0..<0, wantsTicket: wantsTicket))
    }
}
