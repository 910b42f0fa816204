// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The memory map as programs see it: its states, and the functions that are allowed in
// each.

#include "access.h"
#include "core/device_card.h"
#include "core/refused.h"
#include "mmap/chunks.h"
#include "mmap/mmap_object.h"

#include <stdlib.h>

// ---- making and ending ------------------------------------------------------------

doca_error_t doca_mmap_create(const union doca_data *user_data, struct doca_mmap **mmap)
{
    struct errtext err = {""};

    if (!mmap)
        return REFUSED_NULL(mmap);
    return report(__func__, mmap_new(user_data, mmap, &err), &err);
}

static const char *release_function_name(const struct doca_mmap *mmap)
{
    return mmap->doca_3 ? "doca_buf_dec_refcount" : "doca_buf_refcount_rm";
}

// Undoes everything that starting did.
static void stop(struct doca_mmap *mmap)
{
    if (!mmap->started)
        return;
    region_stop(mmap);
    mmap->started = false;
}

doca_error_t doca_mmap_destroy(struct doca_mmap *mmap)
{
    struct errtext err;

    if (!mmap)
        return REFUSED_NULL(mmap);
    if (!alive_now(&mmap->alive))
        return refused(__func__, ENDED_ALREADY);
    uint32_t bufs = mmap_count_bufs(mmap);
    if (bufs)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_NOT_PERMITTED,
                                  "buffers of the map are alive (%u); give them back with "
                                  "%s() first",
                                  bufs, release_function_name(mmap)),
                      &err);
    stop(mmap);
    if (mmap->memory.imported)
        import_release(mmap);
    doca_mmap_memrange_free_cb_t *free_cb = mmap->ever_started ? mmap->free_cb : NULL;
    void *opaque = mmap->opaque, *address = (void *)mmap->memory.start;
    size_t length = mmap->memory.length;
    struct chunks *chunks = mmap->chunks;
    mmap_free(mmap);
    if (free_cb)
        free_cb(address, length, opaque);
    chunks_end(chunks);
    return DOCA_SUCCESS;
}

// ---- starting and stopping ----------------------------------------------------------

// Some cards have no relaxed ordering of what the other side may access.
static bool may_be_relaxed(const struct doca_mmap *mmap, uint32_t access, bool relaxed)
{
    for (uint32_t i = 0; i < mmap->n_devices && relaxed && (access & ACCESS_DPU); i++)
        if (dev_has(mmap->devices[i], CARD_RELAXED_ALONE))
            return false;
    return true;
}

#define NOT_RELAXED                                                                                \
    "the card that the map's device imitates refuses DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING "       \
    "together with another PCI permission"

static doca_error_t start(struct doca_mmap *mmap, struct errtext *err)
{
    if (!may_be_relaxed(mmap, mmap->memory.access, mmap->relaxed))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE, NOT_RELAXED);
    doca_error_t e = region_start(mmap, err);
    if (e == DOCA_SUCCESS)
        mmap->started = mmap->ever_started = true;
    return e;
}

doca_error_t doca_mmap_start(struct doca_mmap *mmap)
{
    struct errtext err = {""};

    if (!mmap)
        return REFUSED_NULL(mmap);
    if (mmap->memory.imported)
        return report_why(__func__, DOCA_ERROR_NOT_PERMITTED,
                          "an imported map is ready as it is; do not start it");
    if (mmap->started)
        return report_why(__func__, DOCA_ERROR_NOT_PERMITTED, "the map is started already");
    if (!mmap->has_range)
        return report_why(__func__, DOCA_ERROR_INVALID_VALUE,
                          "the map has no memory; call doca_mmap_set_memrange() first");
    return report(__func__,
                  CODE_AMONG(start(mmap, &err), DOCA_ERROR_NOT_PERMITTED, DOCA_ERROR_INVALID_VALUE,
                             DOCA_ERROR_NO_MEMORY),
                  &err);
}

doca_error_t doca_mmap_stop(struct doca_mmap *mmap)
{
    struct errtext err;

    if (!mmap)
        return REFUSED_NULL(mmap);
    if (!mmap->started && !mmap->memory.imported)
        return report_why(__func__, DOCA_ERROR_NOT_PERMITTED, "the map is not started");
    if (mmap_count_bufs(mmap))
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_NOT_PERMITTED,
                                  "buffers of the map are alive; give them back with %s() first",
                                  release_function_name(mmap)),
                      &err);
    stop(mmap);
    return DOCA_SUCCESS;
}

// ---- devices -----------------------------------------------------------------------

doca_error_t mmap_must_be_idle(const char *function, const struct doca_mmap *mmap,
                               doca_error_t code)
{
    if (mmap->memory.imported)
        return report_why(function, code, "the map is imported: only its exporter can change it");
    if (mmap->started)
        return report_why(function, code, "the map is started; stop it first");
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev)
{
    struct errtext err = {""};

    if (!mmap || !dev)
        return REFUSED_NULL(mmap, dev);
    doca_error_t e = mmap_must_be_idle(__func__, mmap, DOCA_ERROR_NOT_PERMITTED);
    if (e != DOCA_SUCCESS)
        return e;
    return report(__func__, mmap_add_device(mmap, dev, &err), &err);
}

doca_error_t doca_mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev)
{
    if (!mmap || !dev)
        return REFUSED_NULL(mmap, dev);
    doca_error_t e = mmap_must_be_idle(__func__, mmap, DOCA_ERROR_NOT_PERMITTED);
    if (e != DOCA_SUCCESS)
        return e;
    e = mmap_remove_device(mmap, dev);
    return e == DOCA_SUCCESS ? e : report_why(__func__, e, "the map does not have this device");
}

doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices)
{
    if (!mmap || max_num_devices == 0)
        return REFUSED_NULL(mmap, max_num_devices);
    if (mmap->ever_started || mmap->memory.imported)
        return report_why(__func__, DOCA_ERROR_NOT_PERMITTED,
                          "the map had been started, or is imported");
    if (max_num_devices < mmap->n_devices)
        return report_why(__func__, DOCA_ERROR_INVALID_VALUE, "the map has more devices than that");
    mmap->max_devices = max_num_devices;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_max_num_devices(struct doca_mmap *mmap, uint32_t *max_num_devices)
{
    if (!mmap || !max_num_devices)
        return REFUSED_NULL(mmap, max_num_devices);
    *max_num_devices = mmap->max_devices;
    return DOCA_SUCCESS;
}

// ---- the range -----------------------------------------------------------------------

doca_error_t mmap_may_set_range(const char *function, const struct doca_mmap *mmap)
{
    if (mmap->memory.imported)
        return report_why(function, DOCA_ERROR_NOT_PERMITTED,
                          "an imported map has the range of its export");
    if (mmap->started)
        return report_why(function, DOCA_ERROR_BAD_STATE, "the map is started");
    if (mmap->has_range)
        return report_why(function, DOCA_ERROR_NOT_PERMITTED,
                          "the map has a range already, which cannot change; make another map");
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len)
{
    if (!mmap || !addr || len == 0)
        return REFUSED_NULL(mmap, addr, len);
    if ((uintptr_t)addr + len < (uintptr_t)addr)
        return report_why(__func__, DOCA_ERROR_INVALID_VALUE,
                          "the range goes beyond the end of the address space");
    doca_error_t e = mmap_may_set_range(__func__, mmap);
    if (e != DOCA_SUCCESS)
        return e;
    mmap->memory.start = (uintptr_t)addr;
    mmap->memory.length = len;
    mmap->has_range = true;
    for (uint32_t i = 0; i < mmap->n_devices; i++)
        if (mmap_warn_of_unaligned(mmap, mmap->devices[i]))
            break;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, size_t offset,
                                           size_t len)
{
    (void)offset;
    if (!mmap || len == 0)
        return REFUSED_NULL(mmap, len);
    if (dmabuf_fd < 0)
        return report_why(__func__, DOCA_ERROR_INVALID_VALUE, "the file descriptor is negative");
    doca_error_t e = mmap_may_set_range(__func__, mmap);
    if (e != DOCA_SUCCESS)
        return e;
    return report_why(__func__, DOCA_ERROR_NOT_SUPPORTED,
                      "no device of docad can reach DMA buffers of other drivers; use memory "
                      "of the process");
}

doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len)
{
    if (!mmap || !addr || !len)
        return REFUSED_NULL(mmap, addr, len);
    if (!mmap->has_range)
        return report_why(__func__, DOCA_ERROR_BAD_STATE, "the map has no range yet");
    *addr = (void *)mmap->memory.start;
    *len = mmap->memory.length;
    return DOCA_SUCCESS;
}

// ---- other settings --------------------------------------------------------------------

doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb,
                                   void *opaque)
{
    if (!mmap || !free_cb)
        return REFUSED_NULL(mmap, free_cb);
    doca_error_t e = mmap_must_be_idle(__func__, mmap, DOCA_ERROR_BAD_STATE);
    if (e != DOCA_SUCCESS)
        return e;
    mmap->free_cb = free_cb;
    mmap->opaque = opaque;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask)
{
    if (!mmap)
        return REFUSED_NULL(mmap);
    doca_error_t e = mmap_must_be_idle(__func__, mmap, DOCA_ERROR_BAD_STATE);
    if (e != DOCA_SUCCESS)
        return e;
    // Memory always keeps its order here, even if the program permits a relaxed one.
    uint32_t access =
        mmap->doca_3 ? access_mask & ~(uint32_t)ACCESS_PCI_RELAXED_ORDERING : access_mask;
    if (!access_is_valid(access))
        return report_why(__func__, DOCA_ERROR_INVALID_VALUE,
                          mmap->doca_3
                              ? "the mask has bits that are not DOCA_ACCESS_FLAG_*, or both "
                                "DOCA_ACCESS_FLAG_PCI_READ_ONLY and _READ_WRITE"
                              : "the mask has bits that are not in enum doca_access_flags, or "
                                "both DPU flags");
    bool relaxed = access != access_mask;
    if (!may_be_relaxed(mmap, access, relaxed))
        return report_why(__func__, DOCA_ERROR_INVALID_VALUE, NOT_RELAXED);
    mmap->memory.access = access;
    mmap->relaxed = relaxed;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_user_data(struct doca_mmap *mmap, union doca_data *user_data)
{
    if (!mmap || !user_data)
        return REFUSED_NULL(mmap, user_data);
    *user_data = mmap->user_data;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_num_bufs(struct doca_mmap *mmap, uint32_t *num_bufs)
{
    if (!mmap || !num_bufs)
        return REFUSED_NULL(mmap, num_bufs);
    *num_bufs = mmap_count_bufs(mmap);
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_exported(struct doca_mmap *mmap, uint8_t *exported)
{
    if (!mmap || !exported)
        return REFUSED_NULL(mmap, exported);
    *exported = mmap->exports != NULL;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_from_export(struct doca_mmap *mmap, uint8_t *from_export)
{
    if (!mmap || !from_export)
        return REFUSED_NULL(mmap, from_export);
    *from_export = mmap->memory.imported;
    return DOCA_SUCCESS;
}
