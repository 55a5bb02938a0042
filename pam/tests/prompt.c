/* Tests of what the prompt on a terminal is decided by: the keys of a line, and sudo's own options. */
#include "check.h"
#include "line.h"
#include "mode.h"

#include <string.h>

static struct keys usual_keys(void)
{
    struct termios settings = { .c_lflag = ICANON | ISIG | IEXTEN, .c_iflag = IUTF8 };

    settings.c_cc[VERASE] = 0x7f;
    settings.c_cc[VKILL] = 0x15;
    settings.c_cc[VWERASE] = 0x17;
    settings.c_cc[VEOF] = 0x04;
    settings.c_cc[VINTR] = 0x03;
    settings.c_cc[VQUIT] = 0x1c;
    settings.c_cc[VSUSP] = 0x1a;
    settings.c_cc[VLNEXT] = 0x16;
    settings.c_cc[VREPRINT] = 0x12;
    return line_keys(&settings);
}

/* Types all of it; the last byte's meaning. */
static enum key type(struct line *line, const struct keys *keys, const char *typed)
{
    enum key key = KEY_TYPED;

    for (; *typed != '\0'; typed++)
        key = line_take(line, keys, (unsigned char)*typed);
    return key;
}

static void check_lines(void)
{
    static const struct {
        const char *typed, *line;
        enum key last;
    } lines[] = {
        { "secret\n", "secret", KEY_ENTER },
        { "secret\r", "secret", KEY_ENTER },
        { "\n", "", KEY_ENTER },
        { "secx\x7fret\n", "secret", KEY_ENTER },
        { "secx\bret\n", "secret", KEY_ENTER },
        { "\x7f\x7f\x7fsecret\n", "secret", KEY_ENTER },
        { "a\x7f\n", "", KEY_ENTER },
        { "\xeb\xb9\x84\xeb\xb0\x80\x7f\n", "\xeb\xb9\x84", KEY_ENTER }, /* one character, not one byte */
        { "wrong\x15right\n", "right", KEY_ENTER },
        { "one two  \x17three\n", "one three", KEY_ENTER },
        { "one\x17\n", "", KEY_ENTER },
        { "a\x16\x03z\n", "a\x03z", KEY_ENTER },
        { "a\x16\nz\n", "a\nz", KEY_ENTER },
        { "\x04", "", KEY_END },
        { "abc\x04", "abc", KEY_ENTER },
        { "abc\x15\x04", "", KEY_END },
        { "abc\x03", "abc", KEY_INTERRUPT },
        { "\x1c", "", KEY_QUIT },
        { "ab\x1a", "ab", KEY_SUSPEND },
        { "ab\x12", "ab", KEY_REPRINT },
        { "tab\tand\x1b[A", "tab\tand\x1b[A", KEY_TYPED },
    };
    struct keys keys = usual_keys();

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct line line = { 0 };
        enum key last = type(&line, &keys, lines[i].typed);

        check(last == lines[i].last, "the last key", lines[i].typed);
        check(strcmp(line.text, lines[i].line) == 0 && line.length == strlen(lines[i].line) && !line.too_long,
              "the line", lines[i].typed);
    }
}

static void check_lengths(void)
{
    struct keys keys = usual_keys();
    struct line line = { 0 };

    for (size_t i = 0; i < LINE_SIZE - 1; i++)
        (void)type(&line, &keys, "x");
    check(line.length == LINE_SIZE - 1 && !line.too_long && line.text[LINE_SIZE - 1] == '\0', "the longest line", "fits");
    (void)type(&line, &keys, "x");
    check(line.too_long && line.length == LINE_SIZE - 1, "one more byte", "is too long");
    (void)type(&line, &keys, "\x7f");
    check(line.too_long, "too long", "is not mended by erasing what was cut");
    check(type(&line, &keys, "\x04") == KEY_ENTER, "^D", "ends a line that is too long");
    (void)type(&line, &keys, "\x15short");
    check(!line.too_long && strcmp(line.text, "short") == 0, "^U", "begins anew");
    check(line_take(&line, &keys, '\0') == KEY_TYPED && line.length == 5, "a NUL byte", "is passed over");
    line_wipe(&line);
    for (size_t i = 0; i < sizeof line.text; i++)
        check(line.text[i] == '\0', "a wiped line", "holds nothing");
}

static void check_switched_off(void)
{
    struct termios settings = { .c_lflag = 0 };
    struct keys keys = line_keys(&settings);
    struct line line = { 0 };

    settings.c_cc[VINTR] = 0x03;
    check(type(&line, &keys, "a\x03\x1a\x16\x17\x04z\n") == KEY_ENTER &&
              strcmp(line.text, "a\x03\x1a\x16\x17\x04z") == 0,
          "keys that are switched off", "are part of the line");
    keys = line_keys(&settings);
    check(keys.interrupt == 0, "without ISIG", "no key sends a signal");
}

/* `command`: words with spaces between them. */
static enum sudo_prompt sudo(const char *command)
{
    char words[512];
    size_t length = strlen(command) + 1;

    memcpy(words, command, length);
    for (size_t i = 0; i < length; i++)
        if (words[i] == ' ')
            words[i] = '\0';
    return mode_sudo_prompt(words, length);
}

static void check_sudo(void)
{
    static const struct {
        const char *command;
        enum sudo_prompt prompt;
    } commands[] = {
        { "sudo true", SUDO_TERMINAL },
        { "sudo", SUDO_TERMINAL },
        { "sudo -v", SUDO_TERMINAL },
        { "sudo -S true", SUDO_NO },
        { "sudo -A true", SUDO_NO },
        { "sudo -n true", SUDO_NO },
        { "sudo -kS true", SUDO_NO },
        { "sudo -k -S -p prompt true", SUDO_NO },
        { "sudo -p prompt true", SUDO_WORDS },
        { "sudo -p -S true", SUDO_WORDS }, /* -S is the prompt */
        { "sudo -p-S true", SUDO_WORDS },
        { "sudo -kp prompt -v", SUDO_WORDS },
        { "sudo --prompt=-S true", SUDO_WORDS },
        { "sudo --prompt -S true", SUDO_WORDS },
        { "sudo --pro x true", SUDO_WORDS },
        { "sudo --stdin true", SUDO_NO },
        { "sudo --st true", SUDO_NO },
        { "sudo --askpass true", SUDO_NO },
        { "sudo --non-interactive true", SUDO_NO },
        { "sudo --set-home true", SUDO_TERMINAL },
        { "sudo --shell", SUDO_TERMINAL },
        { "sudo -u root -S true", SUDO_NO },
        { "sudo -uroot -S true", SUDO_NO },
        { "sudo -u -S true", SUDO_TERMINAL },
        { "sudo --user root --stdin true", SUDO_NO },
        { "sudo --user=root --stdin true", SUDO_NO },
        { "sudo --user --stdin true", SUDO_TERMINAL },
        { "sudo true -S", SUDO_TERMINAL },
        { "sudo grep -n x", SUDO_TERMINAL },
        { "sudo -- -S", SUDO_TERMINAL },
        { "sudo A=1 -S true", SUDO_NO },
        { "sudo A=1 B= -n true", SUDO_NO },
        { "sudo /a=b -S", SUDO_TERMINAL },
        { "sudo -h host -S true", SUDO_NO },
        { "sudo -h -S true", SUDO_NO },
        { "sudo -hS true", SUDO_TERMINAL },
        { "sudo --host h -S true", SUDO_NO },
        { "sudo --preserve-env=PATH -S true", SUDO_NO },
        { "sudo -E -H true", SUDO_TERMINAL },
        { "sudo -C 5 -S true", SUDO_NO },
        { "sudo -T 5 -D / -R / -g g -U u -r r -t t -c c -a a -S true", SUDO_NO },
        { "sudo - -S", SUDO_TERMINAL },
        { "sudoedit -S file", SUDO_NO },
        { "sudoedit file", SUDO_TERMINAL },
    };

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        check(sudo(commands[i].command) == commands[i].prompt, "where sudo asks", commands[i].command);
    check(mode_sudo_prompt("", 0) == SUDO_NO, "no words", "are no terminal");
    check(mode_sudo_prompt("sudo\0-", 6) == SUDO_NO, "words that are cut off", "are no terminal");
    check(mode_sudo_prompt("sudo\0true", 9) == SUDO_NO, "a command that is cut off", "is no terminal");
}

int main(void)
{
    check_lines();
    check_lengths();
    check_switched_off();
    check_sudo();
    return checked();
}
