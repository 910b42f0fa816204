// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory maps on ibverbs devices: registrations and their keys.

#include "core/process.h"
#include "mmap/mmap_object.h"
#include "verbs_device.h"

#include <stdlib.h>

static uint32_t count_verbs(const struct doca_mmap *mmap)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < mmap->n_devices; i++)
        n += dev_verbs(mmap->devices[i]) != NULL;
    return n;
}

static doca_error_t register_one(struct doca_mmap *mmap, const struct doca_dev *device,
                                 struct errtext *err)
{
    struct memory *memory = &mmap->memory;
    struct ibv_mr *mr;

    doca_error_t e = verbs_register(dev_verbs(device), (void *)memory->start, memory->length,
                                    memory->access, &mr, err);
    if (e != DOCA_SUCCESS)
        return e;
    mmap->keys[memory->n_keys] =
        (struct memory_key){.device = device, .lkey = mr->lkey, .rkey = mr->rkey};
    mmap->registrations[memory->n_keys++] = mr;
    return DOCA_SUCCESS;
}

static doca_error_t make_room(struct doca_mmap *mmap, uint32_t n, struct errtext *err)
{
    mmap->keys = calloc(n, sizeof(*mmap->keys));
    if (!mmap->keys)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    mmap->memory.keys = mmap->keys;
    return DOCA_SUCCESS;
}

doca_error_t keys_make(struct doca_mmap *mmap, struct errtext *err)
{
    uint32_t n = count_verbs(mmap);

    if (n == 0)
        return DOCA_SUCCESS;
    doca_error_t e = make_room(mmap, n, err);
    mmap->generation = process_generation();
    mmap->registrations = e == DOCA_SUCCESS ? calloc(n, sizeof(struct ibv_mr *)) : NULL;
    if (e == DOCA_SUCCESS && !mmap->registrations)
        e = errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; i < mmap->n_devices && e == DOCA_SUCCESS; i++)
        if (dev_verbs(mmap->devices[i]))
            e = register_one(mmap, mmap->devices[i], err);
    if (e != DOCA_SUCCESS)
        keys_drop(mmap);
    return e;
}

doca_error_t keys_import(struct doca_mmap *mmap, uint32_t rkey, struct errtext *err)
{
    doca_error_t e = make_room(mmap, 1, err);
    if (e != DOCA_SUCCESS)
        return e;
    mmap->keys[0] = (struct memory_key){.device = mmap->devices[0], .rkey = rkey};
    mmap->memory.n_keys = 1;
    return DOCA_SUCCESS;
}

void keys_drop(struct doca_mmap *mmap)
{
    // A registration that a child of fork() ends would end for its parent, too.
    bool ours = mmap->generation == process_generation();
    for (size_t i = 0; mmap->registrations && i < mmap->memory.n_keys && ours; i++)
        ibv_dereg_mr(mmap->registrations[i]);
    free(mmap->registrations);
    free(mmap->keys);
    mmap->registrations = NULL;
    mmap->memory.keys = mmap->keys = NULL;
    mmap->memory.n_keys = 0;
}
