import BioauthSystem

/// One subcommand: what `--help` says of it, what it takes, and what it does.
struct Subcommand {
    let name: String
    let summary: String
    /// What else stands in the manual's synopsis: `[FILE]`.
    var arguments = ""
    /// Whether it talks to the daemon, and whether about an account.
    var takesSocket = true
    var takesAccount = true
    var options: [CommandLineOptions.Option] = []
    let run: (Invocation) throws(Failure) -> ExitCode

    static var all: [Subcommand] {
        [
            setup, doctor, status, readers, enroll, list, delete, verify, enable, disable, unlock, storage, watch,
            checkConfig,
        ]
    }

    var allOptions: [CommandLineOptions.Option] {
        var all = options
        if takesAccount { all.append(.init("user", .text("NAME"), help: tr("The account, instead of your own"))) }
        if takesSocket { all.append(.init("socket", .text("PATH"), help: tr("The daemon's socket"))) }
        all.append(.init("json", .flag, help: tr("Answer in JSON")))
        return all
    }
}
