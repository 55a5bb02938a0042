/*
 * sudo's own options, as far as they say where the password comes from. They show in no PAM item and no flag. Of sudo
 * 1.9's parse_args: options stand before the command, variables (NAME=value) may stand between them, long ones may be
 * shortened, and `-h` takes the next word only if that is no option.
 */
#include "mode.h"

#include <stdbool.h>
#include <string.h>

struct words {
    const char *next, *end;
    bool cut; /* the last word has no end: what else it would have said can't be known */
};

static const char *next_word(struct words *words)
{
    const char *word = words->next, *end;

    if (word >= words->end)
        return NULL;
    end = memchr(word, '\0', (size_t)(words->end - word));
    words->cut = end == NULL;
    words->next = words->cut ? words->end : end + 1;
    return words->cut ? NULL : word;
}

struct option {
    const char *name;
    size_t least; /* as many letters as tell it from all others */
    char letter;  /* its short form; '-': none of ours */
    bool value;   /* takes one, in the same word or in the next */
};

/* Those that mean something here, and those that take a value. */
static const struct option options[] = {
    { "stdin", 2, 'S', false },       { "askpass", 2, 'A', false }, { "non-interactive", 3, 'n', false },
    { "prompt", 3, 'p', true },       { "auth-type", 2, 'a', true }, { "close-from", 2, 'C', true },
    { "login-class", 6, 'c', true },  { "chdir", 3, 'D', true },    { "group", 1, 'g', true },
    { "host", 2, '-', true },         { "chroot", 3, 'R', true },   { "role", 2, 'r', true },
    { "command-timeout", 2, 'T', true }, { "type", 1, 't', true },  { "other-user", 1, 'U', true },
    { "user", 1, 'u', true },
};
enum { OPTIONS = sizeof options / sizeof *options };

static const struct option *option_named(const char *name, size_t length)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (length >= options[i].least && length <= strlen(options[i].name) &&
            memcmp(name, options[i].name, length) == 0)
            return &options[i];
    return NULL;
}

static const struct option *option_lettered(char letter)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (options[i].letter == letter)
            return &options[i];
    return NULL;
}

static enum sudo_prompt heavier(enum sudo_prompt one, enum sudo_prompt other)
{
    return one > other ? one : other;
}

static enum sudo_prompt meaning(char letter)
{
    switch (letter) {
    case 'S':
    case 'A':
    case 'n':
        return SUDO_NO;
    case 'p':
        return SUDO_WORDS;
    default:
        return SUDO_TERMINAL;
    }
}

/* A word of short options, after its dash. */
static enum sudo_prompt short_options(const char *letters, struct words *words)
{
    enum sudo_prompt found = SUDO_TERMINAL;

    for (; *letters != '\0'; letters++) {
        const struct option *option = option_lettered(*letters);
        bool last = letters[1] == '\0';

        found = heavier(found, meaning(*letters));
        /* Alone, -h takes the next word as its host, unless that is an option. */
        if (*letters == 'h' && last && words->next < words->end && *words->next != '-')
            (void)next_word(words);
        else if (option != NULL && option->value && last)
            (void)next_word(words);
        if (*letters == 'h' || (option != NULL && option->value))
            break; /* the rest of the word was the value */
    }
    return found;
}

/* A long option, after its dashes. */
static enum sudo_prompt long_option(const char *name, struct words *words)
{
    const char *value = strchr(name, '=');
    const struct option *option = option_named(name, value != NULL ? (size_t)(value - name) : strlen(name));

    if (option == NULL)
        return SUDO_TERMINAL;
    if (option->value && value == NULL)
        (void)next_word(words);
    return meaning(option->letter);
}

enum sudo_prompt mode_sudo_prompt(const char *text, size_t length)
{
    struct words words = { .next = text, .end = text + length };
    enum sudo_prompt found = SUDO_TERMINAL;
    const char *word;

    if (next_word(&words) == NULL)
        return SUDO_NO; /* not even its own name can be read */
    while ((word = next_word(&words)) != NULL) {
        if (strcmp(word, "--") == 0)
            break;
        if (strncmp(word, "--", 2) == 0)
            found = heavier(found, long_option(word + 2, &words));
        else if (word[0] == '-' && word[1] != '\0')
            found = heavier(found, short_options(word + 1, &words));
        else if (word[0] == '/' || strchr(word, '=') == NULL)
            break; /* the command */
    }
    return words.cut ? SUDO_NO : found;
}
