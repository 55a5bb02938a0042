/* One request for a touch, from its asking to its end. */
#ifndef BIOAUTH_REQUEST_H
#define BIOAUTH_REQUEST_H

#include "options.h"
#include "result.h"
#include "signals.h"
#include "transaction.h"
#include "wire.h"

#include <poll.h>

struct request {
    pam_handle_t *pamh;
    const struct options *options;
    struct account account;
    struct signals signals;
    bool interaction;       /* the person will be told */
    bool finger_only;       /* the password can't be given meanwhile */
    int64_t timeout;        /* milliseconds for the finger */
    int64_t began;    /* when the module began to wait; on client_now's clock, as the deadline is */
    int64_t deadline; /* until when the daemon's silence is waited out */
    int fd;                          /* -1: not asked, or over */
    uint8_t buffer[WIRE_MESSAGE_MAX]; /* the datagram last sent or read */
};

/* What came next. */
enum request_event {
    REQUEST_SAID,  /* the daemon: a prompt, retry, mismatch or wait, in `outcome->verdict` */
    REQUEST_OTHER, /* one of the others has something */
    REQUEST_ENDED, /* `outcome` says how; the daemon's answer will not change any more */
};

/*
 * Holds the signals back; `terminal`: those too that matter to whoever has set the terminal. False: that failed, and
 * `outcome` says how. Until request_finish nothing else of the host's may be called that waits.
 */
bool request_begin(struct request *request, bool terminal, struct outcome *outcome);

/* Lets go of the reader, if it isn't over, and of the signals: one that ends the host does so here. */
void request_finish(struct request *request);

/* Connects and asks. May be called again for a request that is over. False: it has ended already, and `outcome` says how. */
bool request_ask(struct request *request, struct outcome *outcome);

/*
 * Waits for what comes next; of the `count` others (CLIENT_OTHERS at most) the descriptors are watched too. A request
 * that isn't asked or is over has but them, and waits without a bound.
 */
enum request_event request_next(struct request *request, struct pollfd *others, size_t count, struct outcome *outcome);

/* Waits, asking nothing. False: a signal came, and `outcome` says so, or the call's bound doesn't leave the time. */
bool request_pause(struct request *request, int64_t milliseconds, struct outcome *outcome);

/* Withdraws it, if it isn't over. */
void request_cancel(struct request *request, enum wire_cancel_reason reason);

/* Lets go of the reader, if it isn't over. */
void request_close(struct request *request);

#endif
