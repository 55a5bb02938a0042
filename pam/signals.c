#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

bool signals_ignored(int signal)
{
    struct sigaction action;

    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* A descriptor for the set; -1: failed. */
static int watch(const sigset_t *set)
{
    return signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int signals_hold(struct signals *signals, bool terminal)
{
    static const int ending[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGALRM };
    size_t count = sizeof ending / sizeof *ending - (terminal ? 0 : 1);
    sigset_t ends, job, held;
    int error;

    sigemptyset(&ends);
    for (size_t i = 0; i < count; i++)
        if (!signals_ignored(ending[i]))
            sigaddset(&ends, ending[i]);
    pthread_sigmask(SIG_BLOCK, NULL, &signals->before);
    sigemptyset(&job);
    if (!signals_ignored(SIGTSTP) && !sigismember(&signals->before, SIGTSTP))
        sigaddset(&job, SIGTSTP); /* whoever holds it back does not want to be stopped in here */
    sigaddset(&job, SIGCONT);
    held = ends;
    if (terminal)
        sigorset(&held, &ends, &job);

    error = pthread_sigmask(SIG_BLOCK, &held, NULL);
    if (error != 0)
        return -error;
    signals->job = -1;
    signals->fd = watch(&ends);
    if (signals->fd >= 0 && terminal)
        signals->job = watch(&job);
    if (signals->fd >= 0 && (!terminal || signals->job >= 0))
        return 0;
    error = errno;
    signals_release(signals);
    return -error;
}

bool signals_pending(const struct signals *signals)
{
    struct pollfd polled = { .fd = signals->fd, .events = POLLIN };

    return poll(&polled, 1, 0) > 0;
}

int signals_take_job(const struct signals *signals)
{
    struct signalfd_siginfo taken;

    return read(signals->job, &taken, sizeof taken) == sizeof taken ? (int)taken.ssi_signo : 0;
}

void signals_stop(void)
{
    sigset_t stop;

    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    (void)raise(SIGTSTP);
    pthread_sigmask(SIG_UNBLOCK, &stop, NULL); /* stops here */
    pthread_sigmask(SIG_BLOCK, &stop, NULL);
}

void signals_release(struct signals *signals)
{
    if (signals->fd >= 0)
        close(signals->fd);
    if (signals->job >= 0)
        close(signals->job);
    pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
}
