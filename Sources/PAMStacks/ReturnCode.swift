/// What a PAM module may return, by Linux-PAM's numbers.
public enum ReturnCode: Int, CaseIterable, Sendable {
    case success, openError, symbolError, serviceError, systemError, bufferError, permissionDenied, authError
    case credentialInsufficient, authInfoUnavailable, userUnknown, maxTries, newAuthTokenRequired, accountExpired
    case sessionError, credentialUnavailable, credentialExpired, credentialError, noModuleData, conversationError
    case authTokenError, authTokenRecoveryError, authTokenLockBusy, authTokenDisableAging, tryAgain, ignore, abort
    case authTokenExpired, moduleUnknown, badItem, conversationAgain, incomplete

    /// What a line that can't be carried out returns.
    static let mustFail = ReturnCode.permissionDenied

    /// The code that a control names so, if it names one.
    init?(name: some StringProtocol) {
        guard let number = ReturnCode.names.firstIndex(where: { $0 == name }) else { return nil }
        self.init(rawValue: number)
    }

    /// As controls spell them: `[success=done …]`.
    public var name: String { ReturnCode.names[rawValue] }

    private static let names = [
        "success", "open_err", "symbol_err", "service_err", "system_err", "buf_err", "perm_denied", "auth_err",
        "cred_insufficient", "authinfo_unavail", "user_unknown", "maxtries", "new_authtok_reqd", "acct_expired",
        "session_err", "cred_unavail", "cred_expired", "cred_err", "no_module_data", "conv_err", "authtok_err",
        "authtok_recover_err", "authtok_lock_busy", "authtok_disable_aging", "try_again", "ignore", "abort",
        "authtok_expired", "module_unknown", "bad_item", "conv_again", "incomplete",
    ]
}
