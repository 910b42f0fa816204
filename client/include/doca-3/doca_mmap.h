/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_mmap.h
 * Memory maps: one range of memory that devices and other programs may use.
 */
#ifndef DOCA_MMAP_H_
#define DOCA_MMAP_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A device. */
struct doca_dev;
/** A device. */
struct doca_devinfo;
/** A map. */
struct doca_mmap;
/** A DPA. */
struct doca_dpa;

/** A handle for GPU or DPA programs. */
typedef uint32_t doca_dpa_dev_mmap_t;

/** Called with the range of a map when it is destroyed, and with the cookie. */
typedef void(doca_mmap_memrange_free_cb_t)(void *addr, size_t len, void *cookie);

/**
 * Makes a map without a range, devices and data of the program. It must be started before devices
 * can use its memory.
 *
 * @param mmap where to put the map.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE mmap is NULL;
 *   DOCA_ERROR_NO_MEMORY there is no memory for it.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_mmap_create(struct doca_mmap **mmap) DOCA_3_SYMBOL(mmap_create);

/**
 * Frees a map in any state, and stops it first. Its exports end, as with doca_mmap_stop(); its
 * memory is the program's again, and is passed to the function of doca_mmap_set_free_cb(). A map
 * that was imported leaves the memory as it is.
 *
 * @param mmap the map.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_PERMITTED buffers of the map are alive: nothing has happened. Buffers of a map
 *     with doca_mmap_enable_thread_safety() are not counted.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/**
 * Registers the range for the map's devices, and fixes range, permissions and devices. Whole
 * anonymous pages of the range move to a file of memory, at the same addresses and with the same
 * contents. A map that was stopped can be started again.
 *
 * @param mmap the map.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE mmap is NULL, or the map has no range, or its permissions have
 *     DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING together with another PCI permission, which the card
 *     that one of its devices imitates refuses;
 *   DOCA_ERROR_NO_MEMORY memory, descriptors, or a quota of docad ran out;
 *   DOCA_ERROR_NOT_PERMITTED the map is started already, or was imported, or memory of the range
 *     must not be used (the log says why).
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_start(struct doca_mmap *mmap);

/**
 * Takes the memory back. Its exports end: those who imported it get an error for what they do from
 * then on. A map that was imported stays usable until it is destroyed; of such a map the call does
 * nothing.
 *
 * @param mmap the map.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_PERMITTED the map is not started, or buffers of it are alive: nothing has
 *     happened.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_stop(struct doca_mmap *mmap);

/**
 * Adds a device that may use the memory, to a map that is not started.
 *
 * @param mmap the map.
 * @param dev the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_PERMITTED the map is started, or was imported;
 *   DOCA_ERROR_NO_MEMORY the map has as many devices as doca_mmap_set_max_num_devices() allows, or
 *     there is no memory;
 *   DOCA_ERROR_ALREADY_EXIST the map has this device;
 *   DOCA_ERROR_NOT_SUPPORTED the device belongs to another docad than the others do.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * Takes a device away from a map that is not started.
 *
 * @param mmap the map.
 * @param dev the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_FOUND the map does not have this device;
 *   DOCA_ERROR_NOT_PERMITTED the map is started, or was imported.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * Returns a descriptor by which a program on the other side of the PCI bus imports the memory,
 * with doca_mmap_create_from_export(). Either side may export: a function of a host to the DPU,
 * and a physical function of a DPU to the host. A second call returns the same descriptor.
 *
 * The descriptor has at most 256 bytes. Whoever has it may import the memory: carry it as one
 * carries a secret. It belongs to the map, and is valid until the map is stopped or destroyed.
 *
 * @param mmap the map: started.
 * @param dev one of its devices.
 * @param export_desc receives where the descriptor is.
 * @param export_desc_len receives its length in bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_FOUND the map does not have the device;
 *   DOCA_ERROR_NOT_PERMITTED the map is not started, was imported, has no DOCA_ACCESS_FLAG_PCI_
 *     permission, or its export was revoked;
 *   DOCA_ERROR_NO_MEMORY memory, or a quota of docad, ran out;
 *   DOCA_ERROR_NOT_SUPPORTED the device has nobody on the other side;
 *   DOCA_ERROR_DRIVER docad has gone, or failed.
 *
 * Source: table and programs. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
                                  const void **export_desc, size_t *export_desc_len);

/**
 * Returns a descriptor by which programs import the memory for RDMA; as doca_mmap_export_pci(),
 * with a DOCA_ACCESS_FLAG_RDMA_ permission.
 *
 * A map that was imported across PCI can be exported, too, on the software function for which it
 * was imported, and needs no such permission: whoever imports it may do over RDMA what this map
 * may do (read, or also write and atomics), until this map is destroyed, its process ends, or its
 * owner takes the memory back. The importer's node must be that of the owner or be linked to it.
 *
 * @param mmap the map: started, or imported across PCI.
 * @param dev one of its devices.
 * @param export_desc receives where the descriptor is.
 * @param export_desc_len receives its length in bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_FOUND the map does not have the device;
 *   DOCA_ERROR_NOT_PERMITTED the map is neither started nor imported across PCI, lacks the
 *     permission, its export was revoked, or its memory is gone;
 *   DOCA_ERROR_NO_MEMORY memory, or a quota of docad, ran out;
 *   DOCA_ERROR_NOT_SUPPORTED the device cannot do it;
 *   DOCA_ERROR_DRIVER docad has gone, or failed.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
                                   const void **export_desc, size_t *export_desc_len);

/**
 * The map's handle for programs of a DPA. There is no DPA here, so it is never possible.
 *
 * @param mmap the map.
 * @param dev one of its devices.
 * @param dpa_mmap_handle would receive the handle.
 * @return DOCA_ERROR_NOT_SUPPORTED if the arguments are valid;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_PERMITTED if the map is not started;
 *   DOCA_ERROR_NOT_FOUND if the map does not have the device.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap, const struct doca_dev *dev,
                                          doca_dpa_dev_mmap_t *dpa_mmap_handle);

/**
 * Makes a map of memory that another program exported, over PCI or for RDMA: the descriptor says
 * which. It has the range and the addresses of the exporter, whose permissions hold. It is ready
 * as it is: do not start it. When the exporter ends the export, tasks on this memory fail.
 *
 * @param user_data data of the program, or NULL for 0.
 * @param export_desc the descriptor; not needed afterwards.
 * @param export_desc_len its length in bytes.
 * @param dev the device that is to use the memory.
 * @param mmap receives the map.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE a pointer other than user_data is NULL, the length is 0, or the
 *     descriptor is truncated or altered;
 *   DOCA_ERROR_NO_MEMORY memory, or a quota of docad, ran out;
 *   DOCA_ERROR_NOT_SUPPORTED the device cannot reach the memory, or a later version has made the
 *     descriptor;
 *   DOCA_ERROR_NOT_PERMITTED the export was revoked, its owner has gone, or it is not meant for
 *     this device;
 *   DOCA_ERROR_DRIVER docad, or the one of the owner, has gone or failed.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
                                          size_t export_desc_len, struct doca_dev *dev,
                                          struct doca_mmap **mmap);

/**
 * Sets the one range of a map that is not started: any memory of the process, at any address and
 * of any length. It stays the program's, and must stay allocated while the map is started.
 *
 * @param mmap the map.
 * @param addr where the range begins.
 * @param len its length in bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE mmap or addr is NULL, the length is 0, or the range goes beyond the
 *     end of the address space;
 *   DOCA_ERROR_BAD_STATE the map is started;
 *   DOCA_ERROR_NOT_PERMITTED the map has a range, or was imported.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);

/**
 * Would set the range to memory of another driver. No device here can reach it.
 *
 * @param mmap the map.
 * @param dmabuf_fd the dmabuf file descriptor.
 * @param addr where the range begins.
 * @param dmabuf_offset where the range begins in it, in bytes.
 * @param len its length in bytes.
 * @return DOCA_ERROR_NOT_SUPPORTED if the arguments are valid;
 *   DOCA_ERROR_INVALID_VALUE mmap is NULL, the length is 0, or the descriptor is negative;
 *   DOCA_ERROR_BAD_STATE the map is started;
 *   DOCA_ERROR_NOT_PERMITTED the map has a range, or was imported.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, void *addr,
                                           size_t dmabuf_offset, size_t len)
    DOCA_3_SYMBOL(mmap_set_dmabuf_memrange);

/**
 * Sets memory of a DPA as the map's range. There is no DPA here, so it is never possible.
 *
 * @param mmap the map.
 * @param dpa the DPA.
 * @param dpa_addr where the range begins on the DPA.
 * @param len its length in bytes; not 0.
 * @return DOCA_ERROR_NOT_SUPPORTED if the arguments are valid;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a length of 0;
 *   DOCA_ERROR_BAD_STATE if the map is started;
 *   DOCA_ERROR_NOT_PERMITTED if the map was imported, or has a range.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap, struct doca_dpa *dpa,
                                        uint64_t dpa_addr, size_t len);

/**
 * Returns the range. Of a map that was imported it is where the memory is in the exporter's
 * process: buffers are made with such addresses.
 *
 * @param mmap the map.
 * @param addr receives where it begins.
 * @param len receives its length in bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_BAD_STATE the map has no range yet.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len);

/**
 * Sets a function for a map that is not started: doca_mmap_destroy() calls it once with the range
 * and the cookie, if the map was ever started, when nothing uses the memory any more.
 *
 * @param mmap the map.
 * @param free_cb the function to call.
 * @param opaque passed to the callback.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_BAD_STATE the map is started, or was imported.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb,
                                   void *opaque);

/**
 * Returns the data of the program.
 *
 * @param mmap the map.
 * @param user_data receives it; 0 if none was set.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap, union doca_data *user_data);

/**
 * Returns how many devices the map can have.
 *
 * @param mmap the map.
 * @param max_num_devices receives the number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap, uint32_t *max_num_devices);

/**
 * Returns how many buffers of the map are alive: each prevents that the map is stopped or
 * destroyed. 0 with doca_mmap_enable_thread_safety(), which counts none.
 *
 * @param mmap the map.
 * @param num_bufs receives the number.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs);

/**
 * Says whether the map was exported since it was started.
 *
 * @param mmap the map.
 * @param exported receives 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported);

/**
 * Says whether doca_mmap_create_from_export() has made the map.
 *
 * @param mmap the map.
 * @param from_export receives 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export);

/**
 * Sets how many devices the map can have, before it is started for the first time.
 *
 * @param mmap the map.
 * @param max_num_devices the greatest number of devices.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE mmap is NULL, the number is 0, or the map has more devices;
 *   DOCA_ERROR_NOT_PERMITTED the map was started, or was imported.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices);

/**
 * Says who may do what with the memory of a map that is not started. Without this call the map is
 * DOCA_ACCESS_FLAG_LOCAL_READ_WRITE: programs copy to such maps, though the table says that they
 * can only be read. DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING changes nothing: memory keeps its order
 * here. Some cards that a device of the map may imitate refuse it beside another PCI permission
 * (DOCA_ERROR_INVALID_VALUE, docad-cards(7)).
 *
 * @param mmap the map.
 * @param access_mask a mask of DOCA_ACCESS_FLAG_*.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE mmap is NULL, or the mask has unknown bits, or both
 *     DOCA_ACCESS_FLAG_PCI_READ_ONLY and _READ_WRITE;
 *   DOCA_ERROR_BAD_STATE the map is started, or was imported.
 *
 * Source: table; the default: programs. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask);

/**
 * Sets data of the program on a map that is not started.
 *
 * @param mmap the map.
 * @param user_data data of the program, carried and never interpreted.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE mmap is NULL;
 *   DOCA_ERROR_BAD_STATE the map is started, or was imported.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data);

/**
 * Says whether maps can be exported over PCI on the device: on functions of a host, and on
 * physical functions of a DPU.
 *
 * @param devinfo the device.
 * @param mmap_export receives 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_DRIVER is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
                                                   uint8_t *mmap_export);

/**
 * Says whether the device can import maps over PCI: functions of a host, and physical functions of
 * a DPU.
 *
 * @param devinfo the device.
 * @param from_export receives 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NOT_SUPPORTED is named by the table, and not returned here;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_DRIVER is named by the table, and not returned here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *from_export);

/**
 * Lets several threads take and give back buffers of a map that is not started, or that was
 * imported. Its buffers are not counted then: the program sees to it that none is left when the map
 * ends.
 *
 * @param mmap the map.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_PERMITTED the map is started, or buffers of it are alive.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap);

/**
 * Returns the memory key of the map on one of its devices, for use with rdma-core: the local key,
 * or the remote one of a map that was imported.
 *
 * @param mmap the map.
 * @param dev one of its devices.
 * @param mkey receives the key.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, the map does not have the device, or is not
 *     started;
 *   DOCA_ERROR_NO_MEMORY is named by the table, and not returned here;
 *   DOCA_ERROR_NOT_SUPPORTED the device is a software function, which has no keys.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_get_mkey(const struct doca_mmap *mmap, const struct doca_dev *dev,
                                uint32_t *mkey);

/**
 * Would use the program's token for exports. docad makes the token of each export itself, because
 * one that a program chose could be guessed: the longest that is taken has 0 bytes.
 *
 * @param mmap the map.
 * @param dev one of its devices.
 * @param token the token.
 * @param token_sz its length in bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or 0, or otherwise;
 *   DOCA_ERROR_BAD_STATE the map is started, or was imported;
 *   DOCA_ERROR_NOT_FOUND the map does not have the device;
 *   DOCA_ERROR_NOT_PERMITTED is named by the table, and not returned here.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_export_access_token(struct doca_mmap *mmap, const struct doca_dev *dev,
                                               const uint8_t *token, size_t token_sz);

/**
 * Returns the length of the longest token that doca_mmap_set_export_access_token() takes.
 *
 * @param devinfo the device.
 * @param max_sz receives the number of bytes: 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_cap_get_max_export_access_token_size(const struct doca_devinfo *devinfo,
                                                            size_t *max_sz);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_MMAP_H_ */
