/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_dev.h
 * Devices of this side, and representors of those of the other.
 *
 * Devices are functions of the node that the process is connected to. The connection to
 * docad is made by the first call that needs one: through the socket that the variable
 * DOCAD_SOCKET names, else /run/docad/docad.sock, else
 * $XDG_RUNTIME_DIR/docad/docad.sock.
 *
 * Several threads at once may call everything here, even on the same objects; an object must
 * not be used while, or after, another thread destroys it.
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
    DOCA_DEVINFO_REP_FILTER_ALL = 0,     /**< all of them */
    DOCA_DEVINFO_REP_FILTER_NET = 2,     /**< network functions */
    DOCA_DEVINFO_REP_FILTER_EMULATED = 4 /**< emulated functions */
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
 * Lists the devices of this node, which are the functions that docad has. The first
 * call connects to docad.
 *
 * @param dev_list where to put the list, which ends with NULL; freed by
 *   doca_devinfo_destroy_list().
 * @param nb_devs where to put their number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NO_MEMORY;
 *   DOCA_ERROR_NOT_FOUND there is no docad that answers.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs);

/**
 * Frees a list. Devices that were opened through it stay open.
 *
 * @param dev_list what doca_devinfo_create_list() made.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_IN_USE is not returned.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);

/**
 * Lists the representors of a device: each stands for a function of the host at the
 * port of the device, or for a sub-function of the DPU.
 *
 * @param dev an open physical function of a DPU.
 * @param filter DOCA_DEVINFO_REP_FILTER_ALL, or kinds; there are only network
 *   functions.
 * @param dev_list_rep where to put the list, which ends with NULL; freed by
 *   doca_devinfo_rep_destroy_list().
 * @param nb_devs_rep where to put their number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the filter has other bits;
 *   DOCA_ERROR_NO_MEMORY;
 *   DOCA_ERROR_DRIVER docad does not answer;
 *   DOCA_ERROR_NOT_SUPPORTED the device has no representors, or none of these kinds.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
                                          struct doca_devinfo_rep ***dev_list_rep,
                                          uint32_t *nb_devs_rep);

/**
 * Frees a list. Representors that were opened through it stay open.
 *
 * @param dev_list_rep what doca_devinfo_rep_create_list() made.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_IN_USE is not returned.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep);

/**
 * Opens a device. The same function gives the same device each time, and each open
 * needs a doca_dev_close().
 *
 * @param devinfo a device of a list.
 * @param dev where to put the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NO_MEMORY;
 *   DOCA_ERROR_NOT_CONNECTED docad does not answer;
 *   DOCA_ERROR_INITIALIZATION docad refuses, or the ibverbs device cannot be opened;
 *   DOCA_ERROR_NOT_SUPPORTED is not returned.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);

/**
 * Closes a device as often as it was opened. Maps and contexts that use it keep it. (Programs
 * rely on NULL: dma_local_copy closes its device twice.)
 *
 * @param dev an open device; NULL does nothing.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_IN_USE it was closed as often as it was opened.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_dev_close(struct doca_dev *dev) DOCA_3_SYMBOL(dev_close);

/**
 * Asks a card to take resources back faster. There is none, so it is never possible.
 *
 * @param dev an open device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_SUPPORTED always;
 *   DOCA_ERROR_DRIVER and DOCA_ERROR_AGAIN are not returned.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev);

/**
 * Opens a representor of a device that is open. Opened again, it is the same one, which is to be
 * closed as often.
 *
 * @param devinfo the representor, from a list; the list may be destroyed afterwards.
 * @param dev_rep receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if docad does not know the function any more;
 *   DOCA_ERROR_NO_MEMORY if memory, or a quota of docad, ran out;
 *   DOCA_ERROR_NOT_SUPPORTED if docad does not offer it to this program (our choice).
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep);

/**
 * Closes a representor. It is gone when it was closed as often as it was opened, and nothing that
 * was made with it needs it any more.
 *
 * @param dev the representor.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_IN_USE is named by the table, and not returned here.
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
 * Returns the PCI address as text: 0000:03:00.0.
 *
 * @param devinfo the device, from a list or doca_dev_as_devinfo().
 * @param pci_addr_str where to put it, in DOCA_DEVINFO_PCI_ADDR_SIZE bytes with the terminating
 *   zero.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_OPERATING_SYSTEM is named by the table, and not returned here.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str);

/**
 * Tells whether a text is the PCI address of a device.
 *
 * @param devinfo a device of a list, or of doca_dev_as_devinfo().
 * @param pci_addr_str "0000:03:00.0" or, in domain 0, "03:00.0".
 * @param is_equal where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the text has neither form;
 *   DOCA_ERROR_OPERATING_SYSTEM is not returned.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
                                            const char *pci_addr_str, uint8_t *is_equal);

/**
 * Returns the IPv4 address, as it goes over the network.
 *
 * @param devinfo the device, from a list or doca_dev_as_devinfo().
 * @param ipv4_addr where to put its 4 bytes.
 * @param size size of the buffer in bytes, at least 4.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the buffer is smaller;
 *   DOCA_ERROR_NOT_FOUND is named by the table, and not returned here;
 *   DOCA_ERROR_OPERATING_SYSTEM if the device has none, as in 2.2.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr,
                                        uint32_t size);

/**
 * Returns the IPv6 address, as it goes over the network.
 *
 * @param devinfo the device, from a list or doca_dev_as_devinfo().
 * @param ipv6_addr where to put its 16 bytes.
 * @param size size of the buffer in bytes, at least 16.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the buffer is smaller;
 *   DOCA_ERROR_OPERATING_SYSTEM if the device has none.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr,
                                        uint32_t size);

/**
 * Returns the MAC address.
 *
 * @param devinfo the device, from a list or doca_dev_as_devinfo().
 * @param mac_addr where to put its 6 bytes.
 * @param size size of the buffer in bytes, at least DOCA_DEVINFO_MAC_ADDR_SIZE.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the buffer is smaller;
 *   DOCA_ERROR_NOT_SUPPORTED if the device has none: on InfiniBand.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *mac_addr,
                                       uint32_t size);

/**
 * Returns the name of the network interface.
 *
 * @param devinfo the device, from a list or doca_dev_as_devinfo().
 * @param iface_name where to put it, with a terminating zero.
 * @param size size of the buffer in bytes, at least DOCA_DEVINFO_IFACE_NAME_SIZE.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the buffer is smaller;
 *   DOCA_ERROR_OPERATING_SYSTEM if the device has none.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *iface_name,
                                         uint32_t size);

/**
 * Returns the name of the ibverbs device, which software functions have, too.
 *
 * @param devinfo the device, from a list or doca_dev_as_devinfo().
 * @param ibdev_name where to put it, with a terminating zero.
 * @param size size of the buffer in bytes, at least DOCA_DEVINFO_IBDEV_NAME_SIZE.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the buffer is smaller.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name,
                                         uint32_t size);

/**
 * Returns the LID of an InfiniBand port.
 *
 * @param devinfo the device, from a list or doca_dev_as_devinfo().
 * @param lid receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_DRIVER is named by the table, and not returned here;
 *   DOCA_ERROR_NOT_SUPPORTED for software functions and Ethernet ports, which have none.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid);

#if DOCA_USE_VERSION >= 27
/**
 * Reads the rate of the port, as the kernel tells it.
 *
 * @param devinfo a device of a list, or of doca_dev_as_devinfo().
 * @param active_rate where to put the rate in bit/s.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_DRIVER the device has no such port: it is a software function.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
                                          uint64_t *active_rate);
#endif

/**
 * Reads the id of the function in its adapter: that of docad, which no other function
 * of the node has.
 *
 * @param devinfo a device of a list, or of doca_dev_as_devinfo().
 * @param vhca_id where to put the id.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_DRIVER is not returned.
 *
 * Source: table; the value is our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo, uint16_t *vhca_id);

/**
 * Tells whether functions can be plugged in: never.
 *
 * @param devinfo a device of a list, or of doca_dev_as_devinfo().
 * @param is_hotplug_manager where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_DRIVER is not returned.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *is_hotplug_manager);

/**
 * Tells whether notifications can be moderated: never.
 *
 * @param devinfo a device of a list, or of doca_dev_as_devinfo().
 * @param is_notification_moderation_supported where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_DRIVER is not returned.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_cap_is_notification_moderation_supported(
    const struct doca_devinfo *devinfo, uint8_t *is_notification_moderation_supported);

/**
 * Tells whether the device lists representors of all kinds.
 *
 * @param devinfo a device of a list, or of doca_dev_as_devinfo().
 * @param filter_all_supported where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_SUPPORTED and DOCA_ERROR_DRIVER are not returned.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_all_supported);

/**
 * Tells whether the device lists representors of network functions.
 *
 * @param devinfo a device of a list, or of doca_dev_as_devinfo().
 * @param filter_net_supported where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_SUPPORTED and DOCA_ERROR_DRIVER are not returned.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_net_supported);

/**
 * Tells whether the device lists representors of emulated functions: never.
 *
 * @param devinfo a device of a list, or of doca_dev_as_devinfo().
 * @param filter_emulated_supported where to put 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_SUPPORTED and DOCA_ERROR_DRIVER are not returned.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *filter_emulated_supported);

/**
 * Tells whether doca_dev_accelerate_resource_reclaim() is possible: never.
 *
 * @param devinfo a device of a list, or of doca_dev_as_devinfo().
 * @param is_accelerate_resource_reclaim where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_DRIVER is not returned.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_devinfo_cap_is_accelerate_resource_reclaim_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *is_accelerate_resource_reclaim);

/**
 * Returns the unique name of the function that the representor stands for.
 *
 * @param devinfo_rep the representor, from a list or doca_dev_rep_as_devinfo().
 * @param rep_vuid where to put it, with a terminating zero.
 * @param size size of the buffer in bytes, at least DOCA_DEVINFO_REP_VUID_SIZE.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or if the buffer is smaller.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid,
                                       uint32_t size);

/**
 * Returns the PCI address of the function that the representor stands for, as text: 0000:0b:00.0.
 *
 * @param devinfo_rep the representor, from a list or doca_dev_rep_as_devinfo().
 * @param pci_addr_str where to put it, in DOCA_DEVINFO_REP_PCI_ADDR_SIZE bytes with the
 *   terminating zero.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY is named by the table, and not returned here;
 *   DOCA_ERROR_UNEXPECTED is named by the table, and not returned here.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
                                               char *pci_addr_str);

/**
 * Returns what the function is that the representor stands for: a PF, a VF or an SF.
 *
 * @param devinfo_rep the representor, from a list or doca_dev_rep_as_devinfo().
 * @param pci_func_type receives it.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
                                                enum doca_pci_func_type *pci_func_type);

/**
 * Tells whether the function was plugged in: never.
 *
 * @param devinfo_rep a representor of a list.
 * @param is_hotplug where to put 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
                                             uint8_t *is_hotplug);

/**
 * Reads the name of the interface of the representor, which is that of the function.
 *
 * @param devinfo_rep a representor of a list.
 * @param iface_name where to put the name, with NUL.
 * @param size size of the buffer in bytes, at least DOCA_DEVINFO_IFACE_NAME_SIZE.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer is too small;
 *   DOCA_ERROR_OPERATING_SYSTEM is not returned.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
                                             char *iface_name, uint32_t size);

/**
 * Reads the id of the represented function: that of docad.
 *
 * @param devinfo_rep a representor of a list.
 * @param vhca_id where to put the id.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table; the value is our choice. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
                                          uint16_t *vhca_id);

/**
 * Tells whether a text is the PCI address of the represented function.
 *
 * @param devinfo_rep a representor of a list.
 * @param pci_addr_str "0000:03:00.0" or, in domain 0, "03:00.0".
 * @param is_equal where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the text has neither form;
 *   DOCA_ERROR_NO_MEMORY and DOCA_ERROR_UNEXPECTED are not returned.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
                                                const char *pci_addr_str, uint8_t *is_equal);

/**
 * Reads the kind of function that the device is.
 *
 * @param devinfo a device of a list, or of doca_dev_as_devinfo().
 * @param pci_func_type where to put the kind.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 3.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
                                            enum doca_pci_func_type *pci_func_type);

/**
 * Reads the index of a sub-function: the number that its name in docad's configuration
 * ends in.
 *
 * @param devinfo a device of a list, or of doca_dev_as_devinfo().
 * @param sf_index where to put the index.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_DRIVER its name does not end in a number;
 *   DOCA_ERROR_NOT_SUPPORTED the device is not a sub-function.
 *
 * Source: table; the value is our choice. Since: 3.1.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index);

/**
 * Reads the port of the ibverbs device; 1 for a software function.
 *
 * @param devinfo a device of a list, or of doca_dev_as_devinfo().
 * @param ib_port where to put the number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_DRIVER is not returned.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_uplink_ib_port(const struct doca_devinfo *devinfo, uint16_t *ib_port);

/**
 * Reads the kernel's index of the network interface of the device.
 *
 * @param devinfo a device of a list, or of doca_dev_as_devinfo().
 * @param iface_index where to put the index.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_OPERATING_SYSTEM the kernel has no such interface.
 *
 * Source: table; OPERATING_SYSTEM is our choice. Since: 3.4 at the latest, and not in
 * 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_iface_index(const struct doca_devinfo *devinfo,
                                          uint32_t *iface_index);

/**
 * Reads the PCI address of the data-direct function. There is none.
 *
 * @param devinfo a device of a list, or of doca_dev_as_devinfo().
 * @param pci_addr_str where to put the address, in DOCA_DEVINFO_PCI_ADDR_SIZE bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_SUPPORTED always;
 *   DOCA_ERROR_NOT_FOUND is not returned.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_data_direct_pci_dev(struct doca_devinfo *devinfo, char *pci_addr_str);

/**
 * Reads the kernel's index of the interface of that name.
 *
 * @param devinfo_rep a representor of a list.
 * @param iface_index where to put the index.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_OPERATING_SYSTEM the kernel has no such interface.
 *
 * Source: table; OPERATING_SYSTEM is our choice. Since: 3.4 at the latest, and not in
 * 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_iface_index(const struct doca_devinfo_rep *devinfo_rep,
                                              uint32_t *iface_index);

/**
 * Reads the port of the representor: its id and 1, because the first is the uplink.
 *
 * @param devinfo_rep a representor of a list.
 * @param ib_port where to put the number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table; the value is our choice. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_ib_port(const struct doca_devinfo_rep *devinfo_rep,
                                          uint16_t *ib_port);

/**
 * Reads the index of the host: a DPU has one.
 *
 * @param devinfo_rep a representor of a list.
 * @param host_index where to put 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_DRIVER is not returned.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_host_index(const struct doca_devinfo_rep *devinfo_rep,
                                             uint32_t *host_index);

/**
 * Reads the index of the physical function to which the represented one belongs: the
 * number of its port.
 *
 * @param devinfo_rep a representor of a list.
 * @param pf_index where to put the index.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_DRIVER is not returned.
 *
 * Source: table; the value is our choice. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_pf_index(const struct doca_devinfo_rep *devinfo_rep,
                                           uint32_t *pf_index);

/**
 * Reads the index of a virtual function: the number that its name ends in.
 *
 * @param devinfo_rep a representor of a list.
 * @param vf_index where to put the index.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or it is not a virtual function;
 *   DOCA_ERROR_DRIVER its name does not end in a number.
 *
 * Source: table; the value is our choice. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_vf_index(const struct doca_devinfo_rep *devinfo_rep,
                                           uint32_t *vf_index);

/**
 * Reads the index of a sub-function: the number that its name ends in.
 *
 * @param devinfo_rep a representor of a list.
 * @param sf_index where to put the index.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or it is not a sub-function;
 *   DOCA_ERROR_DRIVER its name does not end in a number.
 *
 * Source: table; the value is our choice. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_sf_index(const struct doca_devinfo_rep *devinfo_rep,
                                           uint32_t *sf_index);

/**
 * Counts the virtual functions of a physical one.
 *
 * @param devinfo_rep a representor of a list.
 * @param total_vfs where to put their number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_PERMITTED it is not a physical function.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_total_vfs(const struct doca_devinfo_rep *devinfo_rep,
                                            uint32_t *total_vfs);

/**
 * Reads the VUID of the physical function to which the represented one belongs: for a
 * sub-function it is one of the DPU.
 *
 * @param devinfo_rep a representor of a list.
 * @param pf_vuid where to put the VUID, with NUL.
 * @param size size of the buffer in bytes, at least DOCA_DEVINFO_REP_VUID_SIZE.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer is too small.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_pf_vuid(struct doca_devinfo_rep *devinfo_rep, char *pf_vuid,
                                          uint32_t size);

/**
 * Reads the PCI address of the data-direct function. There is none.
 *
 * @param devinfo_rep a representor of a list.
 * @param pci_addr_str where to put the address, in DOCA_DEVINFO_REP_PCI_ADDR_SIZE
 *   bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_SUPPORTED always;
 *   DOCA_ERROR_NOT_FOUND is not returned.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_data_direct_pci_dev(struct doca_devinfo_rep *devinfo_rep,
                                                      char *pci_addr_str);

/**
 * Tells whether it represents the uplink: never.
 *
 * @param devinfo_rep a representor of a list.
 * @param is_uplink_representor where to put 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_SUPPORTED is not returned.
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
