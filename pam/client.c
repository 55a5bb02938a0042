#include "client.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int64_t client_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int client_connect(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    size_t length = strlen(path);
    int fd, error;

    if (length >= sizeof address.sun_path)
        return -ENAMETOOLONG;
    memcpy(address.sun_path, path, length);
    fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        error = errno;
        close(fd);
        return -error;
    }
    return fd;
}

int client_send(int fd, const uint8_t *bytes, size_t length)
{
    ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);

    if (sent < 0)
        return -errno;
    return (size_t)sent == length ? 0 : -EIO;
}

int client_wait(int fd, int signals, struct pollfd *others, size_t count, int64_t deadline)
{
    struct pollfd polled[2 + CLIENT_OTHERS] = { { .fd = signals, .events = POLLIN }, { .fd = fd, .events = POLLIN } };

    if (count > CLIENT_OTHERS)
        return -EINVAL;
    for (;;) {
        int64_t left = deadline - client_now();
        int ready;

        for (size_t i = 0; i < count; i++)
            polled[2 + i] = others[i];
        /* Looked at once in any case: a host that was stopped meanwhile finds what came in time. */
        ready = poll(polled, 2 + count, left <= 0 ? 0 : left < INT_MAX ? (int)left : INT_MAX);
        if (ready < 0 && errno != EINTR)
            return -errno;
        if (ready <= 0 && left <= 0)
            return -ETIME;
        if (ready <= 0)
            continue; /* a signal that isn't held back has run its handler */
        for (size_t i = 0; i < count; i++)
            others[i].revents = polled[2 + i].revents;
        return polled[0].revents != 0 ? -EINTR : polled[1].revents != 0;
    }
}

int client_read(int fd, uint8_t *buffer, struct wire_message *message)
{
    for (;;) {
        /* MSG_TRUNC: the datagram's own length, so that a longer one is refused and not cut. */
        ssize_t length = recv(fd, buffer, WIRE_MESSAGE_MAX, MSG_DONTWAIT | MSG_TRUNC);
        int error;

        if (length < 0)
            return -errno;
        if (length == 0)
            return -ECONNRESET;
        error = wire_decode(buffer, (size_t)length, message);
        if (error != -ENOMSG)
            return error;
    }
}

int client_receive(int fd, int signals, int64_t deadline, uint8_t *buffer, struct wire_message *message)
{
    int error;

    do {
        error = client_wait(fd, signals, NULL, 0, deadline);
        if (error >= 0)
            error = client_read(fd, buffer, message);
    } while (error == -EAGAIN);
    return error;
}
