#include "wait.h"

#include <security/pam_ext.h>

void wait_first(struct request *request, struct conversation *conversation, struct outcome *outcome)
{
    const char *password = NULL;

    /* The default question, which sudo puts its own words in the place of. */
    if (pam_get_authtok(request->pamh, PAM_AUTHTOK, &password, NULL) != PAM_SUCCESS || password == NULL) {
        outcome->ending = ENDED_NO_INPUT;
        return;
    }
    if (*password != '\0') {
        outcome->ending = ENDED_PASSWORD;
        return;
    }
    wait_later(request, conversation, outcome);
}
