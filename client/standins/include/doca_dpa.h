/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_dpa.h
 * A stand-in: docad does not have programs of the DPA. Programs that use nothing of it compile, and
 * those that begin with one of these functions get a line that says so.
 */
#ifndef DOCA_DPA_H_
#define DOCA_DPA_H_

#include <stdint.h>

#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A device. */
struct doca_dev;
/** A DPA. */
struct doca_dpa;

/** Fails with DOCA_ERROR_NOT_SUPPORTED, and says on stderr that docad does not have it. */
doca_error_t doca_dpa_create(struct doca_dev *dev, struct doca_dpa **dpa);

/** Fails with DOCA_ERROR_NOT_SUPPORTED, and says on stderr that docad does not have it. */
doca_error_t doca_dpa_destroy(struct doca_dpa *dpa);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DPA_H_ */
