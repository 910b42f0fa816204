// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory maps of the 1.5 interface: like those of 1.3, but chunks must not overlap, and the DPU
// can export to the host, too.

#include "compat13/compat13.h"
#include "compat15/compat15.h"
#include "mmap/chunk_map.h"
#include "mmap/chunks.h"
#include "core/report.h"

doca_error_t doca_1_5_mmap_create(const union doca_data *user_data, struct doca_mmap **mmap)
{
    static const char function[] = "doca_mmap_create";
    struct errtext err = {""};
    struct doca_mmap *made;

    if (!mmap)
        return REFUSED_NULL_OF(function, mmap);
    doca_error_t r = chunk_map_new(user_data, &made, &err);
    if (r != DOCA_SUCCESS)
        return report(function, r, &err);
    made->chunks->disjoint = true;
    *mmap = made;
    return DOCA_SUCCESS;
}

doca_error_t doca_1_5_mmap_stop(struct doca_mmap *mmap)
{
    struct errtext err;

    if (mmap && mmap->memory.imported)
        return report("doca_mmap_stop",
                      errtext_set(&err, DOCA_ERROR_NOT_PERMITTED,
                                  "an imported map is ready as it is, and never stopped"),
                      &err);
    return doca_1_3_mmap_stop(mmap);
}

doca_error_t doca_1_5_mmap_export(struct doca_mmap *mmap, const struct doca_dev *dev,
                                  void **export_desc, size_t *export_desc_len)
{
    static const char function[] = "doca_mmap_export";

    if (!mmap || !dev || !export_desc || !export_desc_len)
        return REFUSED_NULL_OF(function, mmap, dev, export_desc, export_desc_len);
    return chunk_map_export(function, mmap, dev, (uint8_t **)export_desc, export_desc_len);
}

doca_error_t doca_mmap_set_max_num_chunks(struct doca_mmap *mmap, uint32_t max_num_chunks)
{
    if (!mmap || max_num_chunks == 0)
        return REFUSED_NULL(mmap, max_num_chunks);
    return chunk_map_set_max(__func__, mmap, max_num_chunks);
}

doca_error_t doca_mmap_get_max_num_chunks(struct doca_mmap *mmap, uint32_t *max_num_chunks)
{
    if (!mmap || !max_num_chunks)
        return REFUSED_NULL(mmap, max_num_chunks);
    *max_num_chunks = mmap->chunks ? mmap->chunks->max : 1;
    return DOCA_SUCCESS;
}
