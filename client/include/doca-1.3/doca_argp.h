/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_argp.h
 * The difference of the 1.3 interface from the later doca_argp.h, which includes this file
 * for programs of the 1.3 interface: the callbacks of flags, and the version callback, get
 * the configuration first and the value second,
 *
 *     doca_error_t callback(void *config, void *param);
 *
 * Everything else is the same.
 *
 * Since 1.3.
 */
#ifndef DOCA_1_3_ARGP_H_
#define DOCA_1_3_ARGP_H_

#include "doca_properties.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Sets the function that takes the value: callback(configuration, value).
 *
 * @param param a flag not registered yet.
 * @param callback called by doca_argp_start() each time the flag is given.
 *
 * Source: programs. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
void doca_argp_param_set_callback(struct doca_argp_param *param, callback_func callback)
    DOCA_1_3_SYMBOL(argp_param_set_callback);

/**
 * Sets the function that -v calls: callback(configuration, NULL).
 *
 * @param callback replaces one set before.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if callback is NULL, or before doca_argp_init().
 *
 * Source: programs. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_version_callback(callback_func callback)
    DOCA_1_3_SYMBOL(argp_register_version_callback);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_1_3_ARGP_H_ */
