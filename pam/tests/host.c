/*
 * pam-host: runs PAM transactions as a program like sudo or a locker would, through the real libpam, and prints what a
 * person would see and how it ended, one JSON object a line. It needs no root: the stack stands in a private directory.
 *
 *   pam-host --confdir DIR [OPTION VALUE]...
 *
 *   --confdir DIR        where the service's file is (`auth required /absolute/path/pam_bioauth.so timeout=5`)
 *   --service NAME       the PAM service, and so the file's name (test)
 *   --user NAME          whom it is about; without it the stack asks
 *   --tty, --rhost, --xdisplay TEXT
 *                        PAM items
 *   --calls LIST         what to call in one transaction, with commas (authenticate); of authenticate, setcred,
 *                        acct_mgmt, open_session, close_session, chauthtok
 *   --answer TEXT        what to answer the next question with; may stand many times. Without one: PAM_CONV_ERR
 *   --conversation HOW   show (the default); answer: also answers what is no question; refuse: refuses what is no
 *                        question; refuse-all; none: there is no function; input: an answer is a line of standard
 *                        input, waited for as polkit's helper does
 *   --block, --ignore, --handle SIGNAL
 *                        INT, TERM, QUIT, HUP, ALRM, CHLD, TSTP, USR1, WINCH, TTIN or TTOU: blocked, ignored, or caught (without
 *                        SA_RESTART) before the first call; may stand many times. All others as a shell starts them
 *   --alarm MS           a SIGALRM every so many milliseconds; caught
 *   --threads N          so many transactions at once, each in a thread of its own (1: in the main thread)
 *   --repeat N           so many transactions one after the other, in each thread (1)
 *   --locale NAME        for setlocale; the default is C
 *   --log                the modules' log messages on standard error too
 *
 * Each line has `at`, nanoseconds on CLOCK_MONOTONIC, `thread` and `round`, and `event`:
 *
 *   call     `call`: pam_<call> begins
 *   info, error, ask, ask-visible
 *            `text`: what the conversation is told or asked
 *   result   `call`, `code`, `name` (PAM_SUCCESS …), `took` (nanoseconds): it returned
 *   signal   `signal`: a caught one came during the round; `at` is when the handler ran
 *   end      after the last round: `descriptors` (how many more are open than before), `mask`, `dispositions` and
 *            `terminal` (whether each is as before), `pending` (the signals that wait, with commas)
 *
 * Exit status: 0 every call returned PAM_SUCCESS, 1 one did not, 2 usage, 3 something was left behind.
 */
#include <dirent.h>
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <security/pam_appl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <syslog.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ITEMS = 32, MAX_THREADS = 256, LAST_SIGNAL = 31 };

static struct settings {
    const char *confdir, *service, *user, *tty, *rhost, *xdisplay, *conversation, *locale;
    const char *calls[MAX_ITEMS], *answers[MAX_ITEMS];
    size_t call_count, answer_count;
    sigset_t block, ignore, handle;
    int threads, repeat, alarm;
    bool log;
} settings = { .service = "test", .conversation = "show", .locale = "C", .calls = { "authenticate" }, .call_count = 1,
               .threads = 1, .repeat = 1 };

struct transaction {
    int thread, round;
    size_t answered;
    bool all_success;
    bool mask_kept;
};

static const struct name {
    int value;
    const char *name;
} signals[] = {
    { SIGINT, "INT" },   { SIGTERM, "TERM" }, { SIGQUIT, "QUIT" }, { SIGHUP, "HUP" },     { SIGALRM, "ALRM" },
    { SIGCHLD, "CHLD" }, { SIGTSTP, "TSTP" }, { SIGUSR1, "USR1" }, { SIGWINCH, "WINCH" },
    { SIGTTIN, "TTIN" }, { SIGTTOU, "TTOU" },
}, codes[] = {
#define CODE(code) { code, #code }
    CODE(PAM_SUCCESS), CODE(PAM_SYSTEM_ERR), CODE(PAM_PERM_DENIED), CODE(PAM_AUTH_ERR), CODE(PAM_CRED_INSUFFICIENT),
    CODE(PAM_AUTHINFO_UNAVAIL), CODE(PAM_USER_UNKNOWN), CODE(PAM_MAXTRIES), CODE(PAM_IGNORE), CODE(PAM_ABORT),
    CODE(PAM_CONV_ERR), CODE(PAM_MODULE_UNKNOWN), CODE(PAM_BUF_ERR), CODE(PAM_AUTHTOK_ERR), CODE(PAM_INCOMPLETE),
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *name_of(const struct name *names, size_t count, int value)
{
    for (size_t i = 0; i < count; i++)
        if (names[i].value == value)
            return names[i].name;
    return "?";
}

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "pam-host: %s\n", what);
    exit(2);
}

/* Output: one line, whole, at once. */

static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;

static void print_string(const char *name, const char *text)
{
    printf(",\"%s\":\"", name);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\')
            printf("\\%c", *at);
        else if (*at < 0x20)
            printf("\\u%04x", *at);
        else
            putchar(*at);
    }
    putchar('"');
}

static void begin_line(const struct transaction *transaction, int64_t at, const char *event)
{
    /* A thread that a module cancels in its question does not take the lock with it. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_mutex_lock(&output);
    printf("{\"at\":%lld,\"thread\":%d,\"round\":%d,\"event\":\"%s\"", (long long)at, transaction->thread,
           transaction->round, event);
}

static void end_line(void)
{
    puts("}");
    fflush(stdout);
    pthread_mutex_unlock(&output);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
}

static void print_text(const struct transaction *transaction, const char *event, const char *name, const char *text)
{
    begin_line(transaction, now(), event);
    print_string(name, text);
    end_line();
}

/* Signals. */

static volatile sig_atomic_t caught[LAST_SIGNAL + 1];
static volatile int64_t caught_at[LAST_SIGNAL + 1];

static void catch(int number)
{
    caught_at[number] = now();
    caught[number] = 1;
}

static void print_caught(const struct transaction *transaction)
{
    for (int number = 1; number <= LAST_SIGNAL; number++) {
        if (!caught[number])
            continue;
        caught[number] = 0;
        begin_line(transaction, caught_at[number], "signal");
        print_string("signal", name_of(signals, COUNT(signals), number));
        end_line();
    }
}

static void prepare_signals(void)
{
    struct itimerval every = { 0 };
    struct sigaction action;

    for (size_t i = 0; i < COUNT(signals); i++) {
        int number = signals[i].value;

        action = (struct sigaction){ .sa_handler = SIG_DFL };
        if (sigismember(&settings.ignore, number))
            action.sa_handler = SIG_IGN;
        if (sigismember(&settings.handle, number))
            action.sa_handler = catch;
        sigaction(number, &action, NULL);
    }
    sigprocmask(SIG_SETMASK, &settings.block, NULL);
    every.it_interval.tv_usec = every.it_value.tv_usec = settings.alarm * 1000;
    if (settings.alarm > 0)
        setitimer(ITIMER_REAL, &every, NULL);
}

/* What a module must leave as it was. */

struct surroundings {
    int descriptors;
    sigset_t mask;
    struct sigaction actions[LAST_SIGNAL + 1];
    bool has_terminal;
    struct termios terminal;
};

static void look_around(struct surroundings *found)
{
    DIR *directory = opendir("/proc/self/fd");

    memset(found, 0, sizeof *found);
    if (directory == NULL)
        fail("can't read /proc/self/fd");
    while (readdir(directory) != NULL)
        found->descriptors++;
    closedir(directory);
    pthread_sigmask(SIG_SETMASK, NULL, &found->mask);
    for (int number = 1; number <= LAST_SIGNAL; number++)
        sigaction(number, NULL, &found->actions[number]);
    found->has_terminal = tcgetattr(STDIN_FILENO, &found->terminal) == 0;
}

static bool same_mask(const sigset_t *one, const sigset_t *other)
{
    for (int number = 1; number <= LAST_SIGNAL; number++)
        if (sigismember(one, number) != sigismember(other, number))
            return false;
    return true;
}

static bool same_actions(const struct surroundings *one, const struct surroundings *other)
{
    for (int number = 1; number <= LAST_SIGNAL; number++)
        if (one->actions[number].sa_handler != other->actions[number].sa_handler ||
            one->actions[number].sa_flags != other->actions[number].sa_flags)
            return false;
    return true;
}

static bool same_terminal(const struct surroundings *one, const struct surroundings *other)
{
    const struct termios *a = &one->terminal, *b = &other->terminal;

    return one->has_terminal == other->has_terminal && a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag &&
           a->c_cflag == b->c_cflag && a->c_lflag == b->c_lflag && memcmp(a->c_cc, b->c_cc, sizeof a->c_cc) == 0;
}

/* Prints the line `end`; whether all is as before. */
static bool compare(const struct transaction *transaction, const struct surroundings *before, bool masks_kept)
{
    struct surroundings after;
    char pending[64] = "";
    sigset_t waiting;
    bool mask, actions, terminal;

    look_around(&after);
    mask = masks_kept && same_mask(&before->mask, &after.mask);
    actions = same_actions(before, &after);
    terminal = same_terminal(before, &after);
    sigpending(&waiting);
    for (size_t i = 0; i < COUNT(signals); i++)
        if (sigismember(&waiting, signals[i].value))
            snprintf(pending + strlen(pending), sizeof pending - strlen(pending), "%s%s", *pending ? "," : "",
                     signals[i].name);
    begin_line(transaction, now(), "end");
    printf(",\"descriptors\":%d,\"mask\":%s,\"dispositions\":%s,\"terminal\":%s",
           after.descriptors - before->descriptors, mask ? "true" : "false", actions ? "true" : "false",
           terminal ? "true" : "false");
    print_string("pending", pending);
    end_line();
    return after.descriptors == before->descriptors && mask && actions && terminal;
}

/* The conversation. */

static int reply(struct transaction *transaction, const struct pam_message *message, struct pam_response *response)
{
    bool question = false;
    const char *event = "?";

    switch (message->msg_style) {
    case PAM_TEXT_INFO: event = "info"; break;
    case PAM_ERROR_MSG: event = "error"; break;
    case PAM_PROMPT_ECHO_OFF: event = "ask"; question = true; break;
    case PAM_PROMPT_ECHO_ON: event = "ask-visible"; question = true; break;
    }
    print_text(transaction, event, "text", message->msg);
    if (strcmp(settings.conversation, "refuse-all") == 0 ||
        (!question && strcmp(settings.conversation, "refuse") == 0))
        return PAM_CONV_ERR;
    if (question && strcmp(settings.conversation, "input") == 0) {
        char line[PAM_MAX_RESP_SIZE];

        if (fgets(line, sizeof line, stdin) == NULL)
            return PAM_CONV_ERR;
        line[strcspn(line, "\n")] = '\0';
        response->resp = strdup(line);
    } else if (question) {
        if (transaction->answered >= settings.answer_count)
            return PAM_CONV_ERR;
        response->resp = strdup(settings.answers[transaction->answered++]);
    } else if (strcmp(settings.conversation, "answer") == 0) {
        response->resp = strdup("an answer that nobody asked for");
    }
    return PAM_SUCCESS;
}

static int converse(int count, const struct pam_message **messages, struct pam_response **responses, void *data)
{
    struct transaction *transaction = data;
    struct pam_response *all = calloc((size_t)count, sizeof *all);
    int code = PAM_SUCCESS;

    if (all == NULL)
        return PAM_BUF_ERR;
    for (int i = 0; i < count && code == PAM_SUCCESS; i++)
        code = reply(transaction, messages[i], &all[i]);
    if (code != PAM_SUCCESS) {
        for (int i = 0; i < count; i++)
            free(all[i].resp);
        free(all);
        all = NULL;
    }
    *responses = all;
    return code;
}

/* Transactions. */

static int call(pam_handle_t *pamh, const char *name)
{
    static const struct {
        const char *name;
        int (*function)(pam_handle_t *, int);
    } calls[] = {
        { "authenticate", pam_authenticate }, { "setcred", pam_setcred },
        { "acct_mgmt", pam_acct_mgmt },       { "open_session", pam_open_session },
        { "close_session", pam_close_session }, { "chauthtok", pam_chauthtok },
    };

    for (size_t i = 0; i < COUNT(calls); i++)
        if (strcmp(calls[i].name, name) == 0)
            return calls[i].function(pamh, strcmp(name, "setcred") == 0 ? PAM_ESTABLISH_CRED : 0);
    fail("unknown call");
    return PAM_SYSTEM_ERR;
}

/* Failures are wanted here: nobody is to be slowed down by them. */
static void no_delay(int code, unsigned microseconds, void *data)
{
    (void)code, (void)microseconds, (void)data;
}

static void set_item(pam_handle_t *pamh, int type, const char *text)
{
    if (text != NULL && pam_set_item(pamh, type, text) != PAM_SUCCESS)
        fail("pam_set_item failed");
}

static void transact(struct transaction *transaction)
{
    struct pam_conv conversation = { .conv = converse, .appdata_ptr = transaction };
    union {
        void (*function)(int, unsigned, void *);
        const void *item;
    } delay = { .function = no_delay };
    pam_handle_t *pamh = NULL;
    int code = PAM_SUCCESS;

    if (strcmp(settings.conversation, "none") == 0)
        conversation.conv = NULL;
    transaction->answered = 0;
    if (pam_start_confdir(settings.service, settings.user, &conversation, settings.confdir, &pamh) != PAM_SUCCESS)
        fail("pam_start_confdir failed");
    pam_set_item(pamh, PAM_FAIL_DELAY, delay.item);
    set_item(pamh, PAM_TTY, settings.tty);
    set_item(pamh, PAM_RHOST, settings.rhost);
    set_item(pamh, PAM_XDISPLAY, settings.xdisplay);
    for (size_t i = 0; i < settings.call_count; i++) {
        int64_t begun, ended;

        print_text(transaction, "call", "call", settings.calls[i]);
        begun = now();
        code = call(pamh, settings.calls[i]);
        ended = now();
        if (code != PAM_SUCCESS)
            transaction->all_success = false;
        begin_line(transaction, ended, "result");
        print_string("call", settings.calls[i]);
        printf(",\"code\":%d", code);
        print_string("name", name_of(codes, COUNT(codes), code));
        printf(",\"took\":%lld", (long long)(ended - begun));
        end_line();
    }
    pam_end(pamh, code);
    print_caught(transaction);
}

static void *run(void *data)
{
    struct transaction *transaction = data;
    sigset_t before, after;

    pthread_sigmask(SIG_SETMASK, NULL, &before);
    for (transaction->round = 0; transaction->round < settings.repeat; transaction->round++)
        transact(transaction);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    transaction->mask_kept = same_mask(&before, &after);
    return NULL;
}

/* The command line. */

static void add_signal(sigset_t *set, const char *name)
{
    for (size_t i = 0; i < COUNT(signals); i++) {
        if (strcmp(signals[i].name, name) == 0) {
            sigaddset(set, signals[i].value);
            return;
        }
    }
    fail("unknown signal");
}

static int number(const char *text, int least, int most)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (*text == '\0' || *end != '\0' || value < least || value > most)
        fail("a number is out of its range");
    return (int)value;
}

static void add_calls(char *list)
{
    settings.call_count = 0;
    for (char *at = list, *name; (name = strsep(&at, ",")) != NULL;) {
        if (settings.call_count == MAX_ITEMS)
            fail("too many calls");
        settings.calls[settings.call_count++] = name;
    }
}

static void set(const char *option, char *value)
{
    const struct {
        const char *name;
        const char **text;
    } texts[] = {
        { "--confdir", &settings.confdir }, { "--service", &settings.service },
        { "--user", &settings.user },       { "--tty", &settings.tty },
        { "--rhost", &settings.rhost },     { "--xdisplay", &settings.xdisplay },
        { "--locale", &settings.locale },   { "--conversation", &settings.conversation },
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        if (strcmp(texts[i].name, option) == 0) {
            *texts[i].text = value;
            return;
        }
    }
    if (strcmp(option, "--calls") == 0) {
        add_calls(value);
    } else if (strcmp(option, "--answer") == 0) {
        if (settings.answer_count == MAX_ITEMS)
            fail("too many answers");
        settings.answers[settings.answer_count++] = value;
    } else if (strcmp(option, "--block") == 0) {
        add_signal(&settings.block, value);
    } else if (strcmp(option, "--ignore") == 0) {
        add_signal(&settings.ignore, value);
    } else if (strcmp(option, "--handle") == 0) {
        add_signal(&settings.handle, value);
    } else if (strcmp(option, "--alarm") == 0) {
        settings.alarm = number(value, 1, 999);
        sigaddset(&settings.handle, SIGALRM);
    } else if (strcmp(option, "--threads") == 0) {
        settings.threads = number(value, 1, MAX_THREADS);
    } else if (strcmp(option, "--repeat") == 0) {
        settings.repeat = number(value, 1, 1000000);
    } else {
        fail("unknown option");
    }
}

static void parse(int argc, char **argv)
{
    sigemptyset(&settings.block);
    sigemptyset(&settings.ignore);
    sigemptyset(&settings.handle);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--log") == 0) {
            settings.log = true;
            continue;
        }
        if (i + 1 == argc)
            fail("an option without a value");
        set(argv[i], argv[i + 1]);
        i++;
    }
    if (settings.confdir == NULL)
        fail("--confdir DIR [OPTION VALUE]... (see the top of pam/tests/host.c)");
}

int main(int argc, char **argv)
{
    struct transaction transactions[MAX_THREADS];
    pthread_t threads[MAX_THREADS];
    struct surroundings before;
    bool success = true, masks_kept = true;

    parse(argc, argv);
    if (setlocale(LC_ALL, settings.locale) == NULL)
        fail("no such locale");
    /* Opened before anything is counted: syslog keeps its socket. */
    openlog("pam-host", LOG_NDELAY | (settings.log ? LOG_PERROR : 0), LOG_AUTHPRIV);
    prepare_signals();
    look_around(&before);

    for (int i = 0; i < settings.threads; i++)
        transactions[i] = (struct transaction){ .thread = i, .all_success = true };
    if (settings.threads == 1) {
        run(&transactions[0]);
    } else {
        for (int i = 0; i < settings.threads; i++)
            if (pthread_create(&threads[i], NULL, run, &transactions[i]) != 0)
                fail("can't start a thread");
        for (int i = 0; i < settings.threads; i++)
            pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < settings.threads; i++) {
        success = success && transactions[i].all_success;
        masks_kept = masks_kept && transactions[i].mask_kept;
    }
    if (!compare(&transactions[0], &before, masks_kept))
        return 3;
    return success ? 0 : 1;
}
