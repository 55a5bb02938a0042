#include "transaction.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#define TOUCH "bioauth_touch"

const char *transaction_item(pam_handle_t *pamh, int type)
{
    const void *item = NULL;

    return pam_get_item(pamh, type, &item) == PAM_SUCCESS ? item : NULL;
}

int transaction_account(pam_handle_t *pamh, bool ask, struct account *account)
{
    char buffer[16384];
    struct passwd entry, *found = NULL;
    const char *name = NULL;
    size_t length;
    int error;

    if (!ask)
        name = transaction_item(pamh, PAM_USER);
    else if (pam_get_user(pamh, &name, NULL) != PAM_SUCCESS)
        return -ENOENT;
    if (name == NULL || *name == '\0')
        return -ENOENT;

    error = getpwnam_r(name, &entry, buffer, sizeof buffer, &found);
    if (error != 0)
        return -error;
    if (found == NULL)
        return -ENOENT;
    length = strlen(found->pw_name);
    if (length >= sizeof account->name)
        return -ENAMETOOLONG;
    memcpy(account->name, found->pw_name, length + 1);
    account->uid = found->pw_uid;
    return 0;
}

static void forget(pam_handle_t *pamh, void *touch, int status)
{
    (void)pamh;
    (void)status;
    free(touch);
}

struct touch *transaction_remember_touch(pam_handle_t *pamh)
{
    struct touch *touch = calloc(1, sizeof *touch);

    if (touch != NULL && pam_set_data(pamh, TOUCH, touch, forget) != PAM_SUCCESS) {
        free(touch);
        touch = NULL;
    }
    return touch;
}

bool transaction_had_touch(pam_handle_t *pamh)
{
    const void *data = NULL;
    const struct touch *touch;

    if (pam_get_data(pamh, TOUCH, &data) != PAM_SUCCESS || data == NULL)
        return false;
    touch = data;
    return touch->matched;
}
