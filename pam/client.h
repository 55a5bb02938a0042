/* One connection to a socket of the daemon's: nothing here waits but client_receive, and that until its deadline. */
#ifndef BIOAUTH_CLIENT_H
#define BIOAUTH_CLIENT_H

#include "wire.h"

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

/*
 * Waits for the next message that the module knows, in `buffer` (WIRE_MESSAGE_MAX bytes; `message` points into it).
 * 0; -EINTR when `signals` becomes readable, which goes first; -ETIME at the deadline; -ECONNRESET when the peer has
 * closed; wire_decode's errors for what can't be read; or another -errno.
 */
int client_receive(int fd, int signals, int64_t deadline, uint8_t *buffer, struct wire_message *message);

#endif
