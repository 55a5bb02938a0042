/* What the administrator wrote behind pam_bioauth.so in the stack. */
#ifndef BIOAUTH_OPTIONS_H
#define BIOAUTH_OPTIONS_H

#include "mode.h"

#include <security/pam_modules.h>
#include <stdbool.h>

struct options {
    unsigned timeout;   /* seconds to wait for the finger, 1 to 300 */
    unsigned max_tries; /* touches that may fail to match, 1 to 10 */
    enum mode password; /* how it stays live meanwhile */
    bool debug;
    bool quiet;         /* say nothing through the conversation */
    bool report;        /* let a right password count, ask for no finger */
    const char *socket; /* absolute, fits a socket address; lives as long as argv */
};

/* 0, or -EINVAL after logging the option that is unknown or malformed. */
int options_parse(pam_handle_t *pamh, int argc, const char **argv, struct options *options);

#endif
