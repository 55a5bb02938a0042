/* pam_bioauth.so: asks bioauthd for a touch, and tells the host how it went. */

#include "client.h"
#include "conversation.h"
#include "options.h"
#include "report.h"
#include "result.h"
#include "signals.h"
#include "transaction.h"

#include <errno.h>
#include <security/pam_ext.h>
#include <security/pam_modules.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

/* Milliseconds. The daemon keeps the time of a request; these bound a daemon that doesn't. */
enum {
    /* For the first answer: a daemon that works gives it at once, also while it compares a finger (1.2 s at worst). */
    FIRST = 3000,
    GRACE = 1000,
    LONGEST = 300 * 1000 + GRACE,
};

/* One request for a touch. */
struct request {
    pam_handle_t *pamh;
    const struct options *options;
    struct conversation conversation;
    struct signals signals;
    int64_t started;
    int64_t timeout; /* milliseconds */
    int fd;
    uint8_t buffer[WIRE_MESSAGE_MAX]; /* the datagram last sent or read */
};

static enum ending ending_of(int error)
{
    switch (-error) {
    case EINTR:
        return ENDED_INTERRUPTED;
    case ETIME:
        return ENDED_SILENCE;
    case ECONNRESET:
    case EPIPE:
        return ENDED_DAEMON_GONE;
    case EBADMSG:
    case EMSGSIZE:
    case EPROTONOSUPPORT:
        return ENDED_UNREADABLE;
    default:
        return ENDED_FAILED;
    }
}

/* Connects and asks. 0 or -errno. */
static int ask(struct request *request, const struct account *account)
{
    const struct options *options = request->options;
    const char *tty = transaction_item(request->pamh, PAM_TTY);
    struct wire_authenticate message = {
        .uid = account->uid,
        .name = account->name,
        .service = transaction_item(request->pamh, PAM_SERVICE),
        .tty = tty != NULL ? tty : transaction_item(request->pamh, PAM_XDISPLAY),
        .remote_host = transaction_item(request->pamh, PAM_RHOST),
        .policy = WIRE_POLICY_BIOMETRICS,
        /* Told to be quiet, the module takes it that the host has told the person by itself. */
        .interaction = options->quiet || conversation_possible(&request->conversation),
        .timeout = (uint32_t)request->timeout,
        .tries = (uint8_t)options->max_tries,
        .finger_only = true,
    };
    int length;

    length = wire_encode_authenticate(&message, request->buffer, sizeof request->buffer);
    if (length < 0)
        return length;
    request->fd = client_connect(options->socket);
    if (request->fd < 0)
        return request->fd;
    return client_send(request->fd, request->buffer, (size_t)length);
}

/*
 * Until when silence is waited out after a message. The daemon ends a request within its timeout, but while the
 * request waits for others that time stands still, for as long as the longest of them.
 */
static int64_t silence_ends(const struct request *request, const struct wire_message *message)
{
    int64_t last = request->started + LONGEST, ends = client_now() + request->timeout + GRACE;

    if (message->type == WIRE_WAITING)
        ends = wire_has(message, WIRE_TAG_ENDS_IN) ? ends + message->ends_in : last;
    return ends < last ? ends : last;
}

/* Passes on what the daemon says, up to its verdict. */
static enum ending follow(struct request *request, struct outcome *outcome)
{
    /* A daemon that is there and never answers costs the person little. */
    int64_t deadline = request->started + (request->timeout < FIRST ? request->timeout : FIRST);
    struct wire_message *message = &outcome->verdict;

    for (;;) {
        outcome->error = client_receive(request->fd, request->signals.fd, deadline, request->buffer, message);
        if (outcome->error < 0)
            return ending_of(outcome->error);
        switch (message->type) {
        case WIRE_VERDICT:
            return ENDED_VERDICT;
        case WIRE_PROMPT:
        case WIRE_RETRY:
        case WIRE_MISMATCH:
        case WIRE_WAITING:
            if (conversation_tell(&request->conversation, message) < 0)
                return ENDED_NOBODY_TOLD;
            break;
        case WIRE_PROBLEM:
            return ENDED_PROBLEM;
        default:
            return ENDED_UNREADABLE; /* an answer to what was not asked */
        }
        deadline = silence_ends(request, message);
    }
}

/* Closing cancels too; saying so first tells the daemon that it was the person. */
static void cancel(struct request *request)
{
    int length = wire_encode_cancel(WIRE_CANCEL_PERSON, request->buffer, sizeof request->buffer);

    if (length > 0)
        (void)client_send(request->fd, request->buffer, (size_t)length);
}

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
    case ENDED_INTERRUPTED:
    case ENDED_MISCONFIGURED:
    case ENDED_REPORTED:
        break;
    }
}

/* Asks, tells the person how it goes, and ends. Called with the signals held back. */
static void run(struct request *request, const struct account *account, struct outcome *outcome)
{
    if (signals_pending(&request->signals)) {
        outcome->ending = ENDED_INTERRUPTED;
        return;
    }
    outcome->error = ask(request, account);
    if (outcome->error < 0) {
        outcome->ending = request->fd < 0 && outcome->error != -EINVAL ? ENDED_NO_DAEMON : ending_of(outcome->error);
    } else {
        outcome->ending = follow(request, outcome);
        if (outcome->ending == ENDED_INTERRUPTED)
            cancel(request);
    }
    /* The reader is free before anything more is said, which may take the host its time. */
    if (request->fd >= 0)
        close(request->fd);
    conversation_end(&request->conversation, outcome);
}

static int authenticate(pam_handle_t *pamh, const struct options *options)
{
    struct request request = { .pamh = pamh, .options = options, .fd = -1 };
    struct outcome outcome = { .ending = ENDED_FAILED };
    struct account account;
    struct touch *touch;

    outcome.error = transaction_account(pamh, true, &account);
    if (outcome.error < 0) {
        outcome.ending = ENDED_NO_ACCOUNT;
        goto end;
    }
    touch = transaction_remember_touch(pamh);
    if (touch == NULL) {
        outcome.error = -ENOMEM;
        goto end;
    }
    request.started = client_now();
    request.timeout = (int64_t)options->timeout * 1000;
    request.conversation = conversation_start(pamh, options->quiet);
    outcome.error = signals_hold(&request.signals);
    if (outcome.error < 0)
        goto end;
    run(&request, &account, &outcome);
    signals_release(&request.signals);
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
