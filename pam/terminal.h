/* The controlling terminal, with what is typed hidden: whatever happens, it is given back as it was found. */
#ifndef BIOAUTH_TERMINAL_H
#define BIOAUTH_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

struct terminal {
    int fd; /* -1: none is open */
    bool hidden;
    struct termios before;
};

/*
 * Opens the controlling terminal, if this process stands in its foreground; nothing is changed yet. 0; -ENOTTY when it
 * doesn't or there is none; or another -errno.
 */
int terminal_open(struct terminal *terminal);

/* Whether this process stands in the terminal's foreground, and so may read and set it without being stopped. */
bool terminal_in_front(const struct terminal *terminal);

/* Whether standard input is the controlling terminal too. */
bool terminal_is_input(void);

/*
 * Hides what is typed, and gives each byte at once, keys that send signals too. If it isn't hidden yet: what it is set to
 * now is what it will be given back as, and what was typed is thrown away. 0; -ENOTTY in the background; or another
 * -errno.
 */
int terminal_hide(struct terminal *terminal);

/* Sets the terminal as it was before. What was typed and not read is left to the next reader. */
void terminal_show(struct terminal *terminal);

/*
 * Shows a text; a terminal that takes nothing, being stopped by ^S, gone or another's now, gets none, and nobody waits
 * for it.
 */
void terminal_write(const struct terminal *terminal, const char *text);

/* One typed byte; -EAGAIN: none is there; -EPIPE: the terminal is gone; or another -errno. Stops as any reader does. */
int terminal_read(const struct terminal *terminal, unsigned char *byte);

/* Whether something was typed and not read, or the terminal is gone. */
bool terminal_has_input(const struct terminal *terminal);

/*
 * Throws away what is still being typed, up to Enter, a moment's silence, or `signals` becoming readable: the rest of a
 * password must not reach the shell.
 */
void terminal_swallow(const struct terminal *terminal, int signals);

/* Shows and closes. */
void terminal_close(struct terminal *terminal);

#endif
