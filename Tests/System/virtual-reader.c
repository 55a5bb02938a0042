/*
 * Loaded into the daemon of a test system, this gives libfprint its virtual image reader: in place of the environment,
 * which the daemon would refuse, it answers the one question for it.
 */
#include <stdlib.h>
#include <string.h>

const char *g_getenv(const char *name)
{
	return strcmp(name, "FP_VIRTUAL_IMAGE") == 0 ? "/reader/socket" : getenv(name);
}
