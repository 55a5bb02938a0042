import BioauthSystem

extension Subcommand {
    static var checkConfig: Subcommand {
        Subcommand(
            name: "check-config", summary: tr("Check the configuration as the daemon would read it"),
            arguments: "[FILE]", takesSocket: false, takesAccount: false
        ) { invocation throws(Failure) in
            .cannotTell
        }
    }
}
