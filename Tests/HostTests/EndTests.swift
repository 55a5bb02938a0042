import BioauthCore
import Foundation
import TestSupport
import Testing

/// Whatever ends a host at its own question for the password ends it just so at ours.
@Suite(.enabled(if: isRoot, "mounts, and programs that change their user, take root"))
struct EndTests {
    /// What a person, or somebody else, does to a host that asks.
    enum Interruption: String, CaseIterable, CustomStringConvertible {
        case interruptKey = "^C"
        case quitKey = "^\\"
        case endKey = "^D"
        case stopKey = "^Z"
        case hangup = "the terminal is gone"
        case interrupt = "SIGINT"
        case termination = "SIGTERM"
        case stop = "SIGTSTP"

        /// Those that end a host.
        static let ends: [Interruption] = [.interruptKey, .quitKey, .endKey, .hangup, .interrupt, .termination]

        var description: String { rawValue }

        func befall(_ program: InteractiveProgram) {
            switch self {
            case .interruptKey: program.type("\u{3}")
            case .quitKey: program.type("\u{1C}")
            case .endKey: program.type("\u{4}")
            case .stopKey: program.type("\u{1A}")
            case .hangup: program.hangUp()
            case .interrupt: program.send(SIGINT)
            case .termination: program.send(SIGTERM)
            case .stop: program.send(SIGTSTP)
            }
        }
    }

    /// How a host ended.
    struct End {
        var status: Int32
        /// The last line that it wrote after its question.
        var lastWords: String?

        init(of program: InteractiveProgram, after interruption: Interruption) throws {
            let shown = program.output.utf8.count
            interruption.befall(program)
            status = try program.wait()
            lastWords = program.output.utf8.dropFirst(shown).split(separator: UInt8(ascii: "\n")).map {
                String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            }.last { !$0.isEmpty }
        }
    }

    /// Each host, with whatever ends it.
    static let ends = TerminalHost.all.flatMap { host in
        Interruption.ends.filter { !host.goesOn(after: $0) }.map { (host, $0) }
    }

    @Test(arguments: ends)
    func `as without us`(host: TerminalHost, interruption: Interruption) throws {
        let plain = try host.start(on: Machine(hasDaemon: false))
        try host.expectQuestion(plain)
        let machine = try Machine()
        let ours = try host.start(on: machine)
        try ours.expectFingerPrompt()
        try ours.expect(": ")
        var expected = try End(of: plain, after: interruption)
        // A read that gave nothing is this to Linux-PAM, and su says what PAM says. (sudo says it too, before its own.)
        if host.description == "su" && interruption == .endKey { expected.lastWords = "su: Conversation error" }
        let end = try End(of: ours, after: interruption)
        #expect(end.status == expected.status)
        #expect(end.lastWords == expected.lastWords)
        #expect(try machine.passwordTurns() == 0)
        // su and login, ended at their own question, leave a terminal that shows nothing. Ours is as it was before.
        if ours.terminal >= 0 { #expect(ours.terminalSettings == (try Machine.freshTerminal.get())) }
    }

    @Test(arguments: [true, false])
    func `login asks for another name at ^D`(hasDaemon: Bool) throws {
        let login = try TerminalHost.login.start(on: Machine(hasDaemon: hasDaemon))
        if hasDaemon { try login.expectFingerPrompt() }
        try login.expect(": ")
        login.type("\u{4}")
        try login.expect("Login incorrect")
        try login.expect("login: ")
    }

    /// vlock ignores what a key or a program sends to stop or end it.
    @Test(arguments: [Interruption.interruptKey, .quitKey, .stopKey, .interrupt, .stop])
    func `vlock asks on`(interruption: Interruption) throws {
        let machine = try Machine()
        let vlock = try TerminalHost.vlock.start(on: machine)
        try vlock.expectFingerPrompt()
        try vlock.expect(": ")
        interruption.befall(vlock)
        try machine.daemon.touch(1)
        #expect(try TerminalHost.vlock.expectWelcome(vlock))
        #expect(!vlock.output.contains("root's"))
    }
}

extension TerminalHost {
    fileprivate func goesOn(after interruption: EndTests.Interruption) -> Bool {
        switch description {
        case "login": interruption == .endKey
        case "vlock": interruption != .termination && interruption != .hangup
        default: false
        }
    }
}
