import BioauthCore
import BioauthSystem

extension Subcommand {
    static var unlock: Subcommand {
        Subcommand(name: "unlock", summary: tr("Clear an account's lockout (root)")) { invocation throws(Failure) in
            let account = try invocation.account()
            switch try invocation.ask(.unlock(account)) {
            case .done:
                invocation.output.answer(
                    tr("The lockout of %1 is cleared. Where the password was wanted first, it still is.").filled(
                        account.name),
                    .object(["account": account.json, "unlocked": .flag(true)]))
                return .yes
            case .refused(let denial): throw Failure(denial)
            default: throw Failure(Denial(.protocolError))
            }
        }
    }
}
