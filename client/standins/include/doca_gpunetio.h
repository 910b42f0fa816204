/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_gpunetio.h
 * A stand-in: docad does not have packets for programs of GPUs. Programs that use nothing of it
 * compile, and those that begin with one of these functions get a line that says so.
 */
#ifndef DOCA_GPUNETIO_H_
#define DOCA_GPUNETIO_H_

#include <stdint.h>

#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A GPU. */
struct doca_gpu;

/** Fails with DOCA_ERROR_NOT_SUPPORTED, and says on stderr that docad does not have it. */
doca_error_t doca_gpu_create(const char *gpu_bus_id, struct doca_gpu **gpu_dev);

/** Fails with DOCA_ERROR_NOT_SUPPORTED, and says on stderr that docad does not have it. */
doca_error_t doca_gpu_destroy(struct doca_gpu *gpu_dev);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_GPUNETIO_H_ */
