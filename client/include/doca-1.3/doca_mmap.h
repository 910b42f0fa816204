/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_mmap.h
 * Memory maps of the 1.3 interface.
 *
 * Make a map, set its properties, and start it; then add devices and memory ranges ("chunks"),
 * in any order, and make buffers. Chunks stay until the map is destroyed. They may overlap, and
 * there may be as many as DOCA_MMAP_MAX_NUM_CHUNKS says, up to 4294967295: finding the chunk of
 * a buffer takes about the same time for one as for thousands. doca_mmap_stop() forbids changes
 * and new buffers until the map is started again; buffers, jobs and an export continue.
 *
 * Any memory that the process can reach may be added, with any address and length. A map of one
 * chunk can be exported. Only then does docad learn of it, and the whole pages of private
 * anonymous memory in the chunk move to a memory file, in place, until the map is destroyed:
 * while doca_mmap_export() or doca_mmap_destroy() runs, no other thread may write to the chunk.
 * doca_mmap.h of the 2.2 interface describes the rest.
 *
 * A map is not thread safe. But as long as nobody changes it, several threads may make
 * buffers of it, each with an inventory of its own.
 *
 * Since 1.3.
 */
#ifndef DOCA_MMAP_H_
#define DOCA_MMAP_H_

#include <doca_compat.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_types.h>

#include "doca_properties.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A memory map. */
struct doca_mmap;

/**
 * Who may do what with the memory: a bit mask. The initial value is
 * DOCA_MMAP_ACCESS_LOCAL_READ_WRITE and DOCA_MMAP_ACCESS_DPU_READ_WRITE, because programs write
 * to imported memory although the exporter did not set any flags.
 */
enum doca_mmap_access_flags {
    DOCA_MMAP_ACCESS_LOCAL_READ_ONLY = 0,         /**< devices of this node: read */
    DOCA_MMAP_ACCESS_LOCAL_READ_WRITE = (1 << 0), /**< devices of this node: read and write */
    DOCA_MMAP_ACCESS_RDMA_READ = (1 << 1),        /**< an RDMA peer: read */
    DOCA_MMAP_ACCESS_RDMA_WRITE = (1 << 2),       /**< an RDMA peer: write */
    DOCA_MMAP_ACCESS_RDMA_ATOMIC = (1 << 3),      /**< an RDMA peer: atomic operations */
    DOCA_MMAP_ACCESS_DPU_READ_ONLY = (1 << 4),    /**< the DPU: read; not with the next one */
    DOCA_MMAP_ACCESS_DPU_READ_WRITE = (1 << 5)    /**< the DPU: read and write */
};

/**
 * Called when a map is destroyed, for a chunk that was added with it.
 *
 * @param addr, len the chunk.
 * @param opaque as given to doca_mmap_populate().
 */
typedef void(doca_mmap_memrange_free_cb_t)(void *addr, size_t len, void *opaque);

/**
 * Makes a map without chunks and devices.
 *
 * @param name has no effect; may be NULL.
 * @param mmap [out] the map; untouched on failure.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE mmap is NULL; DOCA_ERROR_NO_MEMORY.
 *
 * Source: guide. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_create(const char *name, struct doca_mmap **mmap)
    DOCA_1_3_SYMBOL(mmap_create);

/**
 * Destroys a map in any state: withdraws its export (jobs of importers fail from then on),
 * releases its devices, then calls the free callbacks of its chunks, in the order in which they
 * were added.
 *
 * @param mmap the map.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE mmap is NULL;
 *   DOCA_ERROR_NOT_PERMITTED buffers of the map are alive: nothing is done.
 *
 * Source: guide. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/**
 * Sets a property, before the map is started for the first time.
 *
 * @param mmap a local map that was never started.
 * @param property one that can be written: the number of chunks or of devices (at least
 *   1), or the access flags.
 * @param value, size its bytes, and how many.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE a pointer is NULL, the property does not exist or has another
 *   size, or does not take this value;
 *   DOCA_ERROR_NOT_PERMITTED the property is read only; the map was started, or imported.
 *
 * Source: guide; the errors are our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_property_set(struct doca_mmap *mmap, enum doca_mmap_property property,
                                    const uint8_t *value, uint32_t size);

/**
 * Reads a property.
 *
 * @param mmap a map, in any state.
 * @param property any.
 * @param value [out] its bytes; untouched on failure.
 * @param size how many there is room for.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE a pointer is NULL, the property does not exist or has another
 *   size.
 *
 * Source: guide, which prints const before the type of value; the errors are our choice.
 * Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_property_get(struct doca_mmap *mmap, enum doca_mmap_property property,
                                    uint8_t *value, uint32_t size);

/**
 * Allows the map to be filled and used. Its properties cannot change from then on.
 *
 * @param mmap a local map that is not started.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE mmap is NULL;
 *   DOCA_ERROR_NOT_PERMITTED the map is started already, or imported.
 *
 * Source: guide; NOT_PERMITTED is our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_start(struct doca_mmap *mmap) DOCA_1_3_SYMBOL(mmap_start);

/**
 * Forbids changes of the map, its export, and new buffers, until it is started again.
 * Buffers that exist, and an export, stay as they are. On an imported map it does nothing.
 *
 * @param mmap a started map, or an imported one.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE mmap is NULL;
 *   DOCA_ERROR_NOT_PERMITTED the map is not started.
 *
 * Source: guide; NOT_PERMITTED is our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_stop(struct doca_mmap *mmap) DOCA_1_3_SYMBOL(mmap_stop);

/**
 * Lets a device use all chunks of the map, including later ones. The map keeps the device until
 * the device is removed or the map is destroyed.
 *
 * @param mmap a started local map that was not exported.
 * @param dev the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL;
 *   DOCA_ERROR_NOT_PERMITTED the map is not started, or was exported, or is imported;
 *   DOCA_ERROR_NO_MEMORY the map has as many devices as it can take, or out of memory;
 *   DOCA_ERROR_IN_USE it has this device already;
 *   DOCA_ERROR_NOT_SUPPORTED the map's other devices belong to another docad, or to an
 *   earlier run of it.
 *
 * Source: guide; which error means what is our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_dev_add(struct doca_mmap *mmap, struct doca_dev *dev)
    DOCA_1_3_SYMBOL(mmap_dev_add);

/**
 * Removes a device. Jobs on it fail from then on, even those with existing buffers.
 *
 * @param mmap a started local map that was not exported.
 * @param dev the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the map does not have the device;
 *   DOCA_ERROR_NOT_PERMITTED the map is not started, or was exported, or is imported.
 *
 * Source: guide; which error means what is our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_dev_rm(struct doca_mmap *mmap, struct doca_dev *dev)
    DOCA_1_3_SYMBOL(mmap_dev_rm);

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
 *   DOCA_ERROR_INVALID_VALUE mmap or addr is NULL, len is 0, pg_sz is not valid; the chunk wraps;
 *   part of it is not mapped, or not readable, or not writable although the access flags
 *   let somebody write;
 *   DOCA_ERROR_NOT_PERMITTED the map is not started, or was exported, or is imported;
 *   DOCA_ERROR_NO_MEMORY the map has as many chunks as it can take, or out of memory.
 *
 * Source: guide; the errors are our choice, the rule for pg_sz is from later releases.
 * Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_populate(struct doca_mmap *mmap, char *addr, size_t len, size_t pg_sz,
                                doca_mmap_memrange_free_cb_t *free_cb, void *opaque);

/**
 * Offers a map of one chunk to the other side, once: on a host to the DPU, on a DPU to the host.
 * Programs hand over the address of a `uint8_t *` or of a `void *`: either is accepted, in C and in
 * C++.
 *
 * @param mmap a started local map that was not exported.
 * @param dev one of its devices: the DPU imports on the device that has its representor, the host
 *   on a device of the same port.
 * @param export_desc [out] a JSON text, to be freed with free(), even after the map. Its members
 *   "addr" and "len" are the chunk's address and length, as integers; the rest belongs to the
 *   library. Everybody who has it may import the chunk: treat it as a secret. Untouched on
 *   failure.
 * @param export_desc_len [out] its length, the terminating zero included: at most 512.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or the map does not have the device; the
 *   memory has changed such that it cannot be offered;
 *   DOCA_ERROR_NOT_PERMITTED the map is not started, was exported, is imported, or its access
 *   flags do not let the DPU in; docad refused the range;
 *   DOCA_ERROR_NO_MEMORY out of memory, or docad's limits are reached;
 *   DOCA_ERROR_NOT_SUPPORTED the map has not exactly one chunk, or the device cannot (functions
 *   of a host can, physical functions of a DPU, and those whose configuration says
 *   can_export_dpu);
 *   DOCA_ERROR_DRIVER docad has gone, or failed.
 *
 * Source: guide, programs; the errors are our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_export(struct doca_mmap *mmap, const struct doca_dev *dev,
                              uint8_t **export_desc, size_t *export_desc_len);

/**
 * Makes a map from an export of another side, made with this interface or a later one. It is
 * ready for buffers as it is, and cannot be changed. Buffers are made with the exporter's
 * addresses.
 *
 * @param name has no effect; may be NULL.
 * @param export_desc, export_desc_len the text that was exported, with its terminating
 *   zero or without, or the descriptor of a later interface; may be freed afterwards.
 * @param dev an open device that has the representor of the exporting function; or of the
 *   exporter's own node one whose configuration says can_import_dpu. The map keeps it.
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
 * Source: guide, programs; the errors are our choice. Since: 1.3.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_mmap_create_from_export(const char *name, const uint8_t *export_desc,
                                          size_t export_desc_len, struct doca_dev *dev,
                                          struct doca_mmap **mmap)
    DOCA_1_3_SYMBOL(mmap_create_from_export);

#ifdef __cplusplus
}

extern "C++" {

static __inline__ doca_error_t doca_mmap_export(struct doca_mmap *mmap, const struct doca_dev *dev,
                                                void **export_desc, size_t *export_desc_len)
{
    return doca_mmap_export(mmap, dev, reinterpret_cast<uint8_t **>(export_desc), export_desc_len);
}

} /* extern "C++" */

#else

/* The address of either pointer, and of no other. */
typedef union {
    uint8_t **bytes;
    void **any;
} doca_mmap_export_desc_ __attribute__((transparent_union));

static __inline__ doca_error_t doca_mmap_export_(struct doca_mmap *mmap, const struct doca_dev *dev,
                                                 doca_mmap_export_desc_ export_desc,
                                                 size_t *export_desc_len)
{
    return doca_mmap_export(mmap, dev, export_desc.bytes, export_desc_len);
}

#define doca_mmap_export(mmap, dev, export_desc, export_desc_len)                                  \
    doca_mmap_export_(mmap, dev, export_desc, export_desc_len)

#endif

#endif /* DOCA_MMAP_H_ */
