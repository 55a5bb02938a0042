/*
 * The signals by which a person or the system ends the host. While the module waits they are blocked in the calling
 * thread and watched; afterwards they are the host's again, still pending, so that it ends as it would without us.
 */
#ifndef BIOAUTH_SIGNALS_H
#define BIOAUTH_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct signals {
    int fd; /* readable while a signal waits; never read */
    sigset_t before;
};

/* Holds SIGINT, SIGTERM, SIGQUIT and SIGHUP back, except those that the host ignores. 0 or -errno (nothing held). */
int signals_hold(struct signals *signals);

/* Whether one waits already. */
bool signals_pending(const struct signals *signals);

/* Restores the thread's mask: what waits is delivered before this returns. */
void signals_release(struct signals *signals);

#endif
