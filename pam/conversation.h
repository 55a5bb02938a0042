/* The host's conversation, through which the module tells people how it goes. */
#ifndef BIOAUTH_CONVERSATION_H
#define BIOAUTH_CONVERSATION_H

#include "result.h"
#include "wire.h"

#include <security/pam_appl.h>
#include <security/pam_modules.h>

struct conversation {
    const struct pam_conv *host; /* NULL: it has none */
    bool quiet;
    bool spoke;    /* the person was told something, and so is owed the end */
    bool prompted; /* they were asked for a touch, or told to wait for one */
};

/* `quiet`: say nothing. */
struct conversation conversation_start(pam_handle_t *pamh, bool quiet);

/* Whether the person is told: the host takes messages; or, to be quiet, it tells them by itself. */
bool conversation_possible(const struct conversation *conversation);

/* Tells a prompt, retry, mismatch or wait as it happens. 0, or -EPIPE when the host doesn't take it. */
int conversation_tell(struct conversation *conversation, const struct wire_message *message);

/* Tells how it ended, where the person has something from it. What the host makes of it is of no matter any more. */
void conversation_end(struct conversation *conversation, const struct outcome *outcome);

#endif
