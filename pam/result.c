#include "result.h"

#include <security/pam_modules.h>

static int denial_code(const struct wire_message *verdict)
{
    switch ((enum wire_code)verdict->code) {
    case WIRE_AUTHENTICATION_FAILED:
        return PAM_MAXTRIES;
    case WIRE_BIOMETRY_LOCKOUT:
        return verdict->lockout_began ? PAM_MAXTRIES : PAM_AUTHINFO_UNAVAIL;
    case WIRE_USER_CANCEL:
    case WIRE_USER_FALLBACK:
    case WIRE_SYSTEM_CANCEL:
    case WIRE_PASSCODE_NOT_SET:
    case WIRE_BIOMETRY_NOT_AVAILABLE:
    case WIRE_BIOMETRY_NOT_ENROLLED:
    case WIRE_APP_CANCEL:
    case WIRE_NOT_INTERACTIVE:
        return PAM_AUTHINFO_UNAVAIL;
    }
    return PAM_AUTHINFO_UNAVAIL; /* a code that a newer daemon knows */
}

int result_code(const struct outcome *outcome)
{
    const struct wire_message *verdict = &outcome->verdict;

    switch (outcome->ending) {
    case ENDED_VERDICT:
        if (verdict->type != WIRE_VERDICT)
            return PAM_AUTHINFO_UNAVAIL;
        if (verdict->allowed == 1 && verdict->finger >= 1 && verdict->finger <= 10)
            return PAM_SUCCESS;
        return denial_code(verdict);
    case ENDED_INTERRUPTED:
        return PAM_ABORT;
    case ENDED_NO_INPUT:
        return PAM_CONV_ERR;
    case ENDED_EMPTY_ANSWER:
        return PAM_AUTH_ERR;
    case ENDED_FAILED:
    case ENDED_MISCONFIGURED:
    case ENDED_NOT_ASKED:
    case ENDED_NO_ACCOUNT:
    case ENDED_NO_DAEMON:
    case ENDED_DAEMON_GONE:
    case ENDED_SILENCE:
    case ENDED_UNREADABLE:
    case ENDED_PROBLEM:
    case ENDED_NOBODY_TOLD:
    case ENDED_PASSWORD:
    case ENDED_REPORTED:
        return PAM_AUTHINFO_UNAVAIL;
    }
    return PAM_AUTHINFO_UNAVAIL;
}
