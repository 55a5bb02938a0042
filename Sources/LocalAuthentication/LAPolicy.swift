/// What has to be shown for somebody to be let in.
public enum LAPolicy: Int, Sendable {
    /// One of the person's own fingers.
    case deviceOwnerAuthenticationWithBiometrics = 1
    /// One of the person's own fingers, or the account's password.
    case deviceOwnerAuthentication = 2
}
