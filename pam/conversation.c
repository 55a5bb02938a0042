#include "conversation.h"

#include <errno.h>
#include <libintl.h>
#include <security/pam_ext.h>
#include <stdio.h>
#include <string.h>

#define TEXT_DOMAIN "bioauthd"
#ifndef LOCALEDIR
#define LOCALEDIR "/usr/share/locale"
#endif

#define _(text) dgettext(TEXT_DOMAIN, text)
#define P_(one, many, count) dngettext(TEXT_DOMAIN, one, many, count)
#define N_(text) text

enum { TEXT_SIZE = 512, NAME_SHOWN = 64 };

struct conversation conversation_start(pam_handle_t *pamh, bool quiet)
{
    bindtextdomain(TEXT_DOMAIN, LOCALEDIR);
    return (struct conversation){ .pamh = pamh, .quiet = quiet };
}

bool conversation_possible(const struct conversation *conversation)
{
    const void *item = NULL;
    const struct pam_conv *host;

    if (pam_get_item(conversation->pamh, PAM_CONV, &item) != PAM_SUCCESS || item == NULL)
        return false;
    host = item;
    return host->conv != NULL;
}

static int say(struct conversation *conversation, int style, const char *text)
{
    if (conversation->quiet || *text == '\0')
        return 0;
    /* Frees what the host may answer to it. */
    if (pam_prompt(conversation->pamh, style, NULL, "%s", text) != PAM_SUCCESS)
        return -EPIPE;
    conversation->spoke = true;
    return 0;
}

/* As much of a name as is fit to show, cut between characters. */
static int shown(struct wire_text name)
{
    size_t length = name.length;

    if (length > NAME_SHOWN)
        for (length = NAME_SHOWN; length > 0 && ((unsigned char)name.bytes[length] & 0xc0) == 0x80; length--)
            ;
    return (int)length;
}

/* "30 seconds", "2 minutes": never less than is left. */
static void write_time(char *text, size_t size, uint32_t milliseconds)
{
    unsigned long seconds = ((unsigned long)milliseconds + 999) / 1000;
    unsigned long minutes = (seconds + 59) / 60;

    if (seconds <= 120)
        snprintf(text, size, P_("%lu second", "%lu seconds", seconds), seconds);
    else
        snprintf(text, size, P_("%lu minute", "%lu minutes", minutes), minutes);
}

/* "sudo on /dev/pts/3 (process 4242)" */
static void write_other(char *text, size_t size, const struct wire_message *waiting)
{
    struct wire_text service = waiting->other_service, tty = waiting->other_tty;

    if (tty.length > 0)
        snprintf(text, size, _("%.*s on %.*s (process %lu)"), shown(service), service.bytes, shown(tty), tty.bytes,
                 (unsigned long)waiting->other_pid);
    else
        snprintf(text, size, _("%.*s (process %lu)"), shown(service), service.bytes,
                 (unsigned long)waiting->other_pid);
}

static const char *finger_name(uint32_t finger)
{
    switch (finger) {
    case 1: return _("left thumb");
    case 2: return _("left index finger");
    case 3: return _("left middle finger");
    case 4: return _("left ring finger");
    case 5: return _("left little finger");
    case 6: return _("right thumb");
    case 7: return _("right index finger");
    case 8: return _("right middle finger");
    case 9: return _("right ring finger");
    case 10: return _("right little finger");
    default: return _("finger");
    }
}

static void write_prompt(char *text, size_t size, const struct wire_message *prompt)
{
    const char *finger = finger_name(prompt->finger);

    if (prompt->scan == WIRE_SCAN_SWIPE)
        snprintf(text, size, _("Swipe your %s across the fingerprint reader."), finger);
    else
        snprintf(text, size, _("Touch the fingerprint reader with your %s."), finger);
}

static const char *retry_text(uint32_t retry)
{
    switch ((enum wire_retry)retry) {
    case WIRE_RETRY_TOO_SHORT:
        return _("That was too short. Try again.");
    case WIRE_RETRY_CENTRE:
        return _("The finger was off centre. Try again with the finger in the middle of the reader.");
    case WIRE_RETRY_LIFT:
        return _("Lift your finger, then touch the reader again.");
    case WIRE_RETRY_TOO_FAST:
        return _("That was too fast. Try again more slowly.");
    case WIRE_RETRY_GENERAL:
        break;
    }
    return _("The reader could not see the finger well. Try again.");
}

static void write_mismatch(char *text, size_t size, const struct wire_message *mismatch)
{
    unsigned long left = mismatch->tries_left;

    if (left == 0)
        snprintf(text, size, "%s", _("Not recognised."));
    else
        snprintf(text, size, P_("Not recognised. Try again (%lu try left).", "Not recognised. Try again (%lu tries left).", left),
                 left);
}

static void write_waiting(char *text, size_t size, const struct wire_message *waiting)
{
    char other[TEXT_SIZE / 2] = "", time[TEXT_SIZE / 8] = "";
    unsigned long place = waiting->place;

    if (waiting->other_service.length > 0)
        write_other(other, sizeof other, waiting);
    if (wire_has(waiting, WIRE_TAG_ENDS_IN))
        write_time(time, sizeof time, waiting->ends_in);

    switch (waiting->cause) {
    case WIRE_CONTENDED:
        if (*other != '\0')
            snprintf(text, size, _("%s asks for your finger at the same time, so neither gets it. "
                                   "End the one that you don't want."), other);
        else
            snprintf(text, size, "%s", _("Another program asks for your finger at the same time, so neither gets it. "
                                         "End the one that you don't want."));
        return;
    case WIRE_SUSPENDED:
        if (*other != '\0')
            snprintf(text, size, _("%s uses the fingerprint reader first. Wait until it has ended."), other);
        else
            snprintf(text, size, "%s", _("The fingerprint reader is not free. Please wait."));
        return;
    case WIRE_QUEUED:
        if (place > 0)
            snprintf(text, size, P_("The fingerprint reader is in use: %lu request goes first. Please wait.",
                                    "The fingerprint reader is in use: %lu requests go first. Please wait.", place), place);
        else
            snprintf(text, size, "%s", _("The fingerprint reader is not free. Please wait."));
        return;
    case WIRE_READER_HOT:
        if (*time != '\0')
            snprintf(text, size, _("The fingerprint reader is too warm. Wait %s."), time);
        else
            snprintf(text, size, "%s", _("The fingerprint reader is too warm. Please wait."));
        return;
    case WIRE_READER_UNPLUGGED:
        snprintf(text, size, "%s", _("The fingerprint reader is unplugged. Plug it in again."));
        return;
    case WIRE_LOCKED_OUT:
        if (*time != '\0') {
            snprintf(text, size, _("After too many mismatches the finger rests. Wait %s."), time);
            return;
        }
        break;
    default:
        break;
    }
    snprintf(text, size, "%s", _("The fingerprint reader is not ready yet. Please wait."));
}

int conversation_tell(struct conversation *conversation, const struct wire_message *message)
{
    char text[TEXT_SIZE] = "";
    int style = PAM_TEXT_INFO;

    switch (message->type) {
    case WIRE_PROMPT:
        write_prompt(text, sizeof text, message);
        break;
    case WIRE_WAITING:
        write_waiting(text, sizeof text, message);
        break;
    case WIRE_RETRY:
        style = PAM_ERROR_MSG;
        snprintf(text, sizeof text, "%s", retry_text(message->retry));
        break;
    case WIRE_MISMATCH:
        style = PAM_ERROR_MSG;
        write_mismatch(text, sizeof text, message);
        break;
    default:
        break;
    }
    return say(conversation, style, text);
}

/* A lockout, or a password that is due: told in any case, since the person has something to do. */
static void write_lockout(char *text, size_t size, const struct wire_message *verdict)
{
    char time[TEXT_SIZE / 8];

    write_time(time, sizeof time, verdict->ends_in);
    switch (verdict->cause) {
    case WIRE_LOCKED_OUT:
        if (!wire_has(verdict, WIRE_TAG_ENDS_IN))
            break;
        if (verdict->lockout_began)
            snprintf(text, size, _("Too many mismatches: the finger rests for %s. Use your password."), time);
        else
            snprintf(text, size, _("After too many mismatches the finger rests for %s more. Use your password."), time);
        return;
    case WIRE_PASSWORD_NEEDED:
        snprintf(text, size, "%s", _("Too many mismatches: the finger is off until you give your password."));
        return;
    case WIRE_PASSWORD_FIRST:
        snprintf(text, size, "%s", _("After a restart your password comes first, then the finger. Use your password."));
        return;
    case WIRE_PASSWORD_TOO_OLD:
        snprintf(text, size, "%s", _("Your password was last given too long ago. Use it now; then the finger works again."));
        return;
    case WIRE_PASSWORD_NEVER_GIVEN:
        snprintf(text, size, "%s", _("The finger works after your password was given once. Use your password."));
        return;
    case WIRE_CLOCK_WENT_BACK:
        snprintf(text, size, "%s", _("The system's clock went back, so the finger waits for your password."));
        return;
    case WIRE_STATE_DAMAGED:
        snprintf(text, size, "%s", _("The record of mismatches is damaged, so the finger waits for your password."));
        return;
    default:
        break;
    }
    snprintf(text, size, "%s", _("The finger is locked. Use your password."));
}

/* Why a touch came to nothing, for a person who was told to give one. */
static const char *denial_text(const struct wire_message *verdict)
{
    switch (verdict->cause) {
    case WIRE_MISMATCHES_USED_UP:
        return _("Too many tries. Use your password.");
    case WIRE_PERSON_CANCELLED:
    case WIRE_PERSON_CHOSE_PASSWORD:
        return "";
    case WIRE_TIMED_OUT:
        return _("No finger was recognised in time. Use your password.");
    case WIRE_CONTENDED:
        return _("Two programs asked for your finger, so neither got it. Use your password.");
    case WIRE_PREEMPTED:
    case WIRE_SUSPENDED:
    case WIRE_QUEUED:
    case WIRE_RESTING:
        return _("The fingerprint reader is needed elsewhere. Use your password.");
    case WIRE_DAEMON_STOPPING:
        return _("The fingerprint service stops. Use your password.");
    case WIRE_NO_READER:
    case WIRE_READER_UNPLUGGED:
        return _("The fingerprint reader is gone. Use your password.");
    case WIRE_READER_FAILED:
    case WIRE_READER_OPENING:
        return _("The fingerprint reader does not work. Use your password.");
    case WIRE_READER_HOT:
        return _("The fingerprint reader is too warm. Use your password.");
    default:
        return _("The finger can't be used any more. Use your password.");
    }
}

static void write_verdict(char *text, size_t size, const struct wire_message *verdict, bool spoke)
{
    if (verdict->allowed)
        return;
    if ((enum wire_code)verdict->code == WIRE_BIOMETRY_LOCKOUT)
        write_lockout(text, size, verdict);
    else if (verdict->cause == WIRE_STATE_NOT_WRITABLE)
        snprintf(text, size, "%s", _("Mismatches can't be recorded, so the finger is off. Use your password, "
                                     "and tell the administrator."));
    else if (spoke)
        snprintf(text, size, "%s", denial_text(verdict));
}

void conversation_end(struct conversation *conversation, const struct outcome *outcome)
{
    char text[TEXT_SIZE] = "";

    switch (outcome->ending) {
    case ENDED_VERDICT:
        write_verdict(text, sizeof text, &outcome->verdict, conversation->spoke);
        break;
    case ENDED_DAEMON_GONE:
    case ENDED_SILENCE:
    case ENDED_UNREADABLE:
    case ENDED_PROBLEM:
    case ENDED_FAILED:
        if (conversation->spoke)
            snprintf(text, sizeof text, "%s", _("The fingerprint service does not answer. Use your password."));
        break;
    case ENDED_MISCONFIGURED:
    case ENDED_NO_ACCOUNT:
    case ENDED_NO_DAEMON:
    case ENDED_NOBODY_TOLD:
    case ENDED_INTERRUPTED:
    case ENDED_REPORTED:
        break;
    }
    (void)say(conversation, PAM_ERROR_MSG, text);
}
