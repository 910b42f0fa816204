/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_clock.h
 * Clocks of devices and of the host.
 */
#ifndef DOCA_CLOCK_H_
#define DOCA_CLOCK_H_

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <doca_compat.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A clock. */
struct doca_clock;
/** A device. */
struct doca_devinfo;
/** A device. */
struct doca_dev;

/** What a clock shows. */
union doca_clock_timespec_t {
    struct timespec ts; /**< a time */
    uint64_t counter;   /**< a number of cycles */
};

/** The free-running clock of the device. */
#define DOCA_CLOCK_NIC_FREE_RUNNING 1

/** The real time of the device. */
#define DOCA_CLOCK_NIC_REAL_TIME 2

/** The timer of the DPA. */
#define DOCA_CLOCK_NIC_DPA_TIMER 256

/** The cycle counter of the CPU. */
#define DOCA_CLOCK_HOST_COUNTER_CYCLES 65536

/** CLOCK_REALTIME of the host. */
#define DOCA_CLOCK_HOST_REAL_TIME 131072

/** CLOCK_MONOTONIC of the host. */
#define DOCA_CLOCK_HOST_MONOTONIC 262144

/** CLOCK_MONOTONIC_RAW of the host. */
#define DOCA_CLOCK_HOST_MONOTONIC_RAW 524288

/**
 * Tells whether the device has a free-running clock.
 *
 * @param devinfo a device of a list, or of doca_dev_as_devinfo().
 * @return DOCA_SUCCESS always, and never DOCA_ERROR_NOT_SUPPORTED;
 *   DOCA_ERROR_INVALID_VALUE devinfo is NULL;
 *   DOCA_ERROR_DRIVER is not returned.
 *
 * Source: table; which clocks there are is our choice. Since: 3.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_cap_nic_free_running_is_supported(const struct doca_devinfo *devinfo);

/**
 * Tells whether the device has a clock of the time of day.
 *
 * @param devinfo a device of a list, or of doca_dev_as_devinfo().
 * @return DOCA_SUCCESS always, and never DOCA_ERROR_NOT_SUPPORTED;
 *   DOCA_ERROR_INVALID_VALUE devinfo is NULL;
 *   DOCA_ERROR_DRIVER is not returned.
 *
 * Source: table; which clocks there are is our choice. Since: 3.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_cap_nic_real_time_is_supported(const struct doca_devinfo *devinfo);

/**
 * Tells whether the device has a timer of the DPA.
 *
 * @param devinfo a device of a list, or of doca_dev_as_devinfo().
 * @return DOCA_ERROR_NOT_SUPPORTED always;
 *   DOCA_ERROR_INVALID_VALUE devinfo is NULL;
 *   DOCA_ERROR_DRIVER is not returned.
 *
 * Source: table; which clocks there are is our choice. Since: 3.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_cap_nic_dpa_timer_is_supported(const struct doca_devinfo *devinfo);

/**
 * Makes a reader of clocks, which keeps the device open.
 *
 * @param dev an open device.
 * @param clock where to put the reader.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NO_MEMORY;
 *   DOCA_ERROR_NOT_SUPPORTED the device was made from a protection domain;
 *   DOCA_ERROR_DRIVER is not returned.
 *
 * Source: table. Since: 3.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_create(const struct doca_dev *dev, struct doca_clock **clock);

/**
 * Frees the reader.
 *
 * @param clock what doca_clock_create() made.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE clock is NULL.
 *
 * Source: table. Since: 3.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_destroy(struct doca_clock *clock);

/**
 * Reads one clock. The free-running clock of a device is CLOCK_MONOTONIC_RAW, and its
 * time of day CLOCK_REALTIME.
 *
 * @param clock the reader.
 * @param clock_type one DOCA_CLOCK_* number.
 * @param clock_ts where to put the time: `counter` of DOCA_CLOCK_HOST_COUNTER_CYCLES,
 *   `ts` of the others.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or clock_type is not one;
 *   DOCA_ERROR_NOT_SUPPORTED there is no DPA;
 *   DOCA_ERROR_OPERATING_SYSTEM the kernel does not tell the time;
 *   DOCA_ERROR_DRIVER is not returned.
 *
 * Source: table; the clocks of a device are our choice. Since: 3.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_get_timestamp(const struct doca_clock *clock, uint64_t clock_type,
                                      union doca_clock_timespec_t *clock_ts);

/**
 * Reads two clocks as nearly at one moment as possible: that of the device between two
 * readings of the primary one, whose middle is returned.
 *
 * @param clock the reader.
 * @param primary_clock_type one DOCA_CLOCK_* number.
 * @param nic_clock_type the same, of a clock of the device.
 * @param primary_clock_ts where to put the time of the primary clock.
 * @param nic_clock_ts where to put that of the device.
 * @param error_margin_nsecs where to put how far the two moments may be apart: in
 *   nanoseconds, or in cycles if these are what the primary clock counts.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or a type is not one of these;
 *   DOCA_ERROR_NOT_SUPPORTED there is no DPA;
 *   DOCA_ERROR_OPERATING_SYSTEM the kernel does not tell the time;
 *   DOCA_ERROR_DRIVER is not returned.
 *
 * Source: table. Since: 3.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_get_crosstimestamp(const struct doca_clock *clock,
                                           uint64_t primary_clock_type, uint64_t nic_clock_type,
                                           union doca_clock_timespec_t *primary_clock_ts,
                                           union doca_clock_timespec_t *nic_clock_ts,
                                           uint64_t *error_margin_nsecs);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CLOCK_H_ */
