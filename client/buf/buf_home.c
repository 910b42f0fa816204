// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "buf_home.h"

#include <stdlib.h>
#include <string.h>

doca_error_t buf_home_init(struct buf_home *home, const union doca_data *user_data,
                           size_t num_elements, uint32_t extensions, struct errtext *err)
{
    if (num_elements == 0 || num_elements > UINT32_MAX)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "cannot make %zu buffers, only 1 to %u",
                           num_elements, UINT32_MAX);
    if (extensions != DOCA_BUF_EXTENSION_NONE)
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, "unknown extensions %#x", extensions);
    size_t size = num_elements * sizeof(struct doca_buf);
    struct doca_buf *bufs = aligned_alloc(_Alignof(struct doca_buf), size);
    if (!bufs)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "no memory for %zu buffers (%zu bytes)",
                           num_elements, size);
    memset(bufs, 0, size);
    *home = (struct buf_home){.bufs = bufs,
                              .free = bufs,
                              .total = (uint32_t)num_elements,
                              .n_free = (uint32_t)num_elements,
                              .extensions = extensions};
    if (user_data)
        home->user_data = *user_data;
    for (size_t i = 0; i < num_elements; i++) {
        bufs[i].home = home;
        bufs[i].next = i + 1 < num_elements ? &bufs[i + 1] : NULL;
    }
    return DOCA_SUCCESS;
}

void buf_home_fini(struct buf_home *home)
{
    free(home->bufs);
    free(home->name);
    home->name = NULL;
    home->bufs = home->free = NULL;
}

struct buf_count *buf_home_count(struct buf_home *home, struct doca_mmap *mmap)
{
    home->counted_map = mmap;
    home->count = mmap_buf_count(mmap, home);
    return home->count;
}
