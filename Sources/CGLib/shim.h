#include <gio/gio.h>
#include <glib-unix.h>
#include <glib.h>
