/* libFuzzer entry for what a person types at the prompt, and for the command line that sudo's caller chooses. */
#include "line.h"
#include "mode.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool kept)
{
    if (!kept)
        __builtin_trap();
}

/* On a terminal whose keys are the first bytes. */
static void type(const uint8_t *data, size_t size)
{
    struct line line = { 0 };
    struct keys keys;

    if (size < sizeof keys)
        return;
    keys = (struct keys){ data[0], data[1], data[2], data[3], data[4], data[5], data[6], data[7], data[8], data[9] & 1 };
    for (size_t i = sizeof keys; i < size; i++) {
        enum key key = line_take(&line, &keys, data[i]);

        require(line.length < sizeof line.text && strlen(line.text) == line.length);
        require(key != KEY_END || (line.length == 0 && !line.too_long));
        require(!line.too_long || line.length <= sizeof line.text - 1);
        if (key != KEY_TYPED && key != KEY_REPRINT)
            line_wipe(&line);
    }
}

static void start_sudo(const uint8_t *data, size_t size)
{
    static const char begun[] = "sudo\0-S"; /* and the NUL */
    char words[1024];

    (void)mode_sudo_prompt((const char *)data, size);
    if (size > sizeof words - sizeof begun)
        return;
    memcpy(words, begun, sizeof begun);
    memcpy(words + sizeof begun, data, size);
    require(mode_sudo_prompt(words, sizeof begun + size) == SUDO_NO);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    type(data, size);
    start_sudo(data, size);
    return 0;
}
