import BioauthCore
import Foundation
import SyntheticFingers
import Testing

/// The built `bioauth-finger`.
@Suite(.serialized) @MainActor struct CommandTests {
    private nonisolated struct Outcome: Sendable {
        var status: Int32
        var output: Data
        var complaint: String
    }

    private nonisolated func run(_ arguments: String...) throws -> Outcome { try run(arguments) }

    private nonisolated func run(_ arguments: [String]) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "bioauth-finger")
        process.arguments = arguments
        let output = Pipe()
        let complaints = Pipe()
        process.standardOutput = output
        process.standardError = complaints
        try process.run()
        // A complaint is shorter than a pipe, so reading one after the other can't get stuck.
        let written = try output.fileHandleForReading.readToEnd() ?? Data()
        let complaint = try complaints.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: written,
            complaint: String(decoding: complaint, as: UTF8.self))
    }

    @Test func `An image is the one the library makes`() throws {
        let outcome = try run("image", "--finger", "3", "--impression=6")
        #expect(outcome.status == 0 && outcome.complaint.isEmpty)
        #expect(Array(outcome.output) == SyntheticFinger(number: 3).impression(6).portableGreymap)
    }

    @Test func `Without a number each impression is a new one`() throws {
        #expect(try run("image", "--finger", "3").output != run("image", "--finger", "3").output)
    }

    @Test func `Fingers put on the reader by command are compared`() throws {
        let reader = try LiveReader()
        try reader.open()
        let prints = [try reader.enroll(SyntheticFinger(number: 2))]
        let socket = reader.socketPath
        for (finger, shown) in [("2", Identification.matched(index: 0)), ("3", .noMatch)] {
            let scan = reader.arm(prints)
            let touch = Background { try run("press", "--reader", socket, "--finger", finger, "--impression", "5") }
            #expect(try touch.value().status == 0)
            try turn { scan.shown != nil }
            #expect(scan.shown == shown)
            #expect(scan.done == nil)
            #expect(try Background { try run("lift", "--reader", socket) }.value().status == 0)
            try turn { scan.done != nil }
        }
        let scan = reader.arm(prints)
        #expect(try Background { try run("retry", "1", "--reader", socket) }.value().status == 0)
        try turn { scan.done != nil }
        #expect(scan.shown == .retry(.tooShort))
        try reader.close()
    }

    @Test func `A reader that isn't there is status 3`() throws {
        let outcome = try run("touch", "--reader", "/dev/null/reader", "--finger", "0")
        #expect(outcome.status == 3)
        #expect(outcome.complaint == "bioauth-finger: Not a directory\n")
        #expect(try run("unplug", "--reader", "/tmp/no-such-reader", "--timeout", "0").status == 3)
    }

    @Test(arguments: [
        [], ["wave"], ["touch"], ["touch", "--reader", "/r"], ["touch", "--finger", "0"], ["lift", "--finger", "0"],
        ["lift", "--reader", "/r", "--finger", "0"], ["retry", "--reader", "/r"], ["retry", "x", "--reader", "/r"],
        ["error", "-1", "--reader", "/r"], ["lift", "now", "--reader", "/r"], ["lift", "--reader"],
        ["image", "--finger", "-1"], ["image", "--finger", "1e3"], ["image", "--finger", "0", "--finger", "0"],
        ["image", "--finger", "0", "--reader", "/r"], ["image", "--finger", "0", "-v"],
    ])
    func `A wrong command line is status 2, and does nothing`(arguments: [String]) throws {
        let outcome = try run(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.complaint.hasPrefix("bioauth-finger: ") && outcome.complaint.count { $0 == "\n" } == 1)
    }

    @Test func `Help goes to the output`() throws {
        let outcome = try run("touch", "--help")
        #expect(outcome.status == 0 && outcome.complaint.isEmpty)
        #expect(String(decoding: outcome.output, as: UTF8.self).hasPrefix("usage: bioauth-finger touch"))
    }
}
