#include "wire.h"

#include <errno.h>
#include <string.h>

enum { HEADER_SIZE = 4, FIELD_HEAD_SIZE = 4, TICKET_SIZE = 16 };

/* Whether the bytes are UTF-8 (shortest form, no surrogates) without control characters. */
static bool is_text(const uint8_t *at, size_t length)
{
    const uint8_t *end = at + length;

    while (at < end) {
        uint32_t scalar = *at++;
        uint32_t least = 0;
        size_t more = 0;

        if (scalar >= 0xf8 || (scalar >= 0x80 && scalar < 0xc0))
            return false;
        if (scalar >= 0xf0) {
            more = 3;
            least = 0x10000;
            scalar &= 0x07;
        } else if (scalar >= 0xe0) {
            more = 2;
            least = 0x800;
            scalar &= 0x0f;
        } else if (scalar >= 0xc0) {
            more = 1;
            least = 0x80;
            scalar &= 0x1f;
        }
        if ((size_t)(end - at) < more)
            return false;
        for (; more > 0; more--, at++) {
            if ((*at & 0xc0) != 0x80)
                return false;
            scalar = scalar << 6 | (*at & 0x3fU);
        }
        if (scalar < least || scalar > 0x10ffff || (scalar >= 0xd800 && scalar <= 0xdfff))
            return false;
        if (scalar < 0x20 || (scalar >= 0x7f && scalar <= 0x9f))
            return false;
    }
    return true;
}

/* Writing. The first error stays; what is put after it changes nothing. */

struct writer {
    uint8_t *bytes;
    size_t size;
    size_t length;
    int error;
};

static void put_number(struct writer *writer, uint64_t value, size_t width)
{
    if (writer->error == 0 && writer->size - writer->length < width)
        writer->error = -EMSGSIZE;
    if (writer->error != 0)
        return;
    for (size_t i = 0; i < width; i++)
        writer->bytes[writer->length++] = (uint8_t)(value >> (8 * i));
}

static struct writer start(enum wire_type type, uint8_t *buffer, size_t size)
{
    struct writer writer = { .bytes = buffer, .size = size };

    put_number(&writer, WIRE_VERSION, 2); /* the version, and a zero */
    put_number(&writer, type, 2);
    return writer;
}

static int finish(const struct writer *writer)
{
    return writer->error != 0 ? writer->error : (int)writer->length;
}

static void put_number_field(struct writer *writer, enum wire_tag tag, uint64_t value, size_t width)
{
    put_number(writer, tag, 2);
    put_number(writer, width, 2);
    put_number(writer, value, width);
}

static void put_bytes_field(struct writer *writer, enum wire_tag tag, const char *value, size_t length)
{
    put_number(writer, tag, 2);
    put_number(writer, length, 2);
    if (writer->error == 0 && writer->size - writer->length < length)
        writer->error = -EMSGSIZE;
    if (writer->error != 0)
        return;
    memcpy(writer->bytes + writer->length, value, length);
    writer->length += length;
}

/* At most `limit` bytes of text. */
static void put_text(struct writer *writer, enum wire_tag tag, const char *text, size_t limit)
{
    size_t length = strnlen(text, limit + 1);

    if (length > limit || !is_text((const uint8_t *)text, length))
        writer->error = -EINVAL;
    put_bytes_field(writer, tag, text, length);
}

static void put_optional_text(struct writer *writer, enum wire_tag tag, const char *text, size_t limit)
{
    if (text != NULL)
        put_text(writer, tag, text, limit);
}

static void put_label(struct writer *writer, enum wire_tag tag, const char *label)
{
    if (label == NULL || *label == '\0')
        writer->error = -EINVAL;
    else
        put_text(writer, tag, label, WIRE_LABEL_MAX);
}

int wire_encode_authenticate(const struct wire_authenticate *request, uint8_t *buffer, size_t size)
{
    struct writer writer = start(WIRE_AUTHENTICATE, buffer, size);

    if (request->timeout < 1000 || request->timeout > 300000 || request->tries < 1 || request->tries > 10 ||
        request->policy < WIRE_POLICY_BIOMETRICS || request->policy > WIRE_POLICY_BIOMETRICS_OR_PASSWORD ||
        request->agent_pid > INT32_MAX)
        return -EINVAL;
    put_number_field(&writer, WIRE_TAG_UID, request->uid, 4);
    put_label(&writer, WIRE_TAG_NAME, request->name);
    put_label(&writer, WIRE_TAG_SERVICE, request->service);
    put_optional_text(&writer, WIRE_TAG_TTY, request->tty, WIRE_LABEL_MAX);
    put_optional_text(&writer, WIRE_TAG_REMOTE_HOST, request->remote_host, WIRE_LABEL_MAX);
    put_optional_text(&writer, WIRE_TAG_REASON, request->reason, WIRE_REASON_MAX);
    put_number_field(&writer, WIRE_TAG_POLICY, request->policy, 1);
    put_number_field(&writer, WIRE_TAG_INTERACTION, request->interaction, 1);
    put_number_field(&writer, WIRE_TAG_TIMEOUT, request->timeout, 4);
    put_number_field(&writer, WIRE_TAG_TRIES, request->tries, 1);
    put_number_field(&writer, WIRE_TAG_FINGER_ONLY, request->finger_only, 1);
    if (request->agent_pid != 0)
        put_number_field(&writer, WIRE_TAG_AGENT_PID, request->agent_pid, 4);
    return finish(&writer);
}

int wire_encode_cancel(enum wire_cancel_reason reason, uint8_t *buffer, size_t size)
{
    struct writer writer = start(WIRE_CANCEL, buffer, size);

    put_number_field(&writer, WIRE_TAG_CANCEL_REASON, reason, 1);
    return finish(&writer);
}

int wire_encode_password_useful(uint32_t uid, const char *name, const char *service, uint8_t *buffer, size_t size)
{
    struct writer writer = start(WIRE_PASSWORD_USEFUL, buffer, size);

    put_number_field(&writer, WIRE_TAG_UID, uid, 4);
    put_label(&writer, WIRE_TAG_NAME, name);
    put_label(&writer, WIRE_TAG_SERVICE, service);
    return finish(&writer);
}

int wire_encode_password(uint32_t uid, const char *name, const char *password, uint8_t *buffer, size_t size)
{
    struct writer writer = start(WIRE_PASSWORD, buffer, size);
    size_t length = strnlen(password, WIRE_PASSWORD_MAX + 1);

    if (length < 1 || length > WIRE_PASSWORD_MAX)
        return -EINVAL;
    put_number_field(&writer, WIRE_TAG_UID, uid, 4);
    put_label(&writer, WIRE_TAG_NAME, name);
    put_bytes_field(&writer, WIRE_TAG_PASSWORD, password, length);
    return finish(&writer);
}

/* Reading. */

enum kind { NUMBER, FLAG, TEXT, BYTES };

/* The fields that the module reads. `size` is a number's or the bytes' size, and the most that a text may have. */
static const struct field {
    enum wire_tag tag;
    enum kind kind;
    size_t size;
    size_t offset; /* in struct wire_message: a uint32_t, or a struct wire_text */
} fields[] = {
    { WIRE_TAG_FINGER, NUMBER, 1, offsetof(struct wire_message, finger) },
    { WIRE_TAG_TICKET, BYTES, TICKET_SIZE, offsetof(struct wire_message, ticket) },
    { WIRE_TAG_RIGHT, FLAG, 1, offsetof(struct wire_message, right) },
    { WIRE_TAG_SCAN, NUMBER, 1, offsetof(struct wire_message, scan) },
    { WIRE_TAG_AGAIN, FLAG, 1, offsetof(struct wire_message, again) },
    { WIRE_TAG_READER, TEXT, WIRE_LABEL_MAX, offsetof(struct wire_message, reader) },
    { WIRE_TAG_TRIES_LEFT, NUMBER, 1, offsetof(struct wire_message, tries_left) },
    { WIRE_TAG_RETRY, NUMBER, 1, offsetof(struct wire_message, retry) },
    { WIRE_TAG_CAUSE, NUMBER, 2, offsetof(struct wire_message, cause) },
    { WIRE_TAG_PLACE, NUMBER, 2, offsetof(struct wire_message, place) },
    { WIRE_TAG_ENDS_IN, NUMBER, 4, offsetof(struct wire_message, ends_in) },
    { WIRE_TAG_OTHER_SERVICE, TEXT, WIRE_LABEL_MAX, offsetof(struct wire_message, other_service) },
    { WIRE_TAG_OTHER_TTY, TEXT, WIRE_LABEL_MAX, offsetof(struct wire_message, other_tty) },
    { WIRE_TAG_OTHER_PID, NUMBER, 4, offsetof(struct wire_message, other_pid) },
    { WIRE_TAG_CODE, NUMBER, 4, offsetof(struct wire_message, code) },
    { WIRE_TAG_LOCKOUT_BEGAN, FLAG, 1, offsetof(struct wire_message, lockout_began) },
    { WIRE_TAG_USEFUL, FLAG, 1, offsetof(struct wire_message, useful) },
    { WIRE_TAG_PROBLEM, NUMBER, 2, offsetof(struct wire_message, problem) },
    { WIRE_TAG_PROTOCOL_VERSION, NUMBER, 1, offsetof(struct wire_message, protocol_version) },
    { WIRE_TAG_ALLOWED, FLAG, 1, offsetof(struct wire_message, allowed) },
};

static uint32_t number_at(const uint8_t *bytes, size_t width)
{
    uint32_t value = 0;

    for (size_t i = 0; i < width; i++)
        value |= (uint32_t)bytes[i] << (8 * i);
    return value;
}

static int read_field(uint32_t tag, const uint8_t *value, size_t length, struct wire_message *message)
{
    const struct field *field = NULL;
    struct wire_text text;
    uint32_t number;

    for (size_t i = 0; i < sizeof fields / sizeof *fields && field == NULL; i++)
        if ((uint32_t)fields[i].tag == tag)
            field = &fields[i];
    if (field == NULL)
        return 0;
    if (wire_has(message, field->tag))
        return -EBADMSG;
    message->fields |= UINT64_C(1) << tag;

    switch (field->kind) {
    case NUMBER:
    case FLAG:
        if (length != field->size)
            return -EBADMSG;
        number = number_at(value, length);
        if (field->kind == FLAG && number > 1)
            return -EBADMSG;
        memcpy((char *)message + field->offset, &number, sizeof number);
        return 0;
    case BYTES:
        if (length != field->size)
            return -EBADMSG;
        break;
    case TEXT:
        if (length > field->size || !is_text(value, length))
            return -EBADMSG;
        break;
    }
    text = (struct wire_text){ .bytes = (const char *)value, .length = length };
    memcpy((char *)message + field->offset, &text, sizeof text);
    return 0;
}

#define BIT(tag) (UINT64_C(1) << (tag))

/* What a message of this type must carry. */
static uint64_t required(const struct wire_message *message)
{
    switch (message->type) {
    case WIRE_PROMPT:
        return BIT(WIRE_TAG_SCAN) | BIT(WIRE_TAG_TRIES_LEFT) | BIT(WIRE_TAG_AGAIN);
    case WIRE_RETRY:
        return BIT(WIRE_TAG_RETRY);
    case WIRE_MISMATCH:
        return BIT(WIRE_TAG_TRIES_LEFT);
    case WIRE_WAITING:
        return BIT(WIRE_TAG_CAUSE) | (message->other_service.length > 0 ? BIT(WIRE_TAG_OTHER_PID) : 0);
    case WIRE_VERDICT:
        return BIT(WIRE_TAG_ALLOWED) |
               (message->allowed ? BIT(WIRE_TAG_FINGER) : BIT(WIRE_TAG_CODE) | BIT(WIRE_TAG_CAUSE));
    case WIRE_PASSWORD_VERDICT:
        return BIT(WIRE_TAG_RIGHT) | (message->right ? 0 : BIT(WIRE_TAG_CAUSE));
    case WIRE_PASSWORD_ADVICE:
        return BIT(WIRE_TAG_USEFUL);
    case WIRE_PROBLEM:
        return BIT(WIRE_TAG_PROBLEM) | BIT(WIRE_TAG_PROTOCOL_VERSION);
    default:
        return 0;
    }
}

static bool is_known(uint32_t type)
{
    return (type >= WIRE_PROMPT && type <= WIRE_VERDICT) || type == WIRE_PASSWORD_VERDICT ||
           type == WIRE_PASSWORD_ADVICE || type == WIRE_PROBLEM;
}

static int read_message(const uint8_t *bytes, size_t length, struct wire_message *message)
{
    size_t at = HEADER_SIZE;

    if (length > WIRE_MESSAGE_MAX)
        return -EMSGSIZE;
    if (length < 1)
        return -EBADMSG;
    if (bytes[0] != WIRE_VERSION)
        return -EPROTONOSUPPORT;
    if (length < HEADER_SIZE)
        return -EBADMSG;
    if (!is_known(number_at(bytes + 2, 2)))
        return -ENOMSG;
    message->type = (uint16_t)number_at(bytes + 2, 2);

    while (at < length) {
        uint32_t tag, size;
        int error;

        if (length - at < FIELD_HEAD_SIZE)
            return -EBADMSG;
        tag = number_at(bytes + at, 2);
        size = number_at(bytes + at + 2, 2);
        at += FIELD_HEAD_SIZE;
        if (length - at < size)
            return -EBADMSG;
        error = read_field(tag, bytes + at, size, message);
        if (error < 0)
            return error;
        at += size;
    }

    if ((message->fields & required(message)) != required(message))
        return -EBADMSG;
    if (wire_has(message, WIRE_TAG_FINGER) && (message->finger < 1 || message->finger > 10))
        return -EBADMSG;
    if (wire_has(message, WIRE_TAG_SCAN) && (message->scan < WIRE_SCAN_PRESS || message->scan > WIRE_SCAN_SWIPE))
        return -EBADMSG;
    if (message->retry > WIRE_RETRY_TOO_FAST)
        message->retry = WIRE_RETRY_GENERAL;
    return 0;
}

int wire_decode(const uint8_t *bytes, size_t length, struct wire_message *message)
{
    int error;

    *message = (struct wire_message){ 0 };
    error = read_message(bytes, length, message);
    if (error < 0)
        *message = (struct wire_message){ 0 };
    return error;
}
