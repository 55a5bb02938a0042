/* How a call of the module ended, and the PAM code that says so to the host. */
#ifndef BIOAUTH_RESULT_H
#define BIOAUTH_RESULT_H

#include "wire.h"

enum ending {
    ENDED_FAILED,       /* out of memory, descriptors, or the like; also what an outcome that nobody filled in says */
    ENDED_MISCONFIGURED,
    ENDED_NOT_ASKED,    /* this host has no place for a finger's prompt */
    ENDED_NO_ACCOUNT,   /* no user, or one that the system doesn't know */
    ENDED_NO_DAEMON,    /* it can't be reached now */
    ENDED_DAEMON_GONE,  /* it closed the connection without a verdict */
    ENDED_SILENCE,      /* it says nothing any more, or the module's own bound has passed */
    ENDED_UNREADABLE,   /* it says what can't be read */
    ENDED_PROBLEM,      /* it has trouble with what we said */
    ENDED_NOBODY_TOLD,  /* the conversation doesn't take messages */
    ENDED_INTERRUPTED,  /* a signal waits for the host, or ^C was typed */
    ENDED_NO_INPUT,     /* ^D, or nobody is there any more to answer */
    ENDED_PASSWORD,     /* the password's turn: it was typed and is PAM's now, or the host is to ask for it */
    ENDED_EMPTY_ANSWER, /* an empty answer instead of the password, and then no finger that matched */
    ENDED_REPORTED,     /* report mode: a password lets nobody in here */
    ENDED_VERDICT,      /* see `verdict` */
};

struct outcome {
    enum ending ending;
    int error;                   /* -errno where a failed call was the end, for the log */
    struct wire_message verdict; /* WIRE_VERDICT where that is the ending */
};

/*
 * The code for pam_sm_authenticate. PAM_SUCCESS for nothing but a verdict that allows and names the finger; never
 * PAM_IGNORE, with which a stack of this module alone would depend on what stands around it. PAM_ABORT, PAM_CONV_ERR
 * and PAM_AUTH_ERR stand for ends that a stack should take for the whole: nothing is left for the password module.
 */
int result_code(const struct outcome *outcome);

#endif
