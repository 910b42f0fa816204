// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The memory map as an object: its parts, and the questions of buffers and jobs.

#include "mmap/mmap_object.h"

#include "cleanup.h"
#include "core/device_card.h"
#include "log/own.h"

#include <doca_types.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES_MAX_DEFAULT 16
#define CARD_ALIGNMENT      64 // of the cache lines of a card

doca_error_t mmap_new(const union doca_data *user_data, struct doca_mmap **out, struct errtext *err)
{
    struct doca_mmap *mmap = aligned_alloc(_Alignof(struct doca_mmap), sizeof(*mmap));
    if (!mmap)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    memset(mmap, 0, sizeof(*mmap));
    if (user_data)
        mmap->user_data = *user_data;
    mmap->max_devices = DEVICES_MAX_DEFAULT;
    mmap->memory.access = DOCA_ACCESS_LOCAL_READ_WRITE;
    mmap->memory.slot = STATE_SLOT_NONE;
    atomic_init(&mmap->refs, 1);
    alive_begin(&mmap->alive);
    *out = mmap;
    return DOCA_SUCCESS;
}

void mmap_free(struct doca_mmap *mmap)
{
    alive_end(&mmap->alive);
    for (uint32_t i = 0; i < mmap->n_devices; i++)
        dev_unref(mmap->devices[i]);
    mmap->n_devices = 0;
    free(steal_ptr(mmap->devices));
    session_unref(steal_ptr(mmap->session));
    free(steal_ptr(mmap->name));
    mmap_unref(mmap);
}

struct doca_mmap *mmap_ref(struct doca_mmap *mmap)
{
    atomic_fetch_add_explicit(&mmap->refs, 1, memory_order_relaxed);
    return mmap;
}

void mmap_unref(struct doca_mmap *mmap)
{
    if (atomic_fetch_sub_explicit(&mmap->refs, 1, memory_order_acq_rel) == 1)
        free(mmap);
}

// ---- devices -----------------------------------------------------------------------

bool mmap_has_device(const struct doca_mmap *mmap, const struct doca_dev *dev)
{
    for (uint32_t i = 0; i < mmap->n_devices; i++)
        if (mmap->devices[i] == dev)
            return true;
    return false;
}

struct session *mmap_session(const struct doca_mmap *mmap)
{
    for (uint32_t i = 0; i < mmap->n_devices; i++)
        if (dev_session(mmap->devices[i]))
            return dev_session(mmap->devices[i]);
    return NULL;
}

bool mmap_warn_of_unaligned(const struct doca_mmap *mmap, const struct doca_dev *dev)
{
    const struct memory *memory = &mmap->memory;

    if (memory->imported || !mmap->has_range || memory->start % CARD_ALIGNMENT == 0 ||
        !dev_has(dev, CARD_UNALIGNED))
        return false;
    log_own_warning("the memory range of a map on %s begins at %#llx, which is not a multiple of "
                    "%d: the card that the device imitates (%s) may be slower with it",
                    dev_name(dev), (unsigned long long)memory->start, CARD_ALIGNMENT,
                    dev_card(dev)->name);
    return true;
}

doca_error_t mmap_add_device(struct doca_mmap *mmap, struct doca_dev *dev, struct errtext *err)
{
    if (mmap_has_device(mmap, dev))
        return errtext_set(err, DOCA_ERROR_IN_USE, "the map has device %s already",
                           dev_function(dev)->name);
    if (mmap->n_devices == mmap->max_devices)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY,
                           "the map has %u devices, as many as it can take; see "
                           "doca_mmap_set_max_num_devices()",
                           mmap->n_devices);
    const struct session *session = mmap_session(mmap);
    if (session && dev_session(dev) && session != dev_session(dev))
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "device %s and the map's other devices belong to different docads, or "
                           "to different runs of the same docad",
                           dev_function(dev)->name);
    struct doca_dev **more = realloc(mmap->devices, (mmap->n_devices + 1) * sizeof(*mmap->devices));
    if (!more)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    mmap->devices = more;
    mmap->devices[mmap->n_devices++] = dev_ref(dev);
    (void)mmap_warn_of_unaligned(mmap, dev);
    return DOCA_SUCCESS;
}

doca_error_t mmap_remove_device(struct doca_mmap *mmap, struct doca_dev *dev)
{
    for (uint32_t i = 0; i < mmap->n_devices; i++) {
        if (mmap->devices[i] == dev) {
            mmap->devices[i] = mmap->devices[--mmap->n_devices];
            dev_unref(dev);
            return DOCA_SUCCESS;
        }
    }
    return DOCA_ERROR_INVALID_VALUE;
}

// ---- for buffers and jobs -----------------------------------------------------------

const struct memory *mmap_memory(const struct doca_mmap *mmap)
{
    return &mmap->memory;
}

bool mmap_usable(const struct doca_mmap *mmap)
{
    return (mmap->started && !mmap->frozen) || mmap->memory.imported;
}

bool mmap_takes_early(const struct doca_mmap *mmap)
{
    // The ranges of a map of the 1.3 interface may change.
    return !mmap->started && mmap->has_range && !mmap->chunks;
}

bool mmap_uncounted(const struct doca_mmap *mmap)
{
    return mmap->uncounted;
}

struct buf_count *mmap_buf_count(struct doca_mmap *mmap, const void *owner)
{
    for (size_t i = 0; i < MMAP_BUF_COUNTS; i++) {
        struct buf_count *count = &mmap->buf_counts[i];
        const void *none = NULL;
        // An owner that ended left a count of 0; an owner at the same address may continue
        // it.
        if (atomic_compare_exchange_strong(&count->owner, &none, owner) || none == owner)
            return count;
    }
    return NULL;
}

void mmap_buf_get(struct doca_mmap *mmap)
{
    atomic_fetch_add_explicit(&mmap->other_bufs, 1, memory_order_relaxed);
}

void mmap_buf_put(struct doca_mmap *mmap)
{
    // Release: everything done through the buffer is over before the map may end.
    atomic_fetch_sub_explicit(&mmap->other_bufs, 1, memory_order_release);
}

uint32_t mmap_count_bufs(const struct doca_mmap *mmap)
{
    uint32_t n = atomic_load(&mmap->other_bufs); // 0 if the map does not count
    for (size_t i = 0; i < MMAP_BUF_COUNTS; i++)
        n += atomic_load(&mmap->buf_counts[i].n);
    return n;
}

uint64_t mmap_region(const struct doca_mmap *mmap)
{
    return mmap->region_id;
}

bool mmap_range_mapped(const struct doca_mmap *mmap, uintptr_t start, size_t length)
{
    const struct backing *backing = mmap->backing;

    for (size_t i = 0; backing && i < backing->n_parts; i++) {
        const struct backing_part *part = &backing->parts[i];
        if (start - part->start < part->length)
            return part->mapped && length <= part->length - (start - part->start);
    }
    return false;
}

bool mmap_keeps_devices(const struct doca_mmap *mmap)
{
    return !mmap->chunks && mmap_usable(mmap);
}

bool mmap_stretch(const struct doca_mmap *mmap, uintptr_t start, size_t *length)
{
    const struct backing *backing = mmap->backing;

    for (size_t i = 0; backing && i < backing->n_parts; i++) {
        const struct backing_part *part = &backing->parts[i];
        size_t into = start - part->start;
        if (into >= part->length)
            continue;
        if (*length > part->length - into)
            *length = part->length - into;
        return part->mapped;
    }
    return false;
}
