/* Report mode: lets a right password count. Standing after the password module, it hands the password that the person
 * has just given to bioauth-password, if the daemon says that this would be of use. It lets nobody in. */
#ifndef BIOAUTH_REPORT_H
#define BIOAUTH_REPORT_H

#include "options.h"
#include "result.h"

/* Never asks or tells the person anything; ENDED_REPORTED, whatever came of it. At most 11 seconds. */
enum ending report_password(pam_handle_t *pamh, const struct options *options);

#endif
