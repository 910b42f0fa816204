/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_ctx.h
 * What the 1.3 interface has beyond the later doca_ctx.h for work queues; that file
 * includes this one for programs of the 1.3 interface. Everything else is the same.
 *
 * Since 1.3.
 */
#ifndef DOCA_1_3_CTX_H_
#define DOCA_1_3_CTX_H_

#include <doca_ctx.h>

#include "doca_properties.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Sets a property of a work queue.
 *
 * @param workq a work queue that is not attached to any context.
 * @param property DOCA_WORKQ_DEPTH.
 * @param value, size its bytes, and how many: a depth of 1 to 4194304.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE a pointer is NULL, the property does not exist or has another
 *   size, or the depth is 0;
 *   DOCA_ERROR_BAD_STATE it is attached to a context;
 *   DOCA_ERROR_NO_MEMORY, also for a depth above the limit. Then the depth is as before.
 *
 * Source: guide; the errors are our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_workq_property_set(struct doca_workq *workq, enum doca_workq_property property,
                                     const uint8_t *value, uint32_t size);

/**
 * Reads a property of a work queue.
 *
 * @param workq a work queue, in any state.
 * @param property DOCA_WORKQ_DEPTH.
 * @param value [out] its bytes; untouched on failure.
 * @param size how many there is room for.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE a pointer is NULL, the property does not exist or has another
 *   size.
 *
 * Source: guide; the errors are our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_workq_property_get(const struct doca_workq *workq,
                                     enum doca_workq_property property, uint8_t *value,
                                     uint32_t size);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_1_3_CTX_H_ */
