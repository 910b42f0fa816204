/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026, the docad authors */
/**
 * @file doca_compress.h
 * Compression: tasks that compress and decompress deflate, and decompress LZ4, with checksums.
 *
 * A compression context takes one device, of any kind. A task reads the data of its source, and
 * writes from the beginning of the destination's data on, whatever length that has; afterwards
 * the destination's data is the result. Both may be local or imported memory, and lists of
 * buffers, which are read and filled one after the other. A task may be submitted again.
 *
 *   compress_deflate       makes raw deflate (RFC 1951): without the header and trailer of zlib or
 *                          gzip
 *   decompress_deflate     reads it; what follows its end in the source is ignored
 *   decompress_lz4_stream  reads the blocks of an LZ4 frame, each behind its size, without the
 *                          frame's header; an end mark may follow, and nothing else
 *   decompress_lz4_block   reads one LZ4 block, without its size; nothing may follow
 *
 * A long task is computed by a thread of the library, if the process may use more than one core:
 * submitting it returns at once, several are computed at a time, and they complete in the order in
 * which they end. The environment variable DOCAD_WORKERS limits the number of these threads. After
 * doca_ctx_stop() tasks that no thread has begun end with DOCA_ERROR_SHUTDOWN.
 *
 * A task that fails leaves its context running and the destination's data length as it was; the
 * destination's bytes may have been written, but none outside of its buffers. It fails with
 *   DOCA_ERROR_FULL: the result does not fit into the destination;
 *   DOCA_ERROR_IO_FAILED: the source is not valid, or bytes could not be read or written;
 *   DOCA_ERROR_INVALID_VALUE: the source or destination is missing or was given back; the source
 *   has no data, or more than ..._get_max_buf_size(); a list has more buffers than
 *   ..._get_max_buf_list_len(); data is placed outside of its buffer; a buffer was changed while
 *   the task was in flight;
 *   DOCA_ERROR_NOT_PERMITTED: the context's device was not added to both maps; a map was not
 *   started; the destination's map does not allow writing; the export was revoked;
 *   DOCA_ERROR_CONNECTION_RESET: the exporter has gone;
 *   DOCA_ERROR_NOT_CONNECTED: the exporter's docad is out of reach;
 *   DOCA_ERROR_BAD_STATE: the process is a child of the one that submitted it.
 * Source: table; which error means what is our choice.
 *
 * The checksums of a task that decompresses are computed with the bytes if the program, or a
 * library that it has loaded when the context starts, refers to the functions that return them. A
 * program that looks such a function up at run time (dlsym()) first gets the checksum of the
 * destination's bytes as they are when it calls it.
 *
 * Devices have deflate if the library was built with ISA-L, and LZ4 if it was built with liblz4
 * besides; the capabilities tell.
 */
#ifndef DOCA_COMPRESS_H_
#define DOCA_COMPRESS_H_

#include <inttypes.h>

#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A buffer. */
struct doca_buf;
/** A context. */
struct doca_ctx;
/** A device. */
struct doca_dev;
/** A device. */
struct doca_devinfo;
/** A compression context. */
struct doca_compress;
/** A compress task: compress deflate. */
struct doca_compress_task_compress_deflate;
/** A compress task: decompress deflate. */
struct doca_compress_task_decompress_deflate;
/** A compress task: decompress lz4 stream. */
struct doca_compress_task_decompress_lz4_stream;
/** A compress task: decompress lz4 block. */
struct doca_compress_task_decompress_lz4_block;
/** A task. */
struct doca_task;

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_compress_task_compress_deflate_completion_cb_t)(
    struct doca_compress_task_compress_deflate *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_compress_task_decompress_deflate_completion_cb_t)(
    struct doca_compress_task_decompress_deflate *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_compress_task_decompress_lz4_stream_completion_cb_t)(
    struct doca_compress_task_decompress_lz4_stream *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/** Called by doca_pe_progress() when a task of this kind is done, or has failed. */
typedef void (*doca_compress_task_decompress_lz4_block_completion_cb_t)(
    struct doca_compress_task_decompress_lz4_block *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/**
 * Makes a compression context. The work is done by this process: every device can.
 *
 * @param dev the device.
 * @param compress where to put the compression context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NO_MEMORY if there is no memory;
 *   DOCA_ERROR_INITIALIZATION if the device has gone.
 *
 * Source: table. Since: 2.5 in this form.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_create(struct doca_dev *dev, struct doca_compress **compress)
    DOCA_3_SYMBOL(compress_create);

/**
 * Frees the compression context; it must be idle.
 *
 * @param compress the compression context.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_IN_USE something still uses the object.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_destroy(struct doca_compress *compress) DOCA_3_SYMBOL(compress_destroy);

/**
 * The context of the compression context: the same object, for the functions of doca_ctx.h
 * and doca_pe.h.
 *
 * @param compress the compression context.
 * @return the context.
 *
 * Source: table. Since: 2.2.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_compress_as_ctx(struct doca_compress *compress)
    DOCA_3_SYMBOL(compress_as_ctx);

/**
 * How many tasks of each kind a context may have: 65536. Of a context in any state.
 *
 * @param compress the compression context.
 * @param max_num_tasks where to put the greatest number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL.
 *
 * Source: table. Since: 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_cap_get_max_num_tasks(struct doca_compress *compress,
                                                 uint32_t *max_num_tasks);

/**
 * Says whether there are tasks that compress by deflate: on every device, where there is
 * ISA-L.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_DRIVER is named by the table, and not returned here;
 *   DOCA_ERROR_NOT_SUPPORTED if there is no ISA-L.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_compress_cap_task_compress_deflate_is_supported(const struct doca_devinfo *devinfo);

/**
 * The greatest buffer size of compress deflate tasks on the device: the most data that
 * a source may have, 128 MiB. Destinations may be larger.
 *
 * @param devinfo the device.
 * @param max_buffer_size where to put the greatest buffer size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if there is no ISA-L.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_compress_cap_task_compress_deflate_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                         uint64_t *max_buffer_size);

/**
 * The greatest buffer list length of compress deflate tasks on the device: 128, or less if it
 * imitates a card, on either side.
 *
 * @param devinfo the device.
 * @param max_buf_list_len where to put the greatest buffer list length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_compress_cap_task_compress_deflate_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                             uint32_t *max_buf_list_len);

/**
 * Before start: the success and the error callback of compress deflate tasks and how many
 * can exist at once.
 *
 * @param compress the compression context.
 * @param task_completion_cb called for each task that was done.
 * @param task_error_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or num_tasks is 0 or more than
 *   doca_compress_cap_get_max_num_tasks();
 *   DOCA_ERROR_BAD_STATE the context is not idle;
 *   DOCA_ERROR_IN_USE tasks of an earlier call are not freed;
 *   DOCA_ERROR_NO_MEMORY memory ran out;
 *   DOCA_ERROR_NOT_SUPPORTED the library was built without it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_task_compress_deflate_set_conf(
    struct doca_compress *compress,
    doca_compress_task_compress_deflate_completion_cb_t task_completion_cb,
    doca_compress_task_compress_deflate_completion_cb_t task_error_cb, uint32_t num_tasks);

/**
 * Takes a compress deflate task, with its buffers.
 *
 * @param compress the compression context.
 * @param src_buff the source buffer.
 * @param dst_buff the destination buffer.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NO_MEMORY all tasks of this kind are taken;
 *   DOCA_ERROR_INVALID_VALUE compress or task is NULL; the buffers may be set later;
 *   DOCA_ERROR_BAD_STATE the context does not run, or has no tasks of this kind.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_task_compress_deflate_alloc_init(
    struct doca_compress *compress, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
    union doca_data user_data, struct doca_compress_task_compress_deflate **task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_compress_task_compress_deflate_as_task(struct doca_compress_task_compress_deflate *task);

/**
 * Changes the source of a task that is not in flight; if it is, logs that and
 * changes nothing.
 *
 * @param task the task.
 * @param src_buff the source buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_compress_deflate_set_src(struct doca_compress_task_compress_deflate *task,
                                                 struct doca_buf const *src_buff);

/**
 * The source of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf const *
doca_compress_task_compress_deflate_get_src(const struct doca_compress_task_compress_deflate *task);

/**
 * Changes the destination of a task that is not in flight; if it is, logs that and
 * changes nothing.
 *
 * @param task the task.
 * @param dst_buff the destination buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_compress_deflate_set_dst(struct doca_compress_task_compress_deflate *task,
                                                 struct doca_buf *dst_buff);

/**
 * The destination of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf *
doca_compress_task_compress_deflate_get_dst(const struct doca_compress_task_compress_deflate *task);

/**
 * The CRC-32 checksum (as gzip has it) of the plain data, valid once the task is completed.
 *
 * @param task the task.
 * @return the CRC-32 checksum.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint32_t doca_compress_task_compress_deflate_get_crc_cs(
    const struct doca_compress_task_compress_deflate *task);

/**
 * The Adler-32 checksum (as zlib has it) of the plain data, valid once the task is completed.
 *
 * @param task the task.
 * @return the Adler-32 checksum.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint32_t doca_compress_task_compress_deflate_get_adler_cs(
    const struct doca_compress_task_compress_deflate *task);

/**
 * Says whether there are tasks that decompress deflate: on every device, where there is
 * ISA-L.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_DRIVER is named by the table, and not returned here;
 *   DOCA_ERROR_NOT_SUPPORTED if there is no ISA-L.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_compress_cap_task_decompress_deflate_is_supported(const struct doca_devinfo *devinfo);

/**
 * The greatest buffer size of decompress deflate tasks on the device: the most data that
 * a source may have, 128 MiB. Destinations may be larger.
 *
 * @param devinfo the device.
 * @param max_buffer_size where to put the greatest buffer size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if there is no ISA-L.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_compress_cap_task_decompress_deflate_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                           uint64_t *max_buffer_size);

/**
 * The greatest buffer list length of decompress deflate tasks on the device: 128, or less if it
 * imitates a card, on either side.
 *
 * @param devinfo the device.
 * @param max_buf_list_len where to put the greatest buffer list length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_compress_cap_task_decompress_deflate_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                               uint32_t *max_buf_list_len);

/**
 * Before start: the success and the error callback of decompress deflate tasks and how many
 * can exist at once.
 *
 * @param compress the compression context.
 * @param task_completion_cb called for each task that was done.
 * @param task_error_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or num_tasks is 0 or more than
 *   doca_compress_cap_get_max_num_tasks();
 *   DOCA_ERROR_BAD_STATE the context is not idle;
 *   DOCA_ERROR_IN_USE tasks of an earlier call are not freed;
 *   DOCA_ERROR_NO_MEMORY memory ran out;
 *   DOCA_ERROR_NOT_SUPPORTED the library was built without it.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_task_decompress_deflate_set_conf(
    struct doca_compress *compress,
    doca_compress_task_decompress_deflate_completion_cb_t task_completion_cb,
    doca_compress_task_decompress_deflate_completion_cb_t task_error_cb, uint32_t num_tasks);

/**
 * Takes a decompress deflate task, with its buffers.
 *
 * @param compress the compression context.
 * @param src_buff the source buffer.
 * @param dst_buff the destination buffer.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NO_MEMORY all tasks of this kind are allocated;
 *   DOCA_ERROR_INVALID_VALUE compress or task is NULL; the buffers may be set later;
 *   DOCA_ERROR_BAD_STATE the context does not run, or has no tasks of this kind.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_task_decompress_deflate_alloc_init(
    struct doca_compress *compress, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
    union doca_data user_data, struct doca_compress_task_decompress_deflate **task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_compress_task_decompress_deflate_as_task(struct doca_compress_task_decompress_deflate *task);

/**
 * Changes the source of a task that is not in flight; if it is, logs that and
 * changes nothing.
 *
 * @param task the task.
 * @param src_buff the source buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_decompress_deflate_set_src(
    struct doca_compress_task_decompress_deflate *task, struct doca_buf const *src_buff);

/**
 * The source of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf const *doca_compress_task_decompress_deflate_get_src(
    const struct doca_compress_task_decompress_deflate *task);

/**
 * Changes the destination of a task that is not in flight; if it is, logs that and
 * changes nothing.
 *
 * @param task the task.
 * @param dst_buff the destination buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_decompress_deflate_set_dst(
    struct doca_compress_task_decompress_deflate *task, struct doca_buf *dst_buff);

/**
 * The destination of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_compress_task_decompress_deflate_get_dst(
    const struct doca_compress_task_decompress_deflate *task);

/**
 * The CRC-32 checksum (as gzip has it) of the plain data, valid once the task is completed.
 *
 * @param task the task.
 * @return the CRC-32 checksum.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint32_t doca_compress_task_decompress_deflate_get_crc_cs(
    const struct doca_compress_task_decompress_deflate *task);

/**
 * The Adler-32 checksum (as zlib has it) of the plain data, valid once the task is completed.
 *
 * @param task the task.
 * @return the Adler-32 checksum.
 *
 * Source: table. Since: 2.5.
 */
DOCA_EXPERIMENTAL
uint32_t doca_compress_task_decompress_deflate_get_adler_cs(
    const struct doca_compress_task_decompress_deflate *task);

/**
 * Says whether there are tasks that decompress LZ4 streams: on every device, where there is
 * liblz4.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_DRIVER is named by the table, and not returned here;
 *   DOCA_ERROR_NOT_SUPPORTED if there is no liblz4.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_compress_cap_task_decompress_lz4_stream_is_supported(const struct doca_devinfo *devinfo);

/**
 * The greatest buffer size of decompress lz4 stream tasks on the device: the most data that
 * a source may have, 128 MiB. Destinations may be larger.
 *
 * @param devinfo the device.
 * @param max_buffer_size where to put the greatest buffer size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if there is no liblz4.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_compress_cap_task_decompress_lz4_stream_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                              uint64_t *max_buffer_size);

/**
 * The greatest buffer list length of decompress lz4 stream tasks on the device: 128, or less if it
 * imitates a card, on either side.
 *
 * @param devinfo the device.
 * @param max_buf_list_len where to put the greatest buffer list length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_cap_task_decompress_lz4_stream_get_max_buf_list_len(
    const struct doca_devinfo *devinfo, uint32_t *max_buf_list_len);

/**
 * Before start: the success and the error callback of decompress lz4 stream tasks and how
 * many can exist at once.
 *
 * @param compress the compression context.
 * @param task_completion_cb called for each task that was done.
 * @param task_error_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or num_tasks is 0 or more than
 *   doca_compress_cap_get_max_num_tasks();
 *   DOCA_ERROR_BAD_STATE the context is not idle;
 *   DOCA_ERROR_IN_USE tasks of an earlier call are not freed;
 *   DOCA_ERROR_NO_MEMORY memory ran out;
 *   DOCA_ERROR_NOT_SUPPORTED the library was built without it.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_task_decompress_lz4_stream_set_conf(
    struct doca_compress *compress,
    doca_compress_task_decompress_lz4_stream_completion_cb_t task_completion_cb,
    doca_compress_task_decompress_lz4_stream_completion_cb_t task_error_cb, uint32_t num_tasks);

/**
 * Takes a decompress lz4 stream task, with its buffers.
 *
 * @param compress the compression context.
 * @param has_block_checksum the has block checksum.
 * @param are_blocks_independent the are blocks independent.
 * @param src_buff the source buffer.
 * @param dst_buff the destination buffer.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NO_MEMORY all tasks of this kind are taken;
 *   DOCA_ERROR_INVALID_VALUE compress or task is NULL; the buffers may be set later;
 *   DOCA_ERROR_BAD_STATE the context does not run, or has no tasks of this kind.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_task_decompress_lz4_stream_alloc_init(
    struct doca_compress *compress, uint8_t has_block_checksum, uint8_t are_blocks_independent,
    struct doca_buf const *src_buff, struct doca_buf *dst_buff, union doca_data user_data,
    struct doca_compress_task_decompress_lz4_stream **task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_compress_task_decompress_lz4_stream_as_task(
    struct doca_compress_task_decompress_lz4_stream *task);

/**
 * Changes the has block checksum of a task that is not in flight; if it is, logs that and
 * changes nothing.
 *
 * @param task the task.
 * @param has_block_checksum the has block checksum.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_decompress_lz4_stream_set_has_block_checksum(
    struct doca_compress_task_decompress_lz4_stream *task, uint8_t has_block_checksum);

/**
 * The has block checksum of the task.
 *
 * @param task the task.
 * @return the has block checksum.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
uint8_t doca_compress_task_decompress_lz4_stream_get_has_block_checksum(
    const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * Changes the are blocks independent of a task that is not in flight; if it is, logs that and
 * changes nothing.
 *
 * @param task the task.
 * @param are_blocks_independent the are blocks independent.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_decompress_lz4_stream_set_are_blocks_independent(
    struct doca_compress_task_decompress_lz4_stream *task, uint8_t are_blocks_independent);

/**
 * The are blocks independent of the task.
 *
 * @param task the task.
 * @return the are blocks independent.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
uint8_t doca_compress_task_decompress_lz4_stream_get_are_blocks_independent(
    const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * Changes the source of a task that is not in flight; if it is, logs that and
 * changes nothing.
 *
 * @param task the task.
 * @param src_buff the source buffer.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_decompress_lz4_stream_set_src(
    struct doca_compress_task_decompress_lz4_stream *task, struct doca_buf const *src_buff);

/**
 * The source of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
struct doca_buf const *doca_compress_task_decompress_lz4_stream_get_src(
    const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * Changes the destination of a task that is not in flight; if it is, logs that and
 * changes nothing.
 *
 * @param task the task.
 * @param dst_buff the destination buffer.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_decompress_lz4_stream_set_dst(
    struct doca_compress_task_decompress_lz4_stream *task, struct doca_buf *dst_buff);

/**
 * The destination of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_compress_task_decompress_lz4_stream_get_dst(
    const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * The CRC-32 checksum (as gzip has it) of the plain data, valid once the task is completed.
 *
 * @param task the task.
 * @return the CRC-32 checksum.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
uint32_t doca_compress_task_decompress_lz4_stream_get_crc_cs(
    const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * The xxHash-32 checksum (seed 0) of the plain data, valid once the task is completed: its
 * bytes in memory are the canonical ones, from the most significant on. be32toh() makes it the
 * number that an LZ4 frame has at its end. Source: a program of NVIDIA's compares it so.
 *
 * @param task the task.
 * @return the xxHash-32 checksum.
 *
 * Source: table. Since: 2.9 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
uint32_t doca_compress_task_decompress_lz4_stream_get_xxh_cs(
    const struct doca_compress_task_decompress_lz4_stream *task);

/**
 * Says whether there are tasks that decompress LZ4 blocks: on every device, where there is
 * liblz4.
 *
 * @param devinfo the device.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_DRIVER is named by the table, and not returned here;
 *   DOCA_ERROR_NOT_SUPPORTED if there is no liblz4.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_compress_cap_task_decompress_lz4_block_is_supported(const struct doca_devinfo *devinfo);

/**
 * The greatest buffer size of decompress lz4 block tasks on the device: the most data that
 * a source may have, 128 MiB. Destinations may be larger.
 *
 * @param devinfo the device.
 * @param max_buffer_size where to put the greatest buffer size.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if there is no liblz4.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_compress_cap_task_decompress_lz4_block_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                             uint64_t *max_buffer_size);

/**
 * The greatest buffer list length of decompress lz4 block tasks on the device: 128, or less if it
 * imitates a card, on either side.
 *
 * @param devinfo the device.
 * @param max_buf_list_len where to put the greatest buffer list length.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE for NULL;
 *   DOCA_ERROR_NOT_SUPPORTED if the device imitates a card that lacks it (docad-cards(7)).
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_compress_cap_task_decompress_lz4_block_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                                 uint32_t *max_buf_list_len);

/**
 * Before start: the success and the error callback of decompress lz4 block tasks and how
 * many can exist at once.
 *
 * @param compress the compression context.
 * @param task_completion_cb called for each task that was done.
 * @param task_error_cb called for each task that failed.
 * @param num_tasks the number of tasks.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_INVALID_VALUE an argument is NULL, or num_tasks is 0 or more than
 *   doca_compress_cap_get_max_num_tasks();
 *   DOCA_ERROR_BAD_STATE the context is not idle;
 *   DOCA_ERROR_IN_USE tasks of an earlier call are not freed;
 *   DOCA_ERROR_NO_MEMORY memory ran out;
 *   DOCA_ERROR_NOT_SUPPORTED the library was built without it.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_task_decompress_lz4_block_set_conf(
    struct doca_compress *compress,
    doca_compress_task_decompress_lz4_block_completion_cb_t task_completion_cb,
    doca_compress_task_decompress_lz4_block_completion_cb_t task_error_cb, uint32_t num_tasks);

/**
 * Takes a decompress lz4 block task, with its buffers.
 *
 * @param compress the compression context.
 * @param src_buff the source buffer.
 * @param dst_buff the destination buffer.
 * @param user_data data of the program, carried and never interpreted.
 * @param task where to put the task.
 * @return DOCA_SUCCESS;
 *   DOCA_ERROR_NO_MEMORY all tasks of this kind are taken;
 *   DOCA_ERROR_INVALID_VALUE compress or task is NULL; the buffers may be set later;
 *   DOCA_ERROR_BAD_STATE the context does not run, or has no tasks of this kind.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_compress_task_decompress_lz4_block_alloc_init(
    struct doca_compress *compress, struct doca_buf const *src_buff, struct doca_buf *dst_buff,
    union doca_data user_data, struct doca_compress_task_decompress_lz4_block **task);

/**
 * The same task, for the functions of doca_pe.h.
 *
 * @param task the task.
 * @return the task.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_compress_task_decompress_lz4_block_as_task(
    struct doca_compress_task_decompress_lz4_block *task);

/**
 * Changes the source of a task that is not in flight; if it is, logs that and
 * changes nothing.
 *
 * @param task the task.
 * @param src_buff the source buffer.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_decompress_lz4_block_set_src(
    struct doca_compress_task_decompress_lz4_block *task, struct doca_buf const *src_buff);

/**
 * The source of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
struct doca_buf const *doca_compress_task_decompress_lz4_block_get_src(
    const struct doca_compress_task_decompress_lz4_block *task);

/**
 * Changes the destination of a task that is not in flight; if it is, logs that and
 * changes nothing.
 *
 * @param task the task.
 * @param dst_buff the destination buffer.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
void doca_compress_task_decompress_lz4_block_set_dst(
    struct doca_compress_task_decompress_lz4_block *task, struct doca_buf *dst_buff);

/**
 * The destination of the task.
 *
 * @param task the task.
 * @return the buffer.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_compress_task_decompress_lz4_block_get_dst(
    const struct doca_compress_task_decompress_lz4_block *task);

/**
 * The CRC-32 checksum (as gzip has it) of the plain data, valid once the task is completed.
 *
 * @param task the task.
 * @return the CRC-32 checksum.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
uint32_t doca_compress_task_decompress_lz4_block_get_crc_cs(
    const struct doca_compress_task_decompress_lz4_block *task);

/**
 * The xxHash-32 checksum (seed 0) of the plain data, valid once the task is completed: its
 * bytes in memory are the canonical ones, from the most significant on. be32toh() makes it the
 * number that an LZ4 frame has at its end. Source: a program of NVIDIA's compares it so.
 *
 * @param task the task.
 * @return the xxHash-32 checksum.
 *
 * Source: table. Since: 3.0 at the latest, and not in 2.6.
 */
DOCA_EXPERIMENTAL
uint32_t doca_compress_task_decompress_lz4_block_get_xxh_cs(
    const struct doca_compress_task_decompress_lz4_block *task);

/* 2.5 to 2.7 have one kind of LZ4 tasks: those for blocks. */
#define doca_compress_task_decompress_lz4 doca_compress_task_decompress_lz4_block
#define doca_compress_task_decompress_lz4_completion_cb_t                                          \
    doca_compress_task_decompress_lz4_block_completion_cb_t
#define doca_compress_cap_task_decompress_lz4_is_supported                                         \
    doca_compress_cap_task_decompress_lz4_block_is_supported
#define doca_compress_cap_task_decompress_lz4_get_max_buf_size                                     \
    doca_compress_cap_task_decompress_lz4_block_get_max_buf_size
#define doca_compress_cap_task_decompress_lz4_get_max_buf_list_len                                 \
    doca_compress_cap_task_decompress_lz4_block_get_max_buf_list_len
#define doca_compress_task_decompress_lz4_set_conf doca_compress_task_decompress_lz4_block_set_conf
#define doca_compress_task_decompress_lz4_alloc_init                                               \
    doca_compress_task_decompress_lz4_block_alloc_init
#define doca_compress_task_decompress_lz4_as_task doca_compress_task_decompress_lz4_block_as_task
#define doca_compress_task_decompress_lz4_set_src doca_compress_task_decompress_lz4_block_set_src
#define doca_compress_task_decompress_lz4_get_src doca_compress_task_decompress_lz4_block_get_src
#define doca_compress_task_decompress_lz4_set_dst doca_compress_task_decompress_lz4_block_set_dst
#define doca_compress_task_decompress_lz4_get_dst doca_compress_task_decompress_lz4_block_get_dst
#define doca_compress_task_decompress_lz4_get_crc_cs                                               \
    doca_compress_task_decompress_lz4_block_get_crc_cs
#define doca_compress_task_decompress_lz4_get_adler_cs                                             \
    doca_compress_task_decompress_lz4_block_get_xxh_cs

/* Names that 2.5 has for functions above. */
#define doca_compress_get_max_num_tasks doca_compress_cap_get_max_num_tasks

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMPRESS_H_ */
