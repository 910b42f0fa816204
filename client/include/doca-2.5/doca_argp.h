/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_argp.h
 * Programs that take arguments, as 2.5 and 2.6 have them: with gRPC.
 *
 * All else is as in doca_argp.h of DOCA 3. Source: table of differences. Since: 2.5.
 */
#ifndef DOCA_2_5_ARGP_H_
#define DOCA_2_5_ARGP_H_

#include "../doca-3/doca_argp.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Gives the program the mandatory flag -g, --grpc-address, for doca_argp_get_grpc_addr().
 *
 * Before doca_argp_init() it says so in the log and does nothing.
 *
 * Source: table. Since: 2.2; 2.6 is the last release that has it.
 */
DOCA_EXPERIMENTAL
void doca_argp_set_grpc_program(void);

/**
 * Returns the value of --grpc-address.
 *
 * @param address where to put the text, which exists until doca_argp_destroy() or the next
 *   doca_argp_start().
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if address is NULL, before doca_argp_init(), or if the flag was not
 * given.
 *
 * Source: table. Since: 2.2; 2.6 is the last release that has it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_grpc_addr(const char **address);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_2_5_ARGP_H_ */
