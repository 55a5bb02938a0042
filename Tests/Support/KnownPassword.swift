/// A password that accounts of tests have.
public enum KnownPassword {
    public static let text = "correct-horse-battery-staple-0815"
    /// What crypt(3) makes of it.
    public static let crypted =
        "$6$rounds=1000$bioauthpassword1$"
        + "LaF/A7yrOrDjYPPKWoCj9iGj9wSeYYq2w4/O/H/BpPqxfQF747qXMByZK5EkikmNEkiitCbuLWCJORfhVdNUX0"
}
