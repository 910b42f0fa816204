/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_apsh.h
 * A stand-in: docad does not have introspection of processes. Programs that use nothing of it
 * compile, and those that begin with one of these functions get a line that says so.
 */
#ifndef DOCA_APSH_H_
#define DOCA_APSH_H_

#include <stdint.h>

#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A context. */
struct doca_apsh_ctx;

/** Returns NULL, and says on stderr that docad does not have it. */
struct doca_apsh_ctx *doca_apsh_create(void);

/** Fails with DOCA_ERROR_NOT_SUPPORTED, and says on stderr that docad does not have it. */
doca_error_t doca_apsh_start(struct doca_apsh_ctx *ctx);

/** Does nothing, and says on stderr that docad does not have it. */
void doca_apsh_destroy(struct doca_apsh_ctx *ctx);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_APSH_H_ */
