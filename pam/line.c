#include "line.h"

#include <string.h>

struct keys line_keys(const struct termios *settings)
{
    const cc_t *set = settings->c_cc;
    struct keys keys = {
        .erase = set[VERASE], .kill = set[VKILL], .end = set[VEOF], .utf8 = (settings->c_iflag & IUTF8) != 0
    };

    if ((settings->c_lflag & IEXTEN) != 0) {
        keys.erase_word = set[VWERASE];
        keys.next_literal = set[VLNEXT];
        keys.reprint = set[VREPRINT];
    }
    if ((settings->c_lflag & ISIG) != 0) {
        keys.interrupt = set[VINTR];
        keys.quit = set[VQUIT];
        keys.suspend = set[VSUSP];
    }
    return keys;
}

void line_wipe(struct line *line)
{
    explicit_bzero(line, sizeof *line);
}

static void drop_byte(struct line *line)
{
    line->text[--line->length] = '\0';
}

static void erase(struct line *line, bool utf8)
{
    unsigned char dropped;

    while (line->length > 0) {
        dropped = (unsigned char)line->text[line->length - 1];
        drop_byte(line);
        if (!utf8 || (dropped & 0xc0) != 0x80)
            break;
    }
}

static void erase_word(struct line *line)
{
    while (line->length > 0 && line->text[line->length - 1] == ' ')
        drop_byte(line);
    while (line->length > 0 && line->text[line->length - 1] != ' ')
        drop_byte(line);
}

static void append(struct line *line, unsigned char byte)
{
    if (byte == '\0')
        return; /* no password has one */
    if (line->length + 1 >= sizeof line->text) {
        line->too_long = true;
        return;
    }
    line->text[line->length++] = (char)byte;
    line->text[line->length] = '\0';
}

enum key line_take(struct line *line, const struct keys *keys, unsigned char byte)
{
    if (line->literal) {
        line->literal = false;
        append(line, byte);
        return KEY_TYPED;
    }
    if (byte == '\n' || byte == '\r')
        return KEY_ENTER;
    if (byte == '\0')
        return KEY_TYPED; /* and none of the keys that are switched off */
    if (byte == keys->interrupt)
        return KEY_INTERRUPT;
    if (byte == keys->quit)
        return KEY_QUIT;
    if (byte == keys->suspend)
        return KEY_SUSPEND;
    if (byte == keys->reprint)
        return KEY_REPRINT;
    if (byte == keys->end)
        return line->length > 0 || line->too_long ? KEY_ENTER : KEY_END;
    if (byte == keys->kill)
        line_wipe(line);
    else if (byte == keys->erase || byte == '\b' || byte == 0x7f)
        erase(line, keys->utf8);
    else if (byte == keys->erase_word)
        erase_word(line);
    else if (byte == keys->next_literal)
        line->literal = true;
    else
        append(line, byte);
    return KEY_TYPED;
}
