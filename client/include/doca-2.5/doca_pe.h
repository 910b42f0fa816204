/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_pe.h
 * Progress engines as 2.5 and 2.6 have them.
 *
 * All else is as in doca_pe.h of DOCA 3. Source: table of differences. Since: 2.5.
 */
#ifndef DOCA_2_5_PE_H_
#define DOCA_2_5_PE_H_

#include "../doca-3/doca_pe.h"

#ifdef __cplusplus
extern "C" {
#endif

#if DOCA_USE_VERSION == 25
/**
 * Would give the engine a handle of the program. On Linux an engine has one of its own, of
 * doca_pe_get_notification_handle(): this is for other systems.
 *
 * @param pe the progress engine.
 * @param handle the handle.
 * @param completion_key what the program would get with each event.
 * @return DOCA_ERROR_NOT_SUPPORTED, or DOCA_ERROR_INVALID_VALUE if pe is NULL.
 *
 * Source: table. Since: 2.5, which alone has it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_pe_set_notification_handle(struct doca_pe *pe, doca_notification_handle_t handle,
                                             union doca_data completion_key)
    DOCA_2_5_SYMBOL(pe_set_notification_handle);
#endif

#ifdef __cplusplus
}
#endif

#endif /* DOCA_2_5_PE_H_ */
