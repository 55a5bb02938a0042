/*
 * Loaded into the daemon of a test system, this gives libfprint a virtual reader: in place of the environment, which the
 * daemon would refuse, it answers the one question for it. VARIABLE and SOCKET say which reader, and where.
 */
#include <stdlib.h>
#include <string.h>

const char *g_getenv(const char *name)
{
	return strcmp(name, VARIABLE) == 0 ? SOCKET : getenv(name);
}
