// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
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
 * DOCA_SUCCESS when the device has a free-running clock.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 3.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_cap_nic_free_running_is_supported(const struct doca_devinfo *devinfo);

/**
 * DOCA_SUCCESS when the device has a real-time clock.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 3.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_cap_nic_real_time_is_supported(const struct doca_devinfo *devinfo);

/**
 * DOCA_SUCCESS when the device has a DPA timer.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 3.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_cap_nic_dpa_timer_is_supported(const struct doca_devinfo *devinfo);

/**
 * Clock reader of a device.
 *
 * @param dev the device.
 * @param clock where to put the clock.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 3.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_create(const struct doca_dev *dev, struct doca_clock **clock);

/**
 * Frees the clock.
 *
 * @param clock the clock.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_destroy(struct doca_clock *clock);

/**
 * Reads the one clock (DOCA CLOCK *) of the clock.
 *
 * @param clock the clock.
 * @param clock_type the clock type.
 * @param clock_ts where to put the clock ts.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed;
 *   DOCA_ERROR_OPERATING_SYSTEM a system call failed;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 3.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_clock_get_timestamp(const struct doca_clock *clock, uint64_t clock_type,
                                      union doca_clock_timespec_t *clock_ts);

/**
 * Reads the two clocks at one moment and says how exact that is of the clock.
 *
 * @param clock the clock.
 * @param primary_clock_type the primary clock type.
 * @param nic_clock_type the nic clock type.
 * @param primary_clock_ts where to put the primary clock ts.
 * @param nic_clock_ts where to put the nic clock ts.
 * @param error_margin_nsecs where to put the error margin nsecs.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed;
 *   DOCA_ERROR_OPERATING_SYSTEM a system call failed;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
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
