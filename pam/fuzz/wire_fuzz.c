/* libFuzzer entry for the codec: whatever comes in, what is read keeps the protocol's promises. */
#include "wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool kept)
{
    if (!kept)
        __builtin_trap();
}

static void require_within(struct wire_text text, const uint8_t *data, size_t size)
{
    const uint8_t *at = (const uint8_t *)text.bytes;

    require(at == NULL ? text.length == 0 : at >= data && text.length <= size - (size_t)(at - data));
    for (size_t i = 0; i < text.length; i++)
        require((uint8_t)text.bytes[i] >= 0x20 && text.bytes[i] != 0x7f);
}

static void read_as_message(const uint8_t *data, size_t size)
{
    static const struct wire_message zero;
    struct wire_message message;
    int error = wire_decode(data, size, &message);

    if (error < 0) {
        require(memcmp(&message, &zero, sizeof zero) == 0);
        return;
    }
    require(size <= WIRE_MESSAGE_MAX && data[0] == WIRE_VERSION);
    require(message.finger <= 10 && message.retry <= WIRE_RETRY_TOO_FAST && message.allowed <= 1);
    require(message.type != WIRE_VERDICT || !message.allowed || message.finger >= 1);
    require_within(message.reader, data, size);
    require_within(message.other_service, data, size);
    require_within(message.other_tty, data, size);
}

/* The data as a name, a remote host and a password: what is written has the length that it says, field by field. */
static void write_as_text(const uint8_t *data, size_t size)
{
    char text[1024];
    uint8_t buffer[WIRE_MESSAGE_MAX];
    size_t count = size < sizeof text ? size : sizeof text - 1;
    struct wire_authenticate request = {
        .name = text, .service = "sudo", .remote_host = text, .policy = 1, .timeout = 1000, .tries = 1
    };
    int length;

    memcpy(text, data, count);
    text[count] = '\0';
    length = wire_encode_authenticate(&request, buffer, size % sizeof buffer);
    require(length <= (int)(size % sizeof buffer));
    length = wire_encode_password(0, "root", text, buffer, sizeof buffer);
    require(length == -EINVAL || (size_t)length == 4 + 8 + 8 + 4 + strlen(text));
    length = wire_encode_authenticate(&request, buffer, sizeof buffer);
    for (int at = 4; at < length; at += 4 + (buffer[at + 2] | buffer[at + 3] << 8))
        require(length - at >= 4 + (buffer[at + 2] | buffer[at + 3] << 8));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Just as large as it is, so that a read past the end is seen. */
    uint8_t *copy = malloc(size);

    if (size > 0)
        memcpy(copy, data, size);
    read_as_message(copy, size);
    write_as_text(copy, size);
    free(copy);
    return 0;
}
