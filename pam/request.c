#include "request.h"

#include "client.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Milliseconds. The daemon keeps the time of a request; these bound a daemon that doesn't. */
enum {
    /* For the first answer: a daemon that works gives it at once, also while it compares a finger (1.2 s at worst). */
    FIRST = 3000,
    GRACE = 1000,
    LONGEST = 300 * 1000 + GRACE,
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

/*
 * Polkit's helper, where the service manager starts it, stands at the other end of its agent's socket. The set-uid one
 * was started by its agent, and has what standard input that likes: a socket of somebody else's session too.
 */
static uint32_t agent_pid(pam_handle_t *pamh)
{
    const char *service = transaction_item(pamh, PAM_SERVICE);
    struct ucred agent;
    socklen_t length = sizeof agent;

    if (getuid() != 0 || service == NULL || strcmp(service, "polkit-1") != 0 ||
        getsockopt(STDIN_FILENO, SOL_SOCKET, SO_PEERCRED, &agent, &length) < 0 || agent.pid <= 0)
        return 0;
    return (uint32_t)agent.pid;
}

static int send_request(struct request *request)
{
    const struct options *options = request->options;
    const char *tty = transaction_item(request->pamh, PAM_TTY);
    struct wire_authenticate message = {
        .uid = request->account.uid,
        .name = request->account.name,
        .service = transaction_item(request->pamh, PAM_SERVICE),
        .tty = tty != NULL ? tty : transaction_item(request->pamh, PAM_XDISPLAY),
        .remote_host = transaction_item(request->pamh, PAM_RHOST),
        .policy = WIRE_POLICY_BIOMETRICS,
        .interaction = request->interaction,
        .timeout = (uint32_t)request->timeout,
        .tries = (uint8_t)options->max_tries,
        .finger_only = request->finger_only,
        .agent_pid = agent_pid(request->pamh),
    };
    int length = wire_encode_authenticate(&message, request->buffer, sizeof request->buffer);

    if (length < 0)
        return length;
    request->fd = client_connect(options->socket);
    if (request->fd < 0)
        return request->fd;
    return client_send(request->fd, request->buffer, (size_t)length);
}

bool request_begin(struct request *request, bool terminal, struct outcome *outcome)
{
    request->began = client_now();
    outcome->error = signals_hold(&request->signals, terminal);
    outcome->ending = ENDED_FAILED;
    return outcome->error == 0;
}

void request_finish(struct request *request)
{
    request_close(request);
    signals_release(&request->signals);
}

bool request_ask(struct request *request, struct outcome *outcome)
{
    *outcome = (struct outcome){ .ending = ENDED_INTERRUPTED };
    /* A daemon that is there and never answers costs the person little. */
    request->deadline = client_now() + (request->timeout < FIRST ? request->timeout : FIRST);
    if (signals_pending(&request->signals))
        return false;
    outcome->error = send_request(request);
    if (outcome->error == 0)
        return true;
    outcome->ending = request->fd < 0 && outcome->error != -EINVAL ? ENDED_NO_DAEMON : ending_of(outcome->error);
    request_close(request);
    return false;
}

/*
 * Until when silence is waited out after a message. The daemon ends a request within its timeout, but while the
 * request waits for others that time stands still, for as long as the longest of them.
 */
static int64_t silence_ends(const struct request *request, const struct wire_message *message)
{
    int64_t last = request->began + LONGEST, ends = client_now() + request->timeout + GRACE;

    if (message->type == WIRE_WAITING)
        ends = wire_has(message, WIRE_TAG_ENDS_IN) ? ends + message->ends_in : last;
    return ends < last ? ends : last;
}

/* What the daemon said: REQUEST_SAID, or the end. */
static enum request_event take(struct request *request, struct outcome *outcome)
{
    const struct wire_message *message = &outcome->verdict;

    switch (message->type) {
    case WIRE_PROMPT:
    case WIRE_RETRY:
    case WIRE_MISMATCH:
    case WIRE_WAITING:
        request->deadline = silence_ends(request, message);
        return REQUEST_SAID;
    case WIRE_VERDICT:
        outcome->ending = ENDED_VERDICT;
        return REQUEST_ENDED;
    case WIRE_PROBLEM:
        outcome->ending = ENDED_PROBLEM;
        return REQUEST_ENDED;
    default:
        outcome->ending = ENDED_UNREADABLE; /* an answer to what was not asked */
        return REQUEST_ENDED;
    }
}

enum request_event request_next(struct request *request, struct pollfd *others, size_t count, struct outcome *outcome)
{
    int64_t deadline = request->fd < 0 ? INT64_MAX : request->deadline;

    do {
        outcome->error = client_wait(request->fd, request->signals.fd, others, count, deadline);
        if (outcome->error == 0)
            return REQUEST_OTHER;
        if (outcome->error > 0)
            outcome->error = client_read(request->fd, request->buffer, &outcome->verdict);
    } while (outcome->error == -EAGAIN);
    if (outcome->error == 0 && take(request, outcome) == REQUEST_SAID)
        return REQUEST_SAID;
    if (outcome->error < 0)
        outcome->ending = ending_of(outcome->error);
    if (outcome->ending == ENDED_INTERRUPTED)
        request_cancel(request, WIRE_CANCEL_PERSON);
    /* The reader is free before anything more is said, which may take the host its time. */
    request_close(request);
    return REQUEST_ENDED;
}

bool request_pause(struct request *request, int64_t milliseconds, struct outcome *outcome)
{
    int64_t until = client_now() + milliseconds;
    int error;

    if (until > request->began + LONGEST)
        return false;
    error = client_wait(-1, request->signals.fd, NULL, 0, until);
    if (error == -ETIME)
        return true;
    *outcome = (struct outcome){ .ending = ending_of(error), .error = error };
    return false;
}

/* Closing cancels too; saying so first tells the daemon why. */
void request_cancel(struct request *request, enum wire_cancel_reason reason)
{
    uint8_t message[16];
    int length = wire_encode_cancel(reason, message, sizeof message);

    if (request->fd >= 0 && length > 0)
        (void)client_send(request->fd, message, (size_t)length);
    request_close(request);
}

void request_close(struct request *request)
{
    if (request->fd >= 0)
        close(request->fd);
    request->fd = -1;
}
