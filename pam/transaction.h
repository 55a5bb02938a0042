/* What a PAM host says about the transaction at hand. */
#ifndef BIOAUTH_TRANSACTION_H
#define BIOAUTH_TRANSACTION_H

#include "wire.h"

#include <security/pam_modules.h>

struct account {
    uint32_t uid;
    char name[WIRE_LABEL_MAX + 1]; /* canonical: what the user database says, not what was typed */
};

/*
 * Looks the transaction's user up. `ask`: the host may ask for the name if it has none yet. 0; -ENOENT when there is
 * no name or no such account; -ENAMETOOLONG; or the user database's -errno.
 */
int transaction_account(pam_handle_t *pamh, bool ask, struct account *account);

/* A PAM item that is a string: PAM's own, until it is set anew. NULL when it isn't set. */
const char *transaction_item(pam_handle_t *pamh, int type);

/* Whether our own touch let the person in: remembered in the handle, for the line in report mode further down. */
struct touch {
    bool matched;
};

/* Begins to remember: nothing matched yet. PAM's memory, or NULL when there is none left. */
struct touch *transaction_remember_touch(pam_handle_t *pamh);

bool transaction_had_touch(pam_handle_t *pamh);

#endif
