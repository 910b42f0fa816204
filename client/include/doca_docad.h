/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_docad.h
 * What docad offers beyond the DOCA interface: export descriptors by name, and the library's log.
 *
 * The exporting side publishes a descriptor under a name; a process on this node or a
 * linked node looks it up by that name, and may wait for it.
 *
 * Each uid has names of its own. "frames" is the name of the uid that asks, and of no other;
 * "1000/frames" or "alice/frames" is that of another uid. Users are looked up where the caller
 * runs.
 *
 * These may look a name up: processes of the uid that published it and of the export's owner,
 * root, the user that docad runs as, and the users that docad_export_publish_to() names. For
 * others the name does not exist. Groups are those that the kernel reports for the process. The
 * same uids and groups apply on every linked node, so linked machines must share them. A
 * process that has looked a name up may import the memory, as far as docad's policy allows.
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

#ifndef __DOCA_EXPERIMENTAL /* the headers of DOCA 3 have another name for it */
#define __DOCA_EXPERIMENTAL DOCA_EXPERIMENTAL
#endif

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

/** The longest name, without its owner and its terminating zero. */
#define DOCAD_NAME_LENGTH_MAX 255

/**
 * Publishes the descriptor of a started map's export for processes of the caller's uid. The
 * name goes when the export ends, or with docad_export_unpublish().
 *
 * @param name 1 to DOCAD_NAME_LENGTH_MAX bytes: letters, digits and . _ : @ + - of ASCII; others,
 *   but no /, if docad's configuration has `names = utf8`.
 * @param desc, len the result of doca_mmap_export_dpu() or doca_mmap_export_rdma(), or of
 *   doca_mmap_export() of the 1.3 and 1.5 interfaces.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, the name is not valid, or the bytes
 *   are not a descriptor; DOCA_ERROR_UNSUPPORTED_VERSION a later version made it;
 *   DOCA_ERROR_ALREADY_EXIST this uid has published the name;
 *   DOCA_ERROR_NOT_PERMITTED, DOCA_ERROR_NOT_FOUND the export has ended, or is not of
 *   this node;
 *   DOCA_ERROR_NO_MEMORY out of memory, or docad's limits are reached;
 *   DOCA_ERROR_NOT_CONNECTED no docad runs; DOCA_ERROR_TIME_OUT it does not answer in 10 s;
 *   DOCA_ERROR_DRIVER it failed.
 *
 * Source: docad. Since: docad 0.1.
 */
__DOCA_EXPERIMENTAL
doca_error_t docad_export_publish(const char *name, const void *desc, size_t len);

/**
 * Publishes as docad_export_publish() does, for other users as well.
 *
 * @param name, desc, len as there.
 * @param to "all" for everybody who may connect to docad here or on a linked node; or up to 16
 *   users and 16 groups, by name or number, separated by commas; a group has a colon in
 *   front, as in "alice,1000,:video". Names are looked up where the caller runs. NULL means
 *   the caller's uid alone.
 * @return as docad_export_publish(), and
 *   DOCA_ERROR_INVALID_VALUE `to` names an unknown user or group, or too many.
 *
 * Source: docad. Since: docad 0.1.
 */
__DOCA_EXPERIMENTAL
doca_error_t docad_export_publish_to(const char *name, const void *desc, size_t len,
                                     const char *to);

/**
 * Removes a name that this uid has published, or that another has published for an export of
 * this uid.
 *
 * @param name the name; another uid's with its owner, as in "1000/frames".
 * @return DOCA_SUCCESS; DOCA_ERROR_INVALID_VALUE a bad name;
 *   DOCA_ERROR_NOT_FOUND nothing is published under it on this node, or not for this process;
 *   DOCA_ERROR_NOT_PERMITTED another uid published it, for another's export;
 *   DOCA_ERROR_NOT_CONNECTED, DOCA_ERROR_TIME_OUT, DOCA_ERROR_DRIVER as above.
 *
 * Source: docad. Since: docad 0.1.
 */
__DOCA_EXPERIMENTAL
doca_error_t docad_export_unpublish(const char *name);

/**
 * Looks a name up, and waits for it if need be. Other threads may make calls meanwhile.
 *
 * @param name the name; another uid's with its owner, as in "1000/frames" or "alice/frames".
 * @param timeout_ms how long to wait; 0 returns at once.
 * @param desc [out] the descriptor; untouched on failure.
 * @param len in: room at desc (DOCAD_EXPORT_DESC_SIZE is always enough); out: its length.
 *   Untouched on failure.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, a bad name, an unknown user, or not enough room;
 *   DOCA_ERROR_NOT_FOUND it is not there for this process, see above (timeout_ms 0);
 *   DOCA_ERROR_TIME_OUT it did not come in time, or docad does not answer;
 *   DOCA_ERROR_NO_MEMORY, DOCA_ERROR_NOT_CONNECTED, DOCA_ERROR_DRIVER as above.
 *
 * Source: docad. Since: docad 0.1.
 */
__DOCA_EXPERIMENTAL
doca_error_t docad_export_lookup(const char *name, uint32_t timeout_ms, void *desc, size_t *len);

/** Gets a line of the library's own: its level (enum doca_log_level) and its text, without a
 * newline. */
typedef void (*docad_log_watch_cb)(uint32_t level, const char *text);

/**
 * Has a function called with each line of the library's own, whatever levels and backends the
 * program has set, also with lines that are left out because they repeat. The calling thread is the
 * one that the line is about. The function lasts until the process ends.
 *
 * @param watch the function; lines that it causes itself do not come back to it.
 * @return DOCA_SUCCESS, also if it is called already;
 *   DOCA_ERROR_INVALID_VALUE watch is NULL; DOCA_ERROR_FULL there are four already.
 *
 * Source: docad. Since: docad 0.1.
 */
__DOCA_EXPERIMENTAL
doca_error_t docad_log_watch(docad_log_watch_cb watch);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DOCAD_H_ */
