/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_mmap.h
 * Memory maps: memory that devices may use, and that one side offers to the other.
 *
 * A local map is configured (range, devices, permissions, in any order), started, used,
 * stopped or destroyed. After a stop its devices and permissions may change and it may be
 * started again; its range stays. An imported map, made from the descriptor of another
 * side's export, is usable at once and never started.
 *
 * Any memory that the process can reach may be registered: heap, stack, static memory,
 * mapped files, with any address and length. doca_mmap_start() with a DPU or RDMA permission
 * moves the whole pages of private anonymous memory inside the range to a memory file, in
 * place: addresses and contents stay. doca_mmap_stop() and doca_mmap_destroy() move them
 * back, unless the application has unmapped or replaced them. Memory that cannot be moved
 * (the parts of a page at either end, stacks, files, pages of another started map) works as
 * well, through docad, but slower.
 * - While a start, stop or destroy runs, no other thread may write to the range. Reading
 *   is allowed.
 * - fork() while such a map is started gives the child pages of its own: copies of what the maps
 *   hold at that moment, of up to 64 MiB altogether ($DOCAD_FORK_COPY), and private mappings of the
 *   rest, in which pages that the child has not written may show later writes of the parent and of
 *   importers. What the child writes stays in the child. Registrations and exports stay with the
 *   parent, whose importers see only its memory. A child that is made without the handlers of
 *   pthread_atfork() (clone(), _Fork(), syscall()) does not have the moved pages: it may only
 *   execute a program or end.
 * - Revoking an export, like stopping the map, ends its use by programs that use the
 *   library before the call returns. A process that bypasses the library keeps the pages
 *   that it had mapped until doca_mmap_stop() or doca_mmap_destroy() moves them. Therefore a
 *   map whose export was revoked (docactl exports revoke) gives no new descriptor until it
 *   is stopped and started again.
 * - Memory policies (mbind) and advice (madvise) of moved pages are not kept. Locked
 *   (mlock) and huge pages are not moved.
 * - The library uses a memory file of the application (memfd_create) as it is, if it is
 *   mapped as a whole, shared and writable, sealed with F_SEAL_SHRINK and F_SEAL_GROW, and
 *   its descriptor is still open.
 *
 * Calls on one map must not run at the same time; different maps are independent, even if
 * their ranges overlap. Several threads may use buffers of one map.
 *
 * Since 2.2.
 */
#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION < 15 /* instead of this file */
#include "doca-1.3/doca_mmap.h"
#elif defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15
#include "doca-1.5/doca_mmap.h"
#endif
#ifndef DOCA_MMAP_H_
#define DOCA_MMAP_H_

#include <doca_compat.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;

/** A memory map. */
struct doca_mmap;

/**
 * Called when a map that had been started is destroyed: the range belongs to the application
 * again.
 *
 * @param addr, len the range as it was set.
 * @param opaque as given to doca_mmap_set_free_cb().
 */
typedef void(doca_mmap_memrange_free_cb_t)(void *addr, size_t len, void *opaque);

/**
 * Makes a map without range and devices. Its permissions are DOCA_ACCESS_LOCAL_READ_WRITE,
 * and it takes up to 16 devices.
 *
 * @param user_data copied into the map; may be NULL.
 * @param mmap [out] the map; untouched on failure.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE mmap is NULL; DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the limit is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_create(const union doca_data *user_data, struct doca_mmap **mmap);

/**
 * Destroys a map in any state: stops it, withdraws its exports (jobs of importers fail from
 * then on), releases its devices, then calls the free callback if the map was ever started.
 *
 * @param mmap the map.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE mmap is NULL;
 *   DOCA_ERROR_NOT_PERMITTED buffers of the map are alive: nothing is done.
 *
 * Source: table, programs. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/**
 * Finishes the configuration: registers the range with docad for the devices that were added
 * (a map without devices is not registered). Buffers and exports may then be made.
 *
 * @param mmap a map with its range.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE mmap is NULL; no range was set; part of the range is not
 *   mapped, or not readable, or not writable although the permissions allow writing;
 *   DOCA_ERROR_NO_MEMORY out of memory, or docad's limits are reached;
 *   DOCA_ERROR_NOT_PERMITTED the map is started already, or imported; docad refused the
 *   range, or has gone.
 * After a failure the map and the memory are as before.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_start(struct doca_mmap *mmap);

/**
 * Withdraws the registration with every export: descriptors are freed, and jobs of importers
 * fail from then on. The map may be changed and started again. On an imported map it does
 * nothing.
 *
 * @param mmap a started map, or an imported one.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE mmap is NULL;
 *   DOCA_ERROR_NOT_PERMITTED the map is not started, or buffers of it are alive.
 *
 * Source: table; success on exported and imported maps from programs. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_stop(struct doca_mmap *mmap);

/**
 * Lets a device use the map. The map keeps the device until the device is removed or the map
 * is destroyed.
 *
 * @param mmap a local map that is not started.
 * @param dev the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_PERMITTED the map is started or imported;
 *   DOCA_ERROR_NO_MEMORY the map has as many devices as it can take, or out of memory;
 *   DOCA_ERROR_IN_USE it has this device already;
 *   DOCA_ERROR_NOT_SUPPORTED the map's other devices belong to another docad, or to an
 *   earlier run of it.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * Removes a device.
 *
 * @param mmap a local map that is not started.
 * @param dev the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the map does not have the device;
 *   DOCA_ERROR_NOT_PERMITTED the map is started or imported.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * Offers a started map to the DPU. The DPU side passes the descriptor to
 * doca_mmap_create_from_export(). Everybody who has it may import it there, so treat it as a
 * secret. The application carries it by any means, or see doca_docad.h.
 *
 * @param mmap a started map.
 * @param dev one of the map's devices: the DPU imports on the device that has its
 *   representor. Exporting again for the same device gives the same descriptor.
 * @param export_desc [out] at most 256 bytes; belongs to the map, until it is stopped or
 *   destroyed. Untouched on failure.
 * @param export_desc_len [out] its length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the map does not have the device;
 *   DOCA_ERROR_NOT_PERMITTED the map is not started, or imported, or has no DPU permission,
 *   or its export was revoked since it was started;
 *   DOCA_ERROR_NO_MEMORY out of memory, or docad's limits are reached;
 *   DOCA_ERROR_NOT_SUPPORTED the device cannot (see
 *   doca_devinfo_get_is_mmap_export_dpu_supported());
 *   DOCA_ERROR_DRIVER docad has gone, or failed.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_export_dpu(struct doca_mmap *mmap, const struct doca_dev *dev,
                                  const void **export_desc, size_t *export_desc_len);

/**
 * Offers a started map to RDMA peers, otherwise like doca_mmap_export_dpu(). A map with
 * DOCA_ACCESS_RDMA_ATOMIC can be offered either on software functions or on ibverbs devices,
 * not on both, because their atomic changes would not be atomic for each other.
 *
 * A map that was imported across PCI can be offered, too, on the software function for which it was
 * imported: whoever imports it may do over RDMA what this map may do (read, or also write and
 * atomics), until this map is destroyed, its process ends, or its owner takes the memory back. The
 * importer's node must be that of the owner or be linked to it.
 *
 * @param mmap a started map, or one imported across PCI.
 * @param dev one of the map's devices. Exporting again for the same device gives the same
 *   descriptor.
 * @param export_desc [out] at most 256 bytes; belongs to the map, until it is stopped or
 *   destroyed. Untouched on failure.
 * @param export_desc_len [out] its length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the map does not have the device;
 *   DOCA_ERROR_NOT_PERMITTED the map is not started, or has no RDMA permission, or its export was
 *   revoked since it was started; it was imported from an RDMA export, its memory is gone, or
 *   docad's policy forbids it;
 *   DOCA_ERROR_NO_MEMORY out of memory, or docad's limits are reached;
 *   DOCA_ERROR_NOT_SUPPORTED the device cannot, or is not of the same kind as one on which
 *   this map with DOCA_ACCESS_RDMA_ATOMIC was exported since it was started;
 *   DOCA_ERROR_DRIVER docad has gone, or failed.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
                                   const void **export_desc, size_t *export_desc_len);

/**
 * Makes a map from an export of another side. Buffers are made with the exporter's addresses
 * (doca_mmap_get_memrange()). When the export is revoked, or its owner goes, jobs on the map
 * fail; the map stays until it is destroyed.
 *
 * @param user_data copied into the map; may be NULL.
 * @param export_desc, export_desc_len the descriptor; may be freed afterwards.
 * @param dev an open device: for an export to the DPU, the one that has the representor
 *   of the exporting function, or one of the exporter's own node whose configuration says
 *   can_import_dpu. The map keeps it.
 * @param mmap [out] the map; untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the bytes are not a descriptor,
 *   truncated or altered;
 *   DOCA_ERROR_UNSUPPORTED_VERSION a later version made the descriptor (our choice);
 *   DOCA_ERROR_NOT_FOUND its node is neither this one nor linked to it (our choice);
 *   DOCA_ERROR_NOT_PERMITTED the export was revoked, or has ended;
 *   DOCA_ERROR_NOT_SUPPORTED the device cannot import it;
 *   DOCA_ERROR_NO_MEMORY out of memory, or docad's limits are reached;
 *   DOCA_ERROR_DRIVER docad, or the connection to the owner's, has gone or failed.
 *
 * Source: table, except as marked. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
                                          size_t export_desc_len, struct doca_dev *dev,
                                          struct doca_mmap **mmap);

/**
 * Sets the memory of the map, exactly once. The memory must exist when the map is started,
 * and stay until it is stopped or destroyed.
 *
 * @param mmap a local map that is not started.
 * @param addr of any alignment.
 * @param len in bytes, at least 1.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL or 0, or the range wraps;
 *   DOCA_ERROR_BAD_STATE the map is started;
 *   DOCA_ERROR_NOT_PERMITTED the map has a range, or is imported.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);

/**
 * Would make the map one of a DMA buffer of another driver.
 *
 * @param mmap a local map that is not started.
 * @param dmabuf_fd, offset, len part of the buffer.
 * @return DOCA_ERROR_INVALID_VALUE mmap is NULL, dmabuf_fd negative or len 0;
 *   DOCA_ERROR_BAD_STATE the map is started;
 *   DOCA_ERROR_NOT_PERMITTED the map has a range, or is imported;
 *   otherwise DOCA_ERROR_NOT_SUPPORTED: no device of docad can reach such a buffer.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, size_t offset,
                                           size_t len);

/**
 * Returns the range of a map; for an imported map, the exporter's address and length.
 *
 * @param mmap a map, in any state.
 * @param addr [out] where it starts; untouched on failure.
 * @param len [out] its length in bytes; untouched on failure.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_BAD_STATE no range was set.
 *
 * Source: table, programs. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len);

/**
 * Sets the function to call when the map is destroyed, if it was ever started. It may be set
 * before or after the range; a later call replaces an earlier one.
 *
 * @param mmap a local map that is not started.
 * @param free_cb the function.
 * @param opaque passed to it; may be NULL.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE mmap or free_cb is NULL;
 *   DOCA_ERROR_BAD_STATE the map is started or imported.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb,
                                   void *opaque);

/**
 * Returns the user data given at creation, or zeros if that was NULL.
 *
 * @param mmap a map, in any state.
 * @param user_data [out] the answer; untouched on failure.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_get_user_data(struct doca_mmap *mmap, union doca_data *user_data);

/**
 * Returns the number of devices that the map can take.
 *
 * @param mmap a map, in any state.
 * @param max_num_devices [out] the answer; untouched on failure.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_get_max_num_devices(struct doca_mmap *mmap, uint32_t *max_num_devices);

/**
 * Returns the number of live buffers (struct doca_buf) that refer to the map.
 *
 * @param mmap a map, in any state.
 * @param num_bufs [out] the answer; untouched on failure.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_get_num_bufs(struct doca_mmap *mmap, uint32_t *num_bufs);

/**
 * Says whether the map has been exported since it was started.
 *
 * @param mmap a map, in any state.
 * @param exported [out] 1 or 0; 0 again after a stop, which withdraws the exports.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table; that stop resets it is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_get_exported(struct doca_mmap *mmap, uint8_t *exported);

/**
 * Says whether the map is imported.
 *
 * @param mmap a map, in any state.
 * @param from_export [out] 1 or 0.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_get_from_export(struct doca_mmap *mmap, uint8_t *from_export);

/**
 * Sets the number of devices that the map can take.
 *
 * @param mmap a local map that is not started.
 * @param max_num_devices at least 1, and at least as many as the map has.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE mmap is NULL, or the number too small;
 *   DOCA_ERROR_NOT_PERMITTED the map had been started, or is imported.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices);

/**
 * Sets who may do what with the memory.
 *
 * @param mmap a local map that is not started.
 * @param access_mask enum doca_access_flags, combined; not both DPU flags.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE mmap is NULL, or the mask has unknown bits or both DPU flags;
 *   DOCA_ERROR_BAD_STATE the map is started or imported.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_MMAP_H_ */
