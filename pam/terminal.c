#include "terminal.h"

#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Milliseconds: how long nothing must be typed for a person to have stopped, and for how long that is waited for. */
enum { SILENCE = 700, SWALLOW = 10000 };

int terminal_open(struct terminal *terminal)
{
    int error;

    *terminal = (struct terminal){ .fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) };
    if (terminal->fd < 0)
        return errno == ENXIO || errno == ENOENT ? -ENOTTY : -errno;
    if (!terminal_in_front(terminal))
        error = -ENOTTY;
    else if (tcgetattr(terminal->fd, &terminal->before) < 0)
        error = -errno;
    else
        return 0;
    terminal_close(terminal);
    return error;
}

bool terminal_in_front(const struct terminal *terminal)
{
    return tcgetpgrp(terminal->fd) == getpgrp();
}

bool terminal_is_input(void)
{
    return isatty(STDIN_FILENO) && tcgetsid(STDIN_FILENO) == getsid(0);
}

/* TCSANOW: the other ways wait for the output, which ^S may have stopped. */
static int set(const struct terminal *terminal, const struct termios *settings)
{
    return tcsetattr(terminal->fd, TCSANOW, settings) < 0 ? -errno : 0;
}

/* Throws away what was typed and not read. */
static void flush(const struct terminal *terminal)
{
    if (terminal_in_front(terminal))
        (void)tcflush(terminal->fd, TCIFLUSH);
}

int terminal_hide(struct terminal *terminal)
{
    struct termios hidden;
    int error;

    /* Whoever isn't in front would be stopped; or, if the host ignores that, set what is another's now. */
    if (!terminal_in_front(terminal))
        return -ENOTTY;
    if (!terminal->hidden && tcgetattr(terminal->fd, &terminal->before) < 0)
        return -errno;
    hidden = terminal->before;
    hidden.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
    hidden.c_cc[VMIN] = 1;
    hidden.c_cc[VTIME] = 0;
    error = set(terminal, &hidden);
    if (error < 0)
        return error;
    if (!terminal->hidden)
        flush(terminal);
    terminal->hidden = true;
    return 0;
}

void terminal_show(struct terminal *terminal)
{
    if (terminal->hidden && terminal_in_front(terminal))
        (void)set(terminal, &terminal->before);
    terminal->hidden = false;
}

void terminal_write(const struct terminal *terminal, const char *text)
{
    size_t length = strlen(text);

    while (length > 0 && terminal_in_front(terminal)) {
        ssize_t written = write(terminal->fd, text, length);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        text += written;
        length -= (size_t)written;
    }
}

int terminal_read(const struct terminal *terminal, unsigned char *byte)
{
    ssize_t length = read(terminal->fd, byte, 1);

    if (length == 1)
        return 0;
    if (length == 0 || errno == EIO || errno == ENXIO)
        return -EPIPE;
    return -errno;
}

bool terminal_has_input(const struct terminal *terminal)
{
    struct pollfd polled = { .fd = terminal->fd, .events = POLLIN };

    return poll(&polled, 1, 0) > 0;
}

void terminal_swallow(const struct terminal *terminal, int signals)
{
    struct pollfd polled[] = { { .fd = signals, .events = POLLIN }, { .fd = terminal->fd, .events = POLLIN } };
    int64_t deadline = client_now() + SWALLOW;
    unsigned char byte = '\0';

    while (byte != '\n' && byte != '\r' && client_now() < deadline && terminal_in_front(terminal)) {
        int ready = poll(polled, 2, SILENCE), error = 0;

        if (ready < 0 && errno == EINTR)
            continue;
        if (ready > 0 && polled[0].revents == 0)
            error = terminal_read(terminal, &byte);
        if (ready <= 0 || polled[0].revents != 0 || (error < 0 && error != -EAGAIN))
            break;
    }
    flush(terminal);
}

void terminal_close(struct terminal *terminal)
{
    terminal_show(terminal);
    if (terminal->fd >= 0)
        close(terminal->fd);
    terminal->fd = -1;
}
