// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Devices, buffers and maps of DOCA 3 for programs that use verbs themselves.

#include "buf/mkey.h"
#include "core/device_domain.h"
#include "core/refused.h"
#include "mmap/mmap_object.h"
#include "verbs_device.h"

#include <doca_rdma_bridge.h>

doca_error_t doca_rdma_bridge_get_dev_pd(const struct doca_dev *dev, struct ibv_pd **pd)
{
    return dev_domain(__func__, dev, pd);
}

doca_error_t doca_rdma_bridge_open_dev_from_pd(struct ibv_pd *pd, struct doca_dev **dev)
{
    return dev_open_domain(__func__, pd, dev);
}

doca_error_t doca_rdma_bridge_get_buf_mkey(const struct doca_buf *buf, struct doca_dev *dev,
                                           uint32_t *mkey)
{
    return buf_mkey(__func__, buf, dev, mkey);
}

// Several devices of a map may have one protection domain; then they have one key, too.
static const struct memory_key *key_of(const struct doca_mmap *mmap, const struct ibv_pd *pd)
{
    for (size_t i = 0; i < mmap->memory.n_keys; i++) {
        const struct memory_key *key = &mmap->memory.keys[i];
        const struct verbs_device *verbs = dev_verbs(key->device);
        if (verbs && verbs->pd == pd)
            return key;
    }
    return NULL;
}

doca_error_t doca_rdma_bridge_get_mmap_mkey_from_pd(const struct doca_mmap *mmap, struct ibv_pd *pd,
                                                    uint32_t *mkey)
{
    if (!mmap || !pd || !mkey)
        return REFUSED_NULL(mmap, pd, mkey);
    if (!mmap_usable(mmap))
        return refused(__func__, "the map is not started");
    const struct memory_key *key = key_of(mmap, pd);
    if (!key)
        return report_why(__func__, DOCA_ERROR_NOT_FOUND,
                          "none of the map's devices has this protection domain");
    *mkey = mmap->memory.imported ? key->rkey : key->lkey;
    return DOCA_SUCCESS;
}
