/*
 * The module's half of the wire protocol (Sources/BioauthWire/PROTOCOL.md): writes what a PAM host says, reads what
 * the daemon and bioauth-password answer. Pure: bytes in, values out, nothing allocated, no clock, no descriptor.
 */
#ifndef BIOAUTH_WIRE_H
#define BIOAUTH_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WIRE_VERSION = 1,
    WIRE_MESSAGE_MAX = 4096,  /* bytes of one message */
    WIRE_LABEL_MAX = 256,     /* bytes of an account's, a service's, a terminal's or a host's name */
    WIRE_REASON_MAX = 512,    /* bytes of the reason to show */
    WIRE_PASSWORD_MAX = 512,  /* bytes of a password */
};

enum wire_type {
    WIRE_AUTHENTICATE = 1,
    WIRE_CANCEL = 2,
    WIRE_PASSWORD_USEFUL = 3,
    WIRE_PASSWORD = 12,
    WIRE_PROMPT = 64,
    WIRE_RETRY = 65,
    WIRE_MISMATCH = 66,
    WIRE_WAITING = 67,
    WIRE_VERDICT = 68,
    WIRE_PASSWORD_VERDICT = 70,
    WIRE_PASSWORD_ADVICE = 71,
    WIRE_PROBLEM = 77,
};

enum wire_tag {
    WIRE_TAG_UID = 1,
    WIRE_TAG_NAME = 2,
    WIRE_TAG_SERVICE = 3,
    WIRE_TAG_TTY = 4,
    WIRE_TAG_REMOTE_HOST = 5,
    WIRE_TAG_REASON = 6,
    WIRE_TAG_POLICY = 7,
    WIRE_TAG_INTERACTION = 8,
    WIRE_TAG_TIMEOUT = 9,
    WIRE_TAG_TRIES = 10,
    WIRE_TAG_FINGER_ONLY = 11,
    WIRE_TAG_CANCEL_REASON = 12,
    WIRE_TAG_FINGER = 13,
    WIRE_TAG_TICKET = 14,
    WIRE_TAG_RIGHT = 16,
    WIRE_TAG_PASSWORD = 18,
    WIRE_TAG_AGENT_PID = 19,
    WIRE_TAG_SCAN = 32,
    WIRE_TAG_AGAIN = 33,
    WIRE_TAG_READER = 34,
    WIRE_TAG_TRIES_LEFT = 35,
    WIRE_TAG_RETRY = 36,
    WIRE_TAG_CAUSE = 37,
    WIRE_TAG_PLACE = 38,
    WIRE_TAG_ENDS_IN = 39,
    WIRE_TAG_OTHER_SERVICE = 40,
    WIRE_TAG_OTHER_TTY = 41,
    WIRE_TAG_OTHER_PID = 42,
    WIRE_TAG_CODE = 43,
    WIRE_TAG_LOCKOUT_BEGAN = 44,
    WIRE_TAG_USEFUL = 47,
    WIRE_TAG_PROBLEM = 48,
    WIRE_TAG_PROTOCOL_VERSION = 49,
    WIRE_TAG_ALLOWED = 60,
};

enum wire_policy { WIRE_POLICY_BIOMETRICS = 1, WIRE_POLICY_BIOMETRICS_OR_PASSWORD = 2 };

enum wire_cancel_reason { WIRE_CANCEL_PERSON = 1, WIRE_CANCEL_PASSWORD = 2, WIRE_CANCEL_APP = 3 };

enum wire_scan { WIRE_SCAN_PRESS = 1, WIRE_SCAN_SWIPE = 2 };

enum wire_retry {
    WIRE_RETRY_GENERAL = 0,
    WIRE_RETRY_TOO_SHORT = 1,
    WIRE_RETRY_CENTRE = 2,
    WIRE_RETRY_LIFT = 3,
    WIRE_RETRY_TOO_FAST = 4,
};

/* Apple's LAError.Code. */
enum wire_code {
    WIRE_AUTHENTICATION_FAILED = -1,
    WIRE_USER_CANCEL = -2,
    WIRE_USER_FALLBACK = -3,
    WIRE_SYSTEM_CANCEL = -4,
    WIRE_PASSCODE_NOT_SET = -5,
    WIRE_BIOMETRY_NOT_AVAILABLE = -6,
    WIRE_BIOMETRY_NOT_ENROLLED = -7,
    WIRE_BIOMETRY_LOCKOUT = -8,
    WIRE_APP_CANCEL = -9,
    WIRE_NOT_INTERACTIVE = -1004,
};

/* The causes that the module can hear of (Sources/BioauthCore/Denial.swift). */
enum wire_cause {
    WIRE_MISMATCHES_USED_UP = 1,
    WIRE_PERSON_CANCELLED = 2,
    WIRE_PERSON_CHOSE_PASSWORD = 3,
    WIRE_APP_WITHDREW = 4,
    WIRE_TIMED_OUT = 5,
    WIRE_PREEMPTED = 6,
    WIRE_SUSPENDED = 7,
    WIRE_CONTENDED = 8,
    WIRE_DAEMON_STOPPING = 9,
    WIRE_QUEUED = 10,
    WIRE_RESTING = 11,
    WIRE_NO_READER = 12,
    WIRE_READER_FAILED = 13,
    WIRE_READER_UNPLUGGED = 14,
    WIRE_READER_HOT = 15,
    WIRE_READER_OPENING = 16,
    WIRE_REMOTE_SESSION = 17,
    WIRE_LID_CLOSED = 18,
    WIRE_SESSION_INACTIVE = 19,
    WIRE_SESSION_LOCKED = 20,
    WIRE_BACKGROUND_PROCESS = 21,
    WIRE_SERVICE_DISABLED = 22,
    WIRE_NOT_PERMITTED = 23,
    WIRE_INTERACTION_FORBIDDEN = 24,
    WIRE_NOBODY_TO_ASK = 25,
    WIRE_UNKNOWN_USER = 26,
    WIRE_NOT_ENROLLED = 27,
    WIRE_NO_PASSWORD = 28,
    WIRE_LOCKED_OUT = 29,
    WIRE_PASSWORD_NEEDED = 30,
    WIRE_PASSWORD_FIRST = 31,
    WIRE_PASSWORD_TOO_OLD = 32,
    WIRE_PASSWORD_NEVER_GIVEN = 33,
    WIRE_CLOCK_WENT_BACK = 34,
    WIRE_STATE_DAMAGED = 35,
    WIRE_STATE_NOT_WRITABLE = 36,
    WIRE_PROTOCOL_ERROR = 37,
    WIRE_TOO_MANY_REQUESTS = 38,
    WIRE_NO_DAEMON = 39,
    WIRE_PASSWORD_WRONG = 48,
    WIRE_PASSWORD_DELAYED = 49,
    WIRE_PASSWORD_UNAVAILABLE = 50,
    WIRE_SESSION_UNKNOWN = 51,
    WIRE_READER_BUSY = 54,
    WIRE_PRINT_GONE = 55,
};

/* A request for a touch. Strings end with a NUL and stay the caller's; the optional ones are NULL when absent. */
struct wire_authenticate {
    uint32_t uid;
    const char *name;
    const char *service;
    const char *tty;         /* optional: terminal or display */
    const char *remote_host; /* optional */
    const char *reason;      /* optional */
    uint8_t policy;          /* enum wire_policy */
    bool interaction;
    uint32_t timeout; /* milliseconds, 1000 to 300000 */
    uint8_t tries;    /* 1 to 10 */
    bool finger_only;
    uint32_t agent_pid; /* the process that the host asks for, if not its starter; up to INT32_MAX, 0: not sent */
};

/* Text inside the datagram that it was read from, without a NUL; valid UTF-8 without control characters. */
struct wire_text {
    const char *bytes;
    size_t length;
};

/* A message that was read. What the message doesn't carry is zero; `wire_has` tells zero from absent. */
struct wire_message {
    uint16_t type;   /* enum wire_type */
    uint64_t fields; /* bit n: the field with tag n is there */
    uint32_t scan;   /* enum wire_scan */
    uint32_t finger; /* 1 to 10, left thumb to left little, right thumb to right little; 0: none named */
    uint32_t again;
    uint32_t tries_left;
    uint32_t retry; /* enum wire_retry */
    uint32_t cause; /* enum wire_cause, or one that a newer daemon knows */
    uint32_t place;
    uint32_t ends_in; /* milliseconds */
    uint32_t other_pid;
    uint32_t code; /* enum wire_code as 32 bits, or one that a newer daemon knows */
    uint32_t lockout_began;
    uint32_t useful;
    uint32_t problem;
    uint32_t protocol_version;
    uint32_t allowed;
    uint32_t right;
    struct wire_text reader;
    struct wire_text other_service;
    struct wire_text other_tty;
    struct wire_text ticket; /* 16 bytes, not text */
};

static inline bool wire_has(const struct wire_message *message, enum wire_tag tag)
{
    return (message->fields >> (unsigned)tag & 1) != 0;
}

/*
 * Each writes one message into `buffer` of `size` bytes and gives its length; -EINVAL for a value that the protocol
 * doesn't allow (too long, not UTF-8, a control character, out of range, a required one NULL), -EMSGSIZE when it
 * doesn't fit. After an error the buffer's contents mean nothing, but may hold part of what was to be written.
 */
int wire_encode_authenticate(const struct wire_authenticate *request, uint8_t *buffer, size_t size);
int wire_encode_cancel(enum wire_cancel_reason reason, uint8_t *buffer, size_t size);
int wire_encode_password_useful(uint32_t uid, const char *name, const char *service, uint8_t *buffer, size_t size);
int wire_encode_password(uint32_t uid, const char *name, const char *password, uint8_t *buffer, size_t size);

/*
 * Reads one datagram from the daemon or bioauth-password. The texts of `message` point into `bytes`. 0; -ENOMSG for a
 * type that the module doesn't know (pass over it); -EPROTONOSUPPORT for another version; -EMSGSIZE for more than
 * WIRE_MESSAGE_MAX bytes; -EBADMSG for anything else that can't be read. `message` is all zero after an error.
 */
int wire_decode(const uint8_t *bytes, size_t length, struct wire_message *message);

#endif
