/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_dpdk.h
 * A stand-in: docad does not have DPDK on devices of DOCA. Programs that use nothing of it compile,
 * and those that begin with one of these functions get a line that says so.
 */
#ifndef DOCA_DPDK_H_
#define DOCA_DPDK_H_

#include <stdint.h>

#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A device. */
struct doca_dev;

/** Fails with DOCA_ERROR_NOT_SUPPORTED, and says on stderr that docad does not have it. */
doca_error_t doca_dpdk_port_probe(struct doca_dev *dev, const char *devargs);

/** Fails with DOCA_ERROR_NOT_SUPPORTED, and says on stderr that docad does not have it. */
doca_error_t doca_dpdk_port_as_dev(uint16_t port_id, struct doca_dev **dev);

/** Fails with DOCA_ERROR_NOT_SUPPORTED, and says on stderr that docad does not have it. */
doca_error_t doca_dpdk_get_first_port_id(const struct doca_dev *dev, uint16_t *port_id);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DPDK_H_ */
