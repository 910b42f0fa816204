// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "mmap/chunk_map.h"

#include "cleanup.h"
#include "mmap/chunks.h"
#include "core/refused.h"
#include "export_text.h"

#include <doca_types.h>

#define ACCESS_DEFAULT (DOCA_ACCESS_LOCAL_READ_WRITE | DOCA_ACCESS_DPU_READ_WRITE)

doca_error_t chunk_map_new(const union doca_data *user_data, struct doca_mmap **out,
                           struct errtext *err)
{
    struct doca_mmap *made;

    doca_error_t r = mmap_new(user_data, &made, err);
    if (r != DOCA_SUCCESS)
        return r;
    made->chunks = chunks_new();
    if (!made->chunks) {
        mmap_free(made);
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    }
    made->memory.access = ACCESS_DEFAULT;
    *out = made;
    return DOCA_SUCCESS;
}

doca_error_t chunk_map_set_max(const char *function, struct doca_mmap *mmap, uint32_t n)
{
    if (mmap->memory.imported || mmap->ever_started || !mmap->chunks)
        return report_why(function, DOCA_ERROR_NOT_PERMITTED,
                          "the map was started, is imported, or was made by a later "
                          "interface; set the number of chunks before the first start");
    if (n == 0)
        return refused(function, "a map takes at least one chunk");
    mmap->chunks->max = n;
    return DOCA_SUCCESS;
}

doca_error_t chunk_map_must_be_open(const char *function, const struct doca_mmap *mmap)
{
    if (mmap->memory.imported)
        return report_why(function, DOCA_ERROR_NOT_PERMITTED,
                          "the map is imported: only its exporter can change it");
    if (!mmap->started || mmap->frozen)
        return report_why(function, DOCA_ERROR_NOT_PERMITTED,
                          "the map is not started; call doca_mmap_start() first");
    if (mmap->exports)
        return report_why(function, DOCA_ERROR_NOT_PERMITTED,
                          "the map was exported, and cannot change any more");
    return DOCA_SUCCESS;
}

// Either side exports to the other one. Only later interfaces distinguish the directions.
static Docad__ExportTarget target_of(const struct doca_dev *dev)
{
    const Docad__Function *function = dev_function(dev);

    return function->can_import_dpu && !function->can_export_dpu ? DOCAD__EXPORT_TARGET__TARGET_HOST
                                                                 : DOCAD__EXPORT_TARGET__TARGET_DPU;
}

static doca_error_t export_as_text(struct doca_mmap *mmap, const struct doca_dev *dev,
                                   uint8_t **text, size_t *size, struct errtext *err)
{
    struct mmap_export *export = NULL;

    // Allocated first, so that nothing is exported if the text cannot be made.
    cleanup_free uint8_t *made = malloc(EXPORT_TEXT_SIZE);
    if (!made)
        return errtext_set(err, DOCA_ERROR_NO_MEMORY, "out of memory");
    doca_error_t r = mmap_export_on(mmap, dev, target_of(dev), &export, err);
    if (r == DOCA_SUCCESS)
        r = export_text_encode(export->made.desc, export->made.length, (char *)made, size, err);
    if (r == DOCA_SUCCESS)
        *text = steal_ptr(made);
    return r;
}

doca_error_t chunk_map_export(const char *function, struct doca_mmap *mmap,
                              const struct doca_dev *dev, uint8_t **text, size_t *size)
{
    struct errtext err = {""};

    doca_error_t r = chunk_map_must_be_open(function, mmap);
    if (r != DOCA_SUCCESS)
        return r;
    r = export_as_text(mmap, dev, text, size, &err);
    return report(function,
                  CODE_AMONG(r, DOCA_ERROR_DRIVER, DOCA_ERROR_INVALID_VALUE,
                             DOCA_ERROR_NOT_PERMITTED, DOCA_ERROR_NO_MEMORY,
                             DOCA_ERROR_NOT_SUPPORTED),
                  &err);
}
