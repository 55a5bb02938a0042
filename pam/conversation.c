#include "conversation.h"

#include "words.h"

#include <errno.h>
#include <stdlib.h>

struct conversation conversation_start(pam_handle_t *pamh, bool quiet)
{
    const void *item = NULL;
    const struct pam_conv *host;

    words_start();
    if (pam_get_item(pamh, PAM_CONV, &item) != PAM_SUCCESS)
        item = NULL;
    host = item;
    return (struct conversation){ .host = host != NULL && host->conv != NULL ? host : NULL, .quiet = quiet };
}

bool conversation_possible(const struct conversation *conversation)
{
    return conversation->quiet || conversation->host != NULL;
}

/* Through the host's own function: pam_prompt would want the handle, which another thread may be using. */
static int say(struct conversation *conversation, int style, const char *text)
{
    const struct pam_message message = { .msg_style = style, .msg = text }, *messages = &message;
    const struct pam_conv *host = conversation->host;
    struct pam_response *response = NULL;
    int code;

    if (conversation->quiet || *text == '\0')
        return 0;
    if (host == NULL)
        return -EPIPE;
    code = host->conv(1, &messages, &response, host->appdata_ptr);
    if (response != NULL) { /* what it may answer to what is no question */
        free(response->resp);
        free(response);
    }
    if (code != PAM_SUCCESS)
        return -EPIPE;
    conversation->spoke = true;
    return 0;
}

int conversation_tell(struct conversation *conversation, const struct wire_message *message)
{
    bool invites = message->type == WIRE_PROMPT || message->type == WIRE_WAITING;
    char room[WORDS_SIZE];

    conversation->prompted |= invites;
    return say(conversation, invites ? PAM_TEXT_INFO : PAM_ERROR_MSG, words_told(room, message));
}

void conversation_end(struct conversation *conversation, const struct outcome *outcome)
{
    char room[WORDS_SIZE];

    (void)say(conversation, PAM_ERROR_MSG, words_ended(room, outcome, conversation->spoke));
}
