import BioauthCore
import BioauthWire
import Foundation
import TestSupport
import Testing

/// What a person and a program hear of each cause, from the program itself: a daemon refuses with one after the other.
@Suite("Causes") struct CauseTests {
    /// The names are in scripts by now.
    static let names: [Cause: String] = [
        .mismatchesUsedUp: "mismatchesUsedUp", .personCancelled: "personCancelled",
        .personChosePassword: "personChosePassword", .appWithdrew: "appWithdrew", .timedOut: "timedOut",
        .preempted: "preempted", .suspended: "suspended", .contended: "contended", .daemonStopping: "daemonStopping",
        .queued: "queued", .resting: "resting", .noReader: "noReader", .readerFailed: "readerFailed",
        .readerUnplugged: "readerUnplugged", .readerHot: "readerHot", .readerBusy: "readerBusy",
        .readerOpening: "readerOpening",
        .remoteSession: "remoteSession", .lidClosed: "lidClosed", .sessionInactive: "sessionInactive",
        .sessionLocked: "sessionLocked", .backgroundProcess: "backgroundProcess", .serviceDisabled: "serviceDisabled",
        .notPermitted: "notPermitted", .interactionForbidden: "interactionForbidden", .nobodyToAsk: "nobodyToAsk",
        .unknownUser: "unknownUser", .notEnrolled: "notEnrolled", .noPassword: "noPassword", .lockedOut: "lockedOut",
        .passwordNeeded: "passwordNeeded", .passwordFirst: "passwordFirst", .passwordTooOld: "passwordTooOld",
        .passwordNeverGiven: "passwordNeverGiven", .clockWentBack: "clockWentBack", .stateDamaged: "stateDamaged",
        .stateNotWritable: "stateNotWritable", .protocolError: "protocolError", .tooManyRequests: "tooManyRequests",
        .noDaemon: "noDaemon", .printExists: "printExists", .duplicatePrint: "duplicatePrint",
        .duplicateOfAnotherAccount: "duplicateOfAnotherAccount", .noSuchPrint: "noSuchPrint",
        .storageFailed: "storageFailed", .enrollmentFailed: "enrollmentFailed",
        .readerCannotEnroll: "readerCannotEnroll", .freshPasswordNeeded: "freshPasswordNeeded",
        .passwordWrong: "passwordWrong", .passwordDelayed: "passwordDelayed",
        .passwordUnavailable: "passwordUnavailable", .sessionUnknown: "sessionUnknown",
        .permissionUnasked: "permissionUnasked", .tooManySwitches: "tooManySwitches", .printGone: "printGone",
        .readerFull: "readerFull", .duplicateOnReader: "duplicateOnReader",
    ]

    /// No answer, where a "no" would say too much.
    static let cannotTell: Set<Cause> = [
        .noReader, .readerFailed, .readerUnplugged, .readerHot, .readerBusy, .readerOpening, .daemonStopping,
        .protocolError,
        .tooManyRequests, .noDaemon, .passwordUnavailable,
    ]

    @Test("Each has its name in JSON, its exit code, and a sentence of its own in English and Korean")
    func all() throws {
        #expect(CauseTests.names.count == Cause.allCases.count)
        let queue = Queue(Cause.allCases.flatMap { [$0, $0] })
        let daemon = try ScriptedDaemon { peer in
            guard case .unlock = try peer.receive() else { return }
            try peer.send(.refused(Denial(queue.next(), endsIn: .milliseconds(29_300))))
            _ = try? peer.receive()
        }
        let english = Command(socketPath: daemon.path)
        let korean = Command(socketPath: daemon.path, environment: try Korean.environment())
        var sentences: Set<String> = []
        for cause in Cause.allCases {
            let inEnglish = try english.run("unlock", "--json")
            let error = try #require(try inEnglish.json["error"] as? [String: Any])
            #expect(error["cause"] as? String == CauseTests.names[cause])
            #expect(error["ends_in"] as? Double == 29.3)
            #expect(inEnglish.status == (CauseTests.cannotTell.contains(cause) ? 3 : 1), "\(cause)")
            let inKorean = try korean.run("unlock")
            for (text, timeLeft) in [(inEnglish.errors, "Time left: 30 seconds."), (inKorean.errors, "남은 시간: 30초.")] {
                let lines = text.split(separator: "\n")
                #expect(lines.count == 2 && lines[0].hasPrefix("bioauthctl: "), "\(text)")
                #expect(lines.last?.hasPrefix(timeLeft) == true, "\(text)")
                #expect(sentences.insert(String(lines[0])).inserted, "said before: \(text)")
            }
            #expect(inKorean.errors.contains { "가" <= $0 && $0 <= "힣" })
        }
    }

    /// Hands out one value after the other.
    private final class Queue: @unchecked Sendable {
        // Only the scripted daemon's one thread takes from it.
        private var left: ArraySlice<Cause>
        init(_ causes: [Cause]) { left = causes[...] }
        func next() -> Cause { left.popFirst() ?? .protocolError }
    }
}

/// The translation, compiled anew. No Korean locale has to be installed: gettext goes by LANGUAGE in every locale but "C".
enum Korean {
    private static let directory: TemporaryDirectory? = {
        let directory = TemporaryDirectory()
        let messages = directory.file("ko/LC_MESSAGES")
        try? FileManager.default.createDirectory(atPath: messages, withIntermediateDirectories: true)
        let compiled = try? RunningProgram.run(
            "/usr/bin/msgfmt", ["--check", "-o", "\(messages)/bioauthd.mo", "\(Built.package)/po/ko.po"])
        return compiled?.status == 0 ? directory : nil
    }()

    static func environment() throws -> [String: String] {
        ["BIOAUTH_LOCALEDIR": try #require(directory?.path, "msgfmt is of gettext"), "LANGUAGE": "ko"]
    }
}
