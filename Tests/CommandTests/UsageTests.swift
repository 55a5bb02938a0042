import Foundation
import TestSupport
import Testing

@Suite("The command line") struct UsageTests {
    @Test(
        "What is wrong is told on standard error, and ends with 2",
        arguments: [
            [], ["frobnicate"], ["--frobnicate"], ["status", "--frobnicate"], ["status", "extra"],
            ["enroll", "--finger", "toe"], ["enroll", "--finger"], ["delete"],
            ["delete", "--all", "--finger", "left-thumb"], ["status", "--user", "no such account"],
            ["check-config", "one", "two"], ["watch", "--user", "root"], ["check-config", "--socket", "/x"],
            ["enable"], ["disable", ""], ["enable", "one", "two"], ["enable", "--app", "--app-lock", "x"],
            ["disable", String(repeating: "x", count: 257)], ["disable", "a\u{7}b"],
        ])
    func wrong(arguments: [String]) throws {
        let program = try Command().start(arguments)
        #expect(try program.wait() == 2)
        #expect(program.output == "")
        #expect(program.errors.hasPrefix("bioauthctl: "))
        let json = try Command().start(arguments + ["--json"])
        #expect(try json.wait() == 2)
        #expect(json.output == #"{"error":{"cause":"usage","ends_in":null}}"# + "\n")
    }

    @Test("Help and version go to standard output", arguments: [["--help"], ["enroll", "--help"], ["--version"]])
    func help(arguments: [String]) throws {
        let program = try Command().start(arguments)
        #expect(try program.wait() == 0)
        #expect(program.output.contains("bioauthctl"))
        #expect(program.errors == "")
    }

    @Test("Options may stand before the subcommand")
    func optionsFirst() throws {
        let result = try Command().run("--socket", "/nonexistent/socket", "--json", "--user=root", "list")
        #expect(result.status == 3)
        #expect(try result.json["error"] != nil)
    }

    @Test("check-config: a sound file, one with errors, one that isn't there")
    func checkConfig() throws {
        let directory = TemporaryDirectory()
        let file = try directory.write("[services]\nmy-locker=lock\n", to: "bioauthd.conf")
        let sound = try Command().run("check-config", file, "--json")
        #expect(sound.status == 0)
        #expect(sound.output == #"{"file":"\#(file)","valid":true,"problems":[]}"# + "\n")

        let more = try directory.write(
            "[lockout]\ndelay-seconds=-1\n\n[nonsense]\nkey=1\n", to: "bioauthd.conf.d/50-local.conf")
        let wrong = try Command().run("check-config", file)
        #expect(wrong.status == 1)
        let lines = wrong.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.contains { $0.hasPrefix("\(more):2: ") && $0.contains("delay-seconds") })
        #expect(lines.contains { $0.hasPrefix("\(more):4: ") && $0.contains("nonsense") })
        let problems = try #require(
            try Command().run("check-config", "--json", file).json["problems"] as? [[String: Any]])
        #expect(problems.compactMap { $0["line"] as? Int }.sorted() == [2, 4])
        #expect(problems.allSatisfy { $0["file"] as? String == more && $0["message"] is String })

        #expect(try Command().run("check-config", directory.file("nothing.conf")).status == 1)
    }

    @Test("Korean help names the same subcommands and options")
    func koreanHelp() throws {
        let korean = Command(environment: try Korean.environment())
        for arguments in [["--help"], ["delete", "--help"]] {
            func options(_ command: Command) throws -> [String] {
                let program = try command.start(arguments)
                try program.wait()
                return program.output.split(separator: "\n").compactMap { line in
                    line.hasPrefix("  ") ? line.split(separator: " ").first { $0 != "-h," }.map(String.init) : nil
                }
            }
            #expect(try options(korean) == options(Command()))
        }
        #expect(try korean.run("--help").output.contains("하위 명령"))
    }
}
