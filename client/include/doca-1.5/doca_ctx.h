/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_ctx.h
 * The differences of the 1.5 interface from the later doca_ctx.h, which includes this file
 * for programs of the 1.5 interface: the names of two ranges of job types, and work queues
 * whose depth can be changed and is not the limit. Everything else is the same.
 *
 * Since 1.5.
 */
#ifndef DOCA_1_5_CTX_H_
#define DOCA_1_5_CTX_H_

/** Where the job types of each library start. */
enum doca_action_type {
    DOCA_ACTION_NONE = 0,
    DOCA_ACTION_DMA_FIRST = 1 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_DEVEMU_FIRST = 2 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_DEVEMU_BLOCK_FIRST = 3 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_VIRTIO_FIRST = 4 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_VBLK_FIRST = 5 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_REGEX_FIRST = 6 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_NVME_FIRST = 7 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_APPSHIELD_FIRST = 8 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_SHA_FIRST = 9 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_COMPRESS_FIRST = 10 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_IPSEC_FIRST = 11 << DOCA_ACTION_SDK_RANGE,
    DOCA_ACTION_RMAX_FIRST = 12 << DOCA_ACTION_SDK_RANGE
};

/**
 * Makes a work queue. Programs submit far more jobs than their queue is deep before they
 * retrieve the first: 1024 jobs over all contexts, or `depth` if that is more, may be in
 * flight, that is, submitted and not retrieved.
 *
 * @param depth the value that doca_workq_get_depth() returns: 1 to 4194304.
 * @param workq receives the work queue, in polling mode.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or depth 0;
 *   DOCA_ERROR_NO_MEMORY, also for a depth above the limit.
 *
 * Source: table, programs; the limits are our choice. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_workq_create(uint32_t depth, struct doca_workq **workq)
    DOCA_1_5_SYMBOL(workq_create);

/**
 * Changes the depth of a work queue.
 *
 * @param workq a work queue that is not attached to any context.
 * @param depth as doca_workq_create() takes it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or depth 0;
 *   DOCA_ERROR_BAD_STATE while it is attached to a context (our choice);
 *   DOCA_ERROR_NO_MEMORY, also for a depth above the limit (our choice).
 *
 * Source: table. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_workq_set_depth(struct doca_workq *workq, uint32_t depth);

#endif /* DOCA_1_5_CTX_H_ */
