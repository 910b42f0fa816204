/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_dpi.h
 * A stand-in: docad does not have deep packet inspection. Programs that use nothing of it compile,
 * and those that begin with one of these functions get a line that says so.
 */
#ifndef DOCA_DPI_H_
#define DOCA_DPI_H_

#include <stdint.h>

#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A context. */
struct doca_dpi_ctx;
/** A configuration. */
struct doca_dpi_config_t;

/** Returns NULL with -1 in *error, and says on stderr that docad does not have it. */
struct doca_dpi_ctx *doca_dpi_init(const struct doca_dpi_config_t *config, int *error);

/** Does nothing, and says on stderr that docad does not have it. */
void doca_dpi_destroy(struct doca_dpi_ctx *ctx);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DPI_H_ */
