/*
 * Preloaded into a daemon that uses libfprint, ours or another: writes into the FIFO that BENCH_PROBE names when the
 * reader begins to want a finger, when a finger comes, and when libfprint tells the daemon what it compared it with.
 * Each record is two 64-bit numbers: what happened, and nanoseconds on CLOCK_MONOTONIC, taken before anything else is
 * done. The daemons are not changed; they pay for one write(2) an event.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <fprint.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Known to Probe.swift too. */
enum event { ARMED = 1, FINGER = 2, COMPARED = 3, MATCHED = 4 };

static int fifo = -1;
static FpMatchCb told;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("BENCH_PROBE");

    if (path != NULL)
        fifo = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

static void note(enum event event)
{
    struct timespec now;
    int64_t record[2] = { event, 0 };

    clock_gettime(CLOCK_MONOTONIC, &now);
    record[1] = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    /* A record that can't be written is missed by the benchmark, which says so. */
    if (write(fifo, record, sizeof record) < 0)
        return;
}

static void finger_status_changed(FpDevice *device, GParamSpec *property, gpointer data)
{
    FpFingerStatusFlags status = fp_device_get_finger_status(device);

    (void)property, (void)data;
    if (status == FP_FINGER_STATUS_NEEDED)
        note(ARMED);
    else if (status & FP_FINGER_STATUS_PRESENT)
        note(FINGER);
}

static void watch(FpDevice *device)
{
    static const char mark[] = "bench-probe";

    if (g_object_get_data(G_OBJECT(device), mark) != NULL)
        return;
    g_object_set_data(G_OBJECT(device), mark, device);
    g_signal_connect(device, "notify::finger-status", G_CALLBACK(finger_status_changed), NULL);
}

static void compared(FpDevice *device, FpPrint *match, FpPrint *print, gpointer data, GError *error)
{
    if (error == NULL)
        note(match != NULL ? MATCHED : COMPARED);
    if (told != NULL)
        told(device, match, print, data, error);
}

/* The next definition of a function, libfprint's own. */
static void find(void *function, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (found == NULL)
        abort();
    memcpy(function, &found, sizeof found);
}

void fp_device_identify(FpDevice *device, GPtrArray *prints, GCancellable *cancellable, FpMatchCb match, gpointer data,
                        GDestroyNotify destroy, GAsyncReadyCallback ready, gpointer ready_data)
{
    static __typeof__(&fp_device_identify) next;

    if (next == NULL)
        find(&next, "fp_device_identify");
    watch(device);
    told = match;
    next(device, prints, cancellable, compared, data, destroy, ready, ready_data);
}

void fp_device_verify(FpDevice *device, FpPrint *enrolled, GCancellable *cancellable, FpMatchCb match, gpointer data,
                      GDestroyNotify destroy, GAsyncReadyCallback ready, gpointer ready_data)
{
    static __typeof__(&fp_device_verify) next;

    if (next == NULL)
        find(&next, "fp_device_verify");
    watch(device);
    told = match;
    next(device, enrolled, cancellable, compared, data, destroy, ready, ready_data);
}
