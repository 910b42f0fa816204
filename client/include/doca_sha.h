/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_sha.h
 * SHA: jobs that compute SHA-1, SHA-256 and SHA-512 digests of the data of a buffer, or
 * list of buffers, at once or segment by segment.
 *
 * A SHA context takes one device (of any kind), and any number of work queues in either
 * mode. Source and response may each be local or imported. A long job does not block
 * others: other jobs of its work queue complete meanwhile. It is computed by a thread of the
 * library, if the process may use more than one core: submitting it returns at once, several are
 * computed at a time, and they complete in the order in which they end; segments of one message
 * stay in order. The environment variable DOCAD_WORKERS limits the number of these threads.
 *
 * Since 2.2.
 */
#ifndef DOCA_SHA_H_
#define DOCA_SHA_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Length of a SHA-1 digest in bytes. */
#define DOCA_SHA1_BYTE_COUNT 20

/** Length of a SHA-256 digest in bytes. */
#define DOCA_SHA256_BYTE_COUNT 32

/** Length of a SHA-512 digest in bytes. */
#define DOCA_SHA512_BYTE_COUNT 64

/** A SHA context. */
struct doca_sha;

/**
 * The state of a message that is hashed segment by segment. It belongs to one context and
 * one work queue.
 */
struct doca_sha_partial_session;

/** Jobs of a SHA context. */
enum doca_sha_job_type {
    DOCA_SHA_JOB_SHA1 = DOCA_ACTION_SHA_FIRST + 1, /**< struct doca_sha_job */
    DOCA_SHA_JOB_SHA256,                           /**< struct doca_sha_job */
    DOCA_SHA_JOB_SHA512,                           /**< struct doca_sha_job */
    DOCA_SHA_JOB_SHA1_PARTIAL,                     /**< struct doca_sha_partial_job */
    DOCA_SHA_JOB_SHA256_PARTIAL,                   /**< struct doca_sha_partial_job */
    DOCA_SHA_JOB_SHA512_PARTIAL                    /**< struct doca_sha_partial_job */
};

/** Flags of a SHA job. */
enum doca_sha_job_flags {
    DOCA_SHA_JOB_FLAGS_NONE = 0,             /**< None. */
    DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL = 1 /**< The last segment of its message. */
};

/**
 * Computes the digest of the source's data and writes it to the beginning of the response's
 * data; afterwards the response's data length is that of the digest, whatever it was
 * before. The source may be a list (up to doca_sha_get_max_list_buf_num_elem() buffers,
 * counted from the given one); only the first buffer of a list of responses is used. Both
 * may lie in the same memory.
 *
 * doca_workq_submit() returns DOCA_ERROR_INVALID_VALUE for
 *   a buffer that is NULL or was given back, or whose data is placed outside of it;
 *   a source without data, with more than doca_sha_get_max_src_buffer_size() bytes, or of
 *   too many buffers;
 *   a response with less room from its data on than
 *   doca_sha_get_min_dst_buffer_size() bytes;
 *   unknown flags. (DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL is ignored, because programs set it.)
 *
 * If a job fails, doca_workq_progress_retrieve() returns DOCA_ERROR_IO_FAILED, with the
 * reason in event.result.u64:
 *   DOCA_ERROR_NOT_PERMITTED: the context's device was not added to both memory maps; a map
 *   was not started; the response's map does not allow writing; the export was revoked;
 *   DOCA_ERROR_CONNECTION_RESET: the exporter has gone;
 *   DOCA_ERROR_NOT_CONNECTED: the exporter's docad is out of reach;
 *   DOCA_ERROR_INVALID_VALUE: a buffer was changed while the job was in flight;
 *   DOCA_ERROR_IO_FAILED: the bytes could not be read or written;
 *   DOCA_ERROR_BAD_STATE: the process is a child of the one that submitted it.
 * The response stays as it was, except that its bytes may have been written.
 *
 * Source: table and guide; which error means what is our choice.
 */
struct doca_sha_job {
    struct doca_job base;      /**< type is DOCA_SHA_JOB_SHA1, _SHA256 or _SHA512. */
    struct doca_buf *req_buf;  /**< Source. */
    struct doca_buf *resp_buf; /**< Response. */
    uint64_t flags;            /**< Of enum doca_sha_job_flags. */
};

/**
 * Hashes the next segment of a message. Each segment has an event of its own. Segments of a
 * session are hashed in the order in which they were submitted, and the next may be
 * submitted before the event of the previous one. The digest is in the response of the
 * segment that has DOCA_SHA_JOB_FLAGS_SHA_PARTIAL_FINAL; other responses are untouched.
 * After that segment the session is ready for another message.
 *
 * Everything said of struct doca_sha_job applies here too. In addition doca_workq_submit()
 * returns DOCA_ERROR_INVALID_VALUE for
 *   a segment before the final one whose length is not a multiple of 64 bytes (SHA-512: 128);
 *   a segment of a type other than that of the segments before it;
 *   a session that is NULL, was destroyed, or belongs to another context or work queue.
 *
 * After a segment has failed, all other segments of its message, including the final one,
 * fail with DOCA_ERROR_BAD_STATE.
 *
 * Source: table and guide; the rules for order and failure are our choice.
 */
struct doca_sha_partial_job {
    struct doca_sha_job sha_job;              /**< base.type is one of the _PARTIAL types. */
    struct doca_sha_partial_session *session; /**< Of the job's context and work queue. */
};

/**
 * Makes a SHA context. No docad needs to run for it.
 *
 * @param ctx receives the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY, also when the process has doca_ctx_get_max_num_ctx() contexts.
 *   (DOCA_ERROR_NOT_SUPPORTED of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sha_create(struct doca_sha **ctx);

/**
 * Destroys a SHA context that has no work queues. It may still be started, and have its
 * device, open or closed.
 *
 * @param ctx the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_IN_USE while it has work queues: nothing is changed.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sha_destroy(struct doca_sha *ctx);

/**
 * Says whether a device can execute a job. Every device executes every SHA job.
 *
 * @param devinfo the device.
 * @param job_type which job.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a type that is not a SHA job.
 *   (DOCA_ERROR_NOT_SUPPORTED of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sha_job_get_supported(const struct doca_devinfo *devinfo,
                                        enum doca_sha_job_type job_type);

/**
 * Returns the number of buffers that the source of a job may have.
 *
 * @param devinfo the device.
 * @param max_list_num_elem receives the number: 64.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *   (DOCA_ERROR_NOT_SUPPORTED of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sha_get_max_list_buf_num_elem(const struct doca_devinfo *devinfo,
                                                uint32_t *max_list_num_elem);

/**
 * Returns the number of bytes that a job may hash.
 *
 * @param devinfo the device.
 * @param max_buffer_size receives the number of bytes, over all buffers of a list: 2^40.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *   (DOCA_ERROR_NOT_SUPPORTED of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sha_get_max_src_buffer_size(const struct doca_devinfo *devinfo,
                                              uint64_t *max_buffer_size);

/**
 * Returns the room that a response needs: the length of the digest.
 *
 * @param devinfo the device.
 * @param job_type which job.
 * @param min_buffer_size receives 20, 32 or 64 bytes.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a type that is not a SHA job.
 *   (DOCA_ERROR_NOT_SUPPORTED of the table is not returned by this implementation.)
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sha_get_min_dst_buffer_size(const struct doca_devinfo *devinfo,
                                              enum doca_sha_job_type job_type,
                                              uint32_t *min_buffer_size);

/**
 * Says whether the device executes jobs itself, rather than a slower substitute. Programs
 * refuse to run on the substitute. Here there is only one way, and the answer is always
 * success.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *   (DOCA_ERROR_NOT_SUPPORTED of the table is not returned by this implementation.)
 *
 * Source: table; the answer is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sha_get_hardware_supported(const struct doca_devinfo *devinfo);

/**
 * Returns the SHA context as a context.
 *
 * @param ctx the context.
 * @return its base, the same at each call; NULL for NULL.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
struct doca_ctx *doca_sha_as_ctx(struct doca_sha *ctx);

/**
 * Makes a session, for any number of messages, one after the other. The first segment of a
 * message decides its algorithm. Like the other functions for sessions, this one must be
 * called by the thread that the work queue belongs to.
 *
 * @param ctx the context.
 * @param workq a work queue that was added to it.
 * @param session receives the session. doca_sha_partial_session_destroy() destroys it, as
 *   does removing the work queue from the context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, or a work queue that was not added to the context;
 *   DOCA_ERROR_NO_MEMORY when the work queue has 1024 sessions of the context.
 *
 * Source: table; the limit is our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sha_partial_session_create(struct doca_sha *ctx, struct doca_workq *workq,
                                             struct doca_sha_partial_session **session);

/**
 * Destroys a session, in the middle of a message or after it.
 *
 * @param ctx the context.
 * @param workq the work queue.
 * @param session a session of this context and work queue that has no segment in flight.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL, a session of another context or work queue, a
 *   session that was destroyed already, or one with a segment in flight: nothing is
 *   changed.
 *
 * Source: table. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sha_partial_session_destroy(struct doca_sha *ctx, struct doca_workq *workq,
                                              struct doca_sha_partial_session *session);

/**
 * Copies the state of one session to another, so that the beginning that several messages
 * share is hashed only once. The previous state of the target is lost.
 *
 * @param ctx the context.
 * @param workq the work queue.
 * @param from_session a session of this context and work queue that has no segment in
 *   flight, and of whose message no segment has failed.
 * @param to_session another session of them, with no segment in flight.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE if one of them is not as required: nothing is changed;
 *   DOCA_ERROR_UNEXPECTED if the state cannot be copied, which does not happen here.
 *
 * Source: table; the conditions are our choice. Since: 2.2.
 */
__DOCA_EXPERIMENTAL
doca_error_t doca_sha_partial_session_copy(struct doca_sha *ctx, struct doca_workq *workq,
                                           const struct doca_sha_partial_session *from_session,
                                           struct doca_sha_partial_session *to_session);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_SHA_H_ */
