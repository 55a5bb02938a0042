#include "options.h"

#include <errno.h>
#include <security/pam_ext.h>
#include <string.h>
#include <sys/un.h>
#include <syslog.h>

#define DEFAULT_SOCKET "/run/bioauthd/bioauthd.sock"

/* The value of `argument` if it is `name` (which ends in '='), else NULL. */
static const char *value_of(const char *argument, const char *name)
{
    size_t length = strlen(name);

    return strncmp(argument, name, length) == 0 ? argument + length : NULL;
}

/* Decimal digits and nothing else, at most `most` (below 1000) and at least 1. */
static int parse_count(const char *text, unsigned most, unsigned *count)
{
    unsigned value = 0;
    size_t length = strlen(text);

    if (length < 1 || length > 3)
        return -EINVAL;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return -EINVAL;
        value = value * 10 + (unsigned)(*text - '0');
    }
    if (value < 1 || value > most)
        return -EINVAL;
    *count = value;
    return 0;
}

static int parse_socket(const char *path, const char **socket)
{
    if (path[0] != '/' || strlen(path) >= sizeof((struct sockaddr_un *)0)->sun_path)
        return -EINVAL;
    *socket = path;
    return 0;
}

static int parse_password(const char *name, enum mode *mode)
{
    static const struct {
        const char *name;
        enum mode mode;
    } modes[] = {
        { "auto", MODE_AUTO },     { "tty", MODE_TTY },     { "first", MODE_FIRST },
        { "beside", MODE_BESIDE }, { "later", MODE_LATER },
    };

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (strcmp(modes[i].name, name) == 0) {
            *mode = modes[i].mode;
            return 0;
        }
    }
    return -EINVAL;
}

static int parse_option(const char *argument, struct options *options)
{
    const char *value;

    if ((value = value_of(argument, "timeout=")) != NULL)
        return parse_count(value, 300, &options->timeout);
    if ((value = value_of(argument, "max-tries=")) != NULL)
        return parse_count(value, 10, &options->max_tries);
    if ((value = value_of(argument, "socket=")) != NULL)
        return parse_socket(value, &options->socket);
    if ((value = value_of(argument, "password=")) != NULL)
        return parse_password(value, &options->password);
    if (strcmp(argument, "debug") == 0)
        options->debug = true;
    else if (strcmp(argument, "quiet") == 0)
        options->quiet = true;
    else if (strcmp(argument, "report") == 0)
        options->report = true;
    else
        return -EINVAL;
    return 0;
}

int options_parse(pam_handle_t *pamh, int argc, const char **argv, struct options *options)
{
    *options = (struct options){ .timeout = 30, .max_tries = 3, .socket = DEFAULT_SOCKET };
    for (int i = 0; i < argc; i++) {
        if (parse_option(argv[i], options) < 0) {
            pam_syslog(pamh, LOG_ERR, "unknown or malformed option '%s': no finger is asked for", argv[i]);
            return -EINVAL;
        }
    }
    return 0;
}
