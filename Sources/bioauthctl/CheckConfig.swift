import BioauthDaemon
import BioauthSystem

extension Subcommand {
    static var checkConfig: Subcommand {
        Subcommand(
            name: "check-config", summary: tr("Check the configuration as the daemon would read it"),
            arguments: "[FILE]", takesSocket: false, takesAccount: false
        ) { invocation throws(Failure) in
            let named = invocation.options.arguments.first
            let file = named ?? Configuration.systemFile
            let problems = problems(of: file, mustExist: named != nil)
            invocation.output.answer(
                problems.isEmpty
                    ? tr("%1: no errors").filled(file) : problems.map(\.description).joined(separator: "\n"),
                .object([
                    "file": .text(file), "valid": .flag(problems.isEmpty),
                    "problems": .list(problems.map(\.json)),
                ]))
            return problems.isEmpty ? .yes : .no
        }
    }

    private static func problems(of file: String, mustExist: Bool) -> [ConfigurationError.Problem] {
        do {
            _ = try Configuration.load(file, mustExist: mustExist)
            return []
        } catch {
            return error.problems
        }
    }
}

extension ConfigurationError.Problem {
    fileprivate var json: JSON {
        .object([
            "file": .text(file), "line": line.map { .number(Int64($0)) } ?? .null, "message": .text(message),
        ])
    }
}
