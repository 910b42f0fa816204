// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Memory maps: the functions of DOCA 3 that have another name, form or error than before.

#include "access.h"
#include "core/refused.h"
#include "mmap/mmap_object.h"

// ---- making ------------------------------------------------------------------------------

doca_error_t doca_mmap_create(struct doca_mmap **mmap)
{
    struct errtext err = {""};
    struct doca_mmap *made;

    if (!mmap)
        return REFUSED_NULL(mmap);
    doca_error_t e = mmap_new(NULL, &made, &err);
    if (e != DOCA_SUCCESS)
        return report(__func__, e, &err);
    made->doca_3 = true;
    // Programs copy to maps whose permissions they have not set.
    made->memory.access = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE;
    *mmap = made;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data)
{
    if (!mmap)
        return REFUSED_NULL(mmap);
    doca_error_t e = mmap_must_be_idle(__func__, mmap, DOCA_ERROR_BAD_STATE);
    if (e == DOCA_SUCCESS)
        mmap->user_data = user_data;
    return e;
}

doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap)
{
    if (!mmap)
        return REFUSED_NULL(mmap);
    doca_error_t e = DOCA_SUCCESS;
    if (!mmap->memory.imported) // an imported one is never started
        e = mmap_must_be_idle(__func__, mmap, DOCA_ERROR_NOT_PERMITTED);
    if (e == DOCA_SUCCESS && mmap_count_bufs(mmap))
        e = report_why(__func__, DOCA_ERROR_NOT_PERMITTED,
                       "buffers of the map are alive; give them back with "
                       "doca_buf_dec_refcount() first");
    if (e == DOCA_SUCCESS)
        mmap->uncounted = true;
    return e;
}

// ---- devices -----------------------------------------------------------------------------

doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
    struct errtext err = {""};

    if (!mmap || !dev)
        return REFUSED_NULL(mmap, dev);
    doca_error_t e = mmap_must_be_idle(__func__, mmap, DOCA_ERROR_NOT_PERMITTED);
    if (e != DOCA_SUCCESS)
        return e;
    if (mmap_has_device(mmap, dev))
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_ALREADY_EXIST, "the map has device %s already",
                                  dev_name(dev)),
                      &err);
    return report(__func__, mmap_add_device(mmap, dev, &err), &err);
}

doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
    if (!mmap || !dev)
        return REFUSED_NULL(mmap, dev);
    doca_error_t e = mmap_must_be_idle(__func__, mmap, DOCA_ERROR_NOT_PERMITTED);
    if (e != DOCA_SUCCESS)
        return e;
    if (mmap_remove_device(mmap, dev) != DOCA_SUCCESS)
        return report_why(__func__, DOCA_ERROR_NOT_FOUND, "the map does not have this device");
    return DOCA_SUCCESS;
}

static doca_error_t get_flag(const char *function, const struct doca_devinfo *devinfo,
                             uint8_t *flag, bool value)
{
    if (!devinfo || !flag)
        return REFUSED_NULL_OF(function, devinfo, flag);
    *flag = value;
    return DOCA_SUCCESS;
}

// Functions of a host and physical functions of a DPU export to each other.
static bool crosses_pci(const Docad__Function *function)
{
    return function->can_export_dpu || function->can_import_dpu;
}

doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
                                                   uint8_t *mmap_export)
{
    return get_flag(__func__, devinfo, mmap_export,
                    devinfo && crosses_pci(devinfo_function(devinfo)));
}

doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *from_export)
{
    return get_flag(__func__, devinfo, from_export,
                    devinfo && crosses_pci(devinfo_function(devinfo)));
}

// ---- the range ---------------------------------------------------------------------------

doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, void *addr,
                                           size_t dmabuf_offset, size_t len)
{
    (void)addr;
    (void)dmabuf_offset;
    if (!mmap || len == 0)
        return REFUSED_NULL(mmap, len);
    if (dmabuf_fd < 0)
        return refused(__func__, "the file descriptor is negative");
    doca_error_t e = mmap_may_set_range(__func__, mmap);
    if (e != DOCA_SUCCESS)
        return e;
    return report_why(__func__, DOCA_ERROR_NOT_SUPPORTED,
                      "no device of docad can reach DMA buffers of other drivers; use memory "
                      "of the process");
}

doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap, struct doca_dpa *dpa,
                                        uint64_t dpa_addr, size_t len)
{
    (void)dpa_addr;
    if (!mmap || !dpa || len == 0)
        return REFUSED_NULL(mmap, dpa, len);
    doca_error_t e = mmap_may_set_range(__func__, mmap);
    if (e != DOCA_SUCCESS)
        return e;
    return report_why(__func__, DOCA_ERROR_NOT_SUPPORTED,
                      "there is no DPA here; use memory of the process");
}

// ---- exports and keys --------------------------------------------------------------------

doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
                                  const void **export_desc, size_t *export_desc_len)
{
    if (!mmap || !dev || !export_desc || !export_desc_len)
        return REFUSED_NULL(mmap, dev, export_desc, export_desc_len);
    const Docad__Function *function = dev_function(dev);
    bool to_host = function->can_import_dpu && !function->can_export_dpu;
    return mmap_export(__func__, mmap, dev,
                       to_host ? DOCAD__EXPORT_TARGET__TARGET_HOST
                               : DOCAD__EXPORT_TARGET__TARGET_DPU,
                       export_desc, export_desc_len);
}

doca_error_t doca_mmap_get_mkey(const struct doca_mmap *mmap, const struct doca_dev *dev,
                                uint32_t *mkey)
{
    struct errtext err;

    if (!mmap || !dev || !mkey)
        return REFUSED_NULL(mmap, dev, mkey);
    if (!mmap_has_device(mmap, dev))
        return refused(__func__, "the map does not have the device");
    if (!mmap_usable(mmap))
        return refused(__func__, "the map is not started");
    const struct memory_key *key = memory_key(&mmap->memory, dev);
    if (!key)
        return report(__func__,
                      errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED,
                                  "device %s is a software function, which has no keys",
                                  dev_name(dev)),
                      &err);
    *mkey = mmap->memory.imported ? key->rkey : key->lkey;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap, const struct doca_dev *dev,
                                          doca_dpa_dev_mmap_t *dpa_mmap_handle)
{
    if (!mmap || !dev || !dpa_mmap_handle)
        return REFUSED_NULL(mmap, dev, dpa_mmap_handle);
    if (!mmap_usable(mmap))
        return report_why(__func__, DOCA_ERROR_NOT_PERMITTED, "the map is not started");
    if (!mmap_has_device(mmap, dev))
        return report_why(__func__, DOCA_ERROR_NOT_FOUND, "the map does not have this device");
    return report_why(__func__, DOCA_ERROR_NOT_SUPPORTED, "there is no DPA here");
}

// Exports always have a token of docad's making: one that a program chose could be guessed.

doca_error_t doca_mmap_cap_get_max_export_access_token_size(const struct doca_devinfo *devinfo,
                                                            size_t *max_sz)
{
    if (!devinfo || !max_sz)
        return REFUSED_NULL(devinfo, max_sz);
    *max_sz = 0;
    return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_export_access_token(struct doca_mmap *mmap, const struct doca_dev *dev,
                                               const uint8_t *token, size_t token_sz)
{
    if (!mmap || !dev || !token || !token_sz)
        return REFUSED_NULL(mmap, dev, token, token_sz);
    doca_error_t e = mmap_must_be_idle(__func__, mmap, DOCA_ERROR_BAD_STATE);
    if (e != DOCA_SUCCESS)
        return e;
    if (!mmap_has_device(mmap, dev))
        return report_why(__func__, DOCA_ERROR_NOT_FOUND, "the map does not have this device");
    return refused(__func__, "tokens have at most 0 bytes: docad makes each export's own, see "
                             "doca_mmap_cap_get_max_export_access_token_size()");
}
