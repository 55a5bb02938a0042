/*
 * What the module says to people, in their language, through the host's conversation. Every message says what happened
 * and what to do next. Where nothing can be done by touch it says nothing: the password is next in line.
 */
#ifndef BIOAUTH_CONVERSATION_H
#define BIOAUTH_CONVERSATION_H

#include "result.h"
#include "wire.h"

#include <security/pam_modules.h>

struct conversation {
    pam_handle_t *pamh;
    bool quiet;
    bool spoke; /* the person was told something, and so is owed the end */
};

struct conversation conversation_start(pam_handle_t *pamh, bool quiet);

/* Whether the host has a conversation at all. */
bool conversation_possible(const struct conversation *conversation);

/* Tells a prompt, retry, mismatch or wait as it happens. 0, or -EPIPE when the host doesn't take it. */
int conversation_tell(struct conversation *conversation, const struct wire_message *message);

/* Tells how it ended, where the person has something from it. What the host makes of it is of no matter any more. */
void conversation_end(struct conversation *conversation, const struct outcome *outcome);

#endif
