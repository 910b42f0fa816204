/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_dev.h
 * Devices as 2.5 and 2.6 have them: in 2.6 the rate of a port is a double.
 *
 * All else is as in doca_dev.h of DOCA 3. Source: table of differences. Since: 2.5.
 */
#ifndef DOCA_2_5_DEV_H_
#define DOCA_2_5_DEV_H_

#include "../doca-3/doca_dev.h"

#ifdef __cplusplus
extern "C" {
#endif

#if DOCA_USE_VERSION == 26
/**
 * Reads the rate of the port, as the kernel reports it.
 *
 * @param devinfo a device of a list, or of doca_dev_as_devinfo().
 * @param active_rate where to put the rate in bit/s.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_DRIVER the device has no such port: it is a software function.
 *
 * Source: table. Since: 2.6; later releases have a uint64_t.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo, double *active_rate)
    DOCA_2_5_SYMBOL(devinfo_get_active_rate);
#endif

#ifdef __cplusplus
}
#endif

#endif /* DOCA_2_5_DEV_H_ */
