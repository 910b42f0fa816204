/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_pcc.h
 * A stand-in: docad does not have programmable congestion control. Programs that use nothing of it
 * compile, and those that begin with one of these functions get a line that says so.
 */
#ifndef DOCA_PCC_H_
#define DOCA_PCC_H_

#include <stdint.h>

#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A device. */
struct doca_dev;
/** A context. */
struct doca_pcc;

/** Fails with DOCA_ERROR_NOT_SUPPORTED, and says on stderr that docad does not have it. */
doca_error_t doca_pcc_create(struct doca_dev *doca_dev, struct doca_pcc **pcc);

/** Fails with DOCA_ERROR_NOT_SUPPORTED, and says on stderr that docad does not have it. */
doca_error_t doca_pcc_destroy(struct doca_pcc *pcc);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_PCC_H_ */
