#include "words.h"

#include <langinfo.h>
#include <libintl.h>
#include <stdio.h>
#include <string.h>

#define TEXT_DOMAIN "bioauthd"
#ifndef LOCALEDIR
#define LOCALEDIR "/usr/share/locale"
#endif

#define _(text) dgettext(TEXT_DOMAIN, text)
#define P_(one, many, count) dngettext(TEXT_DOMAIN, one, many, count)

enum { PART_SIZE = 256, NAME_SHOWN = 64 };

void words_start(void)
{
    bindtextdomain(TEXT_DOMAIN, LOCALEDIR);
    /* Else the caller of a set-uid host could have formats converted into another set (OUTPUT_CHARSET), '%' anew. */
    bind_textdomain_codeset(TEXT_DOMAIN, nl_langinfo(CODESET));
}

/* As much of a name as is fit to show, cut between characters. */
static void write_name(char name[NAME_SHOWN + 1], struct wire_text text)
{
    size_t length = text.length;

    if (length > NAME_SHOWN)
        for (length = NAME_SHOWN; length > 0 && ((unsigned char)text.bytes[length] & 0xc0) == 0x80; length--)
            ;
    memcpy(name, text.bytes, length);
    name[length] = '\0';
}

/* "30 seconds", "2 minutes": never less than is left. */
static void write_time(char *part, uint32_t milliseconds)
{
    unsigned long seconds = ((unsigned long)milliseconds + 999) / 1000;
    unsigned long minutes = (seconds + 59) / 60;

    if (seconds <= 120)
        snprintf(part, PART_SIZE, P_("%lu second", "%lu seconds", seconds), seconds);
    else
        snprintf(part, PART_SIZE, P_("%lu minute", "%lu minutes", minutes), minutes);
}

/* "sudo on /dev/pts/3 (process 4242)" */
static void write_other(char *part, const struct wire_message *waiting)
{
    char service[NAME_SHOWN + 1], tty[NAME_SHOWN + 1];
    unsigned long process = waiting->other_pid;

    if (waiting->other_service.length == 0) {
        snprintf(part, PART_SIZE, "%s", _("Another program"));
        return;
    }
    write_name(service, waiting->other_service);
    if (waiting->other_tty.length == 0) {
        snprintf(part, PART_SIZE, _("%s (process %lu)"), service, process);
        return;
    }
    write_name(tty, waiting->other_tty);
    snprintf(part, PART_SIZE, _("%s on %s (process %lu)"), service, tty, process);
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

/* The texts: each gives what to say, put together in `room` where it has parts. */

static const char *prompt_text(char *room, const struct wire_message *prompt)
{
    const char *finger = finger_name(prompt->finger);

    if (prompt->scan == WIRE_SCAN_SWIPE)
        snprintf(room, WORDS_SIZE, _("Swipe your %s across the fingerprint reader."), finger);
    else
        snprintf(room, WORDS_SIZE, _("Touch the fingerprint reader with your %s."), finger);
    return room;
}

static const char *retry_text(const struct wire_message *retry)
{
    switch ((enum wire_retry)retry->retry) {
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

static const char *mismatch_text(char *room, const struct wire_message *mismatch)
{
    unsigned long left = mismatch->tries_left;

    if (left == 0)
        return _("Not recognised."); /* the verdict, which follows at once, says what to do */
    snprintf(room, WORDS_SIZE,
             P_("Not recognised. Try again (%lu try left).", "Not recognised. Try again (%lu tries left).", left),
             left);
    return room;
}

static const char *queue_text(char *room, unsigned long place)
{
    if (place == 0)
        return _("The fingerprint reader is not free. Please wait.");
    snprintf(room, WORDS_SIZE,
             P_("The fingerprint reader is in use, and %lu request goes first. Please wait.",
                "The fingerprint reader is in use, and %lu requests go first. Please wait.", place),
             place);
    return room;
}

static const char *waiting_text(char *room, const struct wire_message *waiting)
{
    bool timed = wire_has(waiting, WIRE_TAG_ENDS_IN);
    char other[PART_SIZE], time[PART_SIZE];

    write_time(time, waiting->ends_in);
    write_other(other, waiting);
    switch (waiting->cause) {
    case WIRE_CONTENDED:
        snprintf(room, WORDS_SIZE, _("%s asks for your finger too, so neither gets it. End the one you don't want."),
                 other);
        return room;
    case WIRE_SUSPENDED:
        if (!wire_has(waiting, WIRE_TAG_OTHER_SERVICE))
            return _("The computer goes to sleep. When it is awake, you are asked for your finger again.");
        snprintf(room, WORDS_SIZE, _("%s has the fingerprint reader. Wait until it has ended."), other);
        return room;
    case WIRE_QUEUED:
        return queue_text(room, waiting->place);
    case WIRE_READER_FAILED:
        return _("The fingerprint reader does not work just now. It is tried again.");
    case WIRE_READER_HOT:
        if (!timed)
            return _("The fingerprint reader is too warm. Please wait.");
        snprintf(room, WORDS_SIZE, _("The fingerprint reader is too warm. Wait %s."), time);
        return room;
    case WIRE_READER_BUSY:
        return _("Another program has the fingerprint reader. Please wait.");
    case WIRE_READER_UNPLUGGED:
        return _("The fingerprint reader is unplugged. Plug it in again.");
    case WIRE_LOCKED_OUT:
        if (!timed)
            return _("After too many mismatches the finger rests. Please wait.");
        snprintf(room, WORDS_SIZE, _("After too many mismatches the finger rests. Wait %s."), time);
        return room;
    default:
        return _("The fingerprint reader is not ready yet. Please wait.");
    }
}

/* A lockout, or a password that is due: said in any case, since the person has something to do. */
static const char *lockout_text(char *room, const struct wire_message *verdict)
{
    char time[PART_SIZE];

    switch (verdict->cause) {
    case WIRE_LOCKED_OUT:
        if (!wire_has(verdict, WIRE_TAG_ENDS_IN))
            break;
        write_time(time, verdict->ends_in);
        if (verdict->lockout_began)
            snprintf(room, WORDS_SIZE, _("Too many mismatches: the finger rests for %s. Use your password."), time);
        else
            snprintf(room, WORDS_SIZE, _("After too many mismatches the finger rests for %s more. Use your password."),
                     time);
        return room;
    case WIRE_PASSWORD_NEEDED:
        return _("Too many mismatches: the finger is off until you give your password.");
    case WIRE_PASSWORD_FIRST:
        return _("After a restart your password comes first, then the finger. Use your password.");
    case WIRE_PASSWORD_TOO_OLD:
        return _("Your password was last given too long ago. Use it now, then the finger works again.");
    case WIRE_PASSWORD_NEVER_GIVEN:
        return _("The finger works after your password was given once. Use your password.");
    case WIRE_CLOCK_WENT_BACK:
        return _("The system's clock went back, so the finger is off until you give your password.");
    case WIRE_STATE_DAMAGED:
        return _("The record of mismatches is damaged, so the finger is off until you give your password.");
    default:
        break;
    }
    return _("The finger is locked. Use your password.");
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
    case WIRE_QUEUED:
    case WIRE_RESTING:
        return _("The fingerprint reader is needed elsewhere. Use your password.");
    case WIRE_SUSPENDED:
        return _("The computer goes to sleep. Use your password when it is awake.");
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
    case WIRE_READER_BUSY:
        return _("Another program has the fingerprint reader. Use your password.");
    default:
        return _("The finger can't be used any more. Use your password.");
    }
}

static const char *verdict_text(char *room, const struct wire_message *verdict, bool spoke)
{
    if (verdict->allowed)
        return "";
    if ((enum wire_code)verdict->code == WIRE_BIOMETRY_LOCKOUT)
        return lockout_text(room, verdict);
    /* Somebody with a print on the reader expects to be asked for it. */
    if (verdict->cause == WIRE_PRINT_GONE)
        return _("The fingerprint reader no longer keeps your print. Enroll again with: bioauthctl enroll");
    if (verdict->cause == WIRE_STATE_NOT_WRITABLE)
        return _("Mismatches can't be recorded, so the finger is off. Use your password, and tell the administrator.");
    return spoke ? denial_text(verdict) : "";
}

const char *words_told(char *room, const struct wire_message *message)
{
    switch (message->type) {
    case WIRE_PROMPT:
        return prompt_text(room, message);
    case WIRE_WAITING:
        return waiting_text(room, message);
    case WIRE_RETRY:
        return retry_text(message);
    case WIRE_MISMATCH:
        return mismatch_text(room, message);
    default:
        return "";
    }
}

const char *words_asked(char *room, const struct wire_message *prompt)
{
    if (prompt == NULL)
        return _("Password: ");
    if (prompt->finger == 0)
        return prompt->scan == WIRE_SCAN_SWIPE ? _("Password, or swipe a finger across the fingerprint reader: ")
                                               : _("Password, or touch the fingerprint reader: ");
    if (prompt->scan == WIRE_SCAN_SWIPE)
        snprintf(room, WORDS_SIZE, _("Password, or swipe your %s across the fingerprint reader: "),
                 finger_name(prompt->finger));
    else
        snprintf(room, WORDS_SIZE, _("Password, or touch the fingerprint reader with your %s: "),
                 finger_name(prompt->finger));
    return room;
}

const char *words_too_long(void)
{
    return _("That is longer than a password can be.");
}

const char *words_ended(char *room, const struct outcome *outcome, bool spoke)
{
    switch (outcome->ending) {
    case ENDED_VERDICT:
        return verdict_text(room, &outcome->verdict, spoke);
    case ENDED_DAEMON_GONE:
    case ENDED_SILENCE:
    case ENDED_UNREADABLE:
    case ENDED_PROBLEM:
    case ENDED_FAILED:
        return spoke ? _("The fingerprint service does not answer. Use your password.") : "";
    case ENDED_MISCONFIGURED:
    case ENDED_NOT_ASKED:
    case ENDED_NO_ACCOUNT:
    case ENDED_NO_DAEMON:
    case ENDED_NOBODY_TOLD:
    case ENDED_INTERRUPTED:
    case ENDED_NO_INPUT:
    case ENDED_PASSWORD:
    case ENDED_EMPTY_ANSWER:
    case ENDED_REPORTED:
        break;
    }
    return "";
}
