#include "wait.h"

#include <security/pam_ext.h>

/* Milliseconds: until asking again for what ends at a time that nobody knows; a moment more where it is known; and for
   the finger after an empty answer, while nothing can be typed. */
enum { AGAIN = 2000, MOMENT = 100, INSTEAD = 10000 };

/* Asks once, and tells what the daemon says up to its end. */
static void once(struct request *request, struct conversation *conversation, struct outcome *outcome)
{
    if (!request_ask(request, outcome))
        return;
    while (request_next(request, NULL, 0, outcome) == REQUEST_SAID) {
        if (conversation_tell(conversation, &outcome->verdict) < 0) {
            request_close(request);
            outcome->ending = ENDED_NOBODY_TOLD;
            return;
        }
    }
}

/* How long it takes until a touch may be of use again, in milliseconds; 0: it won't be by itself. */
static int64_t until_useful(const struct outcome *outcome)
{
    const struct wire_message *verdict = &outcome->verdict;

    /* A host that learns that the tries are used up knows what to do. */
    if (outcome->ending != ENDED_VERDICT || result_code(outcome) != PAM_AUTHINFO_UNAVAIL)
        return 0;
    switch (verdict->cause) {
    case WIRE_LOCKED_OUT:
    case WIRE_READER_HOT:
        return wire_has(verdict, WIRE_TAG_ENDS_IN) ? (int64_t)verdict->ends_in + MOMENT : AGAIN;
    case WIRE_PREEMPTED:
    case WIRE_SUSPENDED:
    case WIRE_CONTENDED:
    case WIRE_QUEUED:
    case WIRE_READER_BUSY:
    case WIRE_READER_OPENING:
    case WIRE_READER_FAILED:
    case WIRE_READER_UNPLUGGED:
        return AGAIN;
    default:
        return 0;
    }
}

void wait_later(struct request *request, struct conversation *conversation, struct outcome *outcome)
{
    uint32_t said = 0;
    int64_t pause;

    if (!request_begin(request, false, outcome))
        return;
    do {
        once(request, conversation, outcome);
        if (outcome->ending != ENDED_VERDICT || outcome->verdict.cause != said)
            conversation_end(conversation, outcome);
        said = outcome->verdict.cause;
        pause = until_useful(outcome);
    } while (pause > 0 && request_pause(request, pause, outcome));
    request_finish(request);
}

void wait_first(struct request *request, struct conversation *conversation, struct outcome *outcome)
{
    const char *password = NULL;

    /* The default question: sudo puts its own words in its place. */
    if (pam_get_authtok(request->pamh, PAM_AUTHTOK, &password, NULL) != PAM_SUCCESS || password == NULL) {
        outcome->ending = ENDED_NO_INPUT;
        return;
    }
    if (*password != '\0') {
        outcome->ending = ENDED_PASSWORD;
        return;
    }
    if (request->timeout > INSTEAD)
        request->timeout = INSTEAD;
    if (!request_begin(request, false, outcome))
        return;
    once(request, conversation, outcome);
    conversation_end(conversation, outcome);
    request_finish(request);
    if (!conversation->prompted || outcome->ending == ENDED_NOBODY_TOLD)
        return; /* no touch was to be had: the empty answer is the password module's, as it would have been */
    (void)pam_set_item(request->pamh, PAM_AUTHTOK, NULL);
    if (result_code(outcome) != PAM_SUCCESS && outcome->ending != ENDED_INTERRUPTED)
        outcome->ending = ENDED_EMPTY_ANSWER;
}
