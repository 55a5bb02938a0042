#include <gusb.h>
