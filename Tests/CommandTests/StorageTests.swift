import BioauthCore
import Foundation
import TestSupport
import Testing

/// `storage`, with a reader that keeps prints, and what else is told of such prints.
@Suite("Storage") struct StorageTests {
    private let name = DaemonUnderTest.account.name
    private static let reader = "Virtual device with storage and identification for debugging (virtual_device_storage)"

    @Test("What a reader keeps is listed, and cleared when it is asked for")
    func clearing() throws {
        let desk = try KeepingDesk()
        let command = Command(socketPath: desk.daemon.socketPath)
        #expect(try command.run("storage").output == "No reader keeps any print.\n")
        #expect(try desk.enroll(.rightIndex, "right") == .done(nil))
        try desk.person.insert("stranger")
        let shown = try command.run("storage").output.components(separatedBy: "\n")
        #expect(shown.count == 5)
        #expect(shown[0] == StorageTests.reader)
        // This reader tells nothing of whose its prints are.
        #expect(shown[1].hasPrefix("  \(name)  right-index  ") && shown[1].hasSuffix(": enrolled"))
        #expect(shown[2] == "  doesn't say whose it is: nobody here has it")
        #expect(shown[3] == "Clear what nobody here has with: sudo bioauthctl storage --clear")
        let cleared = try command.run("storage", "--clear", "--yes").output.components(separatedBy: "\n")
        #expect(cleared[..<2] == shown[..<2])
        #expect(cleared[2...] == ["  doesn't say whose it is: deleted from the reader", ""])
        #expect(try command.run("storage", "--clear").output.hasSuffix("There is nothing to clear.\n"))
        let prints = try #require(try command.run("storage", "--json").json["prints"] as? [[String: Any]])
        #expect(prints.map { $0["standing"] as? String } == ["known"])
        #expect(prints.map { $0["deleted"] as? Bool } == [false])
    }

    @Test("A name that another system wrote on the reader is shown with what it hides")
    func hiding() throws {
        let desk = try KeepingDesk()
        // As libfprint writes whose a print is.
        try desk.person.insert("FP1-20260331-7-01234567-\u{202E}toor\u{2028}")
        #expect(
            try Command(socketPath: desk.daemon.socketPath).run("storage").output.components(separatedBy: "\n")[1]
                == #"  \u{202E}toor\u{2028}  right-index  2026-03-31: nobody here has it"#)
    }

    @Test("On a terminal it is shown what would go, and nothing goes without a yes")
    func asking() throws {
        let desk = try KeepingDesk()
        try desk.person.insert("stranger")
        let program = try Command(socketPath: desk.daemon.socketPath).start(["storage", "--clear"], onTerminal: true)
        try program.expect("nobody here has it")
        try program.expect("Another system on this machine may use them. Delete them from the reader? [y/N] ")
        program.type("n\n")
        try program.expect("Nothing was deleted.")
        #expect(try program.wait() == 1)
        #expect(try desk.standings() == [.leftover])
    }

    @Test("Without such a reader it says so")
    func none() throws {
        let daemon = try DaemonUnderTest()
        let result = try Command(socketPath: daemon.socketPath).run("storage")
        #expect(result.status == 3)
        #expect(result.errors.contains("No reader that keeps prints itself is plugged in."))
        for (name, words) in [
            ("nosuch", "No reader called nosuch is plugged in."), ("", "The name of a reader is missing."),
        ] {
            #expect(try Command(socketPath: daemon.socketPath).run("storage", "--reader", name).errors.contains(words))
        }
    }

    @Test("A print that the reader has lost is told of by list, status, verify and doctor")
    func lost() throws {
        let directory = TemporaryDirectory()
        let before = try KeepingDesk(in: directory)
        #expect(try before.enroll(.rightIndex, "right") == .done(nil))
        try before.daemon.stop()
        let desk = try KeepingDesk(in: directory)
        let command = Command(socketPath: desk.daemon.socketPath)
        #expect(try command.run("storage").output.contains("\(name)  right-index  "))
        #expect(try command.run("list").output.hasSuffix("  no longer on the reader: enroll anew\n"))
        #expect(
            try command.run("status").output.contains("Prints that the reader has lost: 1 (see: bioauthctl list)\n"))
        let verified = try command.run("verify")
        #expect(verified.output.contains("The reader no longer keeps the account's prints."))
        #expect(try command.run("doctor").output.contains("no longer keeps the print of the right index finger"))
    }
}
