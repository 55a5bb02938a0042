import BioauthCore
import BioauthSystem

/// The command line: finds the subcommand, parses its options, runs it, and tells a failure.
enum CommandLineProgram {
    private static let name = "bioauthctl"

    static func run(_ arguments: [String]) -> ExitCode {
        do {
            guard let at = subcommandIndex(arguments),
                let subcommand = Subcommand.all.first(where: { $0.name == arguments[at] })
            else { return try general(arguments) }
            var rest = arguments
            rest.remove(at: at)
            return try run(subcommand, rest)
        } catch {
            Output(json: arguments.contains("--json")).fail(error)
            return error.exit
        }
    }

    /// Where the subcommand stands: options may stand before it and after it.
    private static func subcommandIndex(_ arguments: [String]) -> Int? {
        let takingValue: Set = ["--socket", "--user", "--finger", "--reader", "--service", "--root"]
        return arguments.indices.first { at in
            !arguments[at].hasPrefix("-") && (at == 0 || !takingValue.contains(arguments[at - 1]))
        }
    }

    private static func run(_ subcommand: Subcommand, _ arguments: [String]) throws(Failure) -> ExitCode {
        var details = ""
        if subcommand.takesAccount {
            details = tr("Without --user it is about the account that runs the command: under sudo that is root.")
        }
        let options = try parse(
            arguments, subcommand.allOptions, usage: [subcommand.name, subcommand.arguments].filter { !$0.isEmpty },
            summary: subcommand.summary, details: details)
        let expected = subcommand.arguments.isEmpty ? 0 : 1
        if options.arguments.count > expected {
            throw Failure(usage: tr("Too many arguments: %1").filled(options.arguments[expected]))
        }
        return try subcommand.run(Invocation(options))
    }

    /// `--help` and `--version`, and what is no subcommand.
    private static func general(_ arguments: [String]) throws(Failure) -> ExitCode {
        let width = Subcommand.all.map(\.name.count).max() ?? 0
        let lines = Subcommand.all.map { subcommand in
            "  " + subcommand.name + String(repeating: " ", count: width - subcommand.name.count + 2)
                + subcommand.summary
        }
        let codes = ExitCode.allCases.map { "  \($0.rawValue)  \($0.meaning)" }
        let details = [
            tr("Subcommands:"), lines.joined(separator: "\n"), "",
            tr("Their options: bioauthctl SUBCOMMAND --help"), "",
            tr("Exit codes:"), codes.joined(separator: "\n"),
        ].joined(separator: "\n")
        let options = try parse(
            arguments, [.init("version", .flag, help: tr("Show the version"))], usage: ["SUBCOMMAND"],
            summary: tr("Enroll fingers, and see what the fingerprint daemon does."), details: details)
        if options.has("version") {
            Output(json: false).note("\(name) \(Release.version)")
            return .yes
        }
        guard let unknown = options.arguments.first else { throw Failure(usage: tr("A subcommand is missing.")) }
        throw Failure(usage: tr("There is no subcommand %1.").filled(unknown))
    }

    private static func parse(
        _ arguments: [String], _ options: [CommandLineOptions.Option], usage: [String], summary: String, details: String
    ) throws(Failure) -> CommandLineOptions {
        do {
            return try CommandLineOptions(
                arguments, program: name, options: options, usage: usage.joined(separator: " "), summary: summary,
                details: details, domain: Words.domain)
        } catch {
            throw Failure(usage: error.message)
        }
    }
}
