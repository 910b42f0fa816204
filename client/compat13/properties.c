// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Properties of memory maps and work queues.

#include "access.h"
#include "compat13/compat13.h"
#include "compat13/property.h"
#include "mmap/chunk_map.h"
#include "mmap/chunks.h"
#include "work/workq.h"

// ---- memory maps --------------------------------------------------------------------------

static doca_error_t may_set(const char *function, const struct doca_mmap *mmap,
                            enum doca_mmap_property property)
{
    struct errtext err;

    switch (property) {
    case DOCA_MMAP_NAME:
    case DOCA_MMAP_NUM_BUFS:
    case DOCA_MMAP_EXPORTED:
    case DOCA_MMAP_FROM_EXPORT:
        return property_read_only(function);
    case DOCA_MMAP_MAX_NUM_CHUNKS:
    case DOCA_MMAP_MAX_NUM_DEVICES:
    case DOCA_MMAP_ACCESS_FLAGS:
        if (mmap->memory.imported || mmap->ever_started || !mmap->chunks)
            return report(function,
                          errtext_set(&err, DOCA_ERROR_NOT_PERMITTED,
                                      "the map was started, or is imported; properties are set "
                                      "before the first start"),
                          &err);
        return DOCA_SUCCESS;
    }
    return property_unknown(function);
}

doca_error_t doca_mmap_property_set(struct doca_mmap *mmap, enum doca_mmap_property property,
                                    const uint8_t *value, uint32_t size)
{
    uint32_t number;

    if (!mmap || !value)
        return REFUSED_NULL(mmap, value);
    doca_error_t r = may_set(__func__, mmap, property);
    if (r == DOCA_SUCCESS)
        r = property_size(__func__, size, sizeof(number));
    if (r != DOCA_SUCCESS)
        return r;
    memcpy(&number, value, sizeof(number));
    if (property == DOCA_MMAP_ACCESS_FLAGS) {
        if (!access_is_valid(number))
            return refused(__func__,
                           "the mask has bits that are not in enum doca_mmap_access_flags, "
                           "or both DPU flags");
        mmap->memory.access = number;
        return DOCA_SUCCESS;
    }
    if (property == DOCA_MMAP_MAX_NUM_CHUNKS)
        return chunk_map_set_max(__func__, mmap, number);
    if (number == 0)
        return refused(__func__, "a map takes at least one");
    mmap->max_devices = number;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_property_get(struct doca_mmap *mmap, enum doca_mmap_property property,
                                    uint8_t *value, uint32_t size)
{
    if (!mmap || !value)
        return REFUSED_NULL(mmap, value);
    const uint32_t chunks = mmap->chunks ? mmap->chunks->max : 1;
    const uint32_t bufs = mmap_count_bufs(mmap);
    const uint8_t exported = mmap->exports != NULL, imported = mmap->memory.imported;
    switch (property) {
    case DOCA_MMAP_NAME:
        return property_give_text(__func__, mmap->name, DOCA_PROPERTY_NAME_SIZE, value, size);
    case DOCA_MMAP_MAX_NUM_CHUNKS:
        return property_give(__func__, &chunks, sizeof(chunks), value, size);
    case DOCA_MMAP_MAX_NUM_DEVICES:
        return property_give(__func__, &mmap->max_devices, sizeof(uint32_t), value, size);
    case DOCA_MMAP_NUM_BUFS:
        return property_give(__func__, &bufs, sizeof(bufs), value, size);
    case DOCA_MMAP_EXPORTED:
        return property_give(__func__, &exported, sizeof(exported), value, size);
    case DOCA_MMAP_FROM_EXPORT:
        return property_give(__func__, &imported, sizeof(imported), value, size);
    case DOCA_MMAP_ACCESS_FLAGS:
        return property_give(__func__, &mmap->memory.access, sizeof(uint32_t), value, size);
    }
    return property_unknown(__func__);
}

// ---- work queues ----------------------------------------------------------------------------

doca_error_t doca_workq_property_set(struct doca_workq *workq, enum doca_workq_property property,
                                     const uint8_t *value, uint32_t size)
{
    struct errtext err = {""};
    uint32_t depth;

    if (!workq || !value)
        return REFUSED_NULL(workq, value);
    if (property != DOCA_WORKQ_DEPTH)
        return property_unknown(__func__);
    doca_error_t r = property_size(__func__, size, sizeof(depth));
    if (r != DOCA_SUCCESS)
        return r;
    memcpy(&depth, value, sizeof(depth));
    return report(__func__, workq_set_depth(workq, depth, depth, &err), &err);
}

doca_error_t doca_workq_property_get(const struct doca_workq *workq,
                                     enum doca_workq_property property, uint8_t *value,
                                     uint32_t size)
{
    uint32_t depth;

    if (!workq || !value)
        return REFUSED_NULL(workq, value);
    if (property != DOCA_WORKQ_DEPTH)
        return property_unknown(__func__);
    doca_error_t r = doca_workq_get_depth(workq, &depth);
    if (r == DOCA_SUCCESS)
        r = property_give(__func__, &depth, sizeof(depth), value, size);
    return r;
}
