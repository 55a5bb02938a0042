/* Counts what a test program checked, and names what failed. */
#ifndef BIOAUTH_TESTS_CHECK_H
#define BIOAUTH_TESTS_CHECK_H

#include <stdbool.h>
#include <stdio.h>

static int checks, failures;

static inline void check(bool right, const char *what, const char *which)
{
    checks++;
    if (!right) {
        failures++;
        printf("FAILED: %s: %s\n", what, which);
    }
}

/* The program's exit status. */
static inline int checked(void)
{
    printf("%d checks, %d failed\n", checks, failures);
    return checks > 0 && failures == 0 ? 0 : 1;
}

#endif
