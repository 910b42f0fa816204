/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_mmap.h
 * Memory maps of the 1.5 interface.
 *
 * Make a map, set the number of ranges ("chunks") and devices it will have, and start it;
 * then add devices and chunks, in any order, and make buffers. Chunks stay until the map is
 * destroyed, and do not overlap. doca_mmap_stop() forbids changes and new buffers until the
 * map is started again; buffers, jobs and an export continue.
 *
 * Any memory that the process can reach may be added, with any address and length. A map of
 * one chunk can be exported, by a function of the host to the DPU, or by a function of the
 * DPU to the host. Only then does docad learn of it, and the whole pages of private
 * anonymous memory in the chunk move to a memory file, in place, until the map is destroyed:
 * while doca_mmap_export() or doca_mmap_destroy() runs, no other thread may write to the
 * chunk.
 *
 * Maps have no permissions: everybody who has the descriptor may read and write the memory.
 *
 * A map is not thread safe. But as long as nobody changes it, several threads may make
 * buffers of it, each with an inventory of its own.
 *
 * Since 1.5.
 */
#ifndef DOCA_MMAP_H_
#define DOCA_MMAP_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A memory map. */
struct doca_mmap;

/**
 * Called when a map is destroyed, for a chunk that was added with it.
 *
 * @param addr, len the chunk.
 * @param opaque as given to doca_mmap_populate().
 */
typedef void(doca_mmap_memrange_free_cb_t)(void *addr, size_t len, void *opaque);

/**
 * Makes a map without chunks and devices, which takes one chunk and 16 devices.
 *
 * @param user_data kept for doca_mmap_get_user_data(). May be NULL: then 0.
 * @param mmap [out] the map; untouched on failure.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE mmap is NULL; DOCA_ERROR_NO_MEMORY.
 *
 * Source: table; the numbers are our choice. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_create(const union doca_data *user_data, struct doca_mmap **mmap)
    DOCA_1_5_SYMBOL(mmap_create);

/**
 * Destroys a map in any state: withdraws its export (jobs of importers fail from then on),
 * releases its devices, then calls the free callbacks of its chunks, in the order in which
 * they were added.
 *
 * @param mmap the map.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE mmap is NULL;
 *   DOCA_ERROR_NOT_PERMITTED buffers of the map are alive: nothing is done.
 *
 * Source: table, programs. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/**
 * Allows the map to be filled and used. The two maxima cannot change from then on.
 *
 * @param mmap a local map that is not started.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE mmap is NULL;
 *   DOCA_ERROR_NOT_PERMITTED the map is started already, or imported.
 *
 * Source: table; the first of NOT_PERMITTED is our choice. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_start(struct doca_mmap *mmap) DOCA_1_5_SYMBOL_OF_1_3(mmap_start);

/**
 * Forbids changes of the map, its export, and new buffers, until it is started again.
 * Buffers that exist, and an export, stay as they are.
 *
 * @param mmap a started local map.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE mmap is NULL;
 *   DOCA_ERROR_NOT_PERMITTED the map is not started, or is imported.
 *
 * Source: table; the first of NOT_PERMITTED is our choice. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_stop(struct doca_mmap *mmap) DOCA_1_5_SYMBOL(mmap_stop);

/**
 * Lets a device use all chunks of the map, including later ones. The map keeps the device
 * until the device is removed or the map is destroyed.
 *
 * @param mmap a started local map that was not exported.
 * @param dev the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_PERMITTED the map is not started, or was exported, or is imported;
 *   DOCA_ERROR_NO_MEMORY the map has as many devices as it can take, or out of memory;
 *   DOCA_ERROR_IN_USE it has this device already;
 *   DOCA_ERROR_NOT_SUPPORTED the map's other devices belong to another docad, or to an
 *   earlier run of it (our choice).
 *
 * Source: table. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev)
    DOCA_1_5_SYMBOL_OF_1_3(mmap_dev_add);

/**
 * Removes a device. Jobs on it fail from then on, even those with existing buffers.
 *
 * @param mmap a started local map that was not exported.
 * @param dev the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the map does not have the device;
 *   DOCA_ERROR_NOT_PERMITTED the map is not started, or was exported, or is imported.
 *
 * Source: table. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev)
    DOCA_1_5_SYMBOL_OF_1_3(mmap_dev_rm);

/**
 * Adds a chunk.
 *
 * @param mmap a started local map that was not exported.
 * @param addr of any alignment.
 * @param len in bytes, at least 1.
 * @param pg_sz a power of two, at least 4096. Nothing else depends on it.
 * @param free_cb function to call for the chunk when the map is destroyed; may be NULL.
 * @param opaque passed to it; may be NULL.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE mmap or addr is NULL, len is 0, pg_sz is not such a number; the
 *   chunk wraps; part of it is not mapped, or cannot be read and written;
 *   DOCA_ERROR_NOT_PERMITTED the map is not started, or was exported, or is imported; the
 *   chunk overlaps a chunk of the map;
 *   DOCA_ERROR_NO_MEMORY the map has as many chunks as it can take, or out of memory.
 *
 * Source: table; which error means what is our choice. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_populate(struct doca_mmap *mmap, void *addr, size_t len, size_t pg_sz,
                                doca_mmap_memrange_free_cb_t *free_cb, void *opaque);

/**
 * Offers a map of one chunk to the other side, once: on a function of the host to the DPU,
 * on a physical function of the DPU to the functions of the host at its port.
 *
 * @param mmap a started local map that was not exported.
 * @param dev one of its devices.
 * @param export_desc [out] the descriptor, to be freed with free(), even after the map. It
 *   is text that ends with a zero. Everybody who has it may import the chunk: treat it as a
 *   secret. Untouched on failure.
 * @param export_desc_len [out] its length, the terminating zero included: at most 512.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the map does not have the device; the
 *   memory has changed such that it cannot be offered;
 *   DOCA_ERROR_NOT_PERMITTED the map is not started, was exported, or is imported; docad
 *   refused the range;
 *   DOCA_ERROR_NO_MEMORY out of memory, or docad's limits are reached;
 *   DOCA_ERROR_NOT_SUPPORTED the map has not exactly one chunk, or the device cannot (only
 *   functions of a host and physical functions of a DPU can);
 *   DOCA_ERROR_DRIVER docad has gone, or failed.
 *
 * Source: table, programs; that it is a text is our choice. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_export(struct doca_mmap *mmap, const struct doca_dev *dev,
                              void **export_desc, size_t *export_desc_len)
    DOCA_1_5_SYMBOL(mmap_export);

/**
 * Makes a map from an export of the other side, made with this interface or another one. It
 * is ready for buffers as it is, and cannot be changed. Buffers are made with the exporter's
 * addresses.
 *
 * @param user_data kept for doca_mmap_get_user_data(). May be NULL: then 0.
 * @param export_desc, export_desc_len the descriptor; may be freed afterwards.
 * @param dev an open device: on the DPU one that has the representor of the exporting
 *   function, on the host a function whose representor the exporting function has. The map
 *   keeps it.
 * @param mmap [out] the map; untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the bytes are not a descriptor, truncated
 *   or altered;
 *   DOCA_ERROR_UNSUPPORTED_VERSION a later version made the descriptor;
 *   DOCA_ERROR_NOT_FOUND its node is neither this one nor linked to it;
 *   DOCA_ERROR_NOT_PERMITTED the export was revoked, or has ended;
 *   DOCA_ERROR_NOT_SUPPORTED the device cannot import it;
 *   DOCA_ERROR_NO_MEMORY out of memory, or docad's limits are reached;
 *   DOCA_ERROR_DRIVER docad, or the connection to the owner's, has gone or failed.
 *
 * Source: table, programs; the errors are our choice. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
                                          size_t export_desc_len, struct doca_dev *dev,
                                          struct doca_mmap **mmap);

/**
 * Returns the user data that the map was made with.
 *
 * @param mmap a map, in any state.
 * @param user_data [out] the answer.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_get_user_data(struct doca_mmap *mmap, union doca_data *user_data);

/**
 * Returns the number of chunks that the map can take.
 *
 * @param mmap a map, in any state.
 * @param max_num_chunks [out] the answer: 1 for an imported map.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_get_max_num_chunks(struct doca_mmap *mmap, uint32_t *max_num_chunks);

/**
 * Returns the number of devices that the map can take.
 *
 * @param mmap a map, in any state.
 * @param max_num_devices [out] the answer.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_get_max_num_devices(struct doca_mmap *mmap, uint32_t *max_num_devices);

/**
 * Returns the number of live buffers of the map.
 *
 * @param mmap a map, in any state.
 * @param num_bufs [out] the answer.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_get_num_bufs(struct doca_mmap *mmap, uint32_t *num_bufs);

/**
 * Says whether the map was exported.
 *
 * @param mmap a map, in any state.
 * @param exported [out] 1 or 0.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE an argument is NULL.
 *
 * Source: table. Since: 1.5.
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
 * Source: table. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_get_from_export(struct doca_mmap *mmap, uint8_t *from_export);

/**
 * Sets the largest number of chunks: any number up to 4294967295 costs nothing before the
 * chunks are added.
 *
 * @param mmap a local map that was never started.
 * @param max_num_chunks at least 1.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE mmap is NULL, or max_num_chunks is 0;
 *   DOCA_ERROR_NOT_PERMITTED the map was started, or is imported.
 *
 * Source: table. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_max_num_chunks(struct doca_mmap *mmap, uint32_t max_num_chunks);

/**
 * Sets the largest number of devices.
 *
 * @param mmap a local map that was never started.
 * @param max_num_devices at least 1.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE mmap is NULL, or max_num_devices is 0;
 *   DOCA_ERROR_NOT_PERMITTED the map was started, or is imported.
 *
 * Source: table. Since: 1.5.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_MMAP_H_ */
