// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Exports of a started map, one for each device and target.

#include "cleanup.h"
#include "core/report.h"
#include "mmap/chunks.h"
#include "mmap/mmap_object.h"

#include <doca_types.h>
#include <stdlib.h>

static const char *flag_group(const struct doca_mmap *mmap, bool across_pci)
{
    if (mmap->doca_3)
        return across_pci ? "FLAG_PCI" : "FLAG_RDMA";
    return across_pci ? "DPU" : "RDMA";
}

static doca_error_t may_export(const struct doca_mmap *mmap, const struct doca_dev *dev,
                               struct export_kind kind, struct errtext *err)
{
    const uint32_t dpu = DOCA_ACCESS_DPU_READ_ONLY | DOCA_ACCESS_DPU_READ_WRITE;
    const uint32_t rdma = DOCA_ACCESS_RDMA_READ | DOCA_ACCESS_RDMA_WRITE | DOCA_ACCESS_RDMA_ATOMIC;
    bool to_dpu = kind.target == DOCAD__EXPORT_TARGET__TARGET_DPU;
    bool to_host = kind.target == DOCAD__EXPORT_TARGET__TARGET_HOST;
    bool as_pci = to_dpu || to_host || kind.as_pci;

    if (!mmap->started)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the map is not started; call doca_mmap_start() first");
    if (!mmap_has_device(mmap, dev))
        return errtext_set(err, mmap->doca_3 ? DOCA_ERROR_NOT_FOUND : DOCA_ERROR_INVALID_VALUE,
                           "the map does not have device %s; call %s() before it is started",
                           dev_function(dev)->name,
                           mmap->doca_3 ? "doca_mmap_add_dev" : "doca_mmap_dev_add");
    if (mmap->chunks && mmap->chunks->n != 1)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "the map has %u chunks; only a map of one can be exported",
                           mmap->chunks->n);
    if (!(mmap->memory.access & (as_pci ? dpu : rdma)))
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "the map's permissions (%#x) have no DOCA_ACCESS_%s_ flag",
                           mmap->memory.access, flag_group(mmap, as_pci));
    doca_error_t e = dev_known(dev, err);
    if (e != DOCA_SUCCESS)
        return e;
    if (kind.lent)
        return DOCA_SUCCESS;
    if (to_dpu && !dev_function(dev)->can_export_dpu)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "device %s cannot export to a DPU: only functions of a host can",
                           dev_function(dev)->name);
    if (to_host && !dev_function(dev)->can_import_dpu)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "device %s cannot export to a host: only physical functions of a DPU "
                           "can",
                           dev_function(dev)->name);
    return DOCA_SUCCESS;
}

// Processors and an ibverbs device do not see each other's atomic changes: either the one or
// the other may change a word.
static doca_error_t check_atomics(const struct doca_mmap *mmap, const struct doca_dev *dev,
                                  Docad__ExportTarget target, struct errtext *err)
{
    if (target != DOCAD__EXPORT_TARGET__TARGET_RDMA ||
        !(mmap->memory.access & DOCA_ACCESS_RDMA_ATOMIC))
        return DOCA_SUCCESS;
    for (const struct mmap_export *x = mmap->exports; x; x = x->next)
        if (x->kind.target == target && !dev_verbs(x->dev) != !dev_verbs(dev))
            return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                               "the map has DOCA_ACCESS_RDMA_ATOMIC and is exported on %s; %s, %s, "
                               "would change its words unseen: use two maps, or "
                               "leave the permission out",
                               dev_name(x->dev), dev_name(dev),
                               dev_verbs(dev) ? "an ibverbs device" : "a software function");
    return DOCA_SUCCESS;
}

static doca_error_t ask_export(struct doca_mmap *mmap, struct mmap_export *export,
                               struct errtext *err)
{
    Docad__ExportCreate ask = DOCAD__EXPORT_CREATE__INIT;
    const struct memory_key *key = memory_key(&mmap->memory, export->dev);

    ask.target = export->kind.target;
    ask.as_pci = export->kind.as_pci;
    if (key && export->kind.target == DOCAD__EXPORT_TARGET__TARGET_RDMA) {
        ask.has_rkey = true;
        ask.rkey = key->rkey;
    }
    return region_ask_export(mmap, export->dev, &ask, NULL, 0, &export->made, err);
}

// A process that had mapped the memory of a revoked export, and does not use the library,
// still has it mapped. The application decides when the memory may move.
static doca_error_t check_live(struct doca_mmap *mmap, const struct mmap_export *export,
                               struct errtext *err)
{
    Docad__ExportGet ask = DOCAD__EXPORT_GET__INIT;

    ask.export_id = export->made.id;
    if (session_call(mmap->session, message_of(EXPORT_GET, export_get, &ask), NULL, 0, NULL, NULL,
                     err) != DOCA_ERROR_NOT_FOUND)
        return DOCA_SUCCESS; // even if docad has gone: the descriptor is still the same
    return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                       "the map's export was revoked; doca_mmap_stop() and doca_mmap_start() "
                       "move its memory away from its importers; then it can be exported "
                       "again");
}

static doca_error_t get_export(struct doca_mmap *mmap, const struct doca_dev *dev,
                               struct export_kind kind, struct mmap_export **out,
                               struct errtext *err)
{
    doca_error_t e;

    for (struct mmap_export *x = mmap->exports; x; x = x->next) {
        if (x->dev == dev && x->kind.target == kind.target && x->kind.as_pci == kind.as_pci) {
            e = check_live(mmap, x, err);
            if (e == DOCA_SUCCESS)
                *out = x;
            return e;
        }
    }
    e = check_atomics(mmap, dev, kind.target, err);
    if (e != DOCA_SUCCESS)
        return e;
    cleanup_free struct mmap_export *export = calloc(1, sizeof(*export));
    if (!export)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    export->dev = dev;
    export->kind = kind;
    e = ask_export(mmap, export, err);
    if (e != DOCA_SUCCESS)
        return e;
    export->next = mmap->exports;
    *out = mmap->exports = export;
    export = NULL;
    return DOCA_SUCCESS;
}

static doca_error_t export_as(struct doca_mmap *mmap, const struct doca_dev *dev,
                              struct export_kind kind, struct mmap_export **out,
                              struct errtext *err)
{
    doca_error_t e = may_export(mmap, dev, kind, err);
    if (e != DOCA_SUCCESS)
        return e;
    if (mmap->session)
        return get_export(mmap, dev, kind, out, err);
    // Such a map is registered with docad when it is first exported.
    e = region_start(mmap, err);
    if (e != DOCA_SUCCESS)
        return e;
    e = get_export(mmap, dev, kind, out, err);
    if (e != DOCA_SUCCESS)
        region_stop(mmap);
    return e;
}

doca_error_t mmap_export_on(struct doca_mmap *mmap, const struct doca_dev *dev,
                            Docad__ExportTarget target, struct mmap_export **out,
                            struct errtext *err)
{
    if (mmap->memory.imported)
        return mmap_delegate(mmap, dev, target, out, err);
    return export_as(mmap, dev, (struct export_kind){.target = target}, out, err);
}

doca_error_t mmap_lend(struct doca_mmap *mmap, const struct doca_dev *dev, bool beside,
                       struct mmap_export **out, struct errtext *err)
{
    bool across_pci = mmap->memory.access & DOCA_ACCESS_DPU_READ_WRITE;
    bool on_dpu = dev_function(dev)->can_list_reps;
    struct export_kind kind = {.target = DOCAD__EXPORT_TARGET__TARGET_RDMA, .as_pci = across_pci};

    if (across_pci && !beside)
        kind = (struct export_kind){.target = on_dpu ? DOCAD__EXPORT_TARGET__TARGET_HOST
                                                     : DOCAD__EXPORT_TARGET__TARGET_DPU};
    kind.lent = true;
    return export_as(mmap, dev, kind, out, err);
}

doca_error_t mmap_export(const char *function, struct doca_mmap *mmap, const struct doca_dev *dev,
                         Docad__ExportTarget target, const void **export_desc,
                         size_t *export_desc_len)
{
    struct errtext err = {""};
    struct mmap_export *export = NULL;

    if (!mmap || !dev || !export_desc || !export_desc_len)
        return REFUSED_NULL_OF(function, mmap, dev, export_desc, export_desc_len);
    doca_error_t e = mmap_export_on(mmap, dev, target, &export, &err);
    if (e != DOCA_SUCCESS) {
        // Only DOCA 3 lists this code for a device that the map does not have.
        if (!mmap->doca_3 || e != DOCA_ERROR_NOT_FOUND)
            e = CODE_AMONG(e, DOCA_ERROR_DRIVER, DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_NOT_PERMITTED,
                           DOCA_ERROR_NO_MEMORY, DOCA_ERROR_NOT_SUPPORTED);
        return report(function, e, &err);
    }
    *export_desc = export->made.desc;
    *export_desc_len = export->made.length;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_export_dpu(struct doca_mmap *mmap, const struct doca_dev *dev,
                                  const void **export_desc, size_t *export_desc_len)
{
    return mmap_export(__func__, mmap, dev, DOCAD__EXPORT_TARGET__TARGET_DPU, export_desc,
                       export_desc_len);
}

doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
                                   const void **export_desc, size_t *export_desc_len)
{
    return mmap_export(__func__, mmap, dev, DOCAD__EXPORT_TARGET__TARGET_RDMA, export_desc,
                       export_desc_len);
}
