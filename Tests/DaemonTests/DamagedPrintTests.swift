import BioauthClient
import BioauthCore
import BioauthWire
import Foundation
import SyntheticFingers
import TestSupport
import Testing

@Suite("Damaged prints") struct DamagedPrintTests {
    /// What may have become of a print.
    enum Damage: CaseIterable {
        case empty, short, truncated, random, changed, oversized, directory, link, pipe

        func inflict(on path: String, like print: Data) throws {
            var random = SplitMix64(7)
            switch self {
            case .empty: try Data().write(to: URL(filePath: path))
            case .short: try Data("FP".utf8).write(to: URL(filePath: path))
            case .truncated: try print.prefix(print.count / 2).write(to: URL(filePath: path))
            case .random: try Data(random.bytes(print.count)).write(to: URL(filePath: path))
            case .changed:
                var changed = print
                for _ in 0..<40 { changed[random.below(changed.count)] = UInt8(random.below(256)) }
                try changed.write(to: URL(filePath: path))
            case .oversized: try (print + Data(count: 1 << 20)).write(to: URL(filePath: path))
            case .directory: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            case .link:
                let target = (path as NSString).deletingLastPathComponent + "/right-index"
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
            case .pipe: #expect(mkfifo(path, 0o600) == 0)
            }
        }
    }

    @Test("A damaged print costs that print alone, and is told", arguments: Damage.allCases)
    func beside(_ damage: Damage) throws {
        let daemon = try DaemonUnderTest.enrolled()
        let good = try Data(contentsOf: URL(filePath: daemon.print(.rightIndex)))
        try damage.inflict(on: daemon.print(.leftThumb), like: good)

        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
        guard case .prints(let prints) = try daemon.ask(.list(DaemonUnderTest.account)) else {
            throw DaemonUnderTest.Unexpected()
        }
        #expect(Dictionary(prints.map { ($0.finger, $0.damaged) }) { $1 } == [.leftThumb: true, .rightIndex: false])
        let report = try daemon.status()
        #expect(report.prints == 1)
        #expect(report.damagedPrints == 1)

        let isGone = try daemon.ask(.delete(DaemonUnderTest.account, .leftThumb, nil)) == .done(nil)
        #expect(isGone == (damage != .directory))
        #expect(try daemon.verdict(touches: [1]) == .allowed(.rightIndex))
    }

    @Test("Where all prints are damaged there is none to show a finger for, and no touch counts")
    func alone() throws {
        let daemon = try DaemonUnderTest.enrolled()
        let good = try Data(contentsOf: URL(filePath: daemon.print(.rightIndex)))
        try Damage.truncated.inflict(on: daemon.print(.rightIndex), like: good)
        #expect(try daemon.denial() == .notEnrolled)
        try FileManager.default.removeItem(atPath: daemon.print(.rightIndex))
        try Damage.directory.inflict(on: daemon.print(.rightIndex), like: good)
        #expect(try daemon.denial() == .notEnrolled)
        #expect(try daemon.status().mismatches == 0)
    }

    @Test("A damaged print of another account keeps nobody from enrolling")
    func ofAnother() throws {
        let other = Account(uid: 4242, name: "other")
        let daemon = try DaemonUnderTest.enrolled()
        let good = try Data(contentsOf: URL(filePath: daemon.print(.rightIndex)))
        let path = daemon.print(.leftIndex, of: other)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Damage.random.inflict(on: path, like: good)
        #expect(try daemon.enroll(.leftIndex, synthetic: 2) == .done(nil))
        #expect(try daemon.enroll(other, .rightIndex, synthetic: 3) == .done(nil))
        #expect(try daemon.status(of: other).damagedPrints == 1)
    }
}
