/* Loaded before the C library: the wall clock is off by as many seconds as the file says that CLOCK_OFFSET names. No other
 * clock is. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("CLOCK_OFFSET");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *memory;

    if (file < 0)
        return;
    memory = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (memory != MAP_FAILED)
        offset = memory;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    long result = syscall(SYS_clock_gettime, clock, now);

    if (result == 0 && offset && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += *offset;
    return (int)result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec time;

    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &time) != 0)
        return -1;
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result)
{
    struct timespec now;

    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return -1;
    if (result)
        *result = now.tv_sec;
    return now.tv_sec;
}
