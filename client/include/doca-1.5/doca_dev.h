/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_dev.h
 * The differences of the 1.5 interface from the later doca_dev.h, which includes this file
 * for programs of the 1.5 interface: PCI addresses as numbers, exports that work in both
 * directions, and a filter for each kind of emulated function. Everything else is the same.
 *
 * Since 1.5.
 */
#ifndef DOCA_1_5_DEV_H_
#define DOCA_1_5_DEV_H_

/** Which representors to list: a bit mask. docad has network functions only. */
enum doca_dev_rep_filter {
    DOCA_DEV_REP_FILTER_ALL = 0,               /**< all kinds */
    DOCA_DEV_REP_FILTER_NET = (1 << 1),        /**< of network functions */
    DOCA_DEV_REP_FILTER_VIRTIO_FS = (1 << 2),  /**< of emulated virtio-fs functions */
    DOCA_DEV_REP_FILTER_VIRTIO_NET = (1 << 3), /**< of emulated virtio-net functions */
    DOCA_DEV_REP_FILTER_VIRTIO_BLK = (1 << 4), /**< of emulated virtio-blk functions */
    DOCA_DEV_REP_FILTER_NVME = (1 << 5)        /**< of emulated NVMe functions */
};

/**
 * PCI address of a device, without its domain.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param pci_addr [out] the address; untouched on failure. Programs compare its `raw`.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *   (DOCA_ERROR_NOT_CONNECTED of the table, for a device without an address, is not
 *   returned by this implementation.)
 *
 * Source: table, programs. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_pci_addr(const struct doca_devinfo *devinfo,
                                       struct doca_pci_bdf *pci_addr);

/**
 * Says whether doca_mmap_export() works for the device.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param mmap_export [out] 1 or 0. Functions of a host and physical functions of a DPU: 1.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table, programs. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_is_mmap_export_supported(const struct doca_devinfo *devinfo,
                                                       uint8_t *mmap_export);

/**
 * Says whether doca_mmap_create_from_export() works for the device, with exports of the other
 * side.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param from_export [out] 1 or 0. Functions of a host and physical functions of a DPU: 1.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table, programs. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_is_mmap_from_export_supported(const struct doca_devinfo *devinfo,
                                                            uint8_t *from_export);

/**
 * Says whether the device can list representors of emulated virtio-fs functions.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param virtio_fs_supported [out] always 0: docad does not emulate functions.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_is_list_virtio_fs_supported(const struct doca_devinfo *devinfo,
                                                              uint8_t *virtio_fs_supported);

/**
 * Says whether the device can list representors of emulated virtio-net functions.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param virtio_net_supported [out] always 0: docad does not emulate functions.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_is_list_virtio_net_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *virtio_net_supported);

/**
 * Says whether the device can list representors of emulated virtio-blk functions.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param virtio_blk_supported [out] always 0: docad does not emulate functions.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_is_list_virtio_blk_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *virtio_blk_supported);

/**
 * Says whether the device can list representors of emulated NVMe functions.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param nvme_supported [out] always 0: docad does not emulate functions.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_is_list_nvme_supported(const struct doca_devinfo *devinfo,
                                                         uint8_t *nvme_supported);

/**
 * Lists the representors under a device.
 *
 * The entries are a snapshot: representors come and go with the host's docad. List again
 * to see the changes.
 *
 * @param dev an open device.
 * @param filter enum doca_dev_rep_filter values, combined at will; each asks for one kind,
 *   and DOCA_DEV_REP_FILTER_ALL (0) for all kinds.
 * @param dev_list_rep [out] array of *nb_devs_rep entries; untouched on failure.
 * @param nb_devs_rep [out] how many; 0 while no host is connected. Untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or filter has unknown bits;
 *   DOCA_ERROR_NO_MEMORY out of memory, or docad's limits are reached;
 *   DOCA_ERROR_DRIVER docad has gone, or failed;
 *   DOCA_ERROR_NOT_SUPPORTED the device has no representors (a host's, or a sub-function),
 *   or not one of the kinds asked for (any emulated one).
 *
 * Source: table. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_list_create(struct doca_dev *dev, int filter,
                                          struct doca_devinfo_rep ***dev_list_rep,
                                          uint32_t *nb_devs_rep)
    DOCA_1_5_SYMBOL(devinfo_rep_list_create);

/**
 * PCI address of the represented function as its own node sees it, without its domain.
 *
 * @param devinfo_rep an entry of a list, or doca_dev_rep_as_devinfo() of an open
 *   representor.
 * @param pci_addr [out] the address; untouched on failure.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *   (DOCA_ERROR_NOT_CONNECTED of the table, for a function without an address, is not
 *   returned by this implementation.)
 *
 * Source: table. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
                                           struct doca_pci_bdf *pci_addr);

#endif /* DOCA_1_5_DEV_H_ */
