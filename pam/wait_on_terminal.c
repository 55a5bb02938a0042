#include "wait.h"

#include "client.h"
#include "line.h"
#include "terminal.h"
#include "words.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* The prompt, and what has been typed at it. */
struct prompt {
    struct request *request;
    struct outcome *outcome;
    struct terminal terminal;
    struct keys keys;
    struct line line;
    char question[WORDS_SIZE];
    bool quiet;       /* nothing but the question */
    bool mid_line;    /* the cursor stands behind something of ours */
    bool finger_over; /* the daemon has ended the request, and only the password is waited for */
};

/* Each text begins a line of its own. */
static void write_line(struct prompt *prompt, const char *text)
{
    if (*text == '\0')
        return;
    if (prompt->mid_line)
        terminal_write(&prompt->terminal, "\n");
    terminal_write(&prompt->terminal, text);
    prompt->mid_line = true;
}

/* Asks, and listens to the keys from now on. */
static int show(struct prompt *prompt)
{
    int error = terminal_hide(&prompt->terminal);

    if (error < 0)
        return error;
    prompt->keys = line_keys(&prompt->terminal.before);
    write_line(prompt, prompt->question);
    return 0;
}

/* Ends the line, and gives the terminal back. */
static void hide(struct prompt *prompt)
{
    if (prompt->mid_line)
        terminal_write(&prompt->terminal, "\n");
    prompt->mid_line = false;
    terminal_show(&prompt->terminal);
}

/* With a `touch` to be had, for that too. */
static void set_question(struct prompt *prompt, const struct wire_message *touch)
{
    char room[WORDS_SIZE];

    snprintf(prompt->question, sizeof prompt->question, "%s", words_asked(room, touch));
}

/* Whether a word is begun: what follows of it will be typed, whatever happens. */
static bool typing(const struct prompt *prompt)
{
    return prompt->line.length > 0 || prompt->line.too_long || terminal_has_input(&prompt->terminal);
}

/* From here on each takes one event, and says whether to go on. */

static bool end(struct prompt *prompt, enum ending ending, enum wire_cancel_reason reason)
{
    request_cancel(prompt->request, reason);
    prompt->outcome->ending = ending;
    return false;
}

static bool shown(struct prompt *prompt)
{
    prompt->outcome->error = show(prompt);
    /* In the background nothing may be shown: what the host does next stops it, as it would without us. */
    if (prompt->outcome->error == -ENOTTY)
        return end(prompt, ENDED_PASSWORD, WIRE_CANCEL_PASSWORD);
    return prompt->outcome->error == 0 || end(prompt, ENDED_FAILED, WIRE_CANCEL_PERSON);
}

static bool entered(struct prompt *prompt)
{
    const struct line *line = &prompt->line;

    if (line->too_long) {
        line_wipe(&prompt->line);
        write_line(prompt, words_too_long());
        return shown(prompt);
    }
    /* An empty line means the password too: the host asks for it with its own words. */
    if (line->length > 0 && pam_set_item(prompt->request->pamh, PAM_AUTHTOK, line->text) != PAM_SUCCESS) {
        prompt->outcome->error = -ENOMEM;
        return end(prompt, ENDED_FAILED, WIRE_CANCEL_PERSON);
    }
    return end(prompt, ENDED_PASSWORD, WIRE_CANCEL_PASSWORD);
}

/* A key that sends a signal to all who stand in the foreground: this host, and a script that runs it. */
static bool interrupted(struct prompt *prompt, int signal)
{
    line_wipe(&prompt->line);
    if (signals_ignored(signal))
        return true;
    (void)end(prompt, ENDED_INTERRUPTED, WIRE_CANCEL_PERSON);
    hide(prompt);
    (void)kill(0, signal);
    return false;
}

/* sudo has locked its record of this terminal, and must not be stopped in here. At its own prompt it can be. */
static bool may_be_stopped(const struct prompt *prompt)
{
    return !mode_is_sudo(transaction_item(prompt->request->pamh, PAM_SERVICE));
}

/* ^Z */
static bool suspended(struct prompt *prompt)
{
    line_wipe(&prompt->line);
    if (signals_ignored(SIGTSTP))
        return true;
    if (!may_be_stopped(prompt))
        return end(prompt, ENDED_PASSWORD, WIRE_CANCEL_PASSWORD);
    (void)kill(0, SIGTSTP); /* and `stopped` takes this host's own */
    return true;
}

/* The terminal may have been somebody else's meanwhile. */
static bool resumed(struct prompt *prompt)
{
    if (!terminal_in_front(&prompt->terminal))
        return end(prompt, ENDED_PASSWORD, WIRE_CANCEL_PASSWORD);
    return !prompt->terminal.hidden || shown(prompt);
}

/* SIGTSTP: the reader is let go while this host is stopped, and asked for again afterwards. */
static bool stopped(struct prompt *prompt)
{
    line_wipe(&prompt->line);
    if (!may_be_stopped(prompt))
        return end(prompt, ENDED_PASSWORD, WIRE_CANCEL_PASSWORD);
    request_cancel(prompt->request, WIRE_CANCEL_PERSON);
    hide(prompt);
    signals_stop();
    while (signals_take_job(&prompt->request->signals) != 0)
        ;
    if (!resumed(prompt))
        return false;
    if (prompt->finger_over)
        return shown(prompt);
    prompt->request->began = client_now(); /* nobody has waited meanwhile */
    return request_ask(prompt->request, prompt->outcome); /* its prompt is shown when the daemon says so */
}

static bool typed(struct prompt *prompt)
{
    unsigned char byte;
    int error = terminal_read(&prompt->terminal, &byte);

    if (error == -EAGAIN)
        return true;
    if (error < 0)
        return end(prompt, ENDED_NO_INPUT, WIRE_CANCEL_PERSON);
    switch (line_take(&prompt->line, &prompt->keys, byte)) {
    case KEY_TYPED:
        return true;
    case KEY_ENTER:
        return entered(prompt);
    case KEY_END:
        return end(prompt, ENDED_NO_INPUT, WIRE_CANCEL_PERSON);
    case KEY_INTERRUPT:
        return interrupted(prompt, SIGINT);
    case KEY_QUIT:
        return interrupted(prompt, SIGQUIT);
    case KEY_SUSPEND:
        return suspended(prompt);
    case KEY_REPRINT:
        return shown(prompt);
    }
    return true;
}

static bool told(struct prompt *prompt)
{
    const struct wire_message *message = &prompt->outcome->verdict;
    char room[WORDS_SIZE];

    if (message->type == WIRE_PROMPT)
        set_question(prompt, message);
    else if (message->type == WIRE_WAITING)
        set_question(prompt, NULL);
    if (message->type != WIRE_PROMPT && !prompt->quiet)
        write_line(prompt, words_told(room, message));
    return shown(prompt);
}

/* The daemon has ended it. Whoever is typing the password goes on; else it is the host's turn to ask for it. */
static bool over(struct prompt *prompt)
{
    char room[WORDS_SIZE];

    if (!prompt->terminal.hidden || prompt->finger_over || prompt->outcome->ending == ENDED_INTERRUPTED ||
        result_code(prompt->outcome) == PAM_SUCCESS)
        return false;
    if (!prompt->quiet)
        write_line(prompt, words_ended(room, prompt->outcome, true));
    if (!typing(prompt))
        return false;
    prompt->finger_over = true;
    set_question(prompt, NULL);
    return shown(prompt);
}

static bool next(struct prompt *prompt)
{
    struct pollfd others[] = {
        { .fd = prompt->request->signals.job, .events = POLLIN },
        { .fd = prompt->terminal.hidden ? prompt->terminal.fd : -1, .events = POLLIN },
    };

    switch (request_next(prompt->request, others, 2, prompt->outcome)) {
    case REQUEST_SAID:
        return told(prompt);
    case REQUEST_ENDED:
        return over(prompt);
    case REQUEST_OTHER:
        break;
    }
    if (others[0].revents == 0)
        return typed(prompt);
    switch (signals_take_job(&prompt->request->signals)) {
    case SIGTSTP:
        return stopped(prompt);
    case SIGCONT:
        return resumed(prompt);
    default:
        return true;
    }
}

void wait_on_terminal(struct request *request, struct conversation *conversation, struct outcome *outcome)
{
    struct prompt prompt = { .request = request, .outcome = outcome, .quiet = conversation->quiet };
    bool used;

    outcome->error = terminal_open(&prompt.terminal);
    if (outcome->error < 0) {
        outcome->ending = ENDED_NOT_ASKED;
        return;
    }
    if (request_begin(request, true, outcome)) {
        if (request_ask(request, outcome))
            while (next(&prompt))
                ;
        used = prompt.terminal.hidden;
        /* A match in the middle of a word: the rest of it must not reach whatever reads next. */
        if (used && result_code(outcome) == PAM_SUCCESS && typing(&prompt))
            terminal_swallow(&prompt.terminal, request->signals.fd);
        hide(&prompt);
        terminal_close(&prompt.terminal);
        request_finish(request);
        if (!used)
            conversation_end(conversation, outcome);
    }
    terminal_close(&prompt.terminal);
    explicit_bzero(&prompt, sizeof prompt);
}
