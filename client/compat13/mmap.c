// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory maps of the 1.3 interface: the same object, but ranges and devices are added while it is
// started.

#include "compat13/compat13.h"
#include "core/refused.h"
#include "mmap/chunk_map.h"
#include "mmap/chunks.h"

#include <string.h>

#define PAGE_MIN 4096

doca_error_t doca_1_3_mmap_create(const char *name, struct doca_mmap **mmap)
{
    static const char function[] = "doca_mmap_create";
    struct errtext err = {""};
    struct doca_mmap *made;

    if (!mmap)
        return REFUSED_NULL_OF(function, mmap);
    doca_error_t r = chunk_map_new(NULL, &made, &err);
    if (r != DOCA_SUCCESS)
        return report(function, r, &err);
    if (name)
        made->name = strndup(name, DOCA_PROPERTY_NAME_SIZE - 1);
    if (name && !made->name) {
        doca_mmap_destroy(made);
        return report(function, DOCA_ERROR_NO_MEMORY, NULL);
    }
    made->max_devices = 1;
    *mmap = made;
    return DOCA_SUCCESS;
}

doca_error_t doca_1_3_mmap_create_from_export(const char *name, const uint8_t *export_desc,
                                              size_t export_desc_len, struct doca_dev *dev,
                                              struct doca_mmap **mmap)
{
    struct doca_mmap *made;

    if (!mmap)
        return REFUSED_NULL_OF("doca_mmap_create_from_export", mmap);
    doca_error_t r = doca_mmap_create_from_export(NULL, export_desc, export_desc_len, dev, &made);
    if (r != DOCA_SUCCESS)
        return r;
    // If memory is short, the map has no name; nothing depends on it.
    made->name = name ? strndup(name, DOCA_PROPERTY_NAME_SIZE - 1) : NULL;
    *mmap = made;
    return DOCA_SUCCESS;
}

// ---- states -------------------------------------------------------------------------------

doca_error_t doca_1_3_mmap_start(struct doca_mmap *mmap)
{
    static const char function[] = "doca_mmap_start";

    if (!mmap)
        return REFUSED_NULL_OF(function, mmap);
    if (!mmap->chunks)
        return doca_mmap_start(mmap); // imported, or made by a later interface
    if (mmap->started && !mmap->frozen)
        return report_why(function, DOCA_ERROR_NOT_PERMITTED, "the map is started already");
    mmap->started = mmap->ever_started = true;
    mmap->frozen = false;
    return DOCA_SUCCESS;
}

doca_error_t doca_1_3_mmap_stop(struct doca_mmap *mmap)
{
    static const char function[] = "doca_mmap_stop";

    if (!mmap)
        return REFUSED_NULL_OF(function, mmap);
    if (!mmap->chunks)
        return doca_mmap_stop(mmap);
    if (!mmap->started || mmap->frozen)
        return report_why(function, DOCA_ERROR_NOT_PERMITTED, "the map is not started");
    mmap->frozen = true;
    return DOCA_SUCCESS;
}

// ---- devices --------------------------------------------------------------------------------

doca_error_t doca_1_3_mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev)
{
    static const char function[] = "doca_mmap_dev_add";
    struct errtext err = {""};

    if (!mmap || !dev)
        return REFUSED_NULL_OF(function, mmap, dev);
    if (!mmap->chunks)
        return doca_mmap_dev_add(mmap, dev);
    doca_error_t r = chunk_map_must_be_open(function, mmap);
    if (r != DOCA_SUCCESS)
        return r;
    return report(function, mmap_add_device(mmap, dev, &err), &err);
}

doca_error_t doca_1_3_mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev)
{
    static const char function[] = "doca_mmap_dev_rm";

    if (!mmap || !dev)
        return REFUSED_NULL_OF(function, mmap, dev);
    if (!mmap->chunks)
        return doca_mmap_dev_rm(mmap, dev);
    doca_error_t r = chunk_map_must_be_open(function, mmap);
    if (r != DOCA_SUCCESS)
        return r;
    r = mmap_remove_device(mmap, dev);
    return r == DOCA_SUCCESS ? r : report_why(function, r, "the map does not have this device");
}

// ---- chunks ---------------------------------------------------------------------------------

doca_error_t doca_mmap_populate(struct doca_mmap *mmap, char *addr, size_t len, size_t pg_sz,
                                doca_mmap_memrange_free_cb_t *free_cb, void *opaque)
{
    const struct chunk_free chunk = {addr, len, free_cb, opaque};
    struct errtext err = {""};

    if (!mmap || !addr || len == 0)
        return REFUSED_NULL(mmap, addr, len);
    if (pg_sz < PAGE_MIN || (pg_sz & (pg_sz - 1)))
        return refused(__func__, "pg_sz must be a power of two and at least 4096");
    if ((uintptr_t)addr + len < (uintptr_t)addr)
        return refused(__func__, "the chunk extends beyond the end of the address space");
    doca_error_t r = chunk_map_must_be_open(__func__, mmap);
    if (r != DOCA_SUCCESS)
        return r;
    if (!mmap->chunks)
        return report_why(__func__, DOCA_ERROR_NOT_PERMITTED,
                          "a later interface made the map: it has one range, set before its start");
    return report(__func__, chunks_add(mmap, &chunk, &err), &err);
}

// ---- exports --------------------------------------------------------------------------------

doca_error_t doca_mmap_export(struct doca_mmap *mmap, const struct doca_dev *dev,
                              uint8_t **export_desc, size_t *export_desc_len)
{
    if (!mmap || !dev || !export_desc || !export_desc_len)
        return REFUSED_NULL(mmap, dev, export_desc, export_desc_len);
    return chunk_map_export(__func__, mmap, dev, export_desc, export_desc_len);
}
