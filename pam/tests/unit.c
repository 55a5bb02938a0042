/* Tests of what the module does at a socket: the codec against the byte vectors, and the wait. */
#include "check.h"
#include "client.h"
#include "wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The byte vectors: `name | hex | meaning`, see the top of golden.txt. */

static size_t from_hex(const char *hex, uint8_t *bytes, size_t size)
{
    size_t count = 0;
    unsigned byte;

    for (; count < size && sscanf(hex, "%2x", &byte) == 1; hex += 2)
        bytes[count++] = (uint8_t)byte;
    return count;
}

struct pair {
    const char *name, *value;
};

/* Splits "message; field=value; field=value" in place. How many fields there are. */
static int split(char *meaning, struct pair *pairs, int most)
{
    int count = 0;
    char *at = strstr(meaning, "; ");

    while (at != NULL && count < most) {
        char *equals;

        *at = '\0';
        at += 2;
        equals = strchr(at, '=');
        if (equals == NULL)
            return -1;
        *equals = '\0';
        pairs[count++] = (struct pair){ at, equals + 1 };
        at = strstr(equals + 1, "; ");
    }
    return count;
}

static const char *value_of(const struct pair *pairs, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(pairs[i].name, name) == 0)
            return pairs[i].value;
    return NULL;
}

static uint32_t number_of(const struct pair *pairs, int count, const char *name)
{
    const char *value = value_of(pairs, count, name);

    return value != NULL ? (uint32_t)strtoll(value, NULL, 10) : 0;
}

static int encode(const char *message, const struct pair *pairs, int count, uint8_t *buffer, size_t size)
{
    const char *name = value_of(pairs, count, "name"), *service = value_of(pairs, count, "service");
    uint32_t uid = number_of(pairs, count, "uid");

    if (strcmp(message, "authenticate") == 0) {
        struct wire_authenticate request = {
            .uid = uid,
            .name = name,
            .service = service,
            .tty = value_of(pairs, count, "tty"),
            .remote_host = value_of(pairs, count, "remoteHost"),
            .reason = value_of(pairs, count, "reason"),
            .policy = (uint8_t)number_of(pairs, count, "policy"),
            .interaction = number_of(pairs, count, "interaction") == 1,
            .timeout = number_of(pairs, count, "timeout"),
            .tries = (uint8_t)number_of(pairs, count, "tries"),
            .finger_only = number_of(pairs, count, "fingerOnly") == 1,
            .agent_pid = number_of(pairs, count, "agentPID"),
        };
        return wire_encode_authenticate(&request, buffer, size);
    }
    if (strcmp(message, "cancel") == 0)
        return wire_encode_cancel((enum wire_cancel_reason)number_of(pairs, count, "cancelReason"), buffer, size);
    if (strcmp(message, "passwordUseful") == 0)
        return wire_encode_password_useful(uid, name, service, buffer, size);
    return wire_encode_password(uid, name, value_of(pairs, count, "password"), buffer, size);
}

static void check_encoding(const char *vector, const char *message, const struct pair *pairs, int count,
                           const uint8_t *bytes, size_t length)
{
    uint8_t buffer[WIRE_MESSAGE_MAX];

    check(encode(message, pairs, count, buffer, sizeof buffer) == (int)length && memcmp(buffer, bytes, length) == 0,
          "is written as these bytes", vector);
    for (size_t size = 0; size < length; size++)
        check(encode(message, pairs, count, buffer, size) == -EMSGSIZE, "does not fit a smaller buffer", vector);
}

static bool same_text(struct wire_text text, const char *expected)
{
    return text.bytes != NULL && text.length == strlen(expected) && memcmp(text.bytes, expected, text.length) == 0;
}

static bool same_ticket(struct wire_text ticket, const char *expected)
{
    uint8_t bytes[16];

    return ticket.length == sizeof bytes && from_hex(expected, bytes, sizeof bytes) == sizeof bytes &&
           memcmp(ticket.bytes, bytes, sizeof bytes) == 0;
}

static const struct {
    const char *name;
    enum wire_type type;
} types[] = {
    { "prompt", WIRE_PROMPT },
    { "retry", WIRE_RETRY },
    { "mismatch", WIRE_MISMATCH },
    { "waiting", WIRE_WAITING },
    { "verdict", WIRE_VERDICT },
    { "passwordVerdict", WIRE_PASSWORD_VERDICT },
    { "passwordAdvice", WIRE_PASSWORD_ADVICE },
    { "problem", WIRE_PROBLEM },
};

static int type_of(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0)
            return (int)types[i].type;
    return -1;
}

static void check_decoding(const char *vector, const char *message, const struct pair *pairs, int count,
                           const uint8_t *bytes, size_t length)
{
    struct wire_message read;
    const struct {
        const char *name;
        enum wire_tag tag;
        const uint32_t *number;
    } numbers[] = {
        { "finger", WIRE_TAG_FINGER, &read.finger },
        { "right", WIRE_TAG_RIGHT, &read.right },
        { "scan", WIRE_TAG_SCAN, &read.scan },
        { "again", WIRE_TAG_AGAIN, &read.again },
        { "triesLeft", WIRE_TAG_TRIES_LEFT, &read.tries_left },
        { "retry", WIRE_TAG_RETRY, &read.retry },
        { "cause", WIRE_TAG_CAUSE, &read.cause },
        { "place", WIRE_TAG_PLACE, &read.place },
        { "endsIn", WIRE_TAG_ENDS_IN, &read.ends_in },
        { "otherPID", WIRE_TAG_OTHER_PID, &read.other_pid },
        { "code", WIRE_TAG_CODE, &read.code },
        { "lockoutBegan", WIRE_TAG_LOCKOUT_BEGAN, &read.lockout_began },
        { "useful", WIRE_TAG_USEFUL, &read.useful },
        { "problem", WIRE_TAG_PROBLEM, &read.problem },
        { "protocolVersion", WIRE_TAG_PROTOCOL_VERSION, &read.protocol_version },
        { "allowed", WIRE_TAG_ALLOWED, &read.allowed },
    };
    int listed = 0;

    check(wire_decode(bytes, length, &read) == 0 && read.type == type_of(message), "is read", vector);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        bool there = value_of(pairs, count, numbers[i].name) != NULL;

        check(*numbers[i].number == number_of(pairs, count, numbers[i].name), numbers[i].name, vector);
        check(!there || wire_has(&read, numbers[i].tag), numbers[i].name, vector);
        listed += there;
    }
    for (int i = 0; i < count; i++) {
        if (strcmp(pairs[i].name, "reader") == 0)
            check(same_text(read.reader, pairs[i].value), "reader", vector);
        else if (strcmp(pairs[i].name, "otherService") == 0)
            check(same_text(read.other_service, pairs[i].value), "otherService", vector);
        else if (strcmp(pairs[i].name, "otherTTY") == 0)
            check(same_text(read.other_tty, pairs[i].value), "otherTTY", vector);
        else if (strcmp(pairs[i].name, "ticket") == 0)
            check(same_ticket(read.ticket, pairs[i].value), "ticket", vector);
        else
            continue;
        listed++;
    }
    check(listed == count, "names no field that this test doesn't know", vector);
}

static bool all_zero(const struct wire_message *message)
{
    static const struct wire_message zero;

    return memcmp(message, &zero, sizeof zero) == 0;
}

static void check_refusal(const char *vector, const char *why, const uint8_t *bytes, size_t length)
{
    struct wire_message read;
    int error = wire_decode(bytes, length, &read);
    /* What clients say is nothing that the module reads: to it these types are unknown. */
    bool from_client = length >= 4 && bytes[0] == WIRE_VERSION && bytes[2] < WIRE_PROMPT && bytes[3] == 0;
    int expected = -EBADMSG;

    if (strcmp(why, "?") == 0 || from_client)
        expected = -ENOMSG;
    else if (strcmp(why, "!version") == 0)
        expected = -EPROTONOSUPPORT;
    else if (strcmp(why, "!oversized") == 0)
        expected = -EMSGSIZE;
    check(error == expected && all_zero(&read), "is refused", vector);
}

static void check_vector(char *line)
{
    char *name = line, *hex = strstr(line, " | "), *meaning;
    uint8_t bytes[2 * WIRE_MESSAGE_MAX];
    struct pair pairs[24];
    size_t length;
    bool writable;
    int count;

    if (hex == NULL || (meaning = strstr(hex + 1, " | ")) == NULL) {
        check(false, "has three columns", line);
        return;
    }
    *hex = *meaning = '\0';
    meaning += 3;
    length = from_hex(hex + 3, bytes, sizeof bytes);
    if (*meaning == '!' || *meaning == '?') {
        check_refusal(name, meaning, bytes, length);
        return;
    }
    writable = *meaning != '~';
    meaning += writable ? 0 : 1;
    count = split(meaning, pairs, (int)(sizeof pairs / sizeof *pairs));
    if (type_of(meaning) >= 0)
        check_decoding(name, meaning, pairs, count, bytes, length);
    else if (writable && value_of(pairs, count, "wantsTicket") == NULL) /* the module never wants one */
        check_encoding(name, meaning, pairs, count, bytes, length);
}

static void check_vectors(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[32768];
    int vectors = 0;

    if (file == NULL) {
        check(false, "can be read", path);
        return;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (*line == '\0' || *line == '#')
            continue;
        check_vector(line);
        vectors++;
    }
    fclose(file);
    check(vectors > 100, "holds the vectors", path);
}

/* Every message that can be made from a verdict by changing one byte is a denial, unless it names another finger. */
static void check_changed_verdicts(void)
{
    const uint8_t denied[] = { 1, 0, 68, 0, 60, 0, 1, 0, 0, 43, 0, 4, 0, 0xff, 0xff, 0xff, 0xff, 37, 0, 2, 0, 1, 0 };
    uint8_t bytes[sizeof denied];
    struct wire_message read;

    for (size_t at = 0; at < sizeof denied; at++) {
        for (int value = 0; value < 256; value++) {
            memcpy(bytes, denied, sizeof denied);
            bytes[at] = (uint8_t)value;
            check(wire_decode(bytes, sizeof bytes, &read) < 0 || !read.allowed, "a changed denial", "allows nobody");
        }
    }
}

static void check_unfit_values(void)
{
    uint8_t buffer[WIRE_MESSAGE_MAX];
    char long_name[WIRE_LABEL_MAX + 2], long_password[WIRE_PASSWORD_MAX + 2];
    const char *names[] = { NULL, "", "a\nb", "\x1b[2J", "ren\xe9", "a\xed\xa0\x80", "a\xc2\x85", long_name };

    memset(long_name, 'n', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    memset(long_password, 'p', sizeof long_password - 1);
    long_password[sizeof long_password - 1] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct wire_authenticate request = {
            .uid = 1, .name = names[i], .service = "sudo", .policy = 1, .timeout = 1000, .tries = 1
        };

        check(wire_encode_authenticate(&request, buffer, sizeof buffer) == -EINVAL, "authenticate for an unfit name",
              "refused");
        request = (struct wire_authenticate){
            .name = "root", .service = "sudo", .remote_host = names[i], .policy = 1, .timeout = 1000, .tries = 1
        };
        if (i > 1)
            check(wire_encode_authenticate(&request, buffer, sizeof buffer) == -EINVAL, "an unfit remote host",
                  "refused, never left out");
        check(wire_encode_password_useful(1, "root", names[i], buffer, sizeof buffer) == -EINVAL, "an unfit service",
              "refused");
        check(wire_encode_password(1, names[i], "secret", buffer, sizeof buffer) == -EINVAL, "an unfit name",
              "refused");
    }
    check(wire_encode_authenticate(
              &(struct wire_authenticate){ .name = "root", .service = "sudo", .policy = 1, .timeout = 1000, .tries = 1,
                                           .agent_pid = UINT32_C(0x80000000) },
              buffer, sizeof buffer) == -EINVAL,
          "an agent's number that no process has", "refused");
    check(wire_encode_password(1, "root", "", buffer, sizeof buffer) == -EINVAL, "an empty password", "refused");
    check(wire_encode_password(1, "root", long_password, buffer, sizeof buffer) == -EINVAL, "a long password",
          "refused");
}

static void check_wait(void)
{
    struct pollfd other = { .fd = -1, .events = POLLIN };
    int silent[2], said[2];

    if (pipe(silent) < 0 || pipe(said) < 0 || write(said[1], "x", 1) != 1) {
        check(false, "pipes", "can be made");
        return;
    }
    check(client_wait(silent[0], silent[0], NULL, 0, client_now() - 1) == -ETIME, "silence", "ends at the deadline");
    /* A host that was stopped meanwhile comes late, but what it waited for did not. */
    check(client_wait(said[0], silent[0], NULL, 0, client_now() - 1) == 1, "an answer", "is heard past the deadline");
    check(client_wait(said[0], said[0], NULL, 0, client_now() - 1) == -EINTR, "a signal", "goes first");
    other.fd = said[0];
    check(client_wait(silent[0], silent[0], &other, 1, client_now() - 1) == 0 && other.revents == POLLIN, "another",
          "is heard past the deadline");
    close(silent[0]), close(silent[1]), close(said[0]), close(said[1]);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: unit GOLDEN\n");
        return 2;
    }
    check_vectors(argv[1]);
    check_changed_verdicts();
    check_unfit_values();
    check_wait();
    return checked();
}
