/* pam_bioauth.so: asks bioauthd for a touch, and tells the host how it went. */

#include "conversation.h"
#include "options.h"
#include "report.h"
#include "request.h"
#include "result.h"
#include "transaction.h"
#include "wait.h"

#include <errno.h>
#include <security/pam_ext.h>
#include <security/pam_modules.h>
#include <string.h>
#include <syslog.h>

#define EXPORTED __attribute__((visibility("default")))

static void log_outcome(const struct request *request, const struct outcome *outcome)
{
    const struct wire_message *message = &outcome->verdict;
    pam_handle_t *pamh = request->pamh;
    const char *why = strerror(-outcome->error);

    switch (outcome->ending) {
    case ENDED_VERDICT:
        if (request->options->debug)
            pam_syslog(pamh, LOG_DEBUG, "verdict: %s, code %d, cause %u", message->allowed ? "allowed" : "denied",
                       (int)message->code, (unsigned)message->cause);
        break;
    case ENDED_NO_DAEMON:
        if (request->options->debug || (outcome->error != -ENOENT && outcome->error != -ECONNREFUSED))
            pam_syslog(pamh, LOG_NOTICE, "no finger, %s: %s", request->options->socket, why);
        break;
    case ENDED_NO_ACCOUNT:
        pam_syslog(pamh, LOG_NOTICE, "no finger, the user is unknown: %s", why);
        break;
    case ENDED_FAILED:
        pam_syslog(pamh, LOG_ERR, "no finger, asking for it failed: %s", why);
        break;
    case ENDED_UNREADABLE:
        pam_syslog(pamh, LOG_ERR, "no finger, the daemon's answer can't be read");
        break;
    case ENDED_PROBLEM:
        pam_syslog(pamh, LOG_ERR, "no finger, the daemon has a problem with us: %u, its protocol version is %u",
                   (unsigned)message->problem, (unsigned)message->protocol_version);
        break;
    case ENDED_DAEMON_GONE:
        pam_syslog(pamh, LOG_NOTICE, "no finger, the daemon went away");
        break;
    case ENDED_SILENCE:
        pam_syslog(pamh, LOG_NOTICE, "no finger, the daemon stayed silent");
        break;
    case ENDED_NOBODY_TOLD:
        pam_syslog(pamh, LOG_NOTICE, "no finger, the host takes no messages");
        break;
    case ENDED_NOT_ASKED:
        if (request->options->debug)
            pam_syslog(pamh, LOG_DEBUG, "no finger, this host has no place to ask for it now");
        break;
    case ENDED_INTERRUPTED:
    case ENDED_NO_INPUT:
    case ENDED_PASSWORD:
    case ENDED_EMPTY_ANSWER:
    case ENDED_MISCONFIGURED:
    case ENDED_REPORTED:
        break;
    }
}

/* Another thread at the host's input is safe in polkit's helper alone, which ends with a match. */
static bool may_stand_beside(pam_handle_t *pamh)
{
    const char *service = transaction_item(pamh, PAM_SERVICE);

    return service != NULL && strcmp(service, "polkit-1") == 0;
}

static void wait_in(enum mode mode, struct request *request, struct conversation *conversation,
                    struct outcome *outcome)
{
    switch (mode) {
    case MODE_TTY:
        wait_on_terminal(request, conversation, outcome);
        return;
    case MODE_FIRST:
        wait_first(request, conversation, outcome);
        return;
    case MODE_BESIDE:
        if (may_stand_beside(request->pamh)) {
            wait_beside(request, conversation, outcome);
        } else {
            pam_syslog(request->pamh, LOG_ERR, "password=beside is for polkit-1 alone: no finger is asked for");
            outcome->ending = ENDED_MISCONFIGURED;
        }
        return;
    case MODE_LATER:
        wait_later(request, conversation, outcome);
        return;
    case MODE_AUTO:
    case MODE_NONE:
        break;
    }
    outcome->ending = ENDED_NOT_ASKED;
}

static int authenticate(pam_handle_t *pamh, const struct options *options)
{
    struct request request = { .pamh = pamh, .options = options, .fd = -1 };
    struct outcome outcome = { .ending = ENDED_FAILED };
    struct conversation conversation;
    struct touch *touch;
    enum mode mode = options->password;

    if (mode == MODE_AUTO)
        mode = mode_of_host(transaction_item(pamh, PAM_SERVICE));
    if (mode == MODE_NONE) {
        outcome.ending = ENDED_NOT_ASKED;
        goto end;
    }
    outcome.error = transaction_account(pamh, true, &request.account);
    if (outcome.error < 0) {
        outcome.ending = ENDED_NO_ACCOUNT;
        goto end;
    }
    touch = transaction_remember_touch(pamh);
    if (touch == NULL) {
        outcome.error = -ENOMEM;
        goto end;
    }
    request.timeout = (int64_t)options->timeout * 1000;
    conversation = conversation_start(pamh, options->quiet);
    request.finger_only = mode == MODE_FIRST || mode == MODE_LATER;
    request.interaction = mode == MODE_TTY || conversation_possible(&conversation);
    wait_in(mode, &request, &conversation, &outcome);
    touch->matched = result_code(&outcome) == PAM_SUCCESS;

end:
    log_outcome(&request, &outcome);
    return result_code(&outcome);
}

EXPORTED int pam_sm_authenticate(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
    struct outcome outcome = { .ending = ENDED_MISCONFIGURED };
    struct options options;

    (void)flags; /* sudo sets PAM_SILENT always: `quiet` is an option instead */
    if (options_parse(pamh, argc, argv, &options) < 0)
        return result_code(&outcome);
    if (!options.report)
        return authenticate(pamh, &options);
    outcome.ending = report_password(pamh, &options);
    return result_code(&outcome);
}

/* A touch gives no credentials, but a stack that let somebody in by touch asks the same module for them. */
EXPORTED int pam_sm_setcred(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
    (void)pamh, (void)flags, (void)argc, (void)argv;
    return PAM_SUCCESS;
}

EXPORTED int pam_sm_acct_mgmt(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
    (void)pamh, (void)flags, (void)argc, (void)argv;
    return PAM_IGNORE;
}

EXPORTED int pam_sm_open_session(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
    (void)pamh, (void)flags, (void)argc, (void)argv;
    return PAM_IGNORE;
}

EXPORTED int pam_sm_close_session(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
    (void)pamh, (void)flags, (void)argc, (void)argv;
    return PAM_IGNORE;
}

EXPORTED int pam_sm_chauthtok(pam_handle_t *pamh, int flags, int argc, const char **argv)
{
    (void)pamh, (void)flags, (void)argc, (void)argv;
    return PAM_IGNORE;
}
