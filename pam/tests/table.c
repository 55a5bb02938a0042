/* Tests of the module's tables: its options, and the PAM code that each ending comes to. */
#include "check.h"
#include "options.h"
#include "result.h"
#include "wire.h"

#include <errno.h>
#include <security/pam_modules.h>
#include <string.h>

/* Options. */

static int parse(const char *text, struct options *options)
{
    const char *arguments[] = { text };

    return options_parse(NULL, 1, arguments, options);
}

static void check_options(void)
{
    static const char *const bad[] = {
        "", "Debug", "debug=1", "quiet=", "timeout", "timeout=", "timeout=0", "timeout=301", "timeout=-1", "timeout=+5",
        "timeout= 5", "timeout=5 ", "timeout=5s", "timeout=0x5", "timeout=1e2", "timeout=0005", "timeout=4294967297",
        "max-tries=0", "max-tries=11", "max-tries=", "max-tries", "socket=", "socket=bioauthd.sock", "socket=./x",
        "socket=@x", "report=1", "password", "password=", "password=none", "password=TTY", "try_first_pass", "max_tries=3",
    };
    char path[sizeof "socket=" + 108] = "socket=/";
    const char *all[] = { "timeout=300", "max-tries=10", "debug", "quiet", "report", "socket=/tmp/s", "password=later" };
    struct options options;

    check(options_parse(NULL, 0, NULL, &options) == 0 && options.timeout == 30 && options.max_tries == 3 &&
              !options.debug && !options.quiet && !options.report && options.password == MODE_AUTO &&
              strcmp(options.socket, "/run/bioauthd/bioauthd.sock") == 0,
          "no options", "the defaults");
    check(options_parse(NULL, 7, all, &options) == 0 && options.password == MODE_LATER && options.timeout == 300 && options.max_tries == 10 &&
              options.debug && options.quiet && options.report && strcmp(options.socket, "/tmp/s") == 0,
          "all options", "taken");
    check(parse("timeout=1", &options) == 0 && options.timeout == 1, "timeout=1", "taken");
    check(parse("max-tries=1", &options) == 0 && options.max_tries == 1, "max-tries=1", "taken");
    check(parse("password=auto", &options) == 0 && options.password == MODE_AUTO, "password=auto", "taken");
    check(parse("password=tty", &options) == 0 && options.password == MODE_TTY, "password=tty", "taken");
    check(parse("password=first", &options) == 0 && options.password == MODE_FIRST, "password=first", "taken");
    check(parse("password=beside", &options) == 0 && options.password == MODE_BESIDE, "password=beside", "taken");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check(parse(bad[i], &options) == -EINVAL, "a malformed option is refused", bad[i]);
    memset(path + strlen(path), 'p', sizeof path - 2 - strlen(path));
    check(parse(path, &options) == 0 && strlen(options.socket) == 107, "the longest socket", "taken");
    path[sizeof path - 2] = 'p';
    check(parse(path, &options) == -EINVAL, "a longer socket", "refused");
}

/* The result table, whole. */

static struct outcome denial(int code, uint32_t cause, bool lockout_began)
{
    return (struct outcome){
        .ending = ENDED_VERDICT,
        .verdict = { .type = WIRE_VERDICT, .code = (uint32_t)code, .cause = cause, .lockout_began = lockout_began },
    };
}

/* What an ending comes to that is no verdict: whatever a message says besides. */
static int ending_code(enum ending ending)
{
    switch (ending) {
    case ENDED_INTERRUPTED:
        return PAM_ABORT;
    case ENDED_NO_INPUT:
        return PAM_CONV_ERR;
    case ENDED_EMPTY_ANSWER:
        return PAM_AUTH_ERR;
    default:
        return PAM_AUTHINFO_UNAVAIL;
    }
}

static void check_results(void)
{
    struct outcome outcome = { 0 };

    check(result_code(&outcome) == PAM_AUTHINFO_UNAVAIL, "an empty outcome", "is a denial");
    for (int ending = ENDED_FAILED; ending < ENDED_VERDICT; ending++) {
        outcome = (struct outcome){
            .ending = (enum ending)ending, .verdict = { .type = WIRE_VERDICT, .allowed = 1, .finger = 7 }
        };
        check(result_code(&outcome) == ending_code((enum ending)ending), "an ending without a verdict", "is a denial");
    }
    for (uint32_t allowed = 0; allowed < 3; allowed++) {
        for (uint32_t finger = 0; finger < 12; finger++) {
            bool match = allowed == 1 && finger >= 1 && finger <= 10;

            outcome = (struct outcome){
                .ending = ENDED_VERDICT, .verdict = { .type = WIRE_VERDICT, .allowed = allowed, .finger = finger }
            };
            check((result_code(&outcome) == PAM_SUCCESS) == match, "success", "for a finger that is allowed alone");
            outcome.verdict.type = WIRE_PROMPT;
            check(result_code(&outcome) != PAM_SUCCESS, "success", "from a verdict alone");
        }
    }
    for (int code = -1100; code < 100; code++) {
        for (uint32_t cause = 0; cause < 60; cause++) {
            for (int began = 0; began < 2; began++) {
                int expected = PAM_AUTHINFO_UNAVAIL;

                if (code == WIRE_AUTHENTICATION_FAILED || (code == WIRE_BIOMETRY_LOCKOUT && began))
                    expected = PAM_MAXTRIES;
                outcome = denial(code, cause, began == 1);
                check(result_code(&outcome) == expected, "a denial's code", "as the table has it");
            }
        }
    }
}

int main(void)
{
    check_options();
    check_results();
    return checked();
}
