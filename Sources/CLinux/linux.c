#define _GNU_SOURCE
#include "CLinux.h"

#include <libintl.h>
#include <link.h>
#include <locale.h>
#include <malloc.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int clinux_peer_credentials(int fd, pid_t *pid, uid_t *uid, gid_t *gid)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
        return -1;
    *pid = peer.pid;
    *uid = peer.uid;
    *gid = peer.gid;
    return 0;
}

int clinux_accept(int fd)
{
    return accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

ssize_t clinux_receive(int fd, void *buffer, size_t size)
{
    return recv(fd, buffer, size, MSG_DONTWAIT | MSG_TRUNC);
}

void clinux_bind_text(const char *domain, const char *directory)
{
    setlocale(LC_ALL, "");
    bindtextdomain(domain, directory);
    bind_textdomain_codeset(domain, "UTF-8");
    textdomain(domain);
}

static locale_t environment_locale;

static void find_environment_locale(void)
{
    environment_locale = newlocale(LC_CTYPE_MASK | LC_MESSAGES_MASK, "", (locale_t)0);
}

void *clinux_begin_text(const char *domain)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *own = setlocale(LC_MESSAGES, NULL);

    bind_textdomain_codeset(domain, "UTF-8");
    if (own == NULL || strcmp(own, "C") != 0 || uselocale((locale_t)0) != LC_GLOBAL_LOCALE)
        return NULL;
    pthread_once(&once, find_environment_locale);
    return environment_locale == (locale_t)0 ? NULL : uselocale(environment_locale);
}

void clinux_end_text(void *before)
{
    if (before != NULL)
        uselocale(before);
}

void clinux_find_text(const char *domain, const char *directory)
{
    bindtextdomain(domain, directory);
}

int clinux_refuse_dumps(void)
{
    const struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) < 0)
        return -1;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

long clinux_raise_open_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return -1;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
        return -1;
    return (long)limit.rlim_cur;
}

void clinux_wipe(void *memory, size_t size)
{
    explicit_bzero(memory, size);
}

int clinux_random(void *buffer, size_t size)
{
    return getrandom(buffer, size, 0) == (ssize_t)size ? 0 : -1;
}

int clinux_boot_timer(void)
{
    return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

int clinux_boot_timer_set(int fd, int64_t nanoseconds)
{
    const struct itimerspec when = {
        .it_value = { .tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000 },
    };
    return timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL);
}

/* Segments that nothing writes to are the file's own pages: what is needed of them comes back from the page cache. */
static int forget_code(struct dl_phdr_info *program, size_t size, void *data)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    (void)size, (void)data;
    for (int i = 0; i < program->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &program->dlpi_phdr[i];
        uintptr_t begin = (program->dlpi_addr + segment->p_vaddr) & ~(page - 1);
        uintptr_t end = (program->dlpi_addr + segment->p_vaddr + segment->p_filesz + page - 1) & ~(page - 1);
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_W) == 0)
            madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
    return 1; /* the program itself comes first; its libraries are others' too */
}

int clinux_release_memory(void *unused)
{
    (void)unused;
    malloc_trim(0);
    dl_iterate_phdr(forget_code, NULL);
    return 0;
}
