/* What is typed at the prompt, byte by byte, with the terminal's own keys. Pure: no descriptor, nothing allocated. */
#ifndef BIOAUTH_LINE_H
#define BIOAUTH_LINE_H

#include <security/_pam_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/* As PAM has it for an answer, the NUL included. */
enum { LINE_SIZE = PAM_MAX_RESP_SIZE };

/* The keys that a terminal is set to; 0: switched off. */
struct keys {
    unsigned char erase, erase_word, kill, end, interrupt, quit, suspend, reprint, next_literal;
    bool utf8; /* a character may be several bytes */
};

struct line {
    char text[LINE_SIZE]; /* ends with a NUL always */
    size_t length;
    bool too_long; /* more was typed than there is room for: it is refused, not cut */
    bool literal;  /* the next byte is no key */
};

enum key {
    KEY_TYPED, /* part of the line, or nothing at all */
    KEY_ENTER,
    KEY_END, /* ^D on an empty line */
    KEY_INTERRUPT,
    KEY_QUIT,
    KEY_SUSPEND,
    KEY_REPRINT,
};

/* The keys of a terminal that was set so. */
struct keys line_keys(const struct termios *settings);

/* Takes one byte, and says what it was. After KEY_ENTER the line is whole, or `too_long`. */
enum key line_take(struct line *line, const struct keys *keys, unsigned char byte);

/* Forgets what was typed, in memory too. */
void line_wipe(struct line *line);

#endif
