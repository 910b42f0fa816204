// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Delegation: an imported map is exported for RDMA by a process that does not own the memory. docad
// makes the export on the owner's node, and ends it with the import.

#include "mmap/mmap_object.h"

#include <stdlib.h>

static doca_error_t may_delegate(const struct doca_mmap *mmap, const struct doca_dev *dev,
                                 Docad__ExportTarget target, struct errtext *err)
{
    if (target != DOCAD__EXPORT_TARGET__TARGET_RDMA)
        return errtext_set(err, DOCA_ERROR_NOT_PERMITTED,
                           "an imported map can be exported for RDMA only");
    if (!mmap_has_device(mmap, dev))
        return errtext_set(err, DOCA_ERROR_INVALID_VALUE,
                           "the map was imported for %s, not for device %s",
                           dev_name(mmap->devices[0]), dev_name(dev));
    if (dev_verbs(dev) || mmap->memory.import_id == 0)
        return errtext_set(err, DOCA_ERROR_NOT_SUPPORTED,
                           "ibverbs device %s has no key of its own for memory of another process; "
                           "import and export it on a software function",
                           dev_name(dev));
    return dev_known(dev, err);
}

// Sends a request each time: docad returns the same export as long as that exists.
doca_error_t mmap_delegate(struct doca_mmap *mmap, const struct doca_dev *dev,
                           Docad__ExportTarget target, struct mmap_export **out,
                           struct errtext *err)
{
    Docad__ExportCreate ask = DOCAD__EXPORT_CREATE__INIT;
    struct exported made;

    doca_error_t e = may_delegate(mmap, dev, target, err);
    if (e != DOCA_SUCCESS)
        return e;
    ask.target = target;
    ask.import_id = mmap->memory.import_id;
    e = region_ask_export(mmap, dev, &ask, NULL, 0, &made, err);
    if (e != DOCA_SUCCESS)
        return e;
    for (struct mmap_export *x = mmap->exports; x; x = x->next) {
        if (x->made.id == made.id) {
            *out = x;
            return DOCA_SUCCESS;
        }
    }
    struct mmap_export *export = malloc(sizeof(*export));
    if (!export)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    *export = (struct mmap_export){
        .next = mmap->exports, .dev = dev, .kind.target = target, .made = made};
    *out = mmap->exports = export;
    return DOCA_SUCCESS;
}
