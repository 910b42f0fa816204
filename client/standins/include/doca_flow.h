/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_flow.h
 * A stand-in: docad does not have rules for packets. Programs that use nothing of it compile, and
 * those that begin with one of these functions get a line that says so.
 */
#ifndef DOCA_FLOW_H_
#define DOCA_FLOW_H_

#include <stdint.h>

#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A configuration. */
struct doca_flow_cfg;

/** Fails with DOCA_ERROR_NOT_SUPPORTED, and says on stderr that docad does not have it. */
doca_error_t doca_flow_cfg_create(struct doca_flow_cfg **cfg);

/** Fails with DOCA_ERROR_NOT_SUPPORTED, and says on stderr that docad does not have it. */
doca_error_t doca_flow_cfg_destroy(struct doca_flow_cfg *cfg);

/** Fails with DOCA_ERROR_NOT_SUPPORTED, and says on stderr that docad does not have it. */
doca_error_t doca_flow_init(const struct doca_flow_cfg *cfg);

/** Does nothing, and says on stderr that docad does not have it. */
void doca_flow_destroy(void);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_FLOW_H_ */
