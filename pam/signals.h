/*
 * The signals by which a person or the system ends the host, or stops it. While the module waits they are blocked in
 * the calling thread and watched; those that end it are the host's again afterwards, still pending, so that it ends as
 * it would without us.
 */
#ifndef BIOAUTH_SIGNALS_H
#define BIOAUTH_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct signals {
    int fd;  /* readable while one waits that ends the host; never read */
    int job; /* readable while one waits that stops the host or lets it go on; -1: those are left alone */
    sigset_t before;
};

/*
 * Holds SIGINT, SIGTERM, SIGQUIT and SIGHUP back, except those that the host ignores. For a module that has set the
 * `terminal`: SIGALRM, SIGCONT, and SIGTSTP unless the host holds it back itself, too. 0 or -errno (nothing held).
 */
int signals_hold(struct signals *signals, bool terminal);

/* Whether one waits already that ends the host. */
bool signals_pending(const struct signals *signals);

/* Whether the host ignores the signal, which then must not be sent. */
bool signals_ignored(int signal);

/* Takes a signal off `job`: SIGTSTP, SIGCONT, or 0 when there is none. */
int signals_take_job(const struct signals *signals);

/* Stops the host as SIGTSTP would without us; back when it goes on, or at once where nobody could let it go on. */
void signals_stop(void);

/* Restores the thread's mask: what waits is delivered before this returns. */
void signals_release(struct signals *signals);

#endif
