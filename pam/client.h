/* One connection to a socket of the daemon's: nothing here waits but client_receive, and that until its deadline. */
#ifndef BIOAUTH_CLIENT_H
#define BIOAUTH_CLIENT_H

#include "wire.h"

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

/* Milliseconds on the monotonic clock, which deadlines are told on. */
int64_t client_now(void);

/*
 * Connects without waiting. The descriptor (the caller closes it), or -errno: -ENOENT and -ECONNREFUSED when nobody
 * listens, -EAGAIN when the listener's queue is full, -ENAMETOOLONG.
 */
int client_connect(const char *path);

/* Sends one message without waiting. 0 or -errno. */
int client_send(int fd, const uint8_t *bytes, size_t length);

/* How many descriptors client_wait can watch besides. */
enum { CLIENT_OTHERS = 2 };

/*
 * Waits until the socket `fd` (-1: none) or one of `others` (their `revents` say which) has something to say. 1: the
 * socket has, 0: one of the others; -EINTR when `signals` becomes readable, which goes first; -ETIME at the deadline;
 * or another -errno. Other signals run their handlers and it goes on.
 */
int client_wait(int fd, int signals, struct pollfd *others, size_t count, int64_t deadline);

/*
 * Reads the next message that the module knows into `buffer` (WIRE_MESSAGE_MAX bytes; `message` points into it). 0;
 * -EAGAIN when there is none yet; -ECONNRESET when the peer has closed; wire_decode's errors for what can't be read;
 * or another -errno.
 */
int client_read(int fd, uint8_t *buffer, struct wire_message *message);

/* Waits, then reads: the errors of both, but never -EAGAIN. */
int client_receive(int fd, int signals, int64_t deadline, uint8_t *buffer, struct wire_message *message);

#endif
