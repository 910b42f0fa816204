// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Devices of the 1.5 interface.

#include "compat13/compat13.h"
#include "compat15/compat15.h"
#include "core/device_object.h"
#include "core/refused.h"
#include "pci_address.h"

// The same values as in include/doca-1.5/doca_dev.h: virtio-fs, virtio-net, virtio-blk, NVMe.
#define FILTER_EMULATED (4 | 8 | 16 | 32)

doca_error_t doca_devinfo_get_pci_addr(const struct doca_devinfo *devinfo,
                                       struct doca_pci_bdf *pci_addr)
{
    if (!devinfo || !pci_addr)
        return REFUSED_NULL(devinfo, pci_addr);
    *pci_addr = pci_bdf_of(&devinfo->pci);
    return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
                                           struct doca_pci_bdf *pci_addr)
{
    if (!devinfo_rep || !pci_addr)
        return REFUSED_NULL(devinfo_rep, pci_addr);
    *pci_addr = pci_bdf_of_rep(devinfo_rep);
    return DOCA_SUCCESS;
}

// ---- capabilities ----------------------------------------------------------------------

static doca_error_t get_flag(const char *function, const struct doca_devinfo *devinfo, uint8_t *out,
                             bool value)
{
    if (!devinfo || !out)
        return REFUSED_NULL_OF(function, devinfo, out);
    *out = value;
    return DOCA_SUCCESS;
}

// Each side exports to the other, and imports what the other has exported.
static bool crosses_pci(const struct doca_devinfo *devinfo)
{
    return devinfo && (devinfo->function->can_export_dpu || devinfo->function->can_import_dpu);
}

doca_error_t doca_devinfo_get_is_mmap_export_supported(const struct doca_devinfo *devinfo,
                                                       uint8_t *mmap_export)
{
    return get_flag(__func__, devinfo, mmap_export, crosses_pci(devinfo));
}

doca_error_t doca_devinfo_get_is_mmap_from_export_supported(const struct doca_devinfo *devinfo,
                                                            uint8_t *from_export)
{
    return get_flag(__func__, devinfo, from_export, crosses_pci(devinfo));
}

doca_error_t doca_devinfo_rep_get_is_list_virtio_fs_supported(const struct doca_devinfo *devinfo,
                                                              uint8_t *virtio_fs_supported)
{
    return get_flag(__func__, devinfo, virtio_fs_supported, false);
}

doca_error_t doca_devinfo_rep_get_is_list_virtio_net_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *virtio_net_supported)
{
    return get_flag(__func__, devinfo, virtio_net_supported, false);
}

doca_error_t doca_devinfo_rep_get_is_list_virtio_blk_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *virtio_blk_supported)
{
    return get_flag(__func__, devinfo, virtio_blk_supported, false);
}

doca_error_t doca_devinfo_rep_get_is_list_nvme_supported(const struct doca_devinfo *devinfo,
                                                         uint8_t *nvme_supported)
{
    return get_flag(__func__, devinfo, nvme_supported, false);
}

// ---- representors ----------------------------------------------------------------------

doca_error_t doca_1_5_devinfo_rep_list_create(struct doca_dev *dev, int filter,
                                              struct doca_devinfo_rep ***dev_list_rep,
                                              uint32_t *nb_devs_rep)
{
    static const char function[] = "doca_devinfo_rep_list_create";
    const int known = DOCA_DEV_REP_FILTER_NET | FILTER_EMULATED;
    struct errtext err;

    if (!dev || !dev_list_rep || !nb_devs_rep)
        return REFUSED_NULL_OF(function, dev, dev_list_rep, nb_devs_rep);
    if (!(filter & ~known) && (filter & FILTER_EMULATED))
        return report(function,
                      errtext_set(&err, DOCA_ERROR_NOT_SUPPORTED,
                                  "device %s has no emulated functions, only network functions",
                                  dev_function(dev)->name),
                      &err);
    return doca_devinfo_rep_list_create(dev, filter, dev_list_rep, nb_devs_rep);
}
