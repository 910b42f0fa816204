// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
/**
 * @file doca_dev.h
 * Devices of this side, and representors of those of the other.
 */
#ifndef DOCA_DEV_H_
#define DOCA_DEV_H_

#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A device. */
struct doca_devinfo;
/** A representor. */
struct doca_devinfo_rep;
/** A device. */
struct doca_dev;
/** A representor. */
struct doca_dev_rep;

/** Which representors to list. */
enum doca_devinfo_rep_filter {
    DOCA_DEVINFO_REP_FILTER_ALL = 0,      /**< all of them */
    DOCA_DEVINFO_REP_FILTER_NET = 2,      /**< network functions */
    DOCA_DEVINFO_REP_FILTER_EMULATED = 4, /**< emulated functions */
};

/** Bytes of a VUID as text, with the NUL. */
#define DOCA_DEVINFO_VUID_SIZE 128

/** Bytes of an IPv4 address. */
#define DOCA_DEVINFO_IPV4_ADDR_SIZE 4

/** Bytes of an IPv6 address. */
#define DOCA_DEVINFO_IPV6_ADDR_SIZE 16

/** Bytes of a MAC address. */
#define DOCA_DEVINFO_MAC_ADDR_SIZE 6

/** Bytes of the name of a network interface, with the NUL. */
#define DOCA_DEVINFO_IFACE_NAME_SIZE 256

/** Bytes of the name of an IB device, with the NUL. */
#define DOCA_DEVINFO_IBDEV_NAME_SIZE 64

/** Bytes of a PCI address as text ("0000:03:00.0"), with the NUL. */
#define DOCA_DEVINFO_PCI_ADDR_SIZE 13

/** Bytes of a PCI address without domain as text ("03:00.0"), with the NUL. */
#define DOCA_DEVINFO_PCI_BDF_SIZE 8

/** Bytes of the VUID of a representor as text, with the NUL. */
#define DOCA_DEVINFO_REP_VUID_SIZE 128

/** Bytes of the PCI address of a representor as text, with the NUL. */
#define DOCA_DEVINFO_REP_PCI_ADDR_SIZE 13

/** The same without domain. */
#define DOCA_DEVINFO_REP_PCI_BDF_SIZE 8

/**
 * NULL-terminated array of the local devices and their number. DOCA_ERROR_NOT_FOUND when
 * RDMA devices cannot be listed.
 *
 * @param dev_list where to put the list.
 * @param nb_devs where to put the number of devices.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_NOT_FOUND there is no such thing.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs);

/**
 * Frees the list; opened devices live on.
 *
 * @param dev_list the list.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_IN_USE something still uses the object.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);

/**
 * Representors of an opened device, by DOCA_DEVINFO_REP_FILTER_*; DOCA_ERROR_NOT_SUPPORTED
 * without any.
 *
 * @param dev the device.
 * @param filter the filter.
 * @param dev_list_rep where to put the list.
 * @param nb_devs_rep where to put the number of devices representor.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
                                          struct doca_devinfo_rep ***dev_list_rep,
                                          uint32_t *nb_devs_rep);

/**
 * Frees the representor.
 *
 * @param dev_list_rep the list.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_IN_USE something still uses the object.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep);

/**
 * Opens, or counts one more; every open needs a close.
 *
 * @param devinfo the device.
 * @param dev where to put the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_NOT_CONNECTED there is no connection that it needs;
 *   DOCA_ERROR_INITIALIZATION a resource could not be set up;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);

/**
 * Counts down; the last one closes: DOCA_ERROR_IN_USE while resources remain.
 *
 * @param dev the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_IN_USE something still uses the object.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_dev_close(struct doca_dev *dev);

/**
 * Hint for a faster teardown.
 *
 * @param dev the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed;
 *   DOCA_ERROR_AGAIN not now: try later;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev);

/**
 * Opens a representor.
 *
 * @param devinfo the representor.
 * @param dev_rep where to put the representor.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep);

/**
 * Closes it; DOCA_ERROR_IN_USE.
 *
 * @param dev the representor.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_IN_USE something still uses the object.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev);

/**
 * The info of an opened device, valid as long as it is open.
 *
 * @param dev the device.
 * @return the device.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev);

/**
 * The info of an opened representor.
 *
 * @param dev_rep the representor.
 * @return the representor.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep);

/**
 * "dddd:bb:dd.f" into 13 bytes.
 *
 * @param devinfo the device.
 * @param pci_addr_str where to put the PCI address as text.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_OPERATING_SYSTEM a system call failed.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str);

/**
 * Takes the long and the short form (domain 0000).
 *
 * @param devinfo the device.
 * @param pci_addr_str the PCI address as text.
 * @param is_equal where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_OPERATING_SYSTEM a system call failed.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
                                            const char *pci_addr_str, uint8_t *is_equal);

/**
 * 4 bytes; DOCA_ERROR_NOT_FOUND without one.
 *
 * @param devinfo the device.
 * @param ipv4_addr where to put the IPv4 address.
 * @param size the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_FOUND there is no such thing;
 *   DOCA_ERROR_OPERATING_SYSTEM a system call failed.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr,
                                        uint32_t size);

/**
 * Reads the IPv6 address of the device.
 *
 * @param devinfo the device.
 * @param ipv6_addr where to put the IPv6 address.
 * @param size the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_OPERATING_SYSTEM a system call failed.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr,
                                        uint32_t size);

/**
 * 6 bytes; DOCA_ERROR_NOT_SUPPORTED on InfiniBand.
 *
 * @param devinfo the device.
 * @param mac_addr where to put the MAC address.
 * @param size the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *mac_addr,
                                       uint32_t size);

/**
 * Reads the network interface name of the device.
 *
 * @param devinfo the device.
 * @param iface_name where to put the network interface name.
 * @param size the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_OPERATING_SYSTEM a system call failed.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *iface_name,
                                         uint32_t size);

/**
 * Reads the IB device name of the device.
 *
 * @param devinfo the device.
 * @param ibdev_name where to put the IB device name.
 * @param size the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name,
                                         uint32_t size);

/**
 * DOCA_ERROR_NOT_SUPPORTED on Ethernet.
 *
 * @param devinfo the device.
 * @param lid where to put the LID.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid);

/**
 * Port rate in bit/s.
 *
 * @param devinfo the device.
 * @param active_rate where to put the active rate.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
                                          uint64_t *active_rate);

/**
 * Id of the function in the adapter.
 *
 * @param devinfo the device.
 * @param vhca_id where to put the VHCA id.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo, uint16_t *vhca_id);

/**
 * Tells whether this is supported: hotplug manager.
 *
 * @param devinfo the device.
 * @param is_hotplug_manager where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *is_hotplug_manager);

/**
 * Tells whether this is supported: notification moderation.
 *
 * @param devinfo the device.
 * @param is_notification_moderation_supported where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_cap_is_notification_moderation_supported(
    const struct doca_devinfo *devinfo, uint8_t *is_notification_moderation_supported);

/**
 * Tells whether this is supported: filter all.
 *
 * @param devinfo the device.
 * @param filter_all_supported where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_all_supported);

/**
 * Tells whether this is supported: filter net.
 *
 * @param devinfo the device.
 * @param filter_net_supported where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_net_supported);

/**
 * Tells whether this is supported: filter emulated.
 *
 * @param devinfo the device.
 * @param filter_emulated_supported where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *filter_emulated_supported);

/**
 * Tells whether this is supported: accelerate resource reclaim.
 *
 * @param devinfo the device.
 * @param is_accelerate_resource_reclaim where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_devinfo_cap_is_accelerate_resource_reclaim_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *is_accelerate_resource_reclaim);

/**
 * Vendor unique id, up to 128 bytes.
 *
 * @param devinfo_rep the representor.
 * @param rep_vuid where to put the representor VUID.
 * @param size the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid,
                                       uint32_t size);

/**
 * Reads the PCI address as text of the representor.
 *
 * @param devinfo_rep the representor.
 * @param pci_addr_str where to put the PCI address as text.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_UNEXPECTED something that should never happen did.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
                                               char *pci_addr_str);

/**
 * Enum doca_pci_func_type.
 *
 * @param devinfo_rep the representor.
 * @param pci_func_type where to put the PCI function type.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
                                                enum doca_pci_func_type *pci_func_type);

/**
 * 1 for a hot-plugged function.
 *
 * @param devinfo_rep the representor.
 * @param is_hotplug where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
                                             uint8_t *is_hotplug);

/**
 * Reads the network interface name of the representor.
 *
 * @param devinfo_rep the representor.
 * @param iface_name where to put the network interface name.
 * @param size the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_OPERATING_SYSTEM a system call failed.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
                                             char *iface_name, uint32_t size);

/**
 * Reads the VHCA id of the representor.
 *
 * @param devinfo_rep the representor.
 * @param vhca_id where to put the VHCA id.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
                                          uint16_t *vhca_id);

/**
 * Takes the long and the short form.
 *
 * @param devinfo_rep the representor.
 * @param pci_addr_str the PCI address as text.
 * @param is_equal where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_UNEXPECTED something that should never happen did.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
                                                const char *pci_addr_str, uint8_t *is_equal);

/**
 * PF, VF or SF.
 *
 * @param devinfo the device.
 * @param pci_func_type where to put the PCI function type.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
                                            enum doca_pci_func_type *pci_func_type);

/**
 * Index of a scalable function on the auxiliary bus (mlx5_core.sf.N);
 * DOCA_ERROR_NOT_SUPPORTED when the device is no SF.
 *
 * @param devinfo the device.
 * @param sf_index where to put the SF index.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 3.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index);

/**
 * IB port of the uplink (PF); 1 for VF and SF.
 *
 * @param devinfo the device.
 * @param ib_port where to put the IB port.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_uplink_ib_port(const struct doca_devinfo *devinfo, uint16_t *ib_port);

/**
 * Kernel index of the network interface.
 *
 * @param devinfo the device.
 * @param iface_index where to put the network interface index.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_iface_index(const struct doca_devinfo *devinfo,
                                          uint32_t *iface_index);

/**
 * PCI address of the data-direct function (13 bytes).
 *
 * @param devinfo the device.
 * @param pci_addr_str where to put the PCI address as text.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_NOT_FOUND there is no such thing.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_data_direct_pci_dev(struct doca_devinfo *devinfo, char *pci_addr_str);

/**
 * Kernel index of the interface.
 *
 * @param devinfo_rep the representor.
 * @param iface_index where to put the network interface index.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_iface_index(const struct doca_devinfo_rep *devinfo_rep,
                                              uint32_t *iface_index);

/**
 * IB port of the representor.
 *
 * @param devinfo_rep the representor.
 * @param ib_port where to put the IB port.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_ib_port(const struct doca_devinfo_rep *devinfo_rep,
                                          uint16_t *ib_port);

/**
 * Index of the host.
 *
 * @param devinfo_rep the representor.
 * @param host_index where to put the host index.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_host_index(const struct doca_devinfo_rep *devinfo_rep,
                                             uint32_t *host_index);

/**
 * Index of the parent PF.
 *
 * @param devinfo_rep the representor.
 * @param pf_index where to put the PF index.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_pf_index(const struct doca_devinfo_rep *devinfo_rep,
                                           uint32_t *pf_index);

/**
 * Index of the VF.
 *
 * @param devinfo_rep the representor.
 * @param vf_index where to put the VF index.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_vf_index(const struct doca_devinfo_rep *devinfo_rep,
                                           uint32_t *vf_index);

/**
 * The number the SF was created with.
 *
 * @param devinfo_rep the representor.
 * @param sf_index where to put the SF index.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_sf_index(const struct doca_devinfo_rep *devinfo_rep,
                                           uint32_t *sf_index);

/**
 * How many VFs the represented PF supports.
 *
 * @param devinfo_rep the representor.
 * @param total_vfs where to put the total vfs.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_total_vfs(const struct doca_devinfo_rep *devinfo_rep,
                                            uint32_t *total_vfs);

/**
 * VUID of the PF the represented function belongs to (size at least 128).
 *
 * @param devinfo_rep the representor.
 * @param pf_vuid where to put the PF VUID.
 * @param size the size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_pf_vuid(struct doca_devinfo_rep *devinfo_rep, char *pf_vuid,
                                          uint32_t size);

/**
 * PCI address of the data-direct function.
 *
 * @param devinfo_rep the representor.
 * @param pci_addr_str where to put the PCI address as text.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_NOT_FOUND there is no such thing.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_data_direct_pci_dev(struct doca_devinfo_rep *devinfo_rep,
                                                      char *pci_addr_str);

/**
 * 1 for the uplink representor.
 *
 * @param devinfo_rep the representor.
 * @param is_uplink_representor where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_is_uplink_representor(const struct doca_devinfo_rep *devinfo_rep,
                                                        uint8_t *is_uplink_representor);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DEV_H_ */
