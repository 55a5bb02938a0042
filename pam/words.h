/*
 * What the module says to people, in their language. Every message says what happened and what to do next. Where
 * nothing can be done by touch there is nothing to say ("").
 */
#ifndef BIOAUTH_WORDS_H
#define BIOAUTH_WORDS_H

#include "result.h"
#include "wire.h"

#include <security/_pam_types.h>

/* The room that a text may need: what PAM lets a message have. */
enum { WORDS_SIZE = PAM_MAX_MSG_SIZE };

/* Finds the translations. To be called before any of the others. */
void words_start(void);

/* A prompt, retry, mismatch or wait. The text is put together in `room` (WORDS_SIZE bytes) where it has parts. */
const char *words_told(char *room, const struct wire_message *message);

/* The question for the password; with a WIRE_PROMPT, for password or finger. */
const char *words_asked(char *room, const struct wire_message *prompt);

/* That a typed line is refused. */
const char *words_too_long(void);

/* How it ended, where the person has something from it. `spoke`: they were told something, and so are owed the end. */
const char *words_ended(char *room, const struct outcome *outcome, bool spoke);

#endif
