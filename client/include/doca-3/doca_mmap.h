// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
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
 * Empty map; user data by doca_mmap_set_user_data.
 *
 * @param mmap where to put the map.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_mmap_create(struct doca_mmap **mmap) DOCA_3_SYMBOL(mmap_create);

/**
 * Stops first; DOCA_ERROR_NOT_PERMITTED while buffers point into it (unless thread safety
 * is on).
 *
 * @param mmap the map.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/**
 * Fixes range, permissions and devices and registers the memory.
 *
 * @param mmap the map.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_start(struct doca_mmap *mmap);

/**
 * Invalidates exports and what was made from them; DOCA_ERROR_NOT_PERMITTED with live
 * buffers.
 *
 * @param mmap the map.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_stop(struct doca_mmap *mmap);

/**
 * Adds a device, before start; DOCA_ERROR_ALREADY_EXIST, DOCA_ERROR_NO_MEMORY above the
 * maximum, DOCA_ERROR_NOT_SUPPORTED for a device opened from a pd.
 *
 * @param mmap the map.
 * @param dev the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_ALREADY_EXIST it is there already;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * Removes it, before start; DOCA_ERROR_NOT_FOUND.
 *
 * @param mmap the map.
 * @param dev the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_FOUND there is no such thing;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * Descriptor for the other side of the PCI bus; needs a DOCA_ACCESS_FLAG_PCI_* permission;
 * owned by the map, valid until stop. Either side may export: a host's function to the DPU, and a
 * physical function of a DPU to the host.
 *
 * @param mmap the map.
 * @param dev the device.
 * @param export_desc where to put the export description.
 * @param export_desc_len where to put the export description length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_FOUND there is no such thing;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
                                  const void **export_desc, size_t *export_desc_len);

/**
 * Descriptor for RDMA peers; needs a DOCA_ACCESS_FLAG_RDMA_* permission; owned by the map.
 *
 * A map that was imported across PCI can be exported, too, on the software function for which it
 * was imported, and needs no such permission: whoever imports it may do over RDMA what this map may
 * do (read, or also write and atomics), until this map is destroyed, its process ends, or its owner
 * takes the memory back. The importer's node must be that of the owner or be linked to it.
 *
 * @param mmap the map: started, or imported across PCI.
 * @param dev the device.
 * @param export_desc where to put the export description.
 * @param export_desc_len where to put the export description length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_FOUND there is no such thing;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it; or the map was
 *     imported from an RDMA export, or its memory is gone;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
                                   const void **export_desc, size_t *export_desc_len);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param mmap the map.
 * @param dev the device.
 * @param dpa_mmap_handle where to put the DPA map handle.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_FOUND there is no such thing;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap, const struct doca_dev *dev,
                                          doca_dpa_dev_mmap_t *dpa_mmap_handle);

/**
 * Started map of remote memory; kind (pci or rdma) is in the descriptor; user_data may be
 * NULL; needs no start.
 *
 * @param user_data the user data.
 * @param export_desc the descriptor.
 * @param export_desc_len the export description length.
 * @param dev the device.
 * @param mmap where to put the map.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
                                          size_t export_desc_len, struct doca_dev *dev,
                                          struct doca_mmap **mmap);

/**
 * The one range; once only.
 *
 * @param mmap the map.
 * @param addr where the range begins.
 * @param len the length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);

/**
 * The range through a dmabuf; argument addr is new against 2.2.
 *
 * @param mmap the map.
 * @param dmabuf_fd the dmabuf file descriptor.
 * @param addr where the range begins.
 * @param dmabuf_offset the dmabuf offset.
 * @param len the length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, void *addr,
                                           size_t dmabuf_offset, size_t len)
    DOCA_3_SYMBOL(mmap_set_dmabuf_memrange);

/**
 * For DPA or GPU programs. There is no such hardware here, so it is never possible.
 *
 * @param mmap the map.
 * @param dpa the DPA.
 * @param dpa_addr the DPA address.
 * @param len the length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap, struct doca_dpa *dpa,
                                        uint64_t dpa_addr, size_t len);

/**
 * The range; DOCA_ERROR_BAD_STATE when never set.
 *
 * @param mmap the map.
 * @param addr where to put the address.
 * @param len where to put the length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len);

/**
 * Called with (addr, len, opaque) when the map is destroyed.
 *
 * @param mmap the map.
 * @param free_cb the function to call.
 * @param opaque passed to the callback.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb,
                                   void *opaque);

/**
 * User data, 0 if none.
 *
 * @param mmap the map.
 * @param user_data where to put the user data.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap, union doca_data *user_data);

/**
 * The greatest number of devices that the map allows.
 *
 * @param mmap the map.
 * @param max_num_devices where to put the greatest number of devices.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap, uint32_t *max_num_devices);

/**
 * Buffers that point into the map.
 *
 * @param mmap the map.
 * @param num_bufs where to put the number of buffers.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs);

/**
 * 1 once exported.
 *
 * @param mmap the map.
 * @param exported where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported);

/**
 * 1 when made from an export.
 *
 * @param mmap the map.
 * @param from_export where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export);

/**
 * Sets the greatest number of devices of the map. Allowed before the start.
 *
 * @param mmap the map.
 * @param max_num_devices the greatest number of devices.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices);

/**
 * Says who may do what with the memory of a map that is not started. Without this call the
 * map is DOCA_ACCESS_FLAG_LOCAL_READ_WRITE: programs copy to such maps, though the table says
 * that they can only be read.
 *
 * @param mmap the map.
 * @param access_mask a mask of DOCA_ACCESS_FLAG_*.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table; the default: programs. Since: 2.2.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask);

/**
 * User data; before start.
 *
 * @param mmap the map.
 * @param user_data data of the program, carried and never interpreted.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data);

/**
 * 1 when the device can export over PCI.
 *
 * @param devinfo the device.
 * @param mmap_export where to put the map export.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
                                                   uint8_t *mmap_export);

/**
 * 1 when the device can import a PCI export.
 *
 * @param devinfo the device.
 * @param from_export where to put 1 or 0.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_DRIVER docad, or a device driver, failed.
 *
 * Source: table. Since: 2.5.
 */
DOCA_STABLE
doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *from_export);

/**
 * Before start: buffers may be taken from several threads; the count of buffers is then not
 * kept.
 *
 * @param mmap the map.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap);

/**
 * Memory key of the map on one of its devices.
 *
 * @param mmap the map.
 * @param dev the device.
 * @param mkey where to put the memory key.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_NO_MEMORY memory, or a fixed number of objects, ran out;
 *   DOCA_ERROR_NOT_SUPPORTED it is not possible here.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_get_mkey(const struct doca_mmap *mmap, const struct doca_dev *dev,
                                uint32_t *mkey);

/**
 * Before start: use this token in exports on this device instead of a generated one.
 *
 * @param mmap the map.
 * @param dev the device.
 * @param token the token.
 * @param token_sz the token size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid;
 *   DOCA_ERROR_BAD_STATE the state of the object does not allow it;
 *   DOCA_ERROR_NOT_FOUND there is no such thing;
 *   DOCA_ERROR_NOT_PERMITTED what was done with the object before forbids it.
 *
 * Source: table. Since: 3.4 at the latest, and not in 3.0.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_export_access_token(struct doca_mmap *mmap, const struct doca_dev *dev,
                                               const uint8_t *token, size_t token_sz);

/**
 * Largest token doca_mmap_set_export_access_token takes.
 *
 * @param devinfo the device.
 * @param max_sz where to put the greatest size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or not valid.
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
