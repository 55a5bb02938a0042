#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

int signals_hold(struct signals *signals)
{
    static const int ending[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP };
    struct sigaction action;
    sigset_t held;
    int error;

    sigemptyset(&held);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&held, ending[i]);

    error = pthread_sigmask(SIG_BLOCK, &held, &signals->before);
    if (error != 0)
        return -error;
    signals->fd = signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals->fd < 0) {
        error = errno;
        pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
        return -error;
    }
    return 0;
}

bool signals_pending(const struct signals *signals)
{
    struct pollfd polled = { .fd = signals->fd, .events = POLLIN };

    return poll(&polled, 1, 0) > 0;
}

void signals_release(struct signals *signals)
{
    close(signals->fd);
    pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
}
