/* What Swift can't say in its own words: GNU extensions behind _GNU_SOURCE, and macros with arguments.
 * Each function is one call; errors are the call's own, in errno. */
#ifndef BIOAUTH_CLINUX_H
#define BIOAUTH_CLINUX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* getsockopt(SO_PEERCRED): 0, or -1 with errno. */
int clinux_peer_credentials(int fd, pid_t *pid, uid_t *uid, gid_t *gid);

/* accept4(SOCK_CLOEXEC | SOCK_NONBLOCK): the connection, or -1 with errno. */
int clinux_accept(int fd);

/* recv(MSG_DONTWAIT | MSG_TRUNC): the datagram's whole length, even where that is more than size. */
ssize_t clinux_receive(int fd, void *buffer, size_t size);

/* setlocale, bindtextdomain and textdomain in one: what a program does before its first word to a person. */
void clinux_bind_text(const char *domain, const char *directory);

/*
 * For a library, which must not set the locale of the program that uses it. Begin: if the program has set none, the one
 * that the environment names is this thread's (newlocale, uselocale), and the domain's words come in UTF-8. End: what
 * begin returned is this thread's again. In between nothing may be suspended.
 */
void *clinux_begin_text(const char *domain);
void clinux_end_text(void *before);

/* Where the domain's translations are; nothing else of the process changes (bindtextdomain). */
void clinux_find_text(const char *domain, const char *directory);

/* prctl(PR_SET_DUMPABLE, 0) and RLIMIT_CORE 0: this process leaves no image of its memory behind. */
int clinux_refuse_dumps(void);

/* Raises the soft limit of open files to the hard one; returns what it is then, or -1. */
long clinux_raise_open_files(void);

/* explicit_bzero. */
void clinux_wipe(void *memory, size_t size);

/* getrandom: 0 when all bytes are random, -1 else. */
int clinux_random(void *buffer, size_t size);

/* timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK): the descriptor, or -1 with errno. */
int clinux_boot_timer(void);

/* timerfd_settime(TFD_TIMER_ABSTIME): readable from that moment on; 0 disarms. 0, or -1 with errno. */
int clinux_boot_timer_set(int fd, int64_t nanoseconds);

/*
 * Gives what isn't needed for now back to the kernel: what the heap has free (malloc_trim), and the program's own code
 * (MADV_DONTNEED), of which each fault maps sixteen pages where one was wanted. A GSourceFunc that runs once.
 */
int clinux_release_memory(void *unused);

#endif
