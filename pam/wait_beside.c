#include "wait.h"

#include "client.h"
#include "words.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Milliseconds from the call, within which a reader may open before the password is asked for. */
enum { OPENING = 1000 };

/*
 * The question, in a thread of its own. Once it has begun it ends by its answer, or is cancelled in the host's read
 * and joined: never are there two readers of one input. The module is linked with -z nodelete, so that its code stays
 * as long as the thread does.
 */
struct question {
    const struct pam_conv *host;
    pthread_t thread;
    bool begun;
    int answered; /* an eventfd: readable when the rest may be read */
    int code;
    char *answer; /* the host's, to be freed */
};

static void *ask(void *given)
{
    struct question *question = given;
    char room[WORDS_SIZE];
    const struct pam_message message = { .msg_style = PAM_PROMPT_ECHO_OFF, .msg = words_asked(room, NULL) };
    const struct pam_message *messages = &message;
    struct pam_response *response = NULL;

    question->code = question->host->conv(1, &messages, &response, question->host->appdata_ptr);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    if (response != NULL)
        question->answer = response->resp;
    free(response);
    (void)eventfd_write(question->answered, 1);
    return NULL;
}

/* 0 or -errno. The thread takes no signals: they stay the host's. */
static int begin(struct question *question)
{
    sigset_t all, before;
    int error;

    if (question->begun)
        return 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&question->thread, NULL, ask, question);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    question->begun = error == 0;
    return -error;
}

/* Ends the thread, in the middle of its read if it must be, and forgets what it brought. */
static void finish(struct question *question)
{
    if (question->begun) {
        pthread_cancel(question->thread);
        pthread_join(question->thread, NULL);
    }
    if (question->answer != NULL)
        explicit_bzero(question->answer, strlen(question->answer));
    free(question->answer);
    close(question->answered);
}

/* The answer is the password module's, an empty one too. */
static void take_answer(struct request *request, const struct question *question, struct outcome *outcome)
{
    outcome->ending = ENDED_NO_INPUT;
    if (question->code == PAM_SUCCESS && question->answer != NULL)
        outcome->ending = pam_set_item(request->pamh, PAM_AUTHTOK, question->answer) == PAM_SUCCESS ? ENDED_PASSWORD
                                                                                                  : ENDED_FAILED;
    request_cancel(request, outcome->ending == ENDED_PASSWORD ? WIRE_CANCEL_PASSWORD : WIRE_CANCEL_PERSON);
}

/*
 * Whether the reader, which is being opened, has something new to say before long: an agent on a terminal, once asked,
 * shows no word until Enter. Where it takes longer, the password goes first.
 */
static bool opens_soon(const struct request *request, const struct wire_message *message)
{
    return message->type == WIRE_WAITING && message->cause == WIRE_READER_OPENING &&
           client_wait(request->fd, request->signals.fd, NULL, 0, request->began + OPENING) != -ETIME;
}

/* Whether to go on. */
static bool next(struct request *request, struct conversation *conversation, struct question *question,
                 struct outcome *outcome)
{
    struct pollfd answered = { .fd = question->begun ? question->answered : -1, .events = POLLIN };
    bool over = request->fd < 0;

    switch (request_next(request, &answered, 1, outcome)) {
    case REQUEST_SAID:
        if (!question->begun && opens_soon(request, &outcome->verdict))
            return true;
        /* Words first, so that the person at the question knows that a finger will do. */
        if (conversation_tell(conversation, &outcome->verdict) == 0 && begin(question) == 0)
            return true;
        request_close(request);
        outcome->ending = ENDED_NOBODY_TOLD;
        return question->begun;
    case REQUEST_OTHER:
        take_answer(request, question, outcome);
        return false;
    case REQUEST_ENDED:
        break;
    }
    conversation_end(conversation, outcome);
    return question->begun && !over && outcome->ending != ENDED_INTERRUPTED && result_code(outcome) != PAM_SUCCESS;
}

void wait_beside(struct request *request, struct conversation *conversation, struct outcome *outcome)
{
    struct question question = { .host = conversation->host };
    bool begun;

    if (question.host == NULL) {
        outcome->ending = ENDED_NOBODY_TOLD;
        return;
    }
    question.answered = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (question.answered < 0) {
        outcome->error = -errno;
        return;
    }
    begun = request_begin(request, false, outcome);
    if (begun && request_ask(request, outcome))
        while (next(request, conversation, &question, outcome))
            ;
    request_close(request);
    finish(&question);
    if (begun)
        request_finish(request);
}
