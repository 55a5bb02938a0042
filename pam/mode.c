#include "mode.h"

#include "terminal.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Ways of hosts that are more than one mode. */
enum way {
    OWN_STACK,  /* the finger has a stack of its own beside this one */
    ALONE,      /* this is that stack */
    TERMINAL,   /* asks on the controlling terminal, wherever its standard input comes from */
    INPUT,      /* asks on standard input, which is the terminal or not */
    SUDO,       /* as its options say */
    HANDS_OVER, /* asks by itself, then hands over what was typed: lockers and greeters */
    DIALOG,     /* polkit's helper */
};

static const struct host {
    const char *service;
    enum way way;
} hosts[] = {
    { "gdm-password", OWN_STACK },
    { "gdm-autologin", OWN_STACK },
    { "gdm-smartcard", OWN_STACK },
    { "gdm-fingerprint", ALONE },
    { "kde", OWN_STACK },
    { "kde-fingerprint", ALONE },
    { "polkit-1", DIALOG },
    { "su", INPUT },
    { "su-l", INPUT },
    { "login", INPUT },
    { "doas", TERMINAL },
    { "vlock", TERMINAL },
    { "i3lock", HANDS_OVER },
    { "xsecurelock", HANDS_OVER },
    { "swaylock", HANDS_OVER },
    { "hyprlock", HANDS_OVER },
    { "xscreensaver", HANDS_OVER },
    { "cinnamon-screensaver", HANDS_OVER },
    { "mate-screensaver", HANDS_OVER },
    { "sddm", HANDS_OVER },
    { "lightdm", HANDS_OVER },
    { "greetd", HANDS_OVER },
    { "sshd", OWN_STACK }, /* nobody at its end can touch anything */
};

/* Whether a prompt can be shown and answered on the controlling terminal now. */
static bool on_terminal(void)
{
    struct terminal terminal;

    if (terminal_open(&terminal) < 0)
        return false;
    terminal_close(&terminal);
    return true;
}

static enum mode of_terminal(void)
{
    return on_terminal() ? MODE_TTY : MODE_NONE;
}

/*
 * Whether the caller chose sudo's words by a variable. Not by getenv: sudo's own, which stands in the place of the
 * library's for modules too, tells of the command's environment.
 */
static bool began_with_prompt(void)
{
    static const char name[] = "SUDO_PROMPT=";

    for (char **variable = environ; variable != NULL && *variable != NULL; variable++)
        if (strncmp(*variable, name, sizeof name - 1) == 0)
            return true;
    return false;
}

static enum mode of_sudo(void)
{
    char words[16384]; /* the options come first */
    ssize_t length, filled = 0;
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return MODE_NONE;
    while ((length = read(fd, words + filled, sizeof words - (size_t)filled)) > 0)
        filled += length;
    close(fd);
    switch (mode_sudo_prompt(words, (size_t)filled)) {
    case SUDO_NO:
        return MODE_NONE;
    case SUDO_WORDS:
        return on_terminal() ? MODE_FIRST : MODE_NONE;
    case SUDO_TERMINAL:
        break;
    }
    /* Only whether it is there matters: whoever sets it chooses the words that they see themselves. */
    if (began_with_prompt())
        return on_terminal() ? MODE_FIRST : MODE_NONE;
    return of_terminal();
}

bool mode_is_sudo(const char *service)
{
    return service != NULL && strncmp(service, "sudo", strlen("sudo")) == 0;
}

enum mode mode_of_host(const char *service)
{
    enum way way = mode_is_sudo(service) ? SUDO : TERMINAL;

    for (size_t i = 0; service != NULL && i < sizeof hosts / sizeof *hosts; i++)
        if (strcmp(hosts[i].service, service) == 0)
            way = hosts[i].way;
    switch (way) {
    case OWN_STACK:
        return MODE_NONE;
    case ALONE:
        return MODE_LATER;
    case TERMINAL:
        return of_terminal();
    case INPUT:
        return terminal_is_input() ? of_terminal() : MODE_NONE;
    case SUDO:
        return of_sudo();
    case HANDS_OVER:
        return MODE_FIRST;
    case DIALOG:
        return MODE_BESIDE;
    }
    return MODE_NONE;
}
