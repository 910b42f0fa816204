// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Clocks. A software device has those of the machine: its free-running clock is the kernel's raw
// monotonic one.

#include "core/alive.h"
#include "core/device.h"
#include "core/report.h"

#include <doca_clock.h>

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

struct doca_clock {
    struct doca_dev *dev;
    struct alive alive;
};

// ---- capabilities -----------------------------------------------------------------

static doca_error_t has_clock(const char *function, const struct doca_devinfo *devinfo, bool there)
{
    if (!devinfo)
        return REFUSED_NULL_OF(function, devinfo);
    return there ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_clock_cap_nic_free_running_is_supported(const struct doca_devinfo *devinfo)
{
    return has_clock(__func__, devinfo, true);
}

doca_error_t doca_clock_cap_nic_real_time_is_supported(const struct doca_devinfo *devinfo)
{
    return has_clock(__func__, devinfo, true);
}

doca_error_t doca_clock_cap_nic_dpa_timer_is_supported(const struct doca_devinfo *devinfo)
{
    return has_clock(__func__, devinfo, false);
}

// ---- lifetime ---------------------------------------------------------------------

doca_error_t doca_clock_create(const struct doca_dev *dev, struct doca_clock **clock)
{
    struct errtext err;

    if (!dev || !clock)
        return REFUSED_NULL(dev, clock);
    doca_error_t e = dev_known(dev, &err);
    if (e != DOCA_SUCCESS)
        return report(__func__, e, &err);
    struct doca_clock *made = calloc(1, sizeof(*made));
    if (!made)
        return report(__func__, DOCA_ERROR_NO_MEMORY, NULL);
    made->dev = dev_ref((struct doca_dev *)dev);
    alive_begin(&made->alive);
    *clock = made;
    return DOCA_SUCCESS;
}

doca_error_t doca_clock_destroy(struct doca_clock *clock)
{
    if (!clock)
        return REFUSED_NULL(clock);
    if (!alive_now(&clock->alive))
        return report_why(__func__, DOCA_ERROR_INVALID_VALUE, ENDED_ALREADY);
    alive_end(&clock->alive);
    dev_unref(clock->dev);
    free(clock);
    return DOCA_SUCCESS;
}

// ---- reading ------------------------------------------------------------------------

static uint64_t cycles(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t count;
    __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
#endif
}

static bool is_of_device(uint64_t type)
{
    return type == DOCA_CLOCK_NIC_FREE_RUNNING || type == DOCA_CLOCK_NIC_REAL_TIME ||
           type == DOCA_CLOCK_NIC_DPA_TIMER;
}

static doca_error_t clock_read(uint64_t type, union doca_clock_timespec_t *out)
{
    clockid_t id;

    switch (type) {
    case DOCA_CLOCK_HOST_COUNTER_CYCLES:
        out->counter = cycles();
        return DOCA_SUCCESS;
    case DOCA_CLOCK_NIC_FREE_RUNNING:
    case DOCA_CLOCK_HOST_MONOTONIC_RAW:
        id = CLOCK_MONOTONIC_RAW;
        break;
    case DOCA_CLOCK_NIC_REAL_TIME:
    case DOCA_CLOCK_HOST_REAL_TIME:
        id = CLOCK_REALTIME;
        break;
    case DOCA_CLOCK_HOST_MONOTONIC:
        id = CLOCK_MONOTONIC;
        break;
    case DOCA_CLOCK_NIC_DPA_TIMER:
        return DOCA_ERROR_NOT_SUPPORTED;
    default:
        return DOCA_ERROR_INVALID_VALUE;
    }
    return clock_gettime(id, &out->ts) == 0 ? DOCA_SUCCESS : DOCA_ERROR_OPERATING_SYSTEM;
}

static doca_error_t read_failed(const char *function, doca_error_t e, uint64_t type)
{
    struct errtext err;
    return report(function,
                  errtext_set(&err, e, "clock %#llx %s", (unsigned long long)type,
                              e == DOCA_ERROR_INVALID_VALUE   ? "is not one of doca_clock.h"
                              : e == DOCA_ERROR_NOT_SUPPORTED ? "is the DPA's, and there is no DPA"
                                                              : "cannot be read"),
                  &err);
}

doca_error_t doca_clock_get_timestamp(const struct doca_clock *clock, uint64_t clock_type,
                                      union doca_clock_timespec_t *clock_ts)
{
    union doca_clock_timespec_t now = {.counter = 0};

    if (!clock || !clock_ts)
        return REFUSED_NULL(clock, clock_ts);
    doca_error_t e = clock_read(clock_type, &now);
    if (e != DOCA_SUCCESS)
        return read_failed(__func__, e, clock_type);
    *clock_ts = now;
    return DOCA_SUCCESS;
}

static uint64_t number_of(uint64_t type, const union doca_clock_timespec_t *at)
{
    return type == DOCA_CLOCK_HOST_COUNTER_CYCLES
               ? at->counter
               : (uint64_t)at->ts.tv_sec * 1000000000 + (uint64_t)at->ts.tv_nsec;
}

static union doca_clock_timespec_t at_number(uint64_t type, uint64_t number)
{
    if (type == DOCA_CLOCK_HOST_COUNTER_CYCLES)
        return (union doca_clock_timespec_t){.counter = number};
    return (union doca_clock_timespec_t){
        .ts = {.tv_sec = (time_t)(number / 1000000000), .tv_nsec = (long)(number % 1000000000)}};
}

// The device's clock is read between two readings of the primary one.
doca_error_t doca_clock_get_crosstimestamp(const struct doca_clock *clock,
                                           uint64_t primary_clock_type, uint64_t nic_clock_type,
                                           union doca_clock_timespec_t *primary_clock_ts,
                                           union doca_clock_timespec_t *nic_clock_ts,
                                           uint64_t *error_margin_nsecs)
{
    union doca_clock_timespec_t before = {.counter = 0}, nic = before, after = before;

    if (!clock)
        return REFUSED_NULL(clock);
    if (!primary_clock_ts || !nic_clock_ts || !error_margin_nsecs)
        return REFUSED_NULL(primary_clock_ts, nic_clock_ts, error_margin_nsecs);
    if (!is_of_device(nic_clock_type))
        return report_why(__func__, DOCA_ERROR_INVALID_VALUE,
                          "nic_clock_type is not a clock of a device");
    doca_error_t e = clock_read(primary_clock_type, &before);
    if (e != DOCA_SUCCESS)
        return read_failed(__func__, e, primary_clock_type);
    e = clock_read(nic_clock_type, &nic);
    if (e != DOCA_SUCCESS)
        return read_failed(__func__, e, nic_clock_type);
    e = clock_read(primary_clock_type, &after);
    if (e != DOCA_SUCCESS)
        return read_failed(__func__, e, primary_clock_type);

    uint64_t first = number_of(primary_clock_type, &before);
    uint64_t last = number_of(primary_clock_type, &after);
    uint64_t half = last > first ? (last - first) / 2 : 0; // real time may be put back
    *primary_clock_ts = at_number(primary_clock_type, first + half);
    *nic_clock_ts = nic;
    *error_margin_nsecs = half + 1;
    return DOCA_SUCCESS;
}
