/*
 * The ways to wait for the finger (mode.h). Each asks, tells the person how it goes, and says in `outcome` how it
 * ended; the request is over then, and the host's signals are its own again.
 */
#ifndef BIOAUTH_WAIT_H
#define BIOAUTH_WAIT_H

#include "conversation.h"
#include "mode.h"
#include "request.h"

/* The finger alone. What ends by itself is waited out too: a desktop's stack for the finger has nothing else. */
void wait_later(struct request *request, struct conversation *conversation, struct outcome *outcome);

/* The password's question by the host; the finger after an empty answer. */
void wait_first(struct request *request, struct conversation *conversation, struct outcome *outcome);

/* One prompt on the controlling terminal, for what is typed and for the finger, whichever comes first. */
void wait_on_terminal(struct request *request, struct conversation *conversation, struct outcome *outcome);

/* The password's question by the host in a second thread, the finger meanwhile. */
void wait_beside(struct request *request, struct conversation *conversation, struct outcome *outcome);

#endif
