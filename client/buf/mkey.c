// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Buffers for programs that post work requests of their own.

#include "mkey.h"

#include "core/device.h"
#include "core/refused.h"

#include <doca_rdma_bridge.h>

doca_error_t buf_mkey(const char *function, const struct doca_buf *buf, struct doca_dev *dev,
                      uint32_t *mkey)
{
    struct errtext err;

    if (!buf || !dev || !mkey)
        return REFUSED_NULL_OF(function, buf, dev, mkey);
    if (!buf->refcount)
        return refused(function, "the buffer was given back");
    if (!mmap_has_device(buf->mmap, dev))
        return refused(function, "the buffer's memory map does not have the device");
    if (!buf_settle(buf))
        return refused(function, "the buffer's memory map is not started");
    const struct memory_key *key = memory_key(buf->memory, dev);
    if (!key)
        return report(function,
                      errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED,
                                  "device %s is a software function, which has no keys",
                                  dev_function(dev)->name),
                      &err);
    *mkey = buf->memory->imported ? key->rkey : key->lkey;
    return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_mkey(const struct doca_buf *buf, struct doca_dev *dev, uint32_t *mkey)
{
    return buf_mkey(__func__, buf, dev, mkey);
}
