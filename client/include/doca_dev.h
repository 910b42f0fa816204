/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_dev.h
 * Devices and representors: find one, inspect it, open it.
 *
 * Devices are functions of the node that the process is connected to. The connection to
 * docad is made by the first call that needs one: through the socket that the variable
 * DOCAD_SOCKET names, else /run/docad/docad.sock, else
 * $XDG_RUNTIME_DIR/docad/docad.sock.
 *
 * On the DPU, a representor stands for one function of the host, or for a sub-function of the
 * DPU itself. A host has no representors.
 *
 * Several threads at once may call everything here, even on the same objects; an object must
 * not be used while, or after, another thread destroys it. After fork() the child makes its
 * own connection: it lists and opens devices for itself, and may only close those that it
 * inherited.
 *
 * Since 2.2.
 */
#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION < 15 /* instead of this file */
#include "doca-1.3/doca_dev.h"
#endif
#ifndef DOCA_DEV_H_
#define DOCA_DEV_H_

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Information about a device. */
struct doca_devinfo;
/** Information about a representor. */
struct doca_devinfo_rep;
/** An open device. */
struct doca_dev;
/** An open representor. */
struct doca_dev_rep;

/** Sizes of property buffers in bytes; those of texts count the terminating zero. */
#define DOCA_DEVINFO_VUID_SIZE       128
#define DOCA_DEVINFO_IPV4_ADDR_SIZE  4
#define DOCA_DEVINFO_IPV6_ADDR_SIZE  16
#define DOCA_DEVINFO_IFACE_NAME_SIZE 256
#define DOCA_DEVINFO_IBDEV_NAME_SIZE 64
#define DOCA_DEVINFO_REP_VUID_SIZE   128
#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* since 2.2 */
#define DOCA_DEVINFO_MAC_ADDR_SIZE     6
#define DOCA_DEVINFO_PCI_ADDR_SIZE     13 /**< "0000:03:00.0" */
#define DOCA_DEVINFO_PCI_BDF_SIZE      8  /**< "03:00.0" */
#define DOCA_DEVINFO_REP_PCI_ADDR_SIZE 13
#define DOCA_DEVINFO_REP_PCI_BDF_SIZE  8
#endif

#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15
#include "doca-1.5/doca_dev.h"
#else
/** Which representors to list: a bit mask. */
enum doca_dev_rep_filter {
    DOCA_DEV_REP_FILTER_ALL = 0,            /**< all kinds */
    DOCA_DEV_REP_FILTER_NET = (1 << 1),     /**< of network functions */
    DOCA_DEV_REP_FILTER_EMULATED = (1 << 2) /**< of emulated functions */
};
#endif

/* ---- devices --------------------------------------------------------------- */

/**
 * Lists the devices of this node, in docad's order.
 *
 * The entries are a snapshot. doca_devinfo_list_destroy() destroys the list, with every entry
 * that was not opened. A NULL that is not counted follows the last entry.
 *
 * @param dev_list [out] array of *nb_devs entries; untouched on failure.
 * @param nb_devs [out] how many; may be 0. Untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NO_MEMORY out of memory, or docad's limits are reached;
 *   DOCA_ERROR_NOT_FOUND no docad answers, or it does not understand this library
 *   (said at once; the log line names the socket).
 *
 * Source: table; that a missing daemon is NOT_FOUND is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_list_create(struct doca_devinfo ***dev_list, uint32_t *nb_devs);

/**
 * Destroys a list. Entries that were opened stay valid until their device is closed.
 *
 * @param dev_list a list made by doca_devinfo_list_create(), once.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE dev_list is NULL.
 *   (DOCA_ERROR_IN_USE of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_list_destroy(struct doca_devinfo **dev_list);

/**
 * Opens a device. Opening it again, from any list, returns the same handle; close it once for
 * each opening.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param dev [out] the device; untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the device is not there any more;
 *   DOCA_ERROR_NO_MEMORY out of memory, or docad's limits are reached;
 *   DOCA_ERROR_NOT_CONNECTED the docad of the list has gone: list again;
 *   DOCA_ERROR_INITIALIZATION docad could not open it.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);

/**
 * Closes a device. Memory maps and library objects that use it keep what they need of it until
 * they are destroyed, so it may be closed before them.
 *
 * @param dev an open device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_IN_USE every open was closed already, and library objects still hold it;
 *   DOCA_ERROR_INVALID_VALUE dev is NULL (our choice).
 *
 * Source: table; order of closing from programs. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dev_close(struct doca_dev *dev);

/**
 * Returns the information about an open device.
 *
 * @param dev an open device.
 * @return valid until the device is closed; NULL if dev is NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev);

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* since 2.2 */
/**
 * PCI address in the long form, "0000:03:00.0".
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param pci_addr_str [out] room for DOCA_DEVINFO_PCI_ADDR_SIZE bytes.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *   (DOCA_ERROR_OPERATING_SYSTEM of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str);

/**
 * Says whether this is the device at a PCI address.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param pci_addr_str long form "0000:03:00.0" or short form "03:00.0" (domain 0000); upper or
 *   lower case.
 * @param is_equal [out] 1 or 0; untouched on failure.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL, or the text is
 *   neither form.
 *   (DOCA_ERROR_OPERATING_SYSTEM of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_is_pci_addr_equal(const struct doca_devinfo *devinfo,
                                                const char *pci_addr_str, uint8_t *is_equal);
#endif

/**
 * IPv4 address, 4 bytes in network order.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param ipv4_addr [out] the buffer; untouched on failure.
 * @param size size of the buffer, at least DOCA_DEVINFO_IPV4_ADDR_SIZE.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer too small;
 *   DOCA_ERROR_OPERATING_SYSTEM the device has no IPv4 address.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr,
                                        uint32_t size);

/**
 * IPv6 address, 16 bytes in network order.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param ipv6_addr [out] the buffer; untouched on failure.
 * @param size size of the buffer, at least DOCA_DEVINFO_IPV6_ADDR_SIZE.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer too small;
 *   DOCA_ERROR_OPERATING_SYSTEM the device has no IPv6 address.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr,
                                        uint32_t size);

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* since 2.2 */
/**
 * MAC address, 6 bytes.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param mac_addr [out] the buffer; untouched on failure.
 * @param size size of the buffer, at least DOCA_DEVINFO_MAC_ADDR_SIZE.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer too small;
 *   DOCA_ERROR_NOT_SUPPORTED the device's port is not Ethernet.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *mac_addr,
                                       uint32_t size);
#endif

/**
 * Name of the network interface, zero-terminated.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param iface_name [out] the buffer; untouched on failure.
 * @param size size of the buffer, at least DOCA_DEVINFO_IFACE_NAME_SIZE, however short the
 *   name is.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer too small;
 *   DOCA_ERROR_OPERATING_SYSTEM the device has no network interface.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *iface_name,
                                         uint32_t size);

/**
 * Name of the InfiniBand device, zero-terminated.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param ibdev_name [out] the buffer; untouched on failure.
 * @param size size of the buffer, at least DOCA_DEVINFO_IBDEV_NAME_SIZE, however short the
 *   name is.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer too small.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name,
                                         uint32_t size);

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* since 2.2 */
/**
 * Local identifier of an InfiniBand port.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param lid [out] host byte order: what it was when docad listed the device.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_SUPPORTED a software function, or the port of an ibverbs device that is
 *   Ethernet.
 *   (DOCA_ERROR_DRIVER of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid);
#endif

/**
 * Says whether the device can plug emulated functions.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param is_hotplug_manager [out] always 0: docad does not emulate functions.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *   (DOCA_ERROR_DRIVER of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *is_hotplug_manager);

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* 1.5 has its own */
/**
 * Says whether doca_mmap_export_dpu() works for the device.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param mmap_export [out] 1 or 0. Functions of a host: 1.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *   (DOCA_ERROR_DRIVER of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_is_mmap_export_dpu_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *mmap_export);

/**
 * Says whether doca_mmap_create_from_export() works for the device, with memory that a host
 * exported to its DPU.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param from_export [out] 1 or 0. Physical functions of a DPU: 1.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *   (DOCA_ERROR_DRIVER of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_is_mmap_from_export_dpu_supported(const struct doca_devinfo *devinfo,
                                                                uint8_t *from_export);
#endif

/* ---- representors ---------------------------------------------------------- */

/**
 * Says whether the device can list representors of at least one kind.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param all_supported [out] 1 or 0.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *   (DOCA_ERROR_DRIVER of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_is_list_all_supported(const struct doca_devinfo *devinfo,
                                                        uint8_t *all_supported);

/**
 * Says whether the device can list representors of network functions.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param net_supported [out] 1 or 0. Physical functions of a DPU: 1.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *   (DOCA_ERROR_DRIVER of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_is_list_net_supported(const struct doca_devinfo *devinfo,
                                                        uint8_t *net_supported);

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* 1.5 has its own */
/**
 * Says whether the device can list representors of emulated functions.
 *
 * @param devinfo an entry of a list, or doca_dev_as_devinfo() of an open device.
 * @param emulated_supported [out] always 0: docad does not emulate functions.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *   (DOCA_ERROR_DRIVER of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_is_list_emulated_supported(const struct doca_devinfo *devinfo,
                                                             uint8_t *emulated_supported);

/**
 * Lists the representors under a device.
 *
 * The entries are a snapshot: representors come and go with the host's docad. List again
 * to see the changes.
 *
 * @param dev an open device.
 * @param filter enum doca_dev_rep_filter values, combined at will; each asks for one kind, and
 *   DOCA_DEV_REP_FILTER_ALL (0) for all kinds. Kinds that the device does not have are left
 *   out. docad has network functions only.
 * @param dev_list_rep [out] array of *nb_devs_rep entries; untouched on failure.
 * @param nb_devs_rep [out] how many; 0 while no host is connected. Untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or filter has unknown bits;
 *   DOCA_ERROR_NO_MEMORY out of memory, or docad's limits are reached;
 *   DOCA_ERROR_DRIVER docad has gone, or failed;
 *   DOCA_ERROR_NOT_SUPPORTED the device has no representors (a host's, or a
 *   sub-function), or none of the kinds asked for (only EMULATED).
 *
 * Source: table; combinations are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_list_create(struct doca_dev *dev, int filter,
                                          struct doca_devinfo_rep ***dev_list_rep,
                                          uint32_t *nb_devs_rep);
#endif

/**
 * Destroys a list of representors. Entries that were opened stay valid until their representor
 * is closed.
 *
 * @param dev_list_rep a list made by doca_devinfo_rep_list_create(), once.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE dev_list_rep is NULL.
 *   (DOCA_ERROR_IN_USE and DOCA_ERROR_NOT_SUPPORTED of the table are not returned by this
 *   implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_list_destroy(struct doca_devinfo_rep **dev_list_rep);

/**
 * Opens a representor. Opening it again, from any list of the same device, returns the same
 * handle; close it once for each opening. It keeps the device under which it was listed, even
 * if the application closes that.
 *
 * @param devinfo an entry of a list, or doca_dev_rep_as_devinfo() of an open representor.
 * @param dev_rep [out] the representor; untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the representor is not there any more;
 *   DOCA_ERROR_NO_MEMORY out of memory, or docad's limits are reached;
 *   DOCA_ERROR_NOT_SUPPORTED docad refused it, or has gone.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep);

/**
 * Closes a representor.
 *
 * @param dev an open representor.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE dev is NULL.
 *   (DOCA_ERROR_IN_USE and DOCA_ERROR_NOT_SUPPORTED of the table are not returned by this
 *   implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev);

/**
 * Returns the information about an open representor.
 *
 * @param dev_rep an open representor.
 * @return valid until the representor is closed; NULL if dev_rep is NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep);

/**
 * VUID of the represented function, zero-terminated.
 *
 * @param devinfo_rep an entry of a list, or doca_dev_rep_as_devinfo() of an open
 *   representor.
 * @param rep_vuid [out] the buffer; untouched on failure.
 * @param size size of the buffer, at least DOCA_DEVINFO_REP_VUID_SIZE, however short the text
 *   is.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL, or the buffer too
 *   small. (DOCA_ERROR_NOT_SUPPORTED of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid,
                                       uint32_t size);

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* since 2.2 */
/**
 * PCI address of the represented function as its own node sees it, in the long form.
 *
 * @param devinfo_rep an entry of a list, or doca_dev_rep_as_devinfo() of an open
 *   representor.
 * @param pci_addr_str [out] room for DOCA_DEVINFO_REP_PCI_ADDR_SIZE bytes.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *   (DOCA_ERROR_NOT_SUPPORTED, DOCA_ERROR_NO_MEMORY and DOCA_ERROR_UNEXPECTED of the table
 *   are not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
                                               char *pci_addr_str);
#endif

/**
 * Returns the kind of function that is represented.
 *
 * @param devinfo_rep an entry of a list, or doca_dev_rep_as_devinfo() of an open
 *   representor.
 * @param pci_func_type [out] the kind; untouched on failure.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *   (DOCA_ERROR_NOT_SUPPORTED of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
                                                enum doca_pci_func_type *pci_func_type);

#if !defined(DOCA_USE_VERSION) || DOCA_USE_VERSION != 15 /* since 2.2 */
/**
 * Says whether the represented function is the one at a PCI address of its own node.
 *
 * @param devinfo_rep an entry of a list, or doca_dev_rep_as_devinfo() of an open
 *   representor.
 * @param pci_addr_str long or short form, as in doca_devinfo_get_is_pci_addr_equal().
 * @param is_equal [out] 1 or 0; untouched on failure.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL, or the text is
 *   neither form.
 *   (DOCA_ERROR_NOT_SUPPORTED, DOCA_ERROR_NO_MEMORY and DOCA_ERROR_UNEXPECTED of the table
 *   are not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_is_pci_addr_equal(const struct doca_devinfo_rep *devinfo_rep,
                                                    const char *pci_addr_str, uint8_t *is_equal);
#endif

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DEV_H_ */
