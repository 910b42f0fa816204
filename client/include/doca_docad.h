// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
/**
 * @file doca_docad.h
 * What docad offers beyond the DOCA interface: export descriptors by name.
 *
 * The exporting side publishes a descriptor under a name; a process on this node or a
 * linked one looks it up by that name, waiting if it is not there yet.
 *
 * Who may look a name up: processes of the uid that published it and of the export's owner,
 * root, the user that docad runs as, and those whom docad_export_publish_to() names. The same
 * uids and groups count on every linked node, so machines that are linked share them. Whoever
 * has looked a name up may import the memory, as far as docad's policy lets him.
 *
 * Everything here may be called by several threads at once.
 *
 * Since docad 0.1.
 */
#ifndef DOCA_DOCAD_H_
#define DOCA_DOCAD_H_

#include <doca_compat.h>
#include <doca_error.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A buffer of this size holds every descriptor. */
#if defined(DOCA_USE_VERSION) && DOCA_USE_VERSION < 15 /* its descriptors are texts */
#define DOCAD_EXPORT_DESC_SIZE 512
doca_error_t docad_export_lookup(const char *name, uint32_t timeout_ms, void *desc,
                                 size_t *len) __asm__("docad_1_3_export_lookup");
#elif defined(DOCA_USE_VERSION) && DOCA_USE_VERSION == 15 /* what it exports is text, too */
#define DOCAD_EXPORT_DESC_SIZE 512
#else
#define DOCAD_EXPORT_DESC_SIZE 256
#endif

/** The longest name, without its terminating zero. */
#define DOCAD_NAME_LENGTH_MAX 255

/**
 * Publishes the descriptor of a started map's export for processes of the caller's uid. The
 * name goes with the export, or with docad_export_unpublish().
 *
 * @param name 1 to DOCAD_NAME_LENGTH_MAX bytes.
 * @param desc, len what doca_mmap_export_dpu() or doca_mmap_export_rdma() gave, or
 *   doca_mmap_export() of the 1.3 and 1.5 interfaces.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, the name empty or too long, or the bytes
 *   are no descriptor; DOCA_ERROR_UNSUPPORTED_VERSION a later version made it;
 *   DOCA_ERROR_ALREADY_EXIST the name is taken;
 *   DOCA_ERROR_NOT_PERMITTED, DOCA_ERROR_NOT_FOUND the export has ended, or is not of
 *   this node;
 *   DOCA_ERROR_NO_MEMORY out of memory, or docad's limits are reached;
 *   DOCA_ERROR_NOT_CONNECTED no docad answers; DOCA_ERROR_TIME_OUT it does not in 10 s;
 *   DOCA_ERROR_DRIVER it failed.
 *
 * Source: docad. Since: docad 0.1.
 */
__DOCA_EXPERIMENTAL
doca_error_t docad_export_publish(const char *name, const void *desc, size_t len);

/**
 * Publishes as docad_export_publish() does, also for others.
 *
 * @param name, desc, len as there.
 * @param to "all" for everybody who may connect to docad here or on a linked node; or up to 16
 *   users and 16 groups, by name or number and with a comma between: a group has a colon in
 *   front, as in "alice,1000,:video". Names are looked up where the caller runs. NULL is the
 *   caller's uid alone.
 * @return as docad_export_publish(), and
 *   DOCA_ERROR_INVALID_VALUE `to` names somebody unknown, or too many.
 *
 * Source: docad. Since: docad 0.1.
 */
__DOCA_EXPERIMENTAL
doca_error_t docad_export_publish_to(const char *name, const void *desc, size_t len,
                                     const char *to);

/**
 * Takes a name back that this user published.
 *
 * @param name the name.
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE a bad name;
 *   DOCA_ERROR_NOT_FOUND nothing is published under it on this node;
 *   DOCA_ERROR_NOT_PERMITTED somebody else published it;
 *   DOCA_ERROR_NOT_CONNECTED, DOCA_ERROR_TIME_OUT, DOCA_ERROR_DRIVER as above.
 *
 * Source: docad. Since: docad 0.1.
 */
__DOCA_EXPERIMENTAL
doca_error_t docad_export_unpublish(const char *name);

/**
 * Looks a name up, waiting for it if need be. Calls of other threads go on meanwhile.
 *
 * @param name the name.
 * @param timeout_ms how long to wait; 0 answers at once.
 * @param desc [out] the descriptor; untouched on failure.
 * @param len in: room at desc (DOCAD_EXPORT_DESC_SIZE is always enough); out: its length.
 *   Untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, a bad name, or not enough room;
 *   DOCA_ERROR_NOT_FOUND it is not there (timeout_ms 0);
 *   DOCA_ERROR_NOT_PERMITTED it is not offered to this process, see above; at once, also if it
 *   appears later;
 *   DOCA_ERROR_TIME_OUT it did not come in time, or docad does not answer;
 *   DOCA_ERROR_NO_MEMORY, DOCA_ERROR_NOT_CONNECTED, DOCA_ERROR_DRIVER as above.
 *
 * Source: docad. Since: docad 0.1.
 */
__DOCA_EXPERIMENTAL
doca_error_t docad_export_lookup(const char *name, uint32_t timeout_ms, void *desc, size_t *len);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DOCAD_H_ */
