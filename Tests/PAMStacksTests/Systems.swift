import PAMStacks

/// Service files with the shape that systems give them: what matters here is how their `auth` lines hang together.
struct TestSystem: CustomStringConvertible {
    let description: String
    let texts: [String: String]

    var files: ServiceFiles { texts.mapValues { ServiceFile(Array($0.utf8)) } }

    static let all = [debian, debianWithDirectory, fedora, fedoraWithDirectory, arch, suse]

    private static let debianServices = [
        "sudo": """
        #%PAM-1.0

        # Set up user limits from /etc/security/limits.conf.
        session    required   pam_limits.so

        @include common-auth
        @include common-account
        @include common-session-noninteractive

        """,
        "sudo-i": "#%PAM-1.0\n@include common-auth\n@include common-account\n@include common-session\n",
        "su": """
        # This allows root to su without passwords (normal operation)
        auth       sufficient pam_rootok.so

        # auth       required   pam_wheel.so
        session       required   pam_env.so readenv=1

        # The standard Unix authentication modules
        @include common-auth
        @include common-account
        @include common-session


        """,
        "su-l":
            "#%PAM-1.0\nauth\t\tinclude\t\tsu\naccount\t\tinclude\t\tsu\nsession\t\toptional\tpam_keyinit.so force\n",
        "login": """
        auth       optional   pam_faildelay.so  delay=3000000
        auth       requisite  pam_nologin.so
        session [success=ok ignore=ignore module_unknown=ignore default=bad] pam_selinux.so close
        @include common-auth
        auth       optional   pam_group.so
        session    required   pam_limits.so
        @include common-account
        @include common-session
        @include common-password

        """,
        "polkit-1": "@include common-auth\n@include common-account\n@include common-password\n",
        "swaylock": "auth include login\n",
        "lightdm": """
        #%PAM-1.0
        auth      requisite pam_nologin.so
        auth      sufficient pam_succeed_if.so user ingroup nopasswdlogin
        @include common-auth
        -auth  optional pam_gnome_keyring.so
        @include common-account

        """,
        "sshd": "@include common-auth\naccount required pam_nologin.so\n@include common-account\n",
        "other": "@include common-auth\n@include common-account\n",
        "common-account": "account required pam_permit.so\n", "common-session": "session required pam_permit.so\n",
        "common-session-noninteractive": "session required pam_permit.so\n",
        "common-password": "password required pam_permit.so\n",
    ]

    static let debian = TestSystem(
        description: "Debian",
        texts: debianServices.merging([
            "common-auth": """
            # here are the per-package modules (the "Primary" block)
            auth\t[success=1 default=ignore]\tpam_unix.so nullok
            # here's the fallback if no module succeeds
            auth\trequisite\t\t\tpam_deny.so
            auth\trequired\t\t\tpam_permit.so
            # and here are more per-package modules (the "Additional" block)
            auth\toptional\t\t\tpam_cap.so
            # end of pam-auth-update config

            """
        ]) { $1 })

    static let debianWithDirectory = TestSystem(
        description: "Ubuntu with SSSD",
        texts: debianServices.merging([
            "common-auth": """
            auth\t[success=2 default=ignore]\tpam_unix.so nullok
            auth\t[success=1 default=ignore]\tpam_sss.so use_first_pass
            auth\trequisite\t\t\tpam_deny.so
            auth\trequired\t\t\tpam_permit.so
            auth\toptional\t\t\tpam_cap.so

            """
        ]) { $1 })

    private static let fedoraServices = [
        "sudo": """
        #%PAM-1.0
        auth       include      system-auth
        account    include      system-auth
        password   include      system-auth
        session    optional     pam_keyinit.so revoke
        session    include      system-auth

        """,
        "sudo-i":
            "#%PAM-1.0\nauth       include      sudo\naccount    include      sudo\nsession    include      sudo\n",
        "su": """
        #%PAM-1.0
        auth\t\trequired\tpam_env.so
        auth\t\tsufficient\tpam_rootok.so
        # Uncomment the following line to require a user to be in the "wheel" group.
        #auth\t\trequired\tpam_wheel.so use_uid
        auth\t\tsubstack\tsystem-auth
        auth\t\tinclude\t\tpostlogin
        account\t\tsufficient\tpam_succeed_if.so uid = 0 use_uid quiet
        account\t\tinclude\t\tsystem-auth

        """,
        "su-l": "#%PAM-1.0\nauth\t\tinclude\t\tsu\naccount\t\tinclude\t\tsu\n",
        "login": """
        #%PAM-1.0
        auth       substack     system-auth
        auth       include      postlogin
        account    required     pam_nologin.so
        account    include      system-auth

        """,
        "polkit-1": "#%PAM-1.0\n\nauth       include      system-auth\naccount    include      system-auth\n",
        "sddm": """
        auth     [success=done ignore=ignore default=bad] pam_selinux_permit.so
        auth        substack      password-auth
        -auth        optional      pam_gnome_keyring.so
        auth        include       postlogin

        """,
        "swaylock": "auth include login\n",
        "sshd": "auth       substack     password-auth\nauth       include      postlogin\n",
        "postlogin": "session     optional      pam_umask.so silent\n",
        "other": "auth required pam_deny.so\n",
    ]

    static let fedora: TestSystem = {
        let common = """
            auth        required                                     pam_env.so
            auth        required                                     pam_faildelay.so delay=2000000
            auth        sufficient                                   pam_unix.so nullok
            auth        required                                     pam_deny.so

            account     required                                     pam_unix.so

            """
        return TestSystem(
            description: "Fedora",
            texts: fedoraServices.merging(["system-auth": common, "password-auth": common]) { $1 })
    }()

    static let fedoraWithDirectory: TestSystem = {
        let common = """
            auth        required                                     pam_env.so
            auth        required                                     pam_faildelay.so delay=2000000
            auth        required                                     pam_faillock.so preauth silent
            auth        [default=1 ignore=ignore success=ok]         pam_usertype.so isregular
            auth        [default=1 ignore=ignore success=ok]         pam_localuser.so
            auth        sufficient                                   pam_unix.so nullok
            auth        [default=1 ignore=ignore success=ok]         pam_usertype.so isregular
            auth        sufficient                                   pam_sss.so forward_pass
            auth        required                                     pam_faillock.so authfail
            auth        required                                     pam_deny.so

            """
        return TestSystem(
            description: "Fedora with SSSD",
            texts: fedoraServices.merging(["system-auth": common, "password-auth": common]) { $1 })
    }()

    static let arch = TestSystem(
        description: "Arch",
        texts: [
            "system-auth": """
            #%PAM-1.0

            auth       required                    pam_faillock.so      preauth
            # Optionally use requisite above if you do not want to prompt for the password
            -auth      [success=2 default=ignore]  pam_systemd_home.so
            auth       [success=1 default=bad]     pam_unix.so          try_first_pass nullok
            auth       [default=die]               pam_faillock.so      authfail
            auth       optional                    pam_permit.so
            auth       required                    pam_env.so
            auth       required                    pam_faillock.so      authsucc

            account    required                    pam_unix.so

            """,
            "system-login": """
            #%PAM-1.0

            auth       required   pam_shells.so
            auth       requisite  pam_nologin.so
            auth       include    system-auth

            account    include    system-auth

            """,
            "system-local-login": "#%PAM-1.0\n\nauth      include   system-login\naccount   include   system-login\n",
            "login":
                "#%PAM-1.0\n\nauth       requisite    pam_nologin.so\nauth       include      system-local-login\n",
            "sudo": "#%PAM-1.0\nauth\t\tinclude\t\tsystem-auth\naccount\t\tinclude\t\tsystem-auth\n",
            "su": """
            #%PAM-1.0
            auth            sufficient      pam_rootok.so
            #auth           sufficient      pam_wheel.so trust use_uid
            auth            required        pam_unix.so
            account         required        pam_unix.so

            """,
            "su-l": "#%PAM-1.0\nauth sufficient pam_rootok.so\nauth required pam_unix.so\n",
            "polkit-1": "#%PAM-1.0\n\nauth       include      system-auth\naccount    include      system-auth\n",
            "swaylock": "auth include login\n",
            "sshd": "#%PAM-1.0\n\nauth      include   system-remote-login\n",
            "system-remote-login": "auth include system-login\n",
            "other": "#%PAM-1.0\n\nauth      required   pam_deny.so\nauth      required   pam_warn.so\n",
        ])

    static let suse = TestSystem(
        description: "openSUSE",
        texts: [
            "common-auth": "#%PAM-1.0\nauth\trequired\tpam_env.so\t\nauth\trequired\tpam_unix.so\ttry_first_pass \n",
            "sudo": "#%PAM-1.0\nauth     include        common-auth\naccount  include        common-account\n",
            "su": "#%PAM-1.0\nauth     sufficient     pam_rootok.so\nauth     include        common-auth\n",
            "su-l": "#%PAM-1.0\nauth     sufficient     pam_rootok.so\nauth     include        common-auth\n",
            "login": "#%PAM-1.0\nauth     requisite      pam_nologin.so\nauth     include        common-auth\n",
            "polkit-1": "#%PAM-1.0\nauth       include      common-auth\naccount    include      common-account\n",
            "sshd": "#%PAM-1.0\nauth     requisite      pam_nologin.so\nauth     include        common-auth\n",
            "other": "auth required pam_deny.so\n",
        ])
}
