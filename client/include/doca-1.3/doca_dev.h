/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_dev.h
 * Devices and remote devices of the 1.3 interface: find one, inspect it, open it.
 *
 * Devices are functions of the node that the process is connected to. The connection to
 * docad is made by the first call that needs one: through the socket that the variable
 * DOCAD_SOCKET names, else /run/docad/docad.sock, else
 * $XDG_RUNTIME_DIR/docad/docad.sock.
 *
 * On the DPU, a remote device stands for one function of the host (later interfaces call it a
 * representor). A host has no remote devices.
 *
 * Thread safe, as doca_dev.h of the 2.2 interface says.
 *
 * Since 1.3.
 */
#ifndef DOCA_DEV_H_
#define DOCA_DEV_H_

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#include "doca_properties.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Information about a device. */
struct doca_devinfo;
/** Information about a remote device. */
struct doca_devinfo_remote;
/** An open device. */
struct doca_dev;
/** An open remote device. */
struct doca_dev_remote;
/**
 * The later names, which later libraries use for remote devices: the same objects, so that a
 * cast turns one into the other.
 */
struct doca_devinfo_rep;
struct doca_dev_rep;

/** Which remote devices to list: a bit mask. docad has network functions only. */
enum doca_dev_remote_filter {
    DOCA_DEV_REMOTE_FILTER_ALL = 0,            /**< all kinds */
    DOCA_DEV_REMOTE_FILTER_NET = (1 << 1),     /**< of network functions */
    DOCA_DEV_REMOTE_FILTER_EMULATED = (1 << 2) /**< of emulated functions */
};

/* ---- devices --------------------------------------------------------------- */

/**
 * Lists the devices. Programs may leave the number out, as the guide does: the list ends
 * with a NULL.
 *
 * @param dev_list [out] the devices; untouched on failure.
 * @param nb_devs [out] how many; untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NO_MEMORY out of memory, or docad's limits are reached;
 *   DOCA_ERROR_NOT_FOUND there is no docad, or it has gone.
 *
 * Source: guide, programs. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_list_create(struct doca_devinfo ***dev_list, uint32_t *nb_devs);

/**
 * Frees a list. Devices that were opened from it stay open.
 *
 * @param devinfo_list the list.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE devinfo_list is NULL.
 *
 * Source: guide. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_list_destroy(struct doca_devinfo **devinfo_list);

/**
 * Reads a property of a device.
 *
 * @param devinfo the device.
 * @param property any.
 * @param value [out] its bytes; untouched on failure.
 * @param size how many there is room for.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE a pointer is NULL, the property does not exist or has another
 *   size;
 *   DOCA_ERROR_OPERATING_SYSTEM the device has no network interface, or this no such address.
 *
 * Source: guide, programs; the errors are our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_property_get(const struct doca_devinfo *devinfo,
                                       enum doca_devinfo_property property, uint8_t *value,
                                       uint32_t size);

/**
 * Opens a device. Opening an open device returns the same device; close it once for each
 * opening.
 *
 * @param devinfo the device, from a list that may be freed afterwards.
 * @param dev [out] the open device; untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the device is not there any more;
 *   DOCA_ERROR_NO_MEMORY out of memory, or docad's limits are reached;
 *   DOCA_ERROR_NOT_CONNECTED the docad of the list has gone: list again;
 *   DOCA_ERROR_INITIALIZATION docad could not open it.
 *
 * Source: guide; the errors are our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);

/**
 * Closes a device once.
 *
 * @param dev the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE dev is NULL;
 *   DOCA_ERROR_IN_USE it was closed as often as it was opened, and something holds it still.
 *
 * Source: guide; the errors are our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dev_close(struct doca_dev *dev);

/**
 * Returns the information about an open device.
 *
 * @param dev the device.
 * @param devinfo [out] the answer, valid as long as the device is open; untouched on
 *   failure.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: guide; the error is our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dev_as_devinfo(struct doca_dev *dev, struct doca_devinfo **devinfo)
    DOCA_1_3_SYMBOL(dev_as_devinfo);

/* ---- remote devices --------------------------------------------------------- */

/**
 * Lists the remote devices of a device of the DPU. Programs may leave out the filter (all),
 * and the number: the list ends with a NULL.
 *
 * @param dev an open device; may be closed before the list is destroyed.
 * @param filter every kind asked for.
 * @param devinfo_remote_list [out] the remote devices; untouched on failure.
 * @param nb_devs [out] how many; 0 while no host is connected. Untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or filter has unknown bits;
 *   DOCA_ERROR_NO_MEMORY out of memory, or docad's limits are reached;
 *   DOCA_ERROR_NOT_SUPPORTED the device has none: only physical functions of a DPU do;
 *   DOCA_ERROR_DRIVER docad has gone, or failed.
 *
 * Source: guide, programs; the errors are our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_remote_list_create(struct doca_dev *dev,
                                             enum doca_dev_remote_filter filter,
                                             struct doca_devinfo_remote ***devinfo_remote_list,
                                             uint32_t *nb_devs);

/**
 * Frees a list. Remote devices that were opened from it stay open.
 *
 * @param devinfo_remote_list the list.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE devinfo_remote_list is NULL.
 *
 * Source: guide. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_remote_list_destroy(struct doca_devinfo_remote **devinfo_remote_list);

/**
 * Reads a property of a remote device.
 *
 * @param devinfo_remote the remote device.
 * @param property any.
 * @param value [out] its bytes; untouched on failure.
 * @param size how many there is room for.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE a pointer is NULL, the property does not exist or has another
 *   size.
 *
 * Source: guide, programs; the error is our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_remote_property_get(const struct doca_devinfo_remote *devinfo_remote,
                                              enum doca_devinfo_remote_property property,
                                              uint8_t *value, uint32_t size);

/**
 * Opens a remote device. Opening an open one returns the same remote device; close it once
 * for each opening.
 *
 * @param devinfo_remote the remote device, from a list that may be freed afterwards.
 * @param dev_remote [out] the open remote device; untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the remote device has gone;
 *   DOCA_ERROR_NO_MEMORY out of memory, or docad's limits are reached;
 *   DOCA_ERROR_NOT_SUPPORTED docad has gone, or failed.
 *
 * Source: guide; the errors are our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dev_remote_open(struct doca_devinfo_remote *devinfo_remote,
                                  struct doca_dev_remote **dev_remote);

/**
 * Closes a remote device once.
 *
 * @param dev_remote the remote device.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE dev_remote is NULL.
 *
 * Source: guide; the error is our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dev_remote_close(struct doca_dev_remote *dev_remote);

/**
 * Returns the information about an open remote device.
 *
 * @param dev_remote the remote device.
 * @param devinfo_remote [out] the answer, valid as long as it is open; untouched on
 *   failure.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: guide; the error is our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_dev_remote_as_devinfo(struct doca_dev_remote *dev_remote,
                                        struct doca_devinfo_remote **devinfo_remote);

#ifdef __cplusplus
}
#endif

#include "doca_lists.h"

#endif /* DOCA_DEV_H_ */
