#include "report.h"

#include "client.h"
#include "signals.h"
#include "transaction.h"

#include <errno.h>
#include <security/pam_ext.h>
#include <string.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#define PASSWORD_SOCKET "password.sock"

/* Milliseconds. The second covers a PAM stack that slows failures down. */
enum { ADVICE_WITHIN = 1000, VERDICT_WITHIN = 10000 };

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), wanted = strlen(end);

    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* The password's own socket stands beside the daemon's. */
static int password_socket(const char *daemon_socket, char *path, size_t size)
{
    size_t directory = (size_t)(strrchr(daemon_socket, '/') - daemon_socket) + 1;

    if (directory + sizeof PASSWORD_SOCKET > size)
        return -ENAMETOOLONG;
    memcpy(path, daemon_socket, directory);
    memcpy(path + directory, PASSWORD_SOCKET, sizeof PASSWORD_SOCKET);
    return 0;
}

/* Sends the `length` bytes in `buffer` (an encoder's result) and reads the one answer of that type into it. */
static int exchange(const char *path, uint8_t *buffer, int length, enum wire_type type, int signals, int within,
                    struct wire_message *answer)
{
    int fd, error;

    if (length < 0)
        return length;
    fd = client_connect(path);
    if (fd < 0)
        return fd;
    error = client_send(fd, buffer, (size_t)length);
    if (error == 0)
        error = client_receive(fd, signals, client_now() + within, buffer, answer);
    if (error == 0 && answer->type != type)
        error = -EPROTO;
    close(fd);
    return error;
}

static int report(const struct options *options, const struct account *account, const char *service,
                  const char *password, int signals, struct wire_message *verdict)
{
    uint8_t buffer[WIRE_MESSAGE_MAX];
    char path[sizeof((struct sockaddr_un *)0)->sun_path];
    int length, error;

    length = wire_encode_password_useful(account->uid, account->name, service, buffer, sizeof buffer);
    error = exchange(options->socket, buffer, length, WIRE_PASSWORD_ADVICE, signals, ADVICE_WITHIN, verdict);
    if (error < 0)
        return error;
    if (!verdict->useful)
        return -ECANCELED;
    error = password_socket(options->socket, path, sizeof path);
    if (error < 0)
        return error;
    length = wire_encode_password(account->uid, account->name, password, buffer, sizeof buffer);
    error = exchange(path, buffer, length, WIRE_PASSWORD_VERDICT, signals, VERDICT_WITHIN, verdict);
    explicit_bzero(buffer, sizeof buffer);
    return error;
}

enum ending report_password(pam_handle_t *pamh, const struct options *options)
{
    const char *service = transaction_item(pamh, PAM_SERVICE);
    const char *password = transaction_item(pamh, PAM_AUTHTOK);
    struct wire_message verdict = { 0 };
    struct signals signals;
    struct account account;
    int error;

    if (service == NULL || strcmp(service, "bioauth-password") == 0 || ends_with(service, "-autologin") ||
        password == NULL || *password == '\0' || transaction_had_touch(pamh))
        return ENDED_REPORTED;
    if (transaction_account(pamh, false, &account) < 0)
        return ENDED_REPORTED;
    if (signals_hold(&signals, false) < 0)
        return ENDED_REPORTED;
    error = report(options, &account, service, password, signals.fd, &verdict);
    signals_release(&signals);

    if (options->debug && error < 0)
        pam_syslog(pamh, LOG_DEBUG, "password not reported: %s",
                   error == -ECANCELED ? "of no use now" : strerror(-error));
    else if (options->debug)
        pam_syslog(pamh, LOG_DEBUG, "password reported: %s, cause %u", verdict.right ? "right" : "not right",
                   (unsigned)verdict.cause);
    return ENDED_REPORTED;
}
