/* How the password stays live while the finger is awaited. */
#ifndef BIOAUTH_MODE_H
#define BIOAUTH_MODE_H

#include <stdbool.h>
#include <stddef.h>

enum mode {
    MODE_AUTO,   /* as the table in mode.c has it for this host */
    MODE_NONE,   /* no finger at all, and no wait */
    MODE_TTY,    /* one prompt on the terminal for both */
    MODE_FIRST,  /* the host is asked for the password; an empty answer means the finger */
    MODE_BESIDE, /* the host is asked for the password in a second thread; for polkit's helper alone */
    MODE_LATER,  /* the finger alone; the password comes in the next line of the stack, or in another one */
};

/* What MODE_AUTO comes to for this service, in this process. Never MODE_AUTO. */
enum mode mode_of_host(const char *service);

/* Whether the service is one of sudo's: it has others than its own two where its administrator says so. */
bool mode_is_sudo(const char *service);

/* How sudo means to get a password, by its own command line (/proc/self/cmdline: words that end with a NUL each). */
enum sudo_prompt {
    SUDO_TERMINAL, /* on the terminal, with its own words */
    SUDO_WORDS,    /* on the terminal, with the caller's words (-p) */
    SUDO_NO,       /* from standard input, from another program, or not at all (-S, -A, -n) */
};
enum sudo_prompt mode_sudo_prompt(const char *words, size_t length);

#endif
